"""Agreement of units on the best system and on the whole ranking.

As published, of all units with the first, and over all pairs of distinct units.

Agreement over all pairs is a U-statistic: the mean of a kernel over pairs of distinct units. Its
standard error is that of the delete-one jackknife; a bootstrap would pair a unit with its own copy,
which agrees with itself by construction.

Source: Liu & Prud'hommeaux (2022), 6.1 and the scripts behind it; Hoeffding (1948); Arvesen (1969)
on the jackknife of U-statistics.
"""

import math
from typing import NamedTuple

import numpy as np

from ..columns import FloatArray, IntArray
from ..distributions import student_quantile
from ..uncertainty import (
    Interval,
    check_confidence,
    score_ends,
    undefined_interval,
    wilson_interval,
)
from .shares import agreement_of_two, with_commonest


class Estimate(NamedTuple):
    """A value with its confidence interval."""

    value: float
    interval: Interval


class Holds(NamedTuple):
    """Shares in [0, 1] of units that agree with the first unit, higher is steadier.

    Attributes:
        best: As published: share of ALL units, the first included, whose best system is the first
            unit's; so at least 1 / U. Its interval is that of the other units, moved likewise.
        ranking: The same for the whole ranking.
        best_of_others: Share of the other units, tied winners sharing; the interval is conditional
            on the first unit.
        ranking_of_others: The same for the whole ranking, ties compared as ties.
    """

    best: Estimate
    ranking: Estimate
    best_of_others: Estimate
    ranking_of_others: Estimate


def published_order(unit_scores: FloatArray) -> IntArray:
    """Systems of each unit from worst to best, as published: the last name wins a tie.

    Args:
        unit_scores: Shape (U, S), higher is better, systems in alphabetical order.

    Returns:
        Shape (U, S) of system numbers; the last column is the winner.
    """
    return np.argsort(unit_scores, axis=1, kind="stable")


def winner_weights(unit_scores: FloatArray) -> FloatArray:
    """1 for each unit's best system; k systems that tie get 1 / k each. Shape (U, S)."""
    is_best = unit_scores == unit_scores.max(axis=1, keepdims=True)
    weights: FloatArray = is_best / is_best.sum(axis=1, keepdims=True)
    return weights


def ranking_groups(unit_scores: FloatArray) -> IntArray:
    """Number of each unit's ranking, shape (U,).

    Two units have the same number if they order all systems alike, ties included.
    """
    order = published_order(unit_scores)
    ordered = np.take_along_axis(unit_scores, order, axis=1)
    keys = np.concatenate([order, ordered[:, 1:] == ordered[:, :-1]], axis=1).astype(np.int32)
    rows = (
        np.ascontiguousarray(keys)
        .view(np.dtype((np.void, keys.dtype.itemsize * keys.shape[1])))
        .reshape(-1)
    )
    return np.unique(rows, return_inverse=True)[1].reshape(-1)


def holds(unit_scores: FloatArray, first: int, confidence: float) -> Holds:
    """Share of units that agree with the first, as published and without it.

    Args:
        unit_scores: Shape (U, S), higher is better, systems in alphabetical order.
        first: Row of the unit that was published first.
        confidence: Level of Wilson's intervals.
    """
    n, order = len(unit_scores), published_order(unit_scores)
    others = np.arange(n) != first
    weights, groups = winner_weights(unit_scores), ranking_groups(unit_scores)
    best = float((weights[others] @ weights[first]).sum())
    ranking = int((groups[others] == groups[first]).sum())
    best_published = int((order[others, -1] == order[first, -1]).sum())
    ranking_published = int((order[others] == order[first]).all(axis=1).sum())
    return Holds(
        _with_the_first(best_published, n, confidence),
        _with_the_first(ranking_published, n, confidence),
        Estimate(best / (n - 1), _conditional(best, n - 1, confidence)),
        Estimate(ranking / (n - 1), _conditional(ranking, n - 1, confidence)),
    )


def winner_agreement(unit_scores: FloatArray, confidence: float) -> Estimate:
    """Probability that two distinct units name the same best system, in [0, 1].

    A tie is broken by lot.
    """
    weights, n = winner_weights(unit_scores), len(unit_scores)
    sums = weights @ weights.sum(axis=0) - (weights**2).sum(axis=1)
    found = u_statistic(sums, (0.0, 1.0), confidence)
    if unit_scores.shape[1] > 2:
        return _with_commonest(found, weights.mean(axis=0), n, confidence)
    if math.isnan(found.interval.low):
        return found
    n_wins = min(float(weights[:, 0].sum()), n)
    return _holding(found.value, agreement_of_two(n_wins, n, confidence))


def ranking_agreement(unit_scores: FloatArray, confidence: float) -> Estimate:
    """Probability that two distinct units rank all systems alike, ties included, in [0, 1]."""
    counts = np.bincount(groups := ranking_groups(unit_scores))
    n = len(groups)
    found = u_statistic((counts[groups] - 1).astype(float), (0.0, 1.0), confidence)
    return _with_commonest(found, counts / n, n, confidence)


