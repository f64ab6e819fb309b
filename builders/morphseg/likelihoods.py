"""Words cut at their boundaries, and with one boundary shifted, for language models.

    laesa-d       laes-ad         -ad is a suffix of other words, which are shifted to -d:
    vaad-ad       vaada-d         both suffixes are right once and wrong once

Every suffix is right and wrong equally often against the same other one: who knows which suffixes
there are, or what words end in, has half of the pairs. Of such two words stem and suffix have the
same vowels and consonants in the same order, so neither lengths nor shapes tell. What tells is
which stems there are; every stem is one of other words, too. Every pair is there with three
separators.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa

from builders.morphseg import DRAW
from builders.morphseg.columns import LIKELIHOOD_SCHEMA
from builders.morphseg.generator import DEFAULT_SIZE
from builders.morphseg.sources import Word

SEPARATORS = {"hyphen": "-", "blank": " ", "bar": "|"}
N_WORDS = 300
ROOT = "ROOT"
VOWELS = frozenset("aeiouyäöü")

Shape = tuple[int, str, bool]
"""Pieces before the stem; stem and suffix as vowels and consonants; whether the suffix is last."""


class Shift(NamedTuple):
    """A word with the boundary behind its stem shifted: the suffix there becomes another one."""

    suffix: str
    foil: str
    segmentation: tuple[str, ...]


def likelihood_table(name: str, words: Iterable[Word], seed: int = 0) -> pa.Table:
    """Rows of `LIKELIHOOD_SCHEMA` from the first 10,000 words, each with every separator."""
    pool = list(islice(words, DEFAULT_SIZE))
    rng = random.Random(f"morphseg/{DRAW}/likelihoods/{name}/{seed}")
    chosen = balanced(pool, rng)
    rows = [
        {
            "id": f"{name}-{i:05d}-{construction}",
            "construction": construction,
            "cluster": "-".join((name, *sorted((shift.suffix, shift.foil)))),
            "word": pool[i].word,
            "separator": separator,
            "segmented": separator.join(pool[i].morphemes),
            "shifted": separator.join(shift.segmentation),
        }
        for i, shift in sorted(chosen.items())
        for construction, separator in SEPARATORS.items()
    ]
    return pa.Table.from_pylist(rows, schema=LIKELIHOOD_SCHEMA)


def balanced(pool: Sequence[Word], rng: random.Random) -> dict[int, Shift]:
    """Up to N_WORDS words of a pool by number, each shifted: suffixes against each other in turn.

    One word of each direction of each two suffixes is drawn, then another, until there are enough;
    both of a pair end there, or neither does.
    """
    morphs = Counter(morph for word in pool for morph in word.morphemes)
    suffixes = {m for w in pool for m, tag in zip(w.morphemes, w.tags, strict=True) if tag != ROOT}
    found: dict[tuple[str, str, Shape], list[tuple[int, Shift]]] = {}
    for i, word in enumerate(pool):
        place = last_root(word)
        for shift in shifts(word, suffixes):
            stem = word.morphemes[place]
            if morphs[stem] > 1:
                # laesa-d   vaad-ad   both CVVCVC
                shape = place, skeleton(stem + shift.suffix), place + 2 == len(word.tags)
                key = (shift.suffix, shift.foil, shape)
                found.setdefault(key, []).append((i, shift))
    contrasts = sorted((a, b, like) for a, b, like in found if a < b and (b, a, like) in found)
    for candidates in found.values():
        rng.shuffle(candidates)
    chosen: dict[int, Shift] = {}
    while contrasts and len(chosen) < N_WORDS:
        rng.shuffle(contrasts)
        for a, b, like in list(contrasts):
            both = [_next_new(found[way], chosen) for way in ((a, b, like), (b, a, like))]
            if None in both or len({i for i, _ in filter(None, both)}) < len(both):
                contrasts.remove((a, b, like))
            elif len(chosen) < N_WORDS:
                chosen.update(filter(None, both))
    return chosen


def skeleton(text: str) -> str:
    """Vowels and consonants of a text: "laesad" is CVVCVC."""
    return "".join("V" if letter in VOWELS else "C" for letter in text)


def last_root(word: Word) -> int:
    """Place of the stem that suffixes follow; the number of morphemes where none is marked."""
    roots = [place for place, tag in enumerate(word.tags) if tag == ROOT]
    return roots[-1] if roots else len(word.morphemes)


def _next_new(
    candidates: list[tuple[int, Shift]], chosen: Mapping[int, Shift]
) -> tuple[int, Shift] | None:
    while candidates:
        if (candidate := candidates.pop())[0] not in chosen:
            return candidate
    return None


def shifts(word: Word, suffixes: Iterable[str]) -> list[Shift]:
    """The places of the boundary behind the last stem that make another suffix, none of them right.

    Example:
        >>> boats = Word("boats", ("boat", "s"), (("boat", "s"),), ("ROOT", "PL"))
        >>> shifts(boats, {"s", "ts"})
        [Shift(suffix='s', foil='ts', segmentation=('boa', 'ts'))]
    """
    golds = {word.morphemes, *word.alternatives}
    place = last_root(word)
    if place + 1 >= len(word.morphemes):
        return []
    before, (stem, suffix, *rest) = word.morphemes[:place], word.morphemes[place:]
    found, whole = [], stem + suffix
    for foil in sorted(suffixes):
        if foil not in (suffix, whole) and whole.endswith(foil):
            cut = (*before, whole.removesuffix(foil), foil, *rest)
            if cut not in golds:
                found.append(Shift(suffix, foil, cut))
    return found


def shift_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows whose members do not spell the word or differ in number; suffixes not in balance."""
    contrasts: Counter[tuple[str, str]] = Counter()
    names = ("id", "word", "separator", "segmented", "shifted")
    for identifier, word, separator, *members in zip(*(columns[n] for n in names), strict=True):
        cut = [text.split(separator) for text in members]
        if cut[0] == cut[1] or len(cut[0]) != len(cut[1]):
            yield f"{identifier}: members, got {members}; expected as many morphemes, other ones"
        else:
            _, *suffixes = [pieces for pieces in zip(*cut, strict=True) if len(set(pieces)) > 1]
            contrasts.update(suffixes)
        if any("".join(morphemes) != word or "" in morphemes for morphemes in cut):
            yield f"{identifier}: members, got {members}; expected the word {word!r} in morphemes"
    for right, wrong in sorted(contrasts):
        n, n_reversed = contrasts[right, wrong], contrasts[wrong, right]
        if n != n_reversed:
            yield f"{right}: right against {wrong}, got {n} rows; expected {n_reversed}"
