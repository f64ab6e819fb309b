"""Scores of morphological segmentation: segmentations in, counts per word out, and from the counts the five published quantities.

There are four ways to match the morphemes of a word and two ways to average over words; their
figures differ by ten points, so every result names its own. The preset `paper` repeats the
published evaluator to the bit, with its rounding and its recall above 1; `sigmorphon2022` repeats
the evaluator of that shared task.

Source: Liu & Prud'hommeaux (2022), section 6.1; Batsuren et al. (2022), section 4.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..uncertainty import Interval, cluster_ratio_interval, wilson_interval

VERSION = "1.0.0"

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Segmentation = Sequence[str]
Matching = Literal["membership", "multiset", "lcs", "boundary"]
Average = Literal["word", "corpus"]
MATCHINGS: tuple[Matching, ...] = ("membership", "multiset", "lcs", "boundary")
AVERAGES: tuple[Average, ...] = ("word", "corpus")


class Convention(NamedTuple):
    """How a score is counted.

    Attributes:
        matching: What of a word counts as found; see `count_matches`.
        average: "word": mean of the words' scores; "corpus": score of the summed counts.
        separator: What joins the morphemes for the edit distance.
        is_rounded: Whether each word's percentage and each mean is rounded to two decimals, as
            published.
        all_golds: Whether the best of several golds counts, or the first alone.
    """

    matching: Matching = "multiset"
    average: Average = "word"
    separator: str = " "
    is_rounded: bool = False
    all_golds: bool = True


PRESETS = {
    "paper": Convention("membership", "word", " ", is_rounded=True, all_golds=False),
    "sigmorphon2022": Convention("lcs", "corpus", "|", is_rounded=False, all_golds=False),
}


class WordCounts(NamedTuple):
    """What was counted in each of n words; all arrays have shape (n,).

    Attributes:
        is_correct: Whether the whole segmentation is right.
        n_hits: Predicted morphemes (boundaries) that count as found.
        n_predicted: Predicted morphemes (boundaries); an empty prediction counts as one wrong
            morpheme.
        n_gold: Gold morphemes (boundaries).
        distance: Edit distance of the joined morphemes, insertions, deletions and substitutions at
            cost 1.
    """

    is_correct: BoolArray
    n_hits: IntArray
    n_predicted: IntArray
    n_gold: IntArray
    distance: IntArray

    def take(self, words: IntArray) -> "WordCounts":
        """Gives the counts of some words by position, so that a word that is in many test sets is counted once."""
        counts = (
            column[words] for column in (self.n_hits, self.n_predicted, self.n_gold, self.distance)
        )
        return WordCounts(self.is_correct[words], *counts)


def count_matches(
    predicted: Sequence[Segmentation], gold: Sequence[Segmentation], convention: Convention
) -> WordCounts:
    """Compares each predicted segmentation with one gold.

    `membership`: predicted morphemes that occur anywhere in the gold, order and number ignored, as
    published: [a, a] has 2 hits in [a, b]. `multiset`: the same, but a gold morpheme is found once.
    `lcs`: longest common subsequence. `boundary`: offsets of the characters between which a
    morpheme ends and another begins.

    Args:
        predicted: n segmentations, lists of non-empty strings; an empty list is a word left without
            an answer.
        gold: n segmentations, not empty, paired with `predicted` by position.
        convention: Its matching and separator are used.

    Returns:
        Counts per word.

    Example:
        >>> count_matches([["paper", "s"]], [["pap", "er", "s"]], Convention("boundary")).n_hits
        array([1])
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
        distance[wrong] = _edit_distances(wrong_pairs, convention.separator)
    if convention.matching == "boundary":
        n_gold, n_predicted, n_hits = (
            n_gold - 1,
            n_predicted - 1,
            np.where(is_correct, n_hits - 1, n_hits),
        )
    return WordCounts(is_correct, n_hits, n_predicted, n_gold, distance)


