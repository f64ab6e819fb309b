"""What of a segmentation counts as found: two segmentations in, counts per word out.

There are four ways to match the morphemes of a word, whose figures differ by ten points, so every
result names its own.

Edit distances of many pairs of strings at once are in numpy alone: a metric may need no more than
`datasets` and `evaluate` bring, and a library of edit distances is not among that.

Source: Liu & Prud'hommeaux (2022), section 6.1; Batsuren et al. (2022), section 4; Levenshtein
(1966); Wagner & Fischer (1974) for the table that is filled here row by row.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .._shared.columns import BoolArray, FloatArray, IntArray

PAIRS_AT_ONCE = 512  # a row of the table then stays in the processor's cache

Segmentation = Sequence[str]
Matching = Literal["membership", "multiset", "lcs", "boundary"]
Average = Literal["word", "corpus"]
MATCHINGS: tuple[Matching, ...] = ("membership", "multiset", "lcs", "boundary")
AVERAGES: tuple[Average, ...] = ("word", "corpus")


def edit_distances(first: Sequence[str], second: Sequence[str]) -> IntArray:
    """Levenshtein distances in characters of n pairs of strings, shape (n,)."""
    first, second = _without_common_ends(list(first), list(second))
    n_first, n_second = _lengths(first), _lengths(second)
    distances = np.maximum(n_first, n_second)  # right where nothing is left of one of the two
    left = np.flatnonzero(np.minimum(n_first, n_second))
    left = left[np.argsort(distances[left], kind="stable")]  # pairs of a length go together
    for start in range(0, len(left), PAIRS_AT_ONCE):
        places = left[start : start + PAIRS_AT_ONCE]
        chosen = places.tolist()
        distances[places] = _distances([first[i] for i in chosen], [second[i] for i in chosen])
    return distances


def _without_common_ends(first: list[str], second: list[str]) -> tuple[list[str], list[str]]:
    """Both strings of each pair without the ends that they share, which settles most pairs."""
    shortest = np.minimum(_lengths(first), _lengths(second))
    n_start = np.minimum(_n_equal(first, second), shortest)
    reversed_pairs = ([text[::-1] for text in texts] for texts in (first, second))
    n_end = np.minimum(_n_equal(*reversed_pairs), shortest - n_start)
    starts, ends = n_start.tolist(), n_end.tolist()
    first, second = (
        [text[i : len(text) - j] for text, i, j in zip(texts, starts, ends, strict=True)]
        for texts in (first, second)
    )
    return first, second


def _n_equal(first: list[str], second: list[str]) -> IntArray:
    """Number of characters before the first that differs; more than there are where none does."""
    width = 1 + max(map(len, [*first, *second]), default=0)
    differs = _codes(first, width) != _codes(second, width)
    differs[-1] = True
    return np.asarray(differs.argmax(axis=0))


def _distances(first: list[str], second: list[str]) -> IntArray:
    """Distances by the table whose cell (i, j) is the distance of the first i and j characters.

    A row needs the one before (deletion, substitution) and its own cells to the left (insertion).
    An insertion adds 1 a step, so that with j taken off each cell the cheapest way from the left
    is a running minimum.
    """
    n_first, n_second = _lengths(first), _lengths(second)
    rows, columns = _codes(first, int(n_first.max())), _codes(second, int(n_second.max()))
    steps = np.arange(len(columns) + 1, dtype=np.int32)[:, None]
    above = np.repeat(steps, len(first), axis=1)
    distances = np.zeros(len(first), np.int64)
    for i, characters in enumerate(rows, 1):
        row = np.empty_like(above)
        row[0] = i
        np.minimum(above[:-1] + (columns != characters), above[1:] + 1, out=row[1:])
        row -= steps
        np.minimum.accumulate(row, axis=0, out=row)
        row += steps
        above = row
        ended = np.flatnonzero(n_first == i)
        distances[ended] = row[n_second[ended], ended]
    return distances


def _lengths(texts: list[str]) -> IntArray:
    return np.fromiter(map(len, texts), np.int64, len(texts))


def _codes(texts: list[str], width: int) -> npt.NDArray[np.uint32]:
    """Code points of shape (width, n), one column per text; shorter ones are filled up with 0."""
    codes = np.array(texts, dtype=f"U{width}").view(np.uint32)
    return np.ascontiguousarray(codes.reshape(len(texts), width).T)


class Convention(NamedTuple):
    """How a score is counted."""

    matching: Matching = "multiset"  # what of a word counts as found, see `count_matches`
    average: Average = "word"  # mean of the words' scores, or "corpus": score of the summed counts
    separator: str = " "  # of the joined morphemes, for the edit distance
    is_rounded: bool = False  # each word's percentage and each mean, to two decimals, as published
    all_golds: bool = True  # the best of several golds counts, not the first alone


PRESETS = {
    "paper": Convention("membership", "word", " ", is_rounded=True, all_golds=False),
    "sigmorphon2022": Convention("lcs", "corpus", "|", is_rounded=False, all_golds=False),
}


class WordCounts(NamedTuple):
    """What was counted in each of n words; all arrays have shape (n,)."""

    is_correct: BoolArray  # the whole segmentation is right
    n_hits: IntArray  # predicted morphemes (boundaries) that count as found
    n_predicted: IntArray  # an empty prediction counts as one wrong morpheme
    n_gold: IntArray
    distance: IntArray  # Levenshtein's, of the joined morphemes

    def take(self, words: IntArray) -> "WordCounts":
        """Counts of some words by position; a word that is in many test sets is counted once."""
        return WordCounts(self.is_correct[words], *(column[words] for column in self[1:]))


def count_matches(
    predicted: Sequence[Segmentation], gold: Sequence[Segmentation], convention: Convention
) -> WordCounts:
    """Compares each predicted segmentation with one gold.

    `membership`: predicted morphemes that occur anywhere in the gold, order and number ignored, as
    published: [a, a] has 2 hits in [a, b]. `multiset`: the same, but a gold morpheme is found once.
    `lcs`: longest common subsequence. `boundary`: offsets of the characters between which a
    morpheme ends and another begins.

    An empty prediction is a word left without an answer; a gold is not empty.
    """
    pairs = list(zip(_lists(predicted), _lists(gold), strict=True))
    is_correct = np.array([p == g for p, g in pairs], bool)
    wrong = np.flatnonzero(~is_correct).tolist()
    n_gold = np.array([len(g) for _, g in pairs], np.int64)
    n_predicted, n_hits, distance = n_gold.copy(), n_gold.copy(), np.zeros(len(pairs), np.int64)
    wrong_pairs = [pairs[i] for i in wrong]
    if wrong:
        count = COUNT_HITS[convention.matching]
        n_predicted[wrong] = [len(p) for p, _ in wrong_pairs]
        n_hits[wrong] = [count(p, g) for p, g in wrong_pairs]
        joined = (
            [*map(convention.separator.join, side)] for side in zip(*wrong_pairs, strict=True)
        )
        distance[wrong] = edit_distances(*joined)
    if convention.matching == "boundary":
        n_gold, n_predicted, n_hits = n_gold - 1, n_predicted - 1, n_hits - is_correct
    return WordCounts(is_correct, n_hits, n_predicted, n_gold, distance)


class WordScores(NamedTuple):
    """Precision, recall and F1 of each word, shape (n,), in [0, 1]; nan where undefined.

    For boundaries precision is undefined without a predicted one, recall without a gold one. Under
    `membership` recall and F1 reach up to the number of predicted morphemes.
    """

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray


def word_scores(counts: WordCounts) -> WordScores:
    """Scores of each word."""
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = counts.n_hits / counts.n_predicted
        recall = counts.n_hits / counts.n_gold
        f1 = 2 * counts.n_hits / (counts.n_predicted + counts.n_gold)
    return WordScores(precision, recall, f1)


def count_best_matches(
    predicted: Sequence[Segmentation],
    golds: Sequence[Sequence[Segmentation]],
    convention: Convention,
) -> tuple[WordCounts, IntArray]:
    """Counts of each predicted segmentation by the best of its golds, and the position of that.

    The best is right as a whole, else of highest F1, else of smallest distance, else the first. A
    word has at least one gold; with `all_golds` false the first alone counts.
    """
    first = count_matches(predicted, [g[0] for g in golds], convention)
    chosen = np.zeros(len(golds), np.int64)
    several = [i for i, g in enumerate(golds) if len(g) > 1 and not first.is_correct[i]]
    if not (several and convention.all_golds):
        return first, chosen
    owners = np.repeat(several, [len(golds[i]) for i in several])
    numbers = np.concatenate([np.arange(len(golds[i])) for i in several])
    flat = [gold for i in several for gold in golds[i]]
    counts = count_matches([predicted[i] for i in owners], flat, convention)
    quality = np.nan_to_num(word_scores(counts).f1, nan=1.0)
    order = np.lexsort((numbers, counts.distance, -quality, ~counts.is_correct, owners))
    best = order[np.unique(owners[order], return_index=True)[1]]
    for column, found in zip(first, counts, strict=True):
        column[several] = found[best]
    chosen[several] = numbers[best]
    return first, chosen


def _lists(segmentations: Sequence[Segmentation]) -> list[list[str]]:
    return [(s if type(s) is list else list(s)) or [""] for s in segmentations]


def _multiset(predicted: list[str], gold: list[str]) -> int:
    types, gold_types = set(predicted), set(gold)
    if len(types) == len(predicted) or len(gold_types) == len(gold):
        return len(types & gold_types)
    return (Counter(predicted) & Counter(gold)).total()


def _longest_common_subsequence(predicted: list[str], gold: list[str]) -> int:
    start, end = _common_prefix(predicted, gold), 0
    predicted, gold = predicted[start:], gold[start:]
    if end := _common_prefix(predicted[::-1], gold[::-1]):
        predicted, gold = predicted[:-end], gold[:-end]
    if set(predicted).isdisjoint(gold):
        return start + end
    row = [0] * (len(gold) + 1)
    for p in predicted:
        diagonal = 0
        for j, g in enumerate(gold, 1):
            diagonal, row[j] = row[j], diagonal + 1 if p == g else max(row[j], row[j - 1])
    return start + end + row[-1]


def _common_prefix(first: list[str], second: list[str]) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


def _shared_boundaries(predicted: list[str], gold: list[str]) -> int:
    ends = (set(accumulate(map(len, found[:-1]))) for found in (predicted, gold))
    return len(set.intersection(*ends))


COUNT_HITS: dict[str, Callable[[list[str], list[str]], int]] = {
    "membership": lambda predicted, gold: sum(map(gold.__contains__, predicted)),
    "multiset": _multiset,
    "lcs": _longest_common_subsequence,
    "boundary": _shared_boundaries,
}