def kendall_tau(unit_scores: FloatArray, confidence: float) -> Estimate:
    """Mean Kendall tau-b of two distinct units' rankings, in [-1, 1].

    Units in which all systems tie are left out.
    """
    n_pairs = _n_untied_pairs(unit_scores)
    scores, scale = unit_scores[n_pairs > 0], 1 / np.sqrt(n_pairs[n_pairs > 0])
    sums = np.full(
        len(scores), -1.0
    )  # of tau with the other units: minus the unit's own, which is 1
    for system in range(scores.shape[1] - 1):
        signs = np.sign(scores[:, [system]] - scores[:, system + 1 :])
        sums += scale * (signs @ (scale @ signs))
    found = u_statistic(sums, (-1.0, 1.0), confidence)
    if unit_scores.shape[1] > 2 or len(unit_scores) < 3 or len(scores) < 2:
        return found
    n_wins = float((scores[:, 0] > scores[:, 1]).sum())  # two units then agree or are opposite
    low, high, note = agreement_of_two(n_wins, len(scores), confidence)
    return _holding(found.value, Interval(2 * low - 1, 2 * high - 1, note))


def _with_commonest(found: Estimate, shares: FloatArray, n: int, confidence: float) -> Estimate:
    if math.isnan(found.interval.low):
        return found
    return found._replace(interval=with_commonest(found.interval, shares, n, confidence))


def _holding(value: float, interval: Interval) -> Estimate:
    low, high = min(interval.low, value), max(interval.high, value)
    return Estimate(value, interval._replace(low=low, high=high))


def u_statistic(sums: FloatArray, bounds: tuple[float, float], confidence: float) -> Estimate:
    """Mean over all pairs of distinct units, and its delete-one jackknife interval.

    Args:
        sums: For each unit the sum of the kernel over all other units, shape (U,).
        bounds: Range of the kernel; the interval is cut to it.
        confidence: Two-sided level in (0, 1).

    Returns:
        nan for fewer than two units; no interval for fewer than three. Where all units agree, or
        no two do, the interval says what that many units can exclude.
    """
    check_confidence(confidence)
    n = len(sums)
    if n < 2:
        return Estimate(math.nan, undefined_interval(f"{n} unit(s)"))
    value = min(max(float(sums.sum() / (n * (n - 1))), bounds[0]), bounds[1])  # but for rounding
    if n < 3:
        return Estimate(value, undefined_interval("fewer than three units"))
    low, high = bounds
    if high - value < 1e-12:
        return Estimate(value, _interval_of_agreement(n, bounds, confidence))
    if value - low < 1e-12:
        return Estimate(value, _interval_of_disagreement(n, bounds, confidence))
    left_out = (sums.sum() - 2 * sums) / ((n - 1) * (n - 2))
    variance = (n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum())
    # where all units agree equally often with the others the jackknife sees nothing; a quarter of
    # the variance of that many independent pairs then covers the bias of the estimate's mode
    least = (value - low) * (high - value) / (2 * n * (n - 1))
    share = (value - low) / (high - low)
    error = math.sqrt(max(variance, least)) / (high - low)
    ends = score_ends(share, error, student_quantile(0.5 + confidence / 2, n - 1))
    lower, upper = (low + (high - low) * end for end in ends)
    return Estimate(value, Interval(lower, upper, f"delete-one jackknife over {n} units"))


def _interval_of_agreement(n: int, bounds: tuple[float, float], confidence: float) -> Interval:
    """What n units that all agree can say: two units agree if both are of the share that would."""
    share = wilson_interval(n, n, confidence).low ** 2
    low, high = bounds
    return Interval(low + (high - low) * share, high, f"Wilson over {n} units that all agree")


def _interval_of_disagreement(n: int, bounds: tuple[float, float], confidence: float) -> Interval:
    """What n units of which no two agree can say.

    Two agree with probability q^2 if a share q of all units gives one answer and every other unit
    an answer of its own; q is the largest share of which n units hold at most one with a
    probability of at least 1 - confidence.
    """
    least, most = 0.0, 1.0
    for _ in range(60):
        q = (least + most) / 2
        at_most_one = (1 - q) ** n + n * q * (1 - q) ** (n - 1)
        least, most = (q, most) if at_most_one > 1 - confidence else (least, q)
    low, high = bounds
    return Interval(low, low + (high - low) * most**2, f"over {n} units of which no two agree")


def _conditional(n_agreeing: float, n: int, confidence: float) -> Interval:
    interval = wilson_interval(n_agreeing, n, confidence)
    return interval._replace(note=f"Wilson over {n} units, conditional on the first unit")


def _with_the_first(n_agreeing: int, n: int, confidence: float) -> Estimate:
    """Published share of n units, of which the first agrees with itself."""
    others = _conditional(n_agreeing, n - 1, confidence)
    ends = [(1 + (n - 1) * end) / n for end in others[:2]]
    return Estimate((1 + n_agreeing) / n, Interval(ends[0], ends[1], others.note))


def _n_untied_pairs(unit_scores: FloatArray) -> FloatArray:
    ordered, n_systems = np.sort(unit_scores, axis=1), unit_scores.shape[1]
    run, n_tied = np.zeros(len(ordered)), np.zeros(len(ordered))
    for system in range(
        1, n_systems
    ):  # a run of equal scores that grows to k + 1 adds k tied pairs
        run = np.where(ordered[:, system] == ordered[:, system - 1], run + 1, 0)
        n_tied += run
    untied: FloatArray = n_systems * (n_systems - 1) / 2 - n_tied
    return untied
