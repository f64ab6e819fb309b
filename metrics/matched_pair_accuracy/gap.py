"""Accuracies on matched pairs, the plausibility gap, where it opens, how members go together.

Everything here takes arrays over m question pairs: `correct` of shape (m, 2, r) is 1 where the
plausible (0) or implausible (1) member was answered rightly in run r. The text of a sentence
asserts who did what; that one event caused the next is a convention of the questions.

Source: CenterBench (EACL 2026), sections 4 and 5; each departure is named where it is made.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..columns import FloatArray, IntArray
from ..significance import sign_flip_test
from ..uncertainty import Interval, cluster_ratio_interval, wilson_interval


class PairTable(NamedTuple):
    """Shares of pairs with both members right, one of them, or neither; they sum to 1."""

    both_correct: float
    only_plausible: float
    only_implausible: float
    neither: float


class RepairingNull(NamedTuple):
    """Both-correct accuracy with sentences paired anew within their level: mean, 95 % range, p."""

    mean: float
    low: float
    high: float
    p: float


def accuracy(correct: FloatArray) -> float:
    """Share of right answers over items and runs, in [0, 1]; nan for no items."""
    return float(correct.mean()) if correct.size else math.nan


def plausibility_gap(correct: FloatArray) -> float:
    """Accuracy on plausible minus accuracy on implausible members, in [-1, 1]; nan for no pairs.

    Positive: plausibility helps. Section 5.2 calls it the performance gap, in percentage points.
    """
    return accuracy(correct[:, 0]) - accuracy(correct[:, 1])


def pair_table(correct: FloatArray) -> PairTable:
    """2x2 table of matched pairs as shares, averaged over runs; nan for no pairs."""
    if not correct.size:
        return PairTable(math.nan, math.nan, math.nan, math.nan)
    plausible, implausible = correct[:, 0], correct[:, 1]
    both = float((plausible * implausible).mean())
    return PairTable(
        both,
        float(plausible.mean()) - both,
        float(implausible.mean()) - both,
        float(((1 - plausible) * (1 - implausible)).mean()),
    )


def macro_accuracy(correct: FloatArray, levels: Sequence[int]) -> float:
    """Unweighted mean of accuracy over levels: deep ones do not count more; nan for none."""
    places = np.asarray(levels)
    return (
        float(np.mean([accuracy(correct[places == level]) for level in sorted(set(levels))]))
        if len(levels)
        else math.nan
    )


def median_gap(gaps: Sequence[float], *, absolute: bool = False) -> float:
    """Median of the gaps of cells (level x question type); nan for no cells.

    Args:
        gaps: One gap per cell, in [-1, 1].
        absolute: Whether the sign is dropped first; then the result is never below 0 and says
            nothing about the direction.

    Source: section 5.2, "the median of 36 individual gaps"; the paper does not say whether they are
        signed.

    Example:
        >>> median_gap([0.5, -0.75, 0.25]), median_gap([0.5, -0.75, 0.25], absolute=True)
        (0.25, 0.5)
    """
    values = np.abs(gaps) if absolute else np.asarray(gaps, float)
    return float(np.median(values)) if len(values) else math.nan


def opening_level(
    levels: Sequence[int],
    gaps: Sequence[float],
    lows: Sequence[float] | None = None,
    delta: float = 0.05,
) -> int | None:
    """First level from which the gap stays open to the deepest; None where it is not open there.

    Args:
        levels: The levels.
        gaps: The gap at each level, in [-1, 1].
        lows: Lower end of a simultaneous interval of each gap; a gap is open if it exceeds `delta`
            and this end exceeds 0 (nan does not). None takes the gaps as they are.
        delta: The least gap that counts; without one, a model without any gap opens at some level
            in half of all runs.

    Example:
        >>> opening_level([1, 2, 3, 4], [0.00, 0.08, 0.01, 0.13])
        4
    """
    opened = None
    bounds = lows if lows is not None else [math.inf] * len(levels)
    for level, gap, low in sorted(zip(levels, gaps, bounds, strict=True), reverse=True):
        if not (gap > delta and low > 0):
            break
        opened = level
    return opened


def repairing_null(
    correct: FloatArray,
    levels: Sequence[int],
    clusters: IntArray,
    cells: Sequence[object],
    n: int,
    seed: int,
) -> RepairingNull:
    """Both-correct accuracy that would come out if sentences were matched by level only.

    Args:
        correct: Shape (m, 2, r).
        levels: The level of each pair.
        clusters: The sentence pair of each question pair.
        cells: What a question asks within its sentence (depth and type); it stays paired with its
            like.
        n: Number of random re-pairings for the range and p.
        seed: Their seed.

    Returns:
        All nan where sentences of one level differ in their cells. p is one-sided: how often a
        re-pairing does at least as well.

    Source: facts of the published data: plausible and implausible sentences share a level and an
        index, nothing else; ours.
    """
    generator = np.random.default_rng(seed)
    expected, observed, drawn = 0.0, 0.0, np.zeros(n)
    for level in sorted(set(levels)):
        places = np.flatnonzero(np.asarray(levels) == level)
        table = _by_sentence(correct[places], clusters[places], [cells[i] for i in places.tolist()])
        if table is None:
            return RepairingNull(math.nan, math.nan, math.nan, math.nan)
        together = np.einsum(
            "skr,tkr->st", table[:, :, 0], table[:, :, 1]
        )  # both right, sentence s with sentence t
        orders = generator.permuted(np.tile(np.arange(len(together)), (n, 1)), axis=1)
        expected += together.sum() / len(together)
        observed += np.trace(together)
        drawn += together[np.arange(len(together)), orders].sum(axis=1)
    size = correct[:, 0].size
    low, high = np.quantile(drawn, [0.025, 0.975]) / size
    p = (np.sum(drawn >= observed - 1e-9) + 1) / (n + 1)
    return RepairingNull(float(expected / size), float(low), float(high), float(p))


def sentence_sign_flip(correct: FloatArray, clusters: IntArray, seed: int = 0) -> float:
    """Two-sided p of no gap: signs of sentence pairs' mean differences are flipped; nan for none.

    The questions of one sentence stand and fall together, so that sentences are flipped, not
    questions.
    """
    numerators, denominators = gap_sums(correct, clusters)
    return sign_flip_test(numerators / denominators, seed=seed)


def gap_sums(correct: FloatArray, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Sum of differences plausible - implausible and number of pairs, per sentence pair."""
    return _sums(correct[:, 0].mean(axis=-1) - correct[:, 1].mean(axis=-1), clusters)


