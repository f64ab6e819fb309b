"""Centre-embedding read by places and endings: what the rule itself gets without a parse.

The noun that is a third of the way through the nouns goes with the verb that is a third of the way
back through the verbs; the noun with two before it with the verb that two words in -ed follow.
Whoever does so has been told that clauses nest; so this is the rule of the construction, and no
shortcut. It is printed beside scores as such.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from research.shallow.cues import NOWHERE, noun_place, stems_of, verb_place, words_of
from research.systems.nulls import nouns_in

BY_WORDS = "relative place in the mirror, in words"
BY_LETTERS = "relative place in the mirror, in letters"
BEHIND = "-ed behind the verb, less the nouns before the noun"
BETWEEN = "-ed before the verb, less the nouns between"
COUNTED = (
    "words in -ed before the verb",
    "words in -ed behind it",
    "nouns before",
    "nouns between",
)
BY_ENDINGS = "counts of words in -ed and of nouns"
RULES = frozenset({BY_WORDS, BY_LETTERS, BEHIND, BETWEEN, *COUNTED, BY_ENDINGS})


class Borders(NamedTuple):
    """Places of words: the last noun before a verb, the first verb's end, the end of the verbs."""

    last: int
    first: int
    end: int


def mirror_cues(context: str, question: str, options: Sequence[str]) -> list[dict[str, float]]:
    """How far each option is from the mirror of what is asked, by shares and by counts.

    The question names the noun whose verb is asked, or the verb whose noun is.
    """
    borders, words = borders_of(context), words_of(context)
    lengths = [0]
    for word in words:
        lengths.append(lengths[-1] + len(word) + 1)
    found = []
    for text in options:
        verb, noun = _places(context, question, text)
        cues = dict.fromkeys((BY_WORDS, BY_LETTERS, BEHIND, BETWEEN, *COUNTED), NOWHERE)
        if verb is not None and noun is not None:
            cues |= _counted(words, verb, noun)
            if borders is not None:
                end = phrase_end(words, verb)
                cues[BY_WORDS] = -_apart(noun, end, borders, range(len(lengths)))
                cues[BY_LETTERS] = -_apart(noun, end, borders, lengths)
        found.append(cues)
    return found


def counts_together(cues: Sequence[Mapping[str, float]]) -> list[list[str]]:
    """Of each option what its counts of words in -ed and of nouns are together, from its cues."""
    told = [[f"{own[name]:.0f}" for name in COUNTED] for own in cues]
    return [
        [f"{before} {between} before", f"{behind} {left} behind", " ".join(own)]
        for own in told
        for before, behind, left, between in [own]
    ]


def _places(context: str, question: str, text: str) -> tuple[int | None, int | None]:
    """Where the verb and the noun stand, of which the question names one and an option one."""
    stems, asked, own = stems_of(context), stems_of(question), stems_of(text)
    verb, noun = verb_place(asked, stems), noun_place(own, stems)
    if verb is None:
        verb, noun = verb_place(own, stems), noun_place(asked, stems)
    return verb, noun


def _counted(words: Sequence[str], verb: int, noun: int) -> dict[str, float]:
    ends = [word.endswith("ed") for word in words]
    before, behind = sum(ends[:verb]), sum(ends[verb + 1 :])
    left = words[:noun].count("the")
    between = max(words[noun:verb].count("the") - 1, 0)  # its own article apart
    counts = dict(zip(COUNTED, map(float, (before, behind, left, between)), strict=True))
    return counts | {BEHIND: -float(abs(behind - left)), BETWEEN: -float(abs(before - between))}


def _apart(noun: int, verb_end: int, borders: Borders, lengths: Sequence[int]) -> float:
    last, first, end = (lengths[place] for place in borders)
    from_end = (end - lengths[min(verb_end, borders.end)]) / max(end - first, 1)
    return abs(lengths[noun] / max(last, 1) - from_end)


@functools.lru_cache(maxsize=4)
def borders_of(context: str) -> Borders | None:
    """The borders of the nouns and the verbs of a sentence; None where no verb follows a noun."""
    words = words_of(context)
    last = place = 0
    for noun in nouns_in(context):
        named = ["the", *words_of(noun)]
        at = next((i for i in range(place, len(words)) if words[i : i + len(named)] == named), None)
        if at is None:
            return None
        last, place = at, at + len(named)
        if words[place : place + 2] != ["that", "the"]:
            break
    place += words[place : place + 1] == ["that"]  # the noun's own clause begins with its verb
    if place >= len(words):
        return None
    rest = (i for i in range(place, len(words)) if words[i] == "the")
    return Borders(last, phrase_end(words, place), next(rest, len(words)))


def phrase_end(words: Sequence[str], verb: int) -> int:
    """Where a verb phrase ends: behind its particles and prepositions."""
    end = verb + 1
    while end < len(words) and words[end] in _particles():
        end += 1
    return end


@functools.cache
def _particles() -> frozenset[str]:
    from builders.centerbench.relations import KnowledgeBase

    verbs = KnowledgeBase().verbs.values()
    return frozenset(word for verb in verbs for word in (verb.tail or "").split())
