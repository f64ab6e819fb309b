"""The training views of ERAS: pairs that the published suite does not have, in five formats.

`items`: other combinations of paradigm and fillers; `test` is the published lite subset. `words`:
the fillers divided by a hash, words that lie one inside the other together. `constructions`: whole
families of paradigms held out. `items` and `words` share the 39 sites between their parts: what is
learnt there is, in part, these strings by heart.
"""

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from builders import views
from builders.columns import IntArray
from builders.eras import columns
from builders.eras.assembly import pair_table, to_traditional
from builders.eras.draw import ParadigmDraw, combine, draw, lite
from builders.eras.paradigms import TemplateParadigm, read_paradigms
from builders.eras.words import SlotWord, read_words, template_literals
from builders.views import PARTS, Kind, Part, Promise, View, ViewKind
from metrics._shared.module import BMES, tags_of_words

SALT = "eras views 9"  # leaves each paradigm at least 276 pairs in every part
PAIRS: Mapping[Part, int] = {"train": 200, "validation": 25, "test": 50}  # of each paradigm
PUBLISHED = ("simplified",)
TEST_AND_CONTROL = ("test", "control")
NEUTRAL = "0"


@functools.cache
def view_pairs(kind: Kind) -> Mapping[Part, pa.Table]:
    """The pairs of a kind of view in the columns of `simplified`; ids name kind and part."""
    drawn, found = KINDS[kind].divide(), {}
    for part in PARTS:
        found[part] = pairs = pair_table(drawn[part], "simplified")
        if part != "test" or kind == "words":  # else of the published suite, whose ids stay
            ids = pc.binary_join_element_wise(f"{kind}-{part}", pairs["id"], "-")
            found[part] = pairs.set_column(0, "id", ids)
    return found


@functools.cache
def published() -> tuple[ParadigmDraw, ...]:
    """The published draw."""
    return tuple(draw())


def _divide_items() -> dict[Part, list[ParadigmDraw]]:
    n_train, n_validation = PAIRS["train"], PAIRS["validation"]
    new = [(one, _new_picks(one, one.lists, n_train + n_validation)) for one in published()]
    return {
        "train": [one._replace(picks=picks[:n_train]) for one, picks in new],
        "validation": [one._replace(picks=picks[n_train:]) for one, picks in new],
        "test": lite(published()),
    }


def _divide_words() -> dict[Part, list[ParadigmDraw]]:
    """The pairs of each part's own fillers; one that lies inside another goes with it."""
    groups = views.together(sorted({word.word for word in read_words()}), 1)
    parts = {word: views.hashed_part(group, SALT) for word, group in groups.items()}
    found: dict[Part, list[ParadigmDraw]] = {part: [] for part in PARTS}
    for part in PARTS:
        for drawn in published():
            lists = [[w for w in words if parts[w.word] == part] for words in drawn.lists]
            picks = _new_picks(drawn, lists, PAIRS[part], start=0)
            found[part].append(drawn._replace(lists=lists, picks=picks))
    return found


def _divide_constructions() -> dict[Part, list[ParadigmDraw]]:
    """The families in parts, balanced over the paradigms' readings and branching."""
    weights: dict[str, Counter[str]] = {}
    for row in (paradigm.row for paradigm in read_paradigms()):
        features = ("all", f"{row.true_sentiment}/{row.canary_sentiment}", row.branching)
        weights.setdefault(row.family, Counter()).update(features)
    parts, items = views.assign(weights, SALT), _divide_items()
    return {
        part: [drawn for drawn in items[part] if parts[drawn.paradigm.row.family] == part]
        for part in PARTS
    }


def _new_picks(
    part: ParadigmDraw, lists: Sequence[Sequence[SlotWord]], n: int, start: int | None = None
) -> IntArray:
    """The next `n` combinations of lists, in the draw's order, that the published draw lacks."""
    known = _published_fillers()[part.paradigm.row.paradigm_id]
    lengths = [len(words) for words in lists]
    found: list[tuple[int, ...]] = []
    first, most = len(part.picks) if start is None else start, int(np.prod(lengths))
    while len(found) < n and first < most:
        for row in combine(lengths, first, min(first + n, most)).tolist():
            words = tuple(each[i].word for each, i in zip(lists, row, strict=True))
            if len(set(words)) == len(words) and words not in known:
                found.append(tuple(row))
        first += n
    if len(found) < n:
        where = f"eras: paradigm {part.paradigm.row.paradigm_id}"
        raise ValueError(f"{where}: new pairs, got {len(found)}; expected {n}")
    return np.array(found[:n], dtype=np.int64)


