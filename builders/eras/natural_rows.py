"""Rows of `natural` and of its balanced subset `natural_lite`, from the texts that a user has.

The subset has places without a flag only, equal numbers for each text x branching x whether the
true word is the more frequent x whether the neighbour has one character. Where a cell is short, the
others have more. A string comes a second time only when every string of its cell has come once, and
of a cut (AB|CD has ABC and BCD) one string is taken.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from builders.eras.columns import NATURAL_SCHEMA
from builders.eras.dictionary import zipf_frequency
from builders.eras.gold_text import GoldText, read_gold_text
from builders.eras.natural import (
    Place,
    Vocabulary,
    cut_both_ways,
    exclusion,
    harvest,
    place_hash,
    thin,
    vocabulary,
    word_class,
)

LITE_SIZE = 2_000
CELL = ("corpus", "branching", "is_true_more_frequent", "is_neighbour_longer")


def natural_table(places: Sequence[str]) -> pa.Table:
    """Rows of `NATURAL_SCHEMA`: every place of the texts (corpora or files), in their order.

    Raises:
        ValueError: Two texts have one name, or no text has such a string.
    """
    seen: set[str] = set()
    rows: list[dict[str, Any]] = []
    texts = [read_gold_text(place) for place in places]
    names = [text.name for text in texts]
    if len(set(names)) < len(names):
        raise ValueError(f"natural, got texts named {', '.join(names)}; expected each name once")
    for text in texts:
        rows += _text_rows(text, harvest(text, seen))
    if not rows:
        raise ValueError(f"natural, got no ambiguous string in {', '.join(names)}; expected some")
    return pa.Table.from_pylist(rows, schema=NATURAL_SCHEMA)


def lite_table(table: pa.Table, size: int = LITE_SIZE) -> pa.Table:
    """The balanced subset of `natural`, in its order; fewer rows where it has fewer."""
    columns = ("id", "corpus", "test", "test_site", "site_start", "branching", "exclusion", *CELL)
    rows = table.select(list(dict.fromkeys(columns))).to_pylist()
    cells: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for number in _in_turns(rows):
        cells[tuple(rows[number][name] for name in CELL)].append(number)
    quotas = shares([len(cells[cell]) for cell in sorted(cells)], size)
    kept = [
        number
        for cell, quota in zip(sorted(cells), quotas, strict=True)
        for number in cells[cell][:quota]
    ]
    return table.take(sorted(kept))


def shares(sizes: Sequence[int], total: int) -> list[int]:
    """Equal shares of a total for cells of these sizes; what a small cell lacks the others have.

    Example:
        >>> shares([10, 2, 10], 12)
        [5, 2, 5]
        >>> shares([1, 1], 5)
        [1, 1]
    """
    found = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda i: (sizes[i], i))
    left = total
    for done, i in enumerate(order):
        found[i] = min(sizes[i], left // (len(sizes) - done))
        left -= found[i]
    return found


def natural_problems(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One line for every row that is not what the schema says, and for every id that recurs."""
    seen: set[str] = set()
    for row in rows:
        site, start, is_left = row["test_site"], row["site_start"], row["branching"] == "left"
        words = (row["true_word"], row["canary_word"])
        first, last = words if is_left else words[::-1]
        begins = [0, *itertools.accumulate(map(len, row["test_words"]))]
        place = start if is_left else start + 1
        rules = {
            "an id of its own": row["id"] not in seen,
            "words that make up the sentence": "".join(row["test_words"]) == row["test"],
            "the site at site_start": row["test"][start : start + len(site)] == site,
            "a site of both words, overlapping": first + last[1:] == site,
            "the true word as a gold word": (place, words[0])
            in zip(begins, row["test_words"], strict=False),
            "n_chars, the length of test": row["n_chars"] == len(row["test"]),
        }
        seen.add(row["id"])
        yield from (
            f"{row['id']}: got {row['test']} with {site} at {start}; expected {expected}"
            for expected, holds in rules.items()
            if not holds
        )


def _in_turns(rows: Sequence[Mapping[str, Any]]) -> Iterator[int]:
    """Numbers of the unflagged rows: every string of a text once, then a second time, ..."""
    turns: Counter[tuple[str, str]] = Counter()
    used: set[tuple[str, int]] = set()
    found: list[tuple[int, int, int]] = []
    hashes = [place_hash(row["site_start"], row["branching"], row["test"]) for row in rows]
    for number in sorted(range(len(rows)), key=hashes.__getitem__):
        row = rows[number]
        cut = (row["test"], row["site_start"] + (2 if row["branching"] == "left" else 1))
        if row["exclusion"] == "none" and cut not in used:
            used.add(cut)
            string = (row["corpus"], row["test_site"])
            found.append((turns[string], len(found), number))
            turns[string] += 1
    yield from (number for _, _, number in sorted(found))


def _text_rows(text: GoldText, places: Sequence[Place]) -> Iterator[dict[str, Any]]:
    known, both = vocabulary(text), cut_both_ways(places)
    n_places = Counter(place.string for place in places)
    for number, place in enumerate(thin(places, text)):
        words = [word.text for word in text.sentences[place.sentence]]
        sentence = "".join(words)
        yield {
            "id": f"{text.name}-{number:05d}",
            "corpus": text.name,
            "script": text.script,
            "n_places": n_places[place.string],
            "is_cut_both_ways": place.string in both,
            **_place_columns(place, known),
            "test": sentence,
            "test_words": words,
            "n_chars": len(sentence),
        }


def _place_columns(place: Place, known: Vocabulary) -> dict[str, Any]:
    true, canary = place.true.text, place.canary
    return {
        "branching": place.branching,
        "site_start": place.start,
        "test_site": place.string,
        "true_word": true,
        "canary_word": canary,
        "neighbour": place.neighbour.text,
        "is_neighbour_longer": len(place.neighbour.text) > 1,
        "true_count": known.counts[true],
        "canary_count": known.counts[canary],
        # this place is not counted: it is what is asked
        "is_true_more_frequent": known.counts[true] - 1 > known.counts[canary],
        "true_zipf": _zipf(true, known),
        "canary_zipf": _zipf(canary, known),
        "true_class": word_class(true, known),
        "canary_class": word_class(canary, known),
        "exclusion": exclusion(place, known),
    }


def _zipf(word: str, known: Vocabulary) -> float | None:
    """Zipf frequency by the dictionary, None where it lacks the word."""
    found = zipf_frequency(known.simplified(word))
    return None if math.isnan(found) else found
