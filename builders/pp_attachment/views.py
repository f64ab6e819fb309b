"""The training views of PP attachment: pairs that the published suite lacks, in two formats.

A combination is what a clause says, by lemma: verb, preposition, noun of the phrase, other nouns
and pronouns.
`items`: combinations beyond those of the published configs; `test` is the published lite subset.
`words`: verbs and nouns of phrases divided so that groups of frames keep their shares, words that
lie one inside the other together (schreiben, beschreiben); prepositions and other nouns are shared.
`constructions`: whole prepositions with all their frames; pairs of prepositions that are in two
parts are in none.
A pair is in one part with both its members.
"""

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from builders import views
from builders.columns import Columns
from builders.pp_attachment.columns import ATTACHMENT_VIEW_SCHEMA, HEADS
from builders.pp_attachment.draw import (
    DEFAULT_SIZE,
    DrawnPair,
    draw_pairs,
    frame_pairs,
    lite_pairs,
    pair_columns,
)
from builders.pp_attachment.frames import frames
from builders.sorts.columns import PARSING_VIEW_SCHEMA, UPOS
from builders.sorts.lexicon import split_phrase
from builders.sorts.views import parsing_table
from builders.views import PARTS, Kind, Part, Promise, View, ViewKind

SALT = "pp_attachment views"
SHORTEST_WORD = 4  # letters of a word that is looked for inside others
PAIRS: Mapping[Part, int] = {"train": 12, "validation": 4, "test": 12}  # of each frame, if it can
NOUNS = ("NOUN", "PRON")
PUBLISHED = ("conll", "lite")
Weights = dict[str, dict[str, float]]
"""How much of each group of frames a word or preposition has."""


class Combination(NamedTuple):
    """What a clause is made of, by lemma; `others` are nouns and pronouns outside the phrase."""

    verb: str
    preposition: str
    phrase_noun: str
    others: tuple[str, ...]


@functools.cache
def view_columns(kind: Kind) -> Mapping[Part, Columns]:
    """The clauses of a kind of view, in the columns of config `conll`."""
    return {part: pair_columns(pairs) for part, pairs in KINDS[kind].divide().items()}


def combination(lemmas: Sequence[str], upos: Sequence[str]) -> Combination:
    """What a clause of one verb and one prepositional phrase is made of.

    Example:
        >>> combination(["mit", "Fernglas", "sehen", "er"], ["ADP", "NOUN", "VERB", "PRON"])
        Combination(verb='sehen', preposition='mit', phrase_noun='Fernglas', others=('er',))
    """
    adposition, pp = _phrase_places(upos)
    others = sorted(lemmas[i] for i, tag in enumerate(upos) if tag in NOUNS and i != pp)
    return Combination(lemmas[upos.index("VERB")], lemmas[adposition], lemmas[pp], tuple(others))


def _phrase_places(upos: Sequence[str]) -> tuple[int, int]:
    """Preposition, and the next noun or pronoun."""
    adposition = upos.index("ADP")
    return adposition, next(i for i, tag in enumerate(upos) if tag in NOUNS and i > adposition)


def _combinations(pairs: Iterable[DrawnPair]) -> set[Combination]:
    columns = pair_columns(pairs)
    rows = zip(columns["lemmas"], columns["upos"], strict=True)
    return {combination(*row) for row in rows}


@functools.cache
def _every_pair() -> tuple[DrawnPair, ...]:
    """The pairs of all draws, in a hashed order."""
    every = (one for frame in frames() for one in frame_pairs(frame, 0))
    return tuple(sorted(every, key=lambda one: views.hashed_share(one.pair_id, SALT)))


def _of_each_frame(part_of: Callable[[DrawnPair], Part | None]) -> dict[Part, list[DrawnPair]]:
    """The first pairs of each frame in each part, as many as it takes.

    None of their combinations is published or in another part.
    """
    taken: Counter[tuple[Part, str]] = Counter()
    published = _combinations(draw_pairs(0, DEFAULT_SIZE))
    owners: dict[Combination, Part] = {}
    found: dict[Part, list[DrawnPair]] = {part: [] for part in PARTS}
    for one in _every_pair():
        part = part_of(one)
        if part is None or taken[part, one.frame.family] == PAIRS[part]:
            continue
        both = _combinations([one])
        if not published & both and all(owners.get(each, part) == part for each in both):
            owners |= dict.fromkeys(both, part)
            taken[part, one.frame.family] += 1
            found[part].append(one)
    return found


def _divide_items() -> dict[Part, list[DrawnPair]]:
    learnt = _of_each_frame(lambda one: views.hashed_part(one.item_id, SALT, (0.85, 0.15)))
    return {**learnt, "test": lite_pairs(draw_pairs(0, DEFAULT_SIZE))}


