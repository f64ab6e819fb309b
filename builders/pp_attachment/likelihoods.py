"""PP attachment for language models: what a phrase belongs to, told by what is likely with it.

No attachment makes a clause ill-formed, so that each row crosses two changes, and only how they go
together counts. Words, lengths and places stand on both sides and cancel:

    Den Wanderer sucht links mit einem Fernglas jedoch dort wohl der Jäger.
        Das Fernglas hat der | Jäger, nicht der Wanderer. / Wanderer, nicht der Jäger.
    Den Wanderer dort links mit einem Fernglas jedoch sucht wohl der Jäger.
        Das Fernglas hat der | Jäger, nicht der Wanderer. / Wanderer, nicht der Jäger.

    Ich glaube, gegen den Minister | richtet / versteht die Anwältin den Protest.
    Ich glaube, den Protest gegen den Minister | richtet / versteht die Anwältin.

`holder`: the order decides whose the phrase is, and a second sentence tells it. The finite verb and
dort change places. Every other word keeps its own, and so do the words beside the phrase. Each
frame names the holder first, as above, as often as last (nicht der Jäger, sondern der Wanderer),
with the same adverbs, so that the place of no noun tells.
`selection`: the order decides, and the verb goes with one order only. (Prepositions would, too, but
the word before them gives that away: glaube, trotz against Haus trotz.)
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from builders.pp_attachment.columns import LIKELIHOOD_SCHEMA
from builders.pp_attachment.draw import DrawnPair, frame_pairs
from builders.pp_attachment.frames import (
    AttachmentFrame,
    Holder,
    adverbs,
    frame_of,
    frames,
    holders,
)
from builders.pp_attachment.items import STILL, Variant, build_clause
from builders.pp_attachment.phrases import adverb_part, noun_phrase
from builders.pp_attachment.realizer import SIDE, VERB, OrderedClause, realize
from builders.sorts.lexicon import PLURAL, split_phrase
from builders.sorts.likelihoods import sentence
from builders.sorts.phrases import Phrase

N_ITEMS = 20  # of each frame; of `holder` four to each place
MEMBERS = ("verb_verb", "verb_noun", "noun_verb", "noun_noun")
FRONT, INSIDE = "front", "inside"
BELIEF = "Ich glaube, "  # a verb-second clause follows, so that no first word is capitalised
LENGTH = 3  # words of a phrase of `holder`
KINDS = {"topology": "front", "contrast_verb": "next"}  # one pair of an item


def likelihood_table(seed: int = 0) -> pa.Table:
    """Rows of `LIKELIHOOD_SCHEMA`: `N_ITEMS` items of each frame, drawn by the seed."""
    rows = [
        {
            "id": f"{one.frame.family}/{one.place:03d}/{construction}",
            "construction": construction,
            "cluster": one.frame.family,
            "preposition": one.frame.preposition,
            **dict(zip(MEMBERS, texts, strict=True)),
        }
        for construction, own, cross in _crossings()
        for frame in own
        for one in _items(frame, seed)
        for texts in [cross(one)]
    ]
    return pa.Table.from_pylist(rows, schema=LIKELIHOOD_SCHEMA)


Cross = Callable[[DrawnPair], list[str]]


def _crossings() -> Iterator[tuple[str, list[AttachmentFrame], Cross]]:
    """Each construction with its frames, and what makes the four texts of an item."""
    held = [frame_of(f"topology/{holder.frame}") for holder in holders().values()]
    yield "holder", held, _held
    chosen = [frame for frame in frames() if frame.group == "contrast_verb"]
    yield "selection", chosen, _fitting


def _items(frame: AttachmentFrame, seed: int) -> list[DrawnPair]:
    """The first items of a frame in a draw, as plain clauses in the present."""
    drawn = (one for one in frame_pairs(frame, seed) if one.pair.kind == KINDS[frame.group])
    return [
        one._replace(
            setting=one.setting._replace(
                form="plain", tense=STILL, is_pronoun=False, has_denn=False
            )
        )
        for one in islice(drawn, N_ITEMS)
    ]


def _held(one: DrawnPair) -> list[str]:
    """The four texts of an item: of two that follow each other, one names the holder last."""
    people = one.words.subject, one.words.object
    return [
        f"{clause} {_told(one, *two, is_last=one.place % 2 == 1)}"
        for order in ("place_apart", "place_inside")
        for clause in [_placed(one, order, one.place // 2)]
        for two in (people, people[::-1])
    ]


def _placed(one: DrawnPair, order: str, number: int) -> str:
    """A clause with a place before the phrase; its adverbs beside the phrase go by the number."""
    is_plural = split_phrase(one.words.filler)[2] == PLURAL
    setting = one.setting._replace(
        article="definite" if is_plural else "indefinite",  # three words in every phrase
        adverbs=(0, number, one.setting.adverbs[2]),
    )
    clause = build_clause(one.frame, one.words, setting, Variant(order, VERB, "obl", "topology"))
    side = adverbs("side")[number % len(adverbs("side"))]
    parts = {**clause.parts, SIDE: adverb_part(side.form, side.xpos)}
    return sentence(realize(OrderedClause(parts, VERB), order).tokens)


def _told(one: DrawnPair, has: str, lacks: str, *, is_last: bool) -> str:
    """Who has what the phrase names and who does not; who has it comes first or last."""
    holder = holders()[one.frame.frame]
    known = _known(one, holder)
    said = f"{known[0].upper()}{known[1:]} {holder.verb}"
    if is_last:
        return f"{said} nicht {_subject(lacks)}, sondern {_subject(has)}."
    return f"{said} {_subject(has)}, nicht {_subject(lacks)}."


def _known(one: DrawnPair, holder: Holder) -> str:
    """The phrase's noun as an object, or the phrase: it is known now, so that it is definite."""
    if holder.known == "object":
        return _text(noun_phrase(one.words.filler, "definite", "accusative"))
    phrase = noun_phrase(one.words.filler, "definite", one.frame.case)
    return f"{one.frame.preposition} {_text(phrase)}"