@functools.cache
def _published_fillers() -> dict[int, set[tuple[str, ...]]]:
    """The combinations of fillers that the published draw has, by paradigm."""
    return {
        part.paradigm.row.paradigm_id: {
            tuple(words[i].word for words, i in zip(part.lists, row, strict=True))
            for row in part.picks.tolist()
        }
        for part in published()
    }


def _in_turn(pairs: pa.Table, *columns: Sequence[str]) -> list[list[Any]]:
    """Values of both sentences of each pair in turn, for each two columns that hold them."""
    return [
        [
            value
            for both in zip(*(pairs[name].to_pylist() for name in names), strict=True)
            for value in both
        ]
        for names in columns
    ]


def _segmentation(pairs: pa.Table) -> pa.Table:
    words, ids = _in_turn(pairs, ("test_words", "control_words"), ("id", "id"))
    return pa.table(
        {
            "tokens": [list("".join(sentence)) for sentence in words],
            "tags": [list(map(BMES.index, tags_of_words(sentence))) for sentence in words],
            "id": [f"{i}/{TEST_AND_CONTROL[k % 2]}" for k, i in enumerate(ids)],
        }
    )


def _polar(pairs: pa.Table) -> pa.Table:
    return pairs.filter(pc.not_equal(pairs["true_sentiment"], NEUTRAL))


def _sentiment(pairs: pa.Table) -> pa.Table:
    pairs = _polar(pairs)
    texts, signs = _in_turn(pairs, TEST_AND_CONTROL, ("true_sentiment",) * 2)
    return pa.table({"text": texts, "label": [int(sign == "+") for sign in signs]})


def _sentiment_rows(pairs: pa.Table) -> pa.Table:
    pairs = _polar(pairs)
    copied = ("paradigm_id", "branching", "true_sentiment", "canary_sentiment", "n_chars")
    texts, ids, *values = _in_turn(
        pairs, TEST_AND_CONTROL, ("id", "id"), *((name, name) for name in copied)
    )
    conditions = [TEST_AND_CONTROL[k % 2] for k in range(len(ids))]
    slots = zip(*(pairs[name].to_pylist() for name in columns.SLOT_NAMES), strict=True)
    rows = [[slot["zipf"] for slot in row if slot] for row in slots]
    zipf = [mean for row in rows for mean in [sum(row) / len(row)] * 2]
    return pa.table(
        {
            "text": texts,
            "id": [f"{i}/{condition}" for i, condition in zip(ids, conditions, strict=True)],
            "pair_id": ids,
            "condition": conditions,
            **dict(zip(copied, values, strict=True)),
            "slot_zipf": zipf,
        }
    ).select(columns.VIEW_SCHEMAS["sentiment_rows"].names)


def _lm(pairs: pa.Table) -> pa.Table:
    return pa.table({"text": _in_turn(pairs, TEST_AND_CONTROL)[0]})


def _translation(pairs: pa.Table) -> pa.Table:
    (sentences,) = _in_turn(pairs, ("test_words", "control_words"))
    turned = {word: to_traditional(word) for word in set(chain.from_iterable(sentences))}
    both = (("".join(words), "".join(turned[word] for word in words)) for words in sentences)
    rows = [dict(zip(columns.SCRIPTS.values(), texts, strict=True)) for texts in both]
    return pa.table({"translation": rows})


def _similarity(pairs: pa.Table) -> pa.Table:
    """The negative is the control of the paradigm's next pair: the frame is the same."""
    controls, paradigms = pairs["control"].to_pylist(), pairs["paradigm_id"].to_pylist()
    first = {paradigm: i for i, paradigm in reversed(list(enumerate(paradigms)))}
    others = [
        controls[i + 1 if paradigms[i + 1 : i + 2] == [paradigm] else first[paradigm]]
        for i, paradigm in enumerate(paradigms)
    ]
    return pa.table({"anchor": pairs["test"], "positive": controls, "negative": others})