def _divide_words() -> dict[Part, list[DrawnPair]]:
    verbs, nouns = word_parts()

    def part_of(one: DrawnPair) -> Part | None:
        members = (one.pair.first, one.pair.second)
        parts = {verbs[member.verb or one.words.verb] for member in members}
        fillers = [member.filler or one.words.filler for member in members]
        parts |= {nouns[split_phrase(filler)[1]] for filler in fillers}
        return parts.pop() if len(parts) == 1 else None

    return _of_each_frame(part_of)


def _divide_constructions() -> dict[Part, list[DrawnPair]]:
    parts = preposition_parts()

    def part_of(one: DrawnPair) -> Part | None:
        members = (one.pair.first, one.pair.second)
        own = {parts[member.preposition or one.frame.preposition] for member in members}
        return own.pop() if len(own) == 1 else None

    return _of_each_frame(part_of)


@functools.cache
def word_parts() -> tuple[Mapping[str, Part], Mapping[str, Part]]:
    """The part of each verb, and of each noun of a phrase; a pronoun goes with its noun."""
    verbs: Weights = defaultdict(lambda: defaultdict(float))
    nouns: Weights = defaultdict(lambda: defaultdict(float))
    for frame in frames():
        own = frame.verbs + (frame.contrast if frame.group == "contrast_verb" else ())
        cells = frame.fillers + (frame.contrast if frame.group == "plausibility" else ())
        fillers = tuple(split_phrase(cell)[1] for cell in cells)
        for weights, words in ((verbs, own), (nouns, fillers)):
            for word in words:
                weights[word][frame.group] += 1 / len(words)
    return views.divide(verbs, SALT, SHORTEST_WORD), views.divide(nouns, SALT, SHORTEST_WORD)


@functools.cache
def preposition_parts() -> Mapping[str, Part]:
    """The part of each preposition; every part has nearly its share of each group."""
    together = views.components(
        (frame.preposition, *(frame.contrast if frame.group == "adjunct" else ()))
        for frame in frames()
    )
    sizes = Counter(frame.group for frame in frames())
    weights: Weights = defaultdict(lambda: defaultdict(float))
    for frame in frames():
        weights[together[frame.preposition]][frame.group] += 1 / sizes[frame.group]
    parts = views.assign(weights, SALT)
    return {preposition: parts[together[preposition]] for preposition in together}


def _attachment(columns: Columns) -> pa.Table:
    rows = zip(columns["tokens"], columns["heads"], columns["pp"], strict=True)
    phrases = [  # its noun and what hangs on it
        [token for i, token in enumerate(tokens) if i == pp or heads[i] == pp + 1]
        for tokens, heads, pp in rows
    ]
    is_on_verb = [head == verb for head, verb in zip(columns["head"], columns["verb"], strict=True)]
    return pa.table(
        {
            "text": [" ".join(tokens) for tokens in columns["tokens"]],
            "phrase": [" ".join(phrase) for phrase in phrases],
            "label": [HEADS.index("verb" if on_verb else "noun") for on_verb in is_on_verb],
        }
    )


KINDS: Mapping[Kind, ViewKind] = {
    "items": ViewKind(
        "no verb, preposition and nouns of the published test",
        Promise(("combination",), ("combination",)),
        _divide_items,
    ),
    "words": ViewKind(
        "no verb and no noun of a phrase in two parts",
        Promise(
            ("combination", "verb", "phrase_noun"),
            ("combination",),
            contained=("verb", "phrase_noun"),
            least_length=SHORTEST_WORD,
            listed=("other_noun",),
        ),
        _divide_words,
    ),
    "constructions": ViewKind(
        "whole prepositions held out",
        Promise(("combination", "preposition"), ("combination",)),
        _divide_constructions,
    ),
}
VIEWS: tuple[View, ...] = views.make_views(
    {
        "attachment": (
            "clause, phrase and whether it hangs on a verb",
            ATTACHMENT_VIEW_SCHEMA,
            _attachment,
        ),
        "parsing": ("tokens and their dependency trees", PARSING_VIEW_SCHEMA, parsing_table),
    },
    KINDS,
    view_columns,
)


def facts(table: pa.Table) -> dict[str, set[str]]:
    """What clauses are made of: combinations, and each of their words by lemma."""
    found: dict[str, set[str]] = {
        name: set() for name in ("combination", "verb", "phrase_noun", "preposition", "other_noun")
    }
    for lemmas, tags in zip(table["lemmas"].to_pylist(), table["upos"].to_pylist(), strict=True):
        upos = [tag if isinstance(tag, str) else UPOS[tag] for tag in tags]
        one = combination(lemmas, upos)
        found["combination"].add(" ".join((*one[:3], *one.others)))
        found["verb"].add(one.verb)
        if upos[_phrase_places(upos)[1]] == "NOUN":  # parts may share a pronoun
            found["phrase_noun"].add(one.phrase_noun)
        found["preposition"].add(one.preposition)
        found["other_noun"].update(one.others)
    return found
