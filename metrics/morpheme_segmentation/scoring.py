"""Scores of morphological segmentation: segmentations in, the five published quantities out.

Comparison is in `matching.py`. The preset `paper` repeats the published evaluator to the bit, with
its rounding and its recall above 1; `sigmorphon2022` repeats the evaluator of that shared task.

Source: Liu & Prud'hommeaux (2022), section 6.1; Batsuren et al. (2022), section 4.
"""

import functools
import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._shared.cluster_tables import open_grouping
from .._shared.columns import FloatArray, IntArray
from .._shared.stratified import stratified_intervals
from .._shared.uncertainty import Interval, cluster_ratio_interval, wilson_interval
from .inputs import INPUTS, check_words
from .matching import Convention, Segmentation, WordCounts, count_best_matches, word_scores
from .options import Options

VERSION = "1.1.0"


def score(inputs: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """Scores of n words under the convention of the options.

    Args:
        inputs: `predictions`, one list of morphemes per word, `references`, one gold or a list of
            golds per word, and perhaps `category`, the class of each word or None.
        options: Convention, intervals, and whether to add `by_word`.

    Returns:
        `accuracy`, `precision`, `recall`, `f1` in [0, 1], higher is better (recall and f1 can
        exceed 1 under "membership"; nan where no word has a boundary under "boundary"), `distance`
        in characters, lower is better, their intervals, counts and options; `by_category` where
        words have one.

    Raises:
        ValueError: A word is no list of non-empty strings, its golds or its prediction are of
            another word or Unicode form, or the columns differ in length.
    """
    columns = INPUTS.read(inputs)
    predicted, golds = columns["predictions"], columns["references"]
    check_words(predicted, golds)
    convention = options.convention
    counts, chosen = count_best_matches(predicted, golds, convention)
    words = ["".join(gold[0]) for gold in golds]
    result: dict[str, Any] = scored(counts, words, convention, options)
    if options.preset == "paper":
        percent = list(published_percentages(counts)._asdict().items())[:4]  # not the distance
        result |= {f"{name}_percent": value for name, value in percent}
    result |= {"n": len(words), "n_clusters": len(set(words))}
    result["n_other_words"] = sum("".join(p) != w for p, w in zip(predicted, words, strict=True))
    result |= {"matching": convention.matching, "average": convention.average}
    result |= {"preset": options.preset, **options.provenance(VERSION)}
    if columns["category"] is not None:
        rows = category_rows(columns["category"], counts, words, convention, options)
        result["by_category"] = rows
    if options.per_item:
        rows = word_rows(words, predicted, golds, counts, chosen, columns["category"])
        result["by_word"] = rows
    return result


def scored(
    counts: WordCounts, words: Sequence[str], convention: Convention, options: Options
) -> dict[str, Any]:
    """The five scores of some words, with the intervals that the options ask for."""
    result: dict[str, Any] = mean_scores(counts, convention)._asdict()
    if options.confidence is not None:
        intervals = score_intervals(counts, words, convention, options.confidence, options.seed)
        for name, interval in intervals.items():
            result |= interval.as_fields(name)
    return result


def category_rows(
    categories: Sequence[str | None],
    counts: WordCounts,
    words: Sequence[str],
    convention: Convention,
    options: Options,
) -> list[dict[str, Any]]:
    """A row per class of words, by name, scored as all words are; words of no class are in none.

    Those of the SIGMORPHON 2022 task are three digits, whether a word is inflected, derived and
    compounded: `110` is *in-accura-cy-s*, `001` *hot-pot*, `000` a root.

    Source: Batsuren et al. (2022), section 3; `--category` of that task's evaluator.
    """
    grouping = open_grouping(categories)
    rows = []
    for name in sorted(grouping.names):
        own = grouping.units[grouping.groups == grouping.names.index(name)]
        own_words = [words[i] for i in own]
        row = {"category": name, "n": len(own), "n_clusters": len(set(own_words))}
        rows.append(row | scored(counts.take(own), own_words, convention, options))
    return rows


def word_rows(
    words: Sequence[str],
    predicted: Sequence[Segmentation],
    golds: Sequence[Sequence[Segmentation]],
    counts: WordCounts,
    chosen: IntArray,
    categories: Sequence[str | None] | None = None,
) -> list[dict[str, Any]]:
    """One flat row per word: prediction, the gold that counted, counts, scores, class if any."""
    numbers: dict[str, Any] = {**counts._asdict(), **word_scores(counts)._asdict()}
    numbers = {name: np.asarray(column).tolist() for name, column in numbers.items()}
    if categories is not None:
        numbers["category"] = categories
    rows = []
    for i, (word, number) in enumerate(zip(words, chosen.tolist(), strict=True)):
        row = {"word": word, "prediction": list(predicted[i]), "gold": list(golds[i][number])}
        row["gold_number"] = number
        rows.append(row | {name: column[i] for name, column in numbers.items()})
    return rows


# --- From the counts of words to the five quantities, and their intervals over words


class Score(NamedTuple):
    """The five published quantities: four shares in [0, 1], and the mean edit distance (lower)."""

    accuracy: float
    precision: float
    recall: float
    f1: float
    distance: float


def mean_scores(counts: WordCounts, convention: Convention) -> Score:
    """Means over n > 0 words, or scores of their sums.

    A word whose score is undefined is left out of that mean; a mean of nothing is nan. Rounded
    scores are percentages divided by 100.
    """
    if convention.is_rounded:
        percent = published_percentages(counts)
        rounded = [round(value / 100, 4) for value in percent[:4]]
        return Score(*[*rounded, percent.distance])
    accuracy, distance = float(counts.is_correct.mean()), float(counts.distance.mean())
    if convention.average == "corpus":
        hits, predicted, gold = (int(column.sum()) for column in counts[1:4])
        parts = ((hits, predicted), (hits, gold), (2 * hits, predicted + gold))
        means = [top / bottom if bottom else math.nan for top, bottom in parts]
    else:
        defined = (values[np.isfinite(values)] for values in word_scores(counts))
        means = [float(values.mean()) if len(values) else math.nan for values in defined]
    return Score(*[accuracy, *means, distance])


def published_percentages(counts: WordCounts) -> Score:
    """Five means as the published evaluator prints them: percent, distance in characters.

    Each is rounded to two decimals; [a, a, a, b] against [a, aab] has a recall of 150.
    """
    words = zip(*(column.tolist() for column in counts[1:4]), strict=True)
    columns = zip(*(_published_percentages(*word) for word in words), strict=True)
    n = len(counts.distance)
    totals = (int(counts.is_correct.sum()) * 100 / n, int(counts.distance.sum()) / n)
    means = (totals[0], *map(statistics.mean, columns), totals[1])
    return Score(*(round(value, 2) for value in means))


def score_intervals(
    counts: WordCounts, words: Sequence[str], convention: Convention, confidence: float, seed: int
) -> dict[str, Interval]:
    """Confidence intervals of the five scores over words; the copies of a word are one cluster.

    They speak about other test words for the same trained system, not about another training set.
    Wilson for the accuracy where no word is repeated, else the studentised bootstrap over words,
    on the logit scale for scores in [0, 1].
    """
    _, cluster = np.unique(np.asarray(words), return_inverse=True)
    n_clusters = int(cluster.max()) + 1
    sums = {}
    for name, *parts in _ratios(counts, convention):
        is_defined = np.isfinite(parts[0])
        sums[name] = [np.bincount(cluster, np.where(is_defined, part, 0.0)) for part in parts]
    # a predicted morpheme that counts twice takes recall and F1 past 1
    is_open = convention.matching == "membership"
    open_ended = {"distance", "recall", "f1"} if is_open else {"distance"}
    shares = [name for name in sums if name not in open_ended]
    tops, bottoms = (np.stack([sums[name][i] for name in shares], axis=1) for i in (0, 1))
    strata = np.zeros(n_clusters, np.int64)
    found = stratified_intervals(tops, bottoms, strata, confidence=confidence, seed=seed)
    intervals = dict(zip(shares, found, strict=True))
    for name in sums.keys() - set(shares):
        interval = cluster_ratio_interval(*sums[name], confidence=confidence, seed=seed)
        intervals[name] = interval.clipped(0.0, math.inf)
    if n_clusters == len(words):
        n_right = int(counts.is_correct.sum())
        intervals["accuracy"] = wilson_interval(n_right, n_clusters, confidence)
    return {name: intervals[name] for name in sums}


def _ratios(counts: WordCounts, convention: Convention) -> list[tuple[str, FloatArray, FloatArray]]:
    ones = np.ones(len(counts.distance))
    whole = {"accuracy": counts.is_correct.astype(float), "distance": counts.distance.astype(float)}
    if convention.average == "word":
        scores = word_scores(counts)._asdict() | whole
        return [(name, column, ones) for name, column in scores.items()]
    hits, predicted, gold = (column.astype(float) for column in counts[1:4])
    ratios = [("precision", hits, predicted), ("recall", hits, gold)]
    ratios.append(("f1", 2 * hits, predicted + gold))
    return ratios + [(name, column, ones) for name, column in whole.items()]


@functools.cache
def _published_percentages(hits: int, n_predicted: int, n_gold: int) -> tuple[float, float, float]:
    precision, recall = hits / n_predicted, hits / n_gold
    # in this order: the last bit decides ties
    f1 = round(2 * (precision * recall) / (precision + recall) * 100, 2) if hits else 0.0
    return round(precision * 100, 2), round(recall * 100, 2), f1