def _subject(cell: str) -> str:
    return _text(noun_phrase(cell, "definite", "nominative"))


def _text(phrase: Phrase) -> str:
    return " ".join(word.form for word in phrase.words)


def _fitting(one: DrawnPair) -> list[str]:
    """Both orders with the verb that wants the phrase for itself, and with the other one."""
    return [
        f"{BELIEF}{text[0].lower()}{text[1:]}"
        for order in (FRONT, INSIDE)
        for verb in (one.words.other, None)
        for text in [_clause(one, order, verb)]
    ]


def _clause(one: DrawnPair, order: str, verb: str | None = None) -> str:
    variant = Variant(order, VERB, "obl", "topology", verb=verb)
    return sentence(realize(build_clause(one.frame, one.words, one.setting, variant), order).tokens)


def likelihood_problems(columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Checks rows of config `pairs`: one line per problem, none for valid rows."""
    return list(crossed_problems(columns)) or list(balance_problems(columns))


def crossed_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows in which more than the order differs between the texts that share a word, or less."""
    for identifier, *texts in zip(*(columns[name] for name in ("id", *MEMBERS)), strict=True):
        first, second, third, fourth = (_bag(text) for text in texts)
        if len(set(texts)) < len(MEMBERS) or (first, second) != (third, fourth):
            yield f"{identifier}: members, got {texts}; expected the same words in both orders"


def balance_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Cues of `holder` that are right in a frame more often than wrong, or less.

    A cue is the word before the phrase, the one behind it, or where dort stands, with the distances
    from the phrase to both nouns, in the order in which they are named, or to the one named last.
    """
    gained: Counter[tuple[str, str, tuple[int, ...]]] = Counter()
    names = ("construction", "cluster", "preposition", *MEMBERS)
    for construction, cluster, preposition, *texts in zip(
        *(columns[n] for n in names), strict=True
    ):
        if construction == "holder":
            for sign, text in zip((1, -1, -1, 1), texts, strict=True):
                for word, distances in _cues(text, preposition):
                    gained[cluster, word, distances] += sign
    for (cluster, word, distances), n in sorted(gained.items()):
        if n:
            yield (
                f"{cluster}: {word} and distances {distances}, got {n} more right than wrong;"
                " expected as many"
            )


def _cues(text: str, preposition: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Each word beside the phrase, and the place of dort, with the distances of named nouns."""
    clause, told = (part.rstrip(".").split(" ") for part in text.split(". "))
    start = clause.index(preposition)
    named = [word.rstrip(",") for word in told if word.endswith(",")] + told[-1:]
    distances = tuple(
        next(at for at, form in enumerate(clause) if form.startswith(noun)) - start
        for noun in named  # der Kollege, den Kollegen
    )
    local = [f"dort {at - start}" for at, form in enumerate(clause) if form == "dort"]
    for cue in (clause[start - 1], clause[start + LENGTH], *local):
        yield cue, distances
        yield cue, distances[-1:]


def _bag(text: str) -> list[str]:
    return sorted(text.lower().replace(".", "").split(" "))