KINDS: Mapping[Kind, ViewKind] = {
    "items": ViewKind(
        "no paradigm with the same fillers as in the published test",
        Promise(("pair",), ("pair",)),
        _divide_items,
    ),
    "words": ViewKind(
        "no filler of the tables in two parts",
        Promise(("pair", "filler"), ("pair",), contained=("filler",)),
        _divide_words,
    ),
    "constructions": ViewKind(
        "whole families of paradigms held out",
        Promise(("pair", "family", "site"), ("pair",)),
        _divide_constructions,
    ),
}
ROWS_TEXT = "the sentences of `sentiment`, in order, with ids and covariates"
FORMATS: Mapping[str, tuple[str, Callable[[pa.Table], pa.Table]]] = {
    "segmentation": ("characters and their B, M, E, S tags", _segmentation),
    "sentiment": ("sentences and their sentiment", _sentiment),
    "sentiment_rows": (ROWS_TEXT, _sentiment_rows),
    "lm": ("sentences alone", _lm),
    "similarity": ("a test sentence, its control, another control", _similarity),
    "translation": ("a sentence in both scripts", _translation),
}
WRITTEN = {name: (text, columns.VIEW_SCHEMAS[name], how) for name, (text, how) in FORMATS.items()}
VIEWS: tuple[View, ...] = views.make_views(WRITTEN, KINDS, view_pairs)


class Frame(NamedTuple):
    """A template as a pattern of its sentences; `literal` is its longest piece of text."""

    paradigm: TemplateParadigm
    fillers: tuple[frozenset[str], ...]
    literal: str
    pattern: re.Pattern[str]

    def read(self, text: str) -> Iterator[tuple[str, ...]]:
        """The fillers of a sentence of this template, nothing of any other."""
        match = self.pattern.fullmatch(text) if self.literal in text else None
        if match and all(map(frozenset.__contains__, self.fillers, match.groups())):
            yield match.groups()


@functools.cache
def frames() -> tuple[Frame, ...]:
    """The 78 templates, by which a sentence tells its paradigm and fillers."""
    found = []
    for part in published():
        fillers = tuple(frozenset(word.word for word in words) for words in part.lists)
        for template in (part.paradigm.test, part.paradigm.control):
            pieces = template_literals(template)
            pattern = re.compile("(.{1,4}?)".join(map(re.escape, pieces)))
            found.append(Frame(part.paradigm, fillers, max(pieces, key=len), pattern))
    return tuple(found)


@functools.lru_cache(maxsize=100_000)
def read_sentence(text: str) -> tuple[TemplateParadigm, tuple[str, ...]]:
    """Paradigm and fillers of a sentence, told by the templates; a ValueError if not of one."""
    found = [(frame.paradigm, words) for frame in frames() for words in frame.read(text)]
    if len(found) != 1:
        raise ValueError(f"eras: {text!r}: templates that make it, got {len(found)}; expected one")
    return found[0]


def facts(table: pa.Table) -> dict[str, set[str]]:
    """What sentences are made of: pairs (paradigm and fillers), fillers, sites, families."""
    if "test" in table.column_names:
        ids = pc.cast(table["paradigm_id"], pa.string())
        slots = [pc.struct_field(table[name], "word") for name in columns.SLOT_NAMES]
        joined = pc.binary_join_element_wise(ids, *slots, "|", null_handling="skip")
        pairs = set(pc.unique(joined).to_pylist())
        fillers = {word for slot in slots for word in pc.unique(slot).to_pylist() if word}
        present = set(pc.unique(table["paradigm_id"]).to_pylist())
        paradigms = {p for p in read_paradigms() if p.row.paradigm_id in present}
    else:
        known = set(map(read_sentence, set(_texts(table))))
        pairs = {"|".join((str(p.row.paradigm_id), *words)) for p, words in known}
        fillers = {word for _, words in known for word in words}
        paradigms = {paradigm for paradigm, _ in known}
    return {
        "pair": pairs,
        "filler": fillers,
        "site": {paradigm.test_site for paradigm in paradigms},
        "family": {paradigm.row.family for paradigm in paradigms},
    }


def _texts(table: pa.Table) -> list[str]:
    if "tokens" in table.column_names:
        return ["".join(tokens) for tokens in table["tokens"].to_pylist()]
    if "translation" in table.column_names:
        return [row[columns.SCRIPTS["simplified"]] for row in table["translation"].to_pylist()]
    names = {"text", "anchor", "positive", "negative"} & {*table.column_names}
    return [text for name in names for text in table[name].to_pylist()]
