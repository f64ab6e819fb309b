"""Accuracies on matched pairs, the plausibility gap, where it opens, how members go together.

Everything here takes arrays over m question pairs: `correct` of shape (m, 2, r) is 1 where the
plausible (0) or implausible (1) member was answered rightly in run r, nan where there is no such
member. The text of a sentence
asserts who did what; that one event caused the next is a convention of the questions.

Source: CenterBench (EACL 2026), sections 4 and 5; each departure is named where it is made.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..columns import BoolArray, FloatArray, IntArray
from ..significance import sign_flip_test


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
    given = correct[~np.isnan(correct)]
    return float(given.mean()) if given.size else math.nan


def complete(correct: FloatArray) -> BoolArray:
    """Which pairs have both members, shape (m,)."""
    is_complete: BoolArray = np.logical_not(np.isnan(correct).any(axis=(1, 2)))
    return is_complete


def plausibility_gap(correct: FloatArray) -> float:
    """Accuracy on plausible minus that on implausible members of complete pairs, in [-1, 1].

    nan for no complete pairs. Positive: plausibility helps. Section 5.2 calls it the performance
    gap, in percentage points.
    """
    whole = correct[complete(correct)]
    return accuracy(whole[:, 0]) - accuracy(whole[:, 1])


def pair_table(correct: FloatArray) -> PairTable:
    """2x2 table of matched pairs as shares, averaged over runs; nan for no pairs."""
    correct = correct[complete(correct)]
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
        correct: Shape (m, 2, r), of complete pairs.
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
    is_there = denominators > 0
    return sign_flip_test(numerators[is_there] / denominators[is_there], seed=seed)


def gap_sums(
    correct: FloatArray, clusters: IntArray, n_clusters: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Sum of differences plausible - implausible and number of whole pairs, per sentence pair."""
    whole = complete(correct)
    differences = (correct[whole, 0] - correct[whole, 1]).mean(axis=-1)
    return _sums(differences, clusters[whole], n_clusters)


def accuracy_sums(
    correct: FloatArray, clusters: IntArray, n_clusters: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Right answers and answers of each sentence pair; shape of `correct` (m, r) or (m, 2, r)."""
    flat = correct.reshape(len(correct), math.prod(correct.shape[1:]))
    given = ~np.isnan(flat)
    right, _ = _sums(np.where(given, flat, 0.0).sum(axis=1), clusters, n_clusters)
    asked, _ = _sums(given.sum(axis=1).astype(float), clusters, n_clusters)
    return right, asked


def _sums(
    values: FloatArray, clusters: IntArray, n_clusters: int | None
) -> tuple[FloatArray, FloatArray]:
    length = n_clusters if n_clusters is not None else int(clusters.max(initial=-1)) + 1
    counts = np.bincount(clusters, minlength=length).astype(np.float64)
    return np.bincount(clusters, values, length).astype(np.float64), counts


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