def count_best_matches(
    predicted: Sequence[Segmentation],
    golds: Sequence[Sequence[Segmentation]],
    convention: Convention,
) -> tuple[WordCounts, IntArray]:
    """Compares each predicted segmentation with all its golds and keeps the best.

    Args:
        predicted: n segmentations.
        golds: For each word at least one gold.
        convention: With `all_golds` false the first gold alone counts.

    Returns:
        Counts per word, and the position of the best gold: right as a whole, else highest F1, else
            smallest distance, else first.
    """
    first = count_matches(predicted, [g[0] for g in golds], convention)
    chosen = np.zeros(len(golds), np.int64)
    several = (
        [i for i, g in enumerate(golds) if len(g) > 1 and not first.is_correct[i]]
        if convention.all_golds
        else []
    )
    if not several:
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


class WordScores(NamedTuple):
    """Precision, recall and F1 of each word in [0, 1] (recall and F1 up to n_predicted under `membership`); nan where undefined."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray


def word_scores(counts: WordCounts) -> WordScores:
    """Gives the scores of each word; for boundaries precision is undefined without a predicted one, recall without a gold one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = counts.n_hits / counts.n_predicted
        recall = counts.n_hits / counts.n_gold
        f1 = 2 * counts.n_hits / (counts.n_predicted + counts.n_gold)
    return WordScores(precision, recall, f1)


def published_word_percentages(counts: WordCounts) -> WordScores:
    """Gives each word's scores as the published evaluator writes them: percent, rounded to two decimals by Python's `round`."""
    table, kind = _published_table(counts)
    precision, recall, f1 = table[kind].T
    return WordScores(precision, recall, f1)


class Score(NamedTuple):
    """The five published quantities: shares in [0, 1], higher is better, and the mean edit distance in characters, lower is better."""

    accuracy: float
    precision: float
    recall: float
    f1: float
    distance: float


def score(counts: WordCounts, convention: Convention) -> Score:
    """Averages the counts of n words.

    Args:
        counts: Counts per word, n > 0.
        convention: Its averaging and rounding are used; rounded scores are percentages divided by
            100.

    Returns:
        The five scores. A word whose score is undefined is left out of that mean; a mean of nothing
        is nan.
    """
    if convention.is_rounded:
        percent = published_percentages(counts)
        accuracy, precision, recall, f1 = (round(value / 100, 4) for value in percent[:4])
        return Score(accuracy, precision, recall, f1, percent.distance)
    accuracy, distance = float(counts.is_correct.mean()), float(counts.distance.mean())
    if convention.average == "corpus":
        hits, predicted, gold = (int(column.sum()) for column in counts[1:4])
        return Score(
            accuracy,
            _ratio(hits, predicted),
            _ratio(hits, gold),
            _ratio(2 * hits, predicted + gold),
            distance,
        )
    precision, recall, f1 = (_mean_of_defined(values) for values in word_scores(counts))
    return Score(accuracy, precision, recall, f1, distance)


def published_percentages(counts: WordCounts) -> Score:
    """Gives the five means as the published evaluator prints them: percent (distance: characters), each rounded to two decimals.

    Example:
        >>> one = count_matches([["a", "a", "a", "b"]], [["a", "aab"]], PRESETS["paper"])
        >>> published_percentages(one).recall
        150.0
    """
    n = len(counts.distance)
    table, kind = _published_table(counts)
    n_of_kind = np.bincount(kind).tolist()
    means = (exact_mean(column, n_of_kind) for column in table.T.tolist())
    percentages = (round(mean, 2) for mean in (int(counts.is_correct.sum()) * 100 / n, *means))
    return Score(*percentages, distance=round(int(counts.distance.sum()) / n, 2))  # type: ignore[misc]  # four of them


def exact_mean(values: Sequence[float], n_times: Sequence[int]) -> float:
    """Gives the correctly rounded mean of values that occur n_times each, the figure of `statistics.mean`, without fractions.

    Args:
        values: Percentages of two decimals, so that 60 binary places hold them exactly.
        n_times: How often each occurs.
    """
    total = sum(int(value * 2**60) * n for value, n in zip(values, n_times, strict=True))
    return total / (sum(n_times) << 60)