def accuracy_sums(correct: FloatArray, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Right answers and answers of each sentence pair, averaged over members and runs."""
    return _sums(correct.mean(axis=tuple(range(1, correct.ndim))), clusters)


def share_interval(
    sums: tuple[FloatArray, FloatArray], confidence: float, n_resamples: int, seed: int
) -> Interval:
    """Interval of a share in [0, 1] over sentence pairs: a ratio of sums (`accuracy_sums`).

    Studentised bootstrap over sentence pairs; where all have one value there is no spread to go by,
    and Wilson's interval is given, which is conservative for values between 0 and 1.
    """
    interval = cluster_ratio_interval(
        *sums, confidence=confidence, n_resamples=n_resamples, seed=seed
    )
    n, value = len(sums[0]), _only_value(sums)
    if not math.isnan(interval.low) or value is None:
        return (
            Interval(max(0.0, interval.low), min(1.0, interval.high), interval.note)
            if n > 1
            else interval
        )
    return wilson_interval(value * n, n, confidence)


def gap_interval(
    sums: tuple[FloatArray, FloatArray], confidence: float, n_resamples: int, seed: int
) -> Interval:
    """Interval of a gap in [-1, 1] over sentence pairs: a ratio of sums (`gap_sums`).

    Studentised bootstrap; where all sentence pairs have one gap other than 0, Wilson's interval of
    its size; where all have none, undefined.
    """
    interval = cluster_ratio_interval(
        *sums, confidence=confidence, n_resamples=n_resamples, seed=seed
    )
    n, value = len(sums[0]), _only_value(sums)
    if not math.isnan(interval.low):
        return Interval(max(-1.0, interval.low), min(1.0, interval.high), interval.note)
    if not value:
        return interval
    bound = wilson_interval(abs(value) * n, n, confidence)
    return bound if value > 0 else Interval(-bound.high, -bound.low, bound.note)


def _only_value(sums: tuple[FloatArray, FloatArray]) -> float | None:
    """The value that all of two or more clusters have, if they have one."""
    values = sums[0] / sums[1]
    return float(values[0]) if len(values) > 1 and np.ptp(values) < 1e-9 else None


def _sums(values: FloatArray, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    counts: FloatArray = np.bincount(clusters).astype(np.float64)
    sums: FloatArray = np.bincount(clusters, weights=values).astype(np.float64)
    return sums[counts > 0], counts[counts > 0]


def _by_sentence(
    correct: FloatArray, clusters: IntArray, cells: Sequence[object]
) -> FloatArray | None:
    """Pairs as (sentences, cells, 2, runs); None where the sentences differ in their cells."""
    rows = sorted(range(len(cells)), key=lambda i: (clusters[i], str(cells[i])))
    n_sentences = len(set(clusters.tolist()))
    names = [str(cells[i]) for i in rows]
    width = len(rows) // n_sentences
    if names != names[:width] * n_sentences or len(set(names[:width])) != width:
        return None
    return correct[rows].reshape(n_sentences, width, *correct.shape[1:])