def score_intervals(
    counts: WordCounts, words: Sequence[str], convention: Convention, confidence: float, seed: int
) -> dict[str, Interval]:
    """Gives the confidence intervals of the five scores over words; the copies of a word are one cluster.

    They speak about other test words for the same trained system, not about another training set.
    Wilson for the accuracy where no word is repeated, else the studentised bootstrap over words.
    """
    _, cluster = np.unique(np.asarray(words), return_inverse=True)
    n_clusters = int(cluster.max()) + 1
    intervals: dict[str, Interval] = {}
    for name, top, bottom in _ratios(counts, convention):
        defined = np.isfinite(top)
        sums = [
            np.bincount(cluster, np.where(defined, column, 0.0), n_clusters)
            for column in (top, bottom)
        ]
        intervals[name] = cluster_ratio_interval(*sums, confidence=confidence, seed=seed)
    if n_clusters == len(words):
        intervals["accuracy"] = wilson_interval(
            int(counts.is_correct.sum()), n_clusters, confidence
        )
    return intervals


def _ratios(counts: WordCounts, convention: Convention) -> list[tuple[str, FloatArray, FloatArray]]:
    ones = np.ones(len(counts.distance))
    others = [
        ("accuracy", counts.is_correct.astype(float), ones),
        ("distance", counts.distance.astype(float), ones),
    ]
    if convention.average == "word":
        scores = word_scores(counts)
        return [
            (name, column, ones) for name, column in zip(scores._fields, scores, strict=True)
        ] + others
    hits, predicted, gold = (column.astype(float) for column in counts[1:4])
    return [
        ("precision", hits, predicted),
        ("recall", hits, gold),
        ("f1", 2 * hits, predicted + gold),
        *others,
    ]


def _lists(segmentations: Sequence[Segmentation]) -> list[list[str]]:
    return [(s if type(s) is list else list(s)) or [""] for s in segmentations]


def _membership(predicted: list[str], gold: list[str]) -> int:
    return sum(map(gold.__contains__, predicted))


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
    return next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )


def _shared_boundaries(predicted: list[str], gold: list[str]) -> int:
    return len(
        set(accumulate(map(len, predicted[:-1]))).intersection(accumulate(map(len, gold[:-1])))
    )


COUNT_HITS: dict[str, Callable[[list[str], list[str]], int]] = {
    "membership": _membership,
    "multiset": _multiset,
    "lcs": _longest_common_subsequence,
    "boundary": _shared_boundaries,
}


def _edit_distances(pairs: Sequence[tuple[list[str], list[str]]], separator: str) -> IntArray:
    from rapidfuzz.distance import (
        Levenshtein,  # lazy: the counts need it, the import of this module does not
    )
    from rapidfuzz.process import cpdist

    predicted = [separator.join(p) for p, _ in pairs]
    gold = [separator.join(g) for _, g in pairs]
    return np.asarray(
        cpdist(predicted, gold, scorer=Levenshtein.distance, dtype=np.int32), np.int64
    )


def _published_table(counts: WordCounts) -> tuple[FloatArray, IntArray]:
    base = int(max(counts.n_hits.max(), counts.n_predicted.max(), counts.n_gold.max())) + 1
    codes, kind = np.unique(
        (counts.n_hits * base + counts.n_predicted) * base + counts.n_gold, return_inverse=True
    )
    triples = ((code // base**2, code // base % base, code % base) for code in codes.tolist())
    return np.array([_published_percentages(*triple) for triple in triples]), kind


def _published_percentages(hits: int, n_predicted: int, n_gold: int) -> tuple[float, float, float]:
    precision, recall = hits / n_predicted, hits / n_gold
    f1 = (
        round(2 * (precision * recall) / (precision + recall) * 100, 2) if hits else 0.0
    )  # in this order: the last bit decides ties
    return round(precision * 100, 2), round(recall * 100, 2), f1


def _ratio(top: int, bottom: int) -> float:
    return top / bottom if bottom else math.nan


def _mean_of_defined(values: FloatArray) -> float:
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if len(defined) else math.nan
