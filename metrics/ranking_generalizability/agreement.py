"""How far units agree, which systems differ, what trusting one unit costs, and what to doubt.

Names that mean the same in every function:

    unit_scores  of U units by S systems, shape (U, S), higher is better, without gaps
    scores       the same, nan where a system has no score
    clusters     number of each unit's cluster, shape (U,) or (U, 2); None for independent units
    groups       the same from 0, shape (U,); each its own where units are independent
    confidence   two-sided level of an interval, in (0, 1)
    seed         seed of what is drawn
"""

import math
import re
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from .._shared.columns import FloatArray, IntArray
from .._shared.uncertainty import (
    Interval,
    beta_quantile,
    check_confidence,
    holm,
    score_ends,
    student_probability,
    student_quantile,
    undefined_interval,
    wilson_interval,
)
from .components import Posterior, contrasts, mean_errors, sums_of, ways_of
from .inputs import (
    PLAIN,
    Clusters,
    ScoreTable,
    drawing_order,
    encoded,
    grouped,
    in_code,
    quoted,
    rounding_of,
    row_codes,
    some_of,
)
from .options import LEAST_CERTAINTY, Options

FEW_UNITS = 10

# --- Intervals of shares of units, and of the agreement that follows from them
#
# Source: Clopper & Pearson (1934).


def share_interval(n_units: float, n: int, confidence: float, word: str = "units") -> Interval:
    """Exact interval of a share of n units: it covers no less than it claims, however few they are.

    `n_units` is in [0, n], a fraction where tied systems share a unit; `word` is what units are.
    """
    if n == 0:
        return undefined_interval("no units")
    tail = (1 - confidence) / 2
    rest = n - n_units
    low = beta_quantile(tail, n_units, rest + 1) if n_units > 0 else 0.0
    high = beta_quantile(1 - tail, n_units + 1, rest) if rest > 0 else 1.0
    return Interval(low, high, f"Clopper-Pearson over {n} {word}")


def agreement_of_two(n_units: float, n: int, confidence: float) -> Interval:
    """Interval of the agreement p^2 + (1 - p)^2 of two units that can only say one of two things.

    It cannot fall below 1/2; the interval of p gives the values that it can have.
    """
    share = share_interval(n_units, n, confidence)
    ends = [p * p + (1 - p) ** 2 for p in share[:2]]
    low = 0.5 if share.low <= 0.5 <= share.high else min(ends)
    return Interval(low, max(ends), share.note)


# --- Agreement of units on the best system and on the whole ranking
#
# As published, of all units with the first, and over all pairs of distinct units.
#
# Agreement over all pairs is a U-statistic: the mean of a kernel over pairs of distinct units. Its
# standard error is that of the delete-one jackknife; a bootstrap would pair a unit with its own
# copy, which agrees with itself by construction.
#
# Source: Liu & Prud'hommeaux (2022), 6.1 and the scripts behind it; Hoeffding (1948); Arvesen
# (1969) on the jackknife of U-statistics.


class Estimate(NamedTuple):
    """A value with its confidence interval."""

    value: float
    interval: Interval

    def signed(self, sign: float) -> "Estimate":
        """Itself, or with a sign of -1 what it is with the other sign."""
        low, high, note = self.interval
        return self if sign > 0 else Estimate(-self.value, Interval(-high, -low, note))

    def as_fields(self, name: str) -> dict[str, Any]:
        """Fields of a result: the value by its name, and those of its interval."""
        return {name: self.value, **self.interval.as_fields(name)}


class Holds(NamedTuple):
    """Shares in [0, 1] of units that agree with the first unit, higher is steadier.

    As published they are of ALL units, the first included, so at least 1 / U; those of the others
    have tied winners share, and an interval that is conditional on the first unit.
    """

    best: Estimate  # whose best system is the first unit's
    ranking: Estimate  # whose whole ranking is; of the others ties are compared as ties
    best_of_others: Estimate
    ranking_of_others: Estimate


def published_order(unit_scores: FloatArray) -> IntArray:
    """Systems of each unit from worst to best, (U, S); of those that tie the last name wins."""
    return np.argsort(unit_scores, axis=1, kind="stable")


def winner_weights(unit_scores: FloatArray) -> FloatArray:
    """1 for each unit's best system; k systems that tie get 1 / k each. Shape (U, S)."""
    is_best = unit_scores == unit_scores.max(axis=1, keepdims=True)
    weights: FloatArray = is_best / is_best.sum(axis=1, keepdims=True)
    return weights


def ranking_groups(unit_scores: FloatArray) -> IntArray:
    """Number of each unit's ranking, shape (U,): one for all that rank alike, ties included."""
    order = published_order(unit_scores)
    ordered = np.take_along_axis(unit_scores, order, axis=1)
    keys = np.concatenate([order, ordered[:, 1:] == ordered[:, :-1]], axis=1).astype(np.int32)
    row = np.dtype((np.void, keys.dtype.itemsize * keys.shape[1]))
    rows = np.ascontiguousarray(keys).view(row).reshape(-1)
    return np.unique(rows, return_inverse=True)[1].reshape(-1)


def holds(unit_scores: FloatArray, first: int, confidence: float) -> Holds:
    """Share of units that agree with the one in row `first`; systems are in alphabetical order."""
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


def winner_agreement(
    unit_scores: FloatArray, confidence: float, clusters: Clusters = None
) -> Estimate:
    """Probability that two units, of two clusters, name one best system, ties by lot, in [0, 1]."""
    weights, n = winner_weights(unit_scores), len(unit_scores)
    sums = _sums_with_others(weights, clusters)
    found = u_statistic(sums, (0.0, 1.0), confidence, clusters)
    n_free = n_independent(n, clusters)
    if unit_scores.shape[1] > 2:
        return _with_commonest(found, weights.mean(axis=0), n_free, confidence)
    if math.isnan(found.interval.low):
        return found
    n_wins = min(float(weights[:, 0].sum()) * n_free / n, n_free)
    interval = agreement_of_two(n_wins, n_free, confidence)
    return found._replace(interval=interval.holding(found.value))


def ranking_agreement(
    unit_scores: FloatArray, confidence: float, clusters: Clusters = None
) -> Estimate:
    """Probability that two units rank all systems alike, ties included, in [0, 1]."""
    counts = np.bincount(groups := ranking_groups(unit_scores))
    n, cells = len(groups), np.arange(len(groups))
    if clusters is not None:
        cells = row_codes(groups, ways_of(clusters)[0])
    sums = (counts[groups] - np.bincount(cells)[cells]).astype(float)
    found = u_statistic(sums, (0.0, 1.0), confidence, clusters)
    return _with_commonest(found, counts / n, n_independent(n, clusters), confidence)


def n_independent(n_units: int, clusters: Clusters) -> int:
    """Number of clusters, of units where these are independent."""
    return n_units if clusters is None else min(len(np.unique(w)) for w in ways_of(clusters))


def _sums_with_others(values: FloatArray, clusters: Clusters) -> FloatArray:
    """Of each unit the product with all others, or with those of other clusters, shape (U,)."""
    if clusters is None:
        found: FloatArray = values @ values.sum(axis=0) - (values**2).sum(axis=1)
    else:
        of = ways_of(clusters)[0]
        found = (values * (values.sum(axis=0) - sums_of(values, of)[of])).sum(axis=1)
    return found


def kendall_tau(unit_scores: FloatArray, confidence: float, clusters: Clusters = None) -> Estimate:
    """Mean Kendall tau-b of two units' rankings, in [-1, 1]; not of those where all systems tie."""
    n_pairs = _n_untied_pairs(unit_scores)
    scores, scale = unit_scores[n_pairs > 0], 1 / np.sqrt(n_pairs[n_pairs > 0])
    if clusters is not None:
        clusters = np.unique(ways_of(clusters)[0][n_pairs > 0], return_inverse=True)[1].reshape(-1)
    # of tau with the other units: minus the unit's own, which is 1
    sums = np.full(len(scores), -1.0 if clusters is None else 0.0)
    for system in range(scores.shape[1] - 1):
        signs = np.sign(scores[:, [system]] - scores[:, system + 1 :])
        if clusters is None:
            sums += scale * (signs @ (scale @ signs))
        else:
            sums += _sums_with_others(scale[:, None] * signs, clusters)
    found = u_statistic(sums, (-1.0, 1.0), confidence, clusters)
    if clusters is not None or unit_scores.shape[1] > 2 or len(unit_scores) < 3 or len(scores) < 2:
        return found
    n_wins = float((scores[:, 0] > scores[:, 1]).sum())  # two units then agree or are opposite
    low, high, note = agreement_of_two(n_wins, len(scores), confidence)
    return found._replace(interval=Interval(2 * low - 1, 2 * high - 1, note).holding(found.value))


def _with_commonest(found: Estimate, shares: FloatArray, n: int, confidence: float) -> Estimate:
    """An estimate whose interval holds the agreement at either end of the commonest answer's share.

    That is p^2 + (1 - p)^2 q, where two of the others agree with probability q. Near the smallest
    agreement that there can be, and where few units differ, the jackknife sees too little of it.
    """
    p = float(shares.max())
    rest = (float((shares**2).sum()) - p * p) / (1 - p) ** 2 if p < 1 else 0.0
    share = wilson_interval(min(p * n, n), n, confidence)
    ends = (end * end + (1 - end) ** 2 * rest for end in share[:2])
    return found._replace(interval=found.interval.holding(*ends))


def u_statistic(
    sums: FloatArray, bounds: tuple[float, float], confidence: float, clusters: Clusters = None
) -> Estimate:
    """Mean over all pairs of distinct units, and its delete-one jackknife interval.

    `sums` has for each unit the sum of the kernel over all other units, or over those of other
    clusters, which the jackknife then leaves out whole, shape (U,); `bounds` is the kernel's range.
    nan for fewer than two units; no interval for fewer than three. Where all units agree, or no two
    do, the interval says what that many units can exclude.
    """
    check_confidence(confidence)
    n, sizes = len(sums), np.ones(len(sums))
    if clusters is not None:
        sizes = np.bincount(ways_of(clusters)[0]).astype(float)
        sums = sums_of(sums[:, None], ways_of(clusters)[0])[:, 0]
    units, n, word = n, len(sums), "units" if clusters is None else "clusters"
    if n < 2:
        return Estimate(math.nan, undefined_interval(f"{n} {word[:-1]}(s)"))
    n_pairs = float(units**2 - (sizes**2).sum())
    value = min(max(float(sums.sum() / n_pairs), bounds[0]), bounds[1])  # but for rounding
    if n < 3:
        return Estimate(value, undefined_interval(f"fewer than three {word}"))
    low, high = bounds
    if high - value < 1e-12:
        share = wilson_interval(n, n, confidence).low ** 2  # both are of the share that would agree
        note = f"Wilson over {n} units that all agree"
        return Estimate(value, Interval(low + (high - low) * share, high, note))
    if value - low < 1e-12:
        return Estimate(value, _interval_of_disagreement(n, bounds, confidence))
    left_out = (sums.sum() - 2 * sums) / (n_pairs - 2 * sizes * (units - sizes))
    variance = (n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum())
    # where all units agree equally often with the others the jackknife sees nothing; a quarter of
    # the variance of that many independent pairs then covers the bias of the estimate's mode
    least = (value - low) * (high - value) / (2 * n * (n - 1))
    share = (value - low) / (high - low)
    error = math.sqrt(max(variance, least)) / (high - low)
    ends = score_ends(share, error, student_quantile(0.5 + confidence / 2, n - 1))
    lower, upper = (low + (high - low) * end for end in ends)
    return Estimate(value, Interval(lower, upper, f"delete-one jackknife over {n} {word}"))


def _interval_of_disagreement(n: int, bounds: tuple[float, float], confidence: float) -> Interval:
    """What n units of which no two agree can say.

    Two agree with probability q^2 if a share q of all units gives one answer and all others differ;
    q is the largest of which n units hold at most one with a probability of 1 - confidence or more.
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
    run, n_tied = np.zeros((2, len(ordered)))
    for system in range(1, n_systems):  # a run of equal scores that grows to k + 1 adds k pairs
        run = np.where(ordered[:, system] == ordered[:, system - 1], run + 1, 0)
        n_tied += run
    untied: FloatArray = n_systems * (n_systems - 1) / 2 - n_tied
    return untied


# --- What agreement noise alone would give

N_DRAWS = 10_000
DRAW_CELLS = 2_000_000


def noise_only(unit_scores: FloatArray, noise: FloatArray, seed: int) -> dict[str, float]:
    """Agreement that near-ties alone produce: units that share the observed means, plus noise.

    `noise` is the covariance of a unit score's noise, shape (S, S). The shares to be expected are
    as published, the first unit included; the sd is over the choice of units.
    """
    n, order = len(unit_scores), drawing_order(unit_scores)
    drawn = unit_scores[:, order].mean(axis=0) + draw_noise(noise[np.ix_(order, order)], seed)
    winners = np.bincount(published_order(drawn)[:, -1], minlength=drawn.shape[1]) / len(drawn)
    winner, ranking = (
        float((k * (k - 1.0)).sum() / (k.sum() * (k.sum() - 1)))  # two of them are the same
        for k in (winners * len(drawn), np.bincount(ranking_groups(drawn)))
    )
    spread = (winners**3).sum() - (winners**2).sum() ** 2  # over the choice of the first unit
    counting = (winners**2 * (1 - winners)).sum() / (n - 1)  # over the others, given the first
    sd = (n - 1) / n * math.sqrt(max(0.0, spread + counting))
    return {
        "best_holds": (1 + (n - 1) * winner) / n,
        "best_holds_sd": sd,
        "ranking_holds": (1 + (n - 1) * ranking) / n,
        "winner_agreement": winner,
        "ranking_agreement": ranking,
    }


def unit_noise(unit_scores: FloatArray) -> FloatArray:
    """Covariance of unit scores over units, shape (S, S): all differences of units are noise."""
    return np.atleast_2d(np.cov(unit_scores, rowvar=False))


def repeat_noise(runs: FloatArray, starts: IntArray) -> FloatArray:
    """Covariance of a unit score from its repeats alone, shape (S, S); nan without repeats."""
    n_runs = np.diff(np.append(starts, runs.shape[1]))
    degrees = runs.shape[1] - len(starts)
    if degrees == 0:
        return np.full((len(runs), len(runs)), math.nan)
    means = np.add.reduceat(runs, starts, axis=1) / n_runs
    residuals: FloatArray = runs - np.repeat(means, n_runs, axis=1)
    covariance: FloatArray = residuals @ residuals.T / degrees * float((1 / n_runs).mean())
    return covariance


def draw_noise(covariance: FloatArray, seed: int) -> FloatArray:
    """Normal draws with the covariance, shape (r, S); as many as fit, 1,000 to N_DRAWS."""
    n_systems = len(covariance)
    n_draws = min(N_DRAWS, max(1000, DRAW_CELLS // n_systems))
    scale = float(np.trace(covariance)) / n_systems
    if scale <= 0:
        return np.zeros((n_draws, n_systems))
    root = np.linalg.cholesky(covariance + 1e-10 * scale * np.eye(n_systems))
    drawn = np.random.default_rng(seed).standard_normal((n_draws, n_systems))
    noise: FloatArray = drawn @ root.T
    return noise


# --- Which of two systems is better, and which ranks are plausible
#
# A difference is shown where two things say so: a paired t over the units of both, by Holm's
# correction over all pairs, which keeps the share of studies with any wrong claim below the level;
# and the joint posterior, in which all shown differences hold at once with the confidence. From the
# latter follows what the former cannot give: whoever is shown to be better than all others is the
# best with at least that probability, and who is shown to be worse than any is not.
#
# Source: Student's paired t; Holm (1979); Benavoli et al. (2017) on a region of practical
# equivalence; Mogstad et al. (2024) on confidence sets for ranks.


@dataclass(frozen=True)
class Comparison:
    """Two systems by their numbers, the first better where the difference is positive."""

    first: int
    second: int
    difference: Estimate  # mean over units of the first score less the second
    p: float  # two-sided, of no difference, by the paired t test; nan without spread
    p_holm: float  # the same for all pairs of systems at once
    # probabilities, adding up to 1, that the true difference is above, within and below the region
    # of practical equivalence, by the joint posterior
    p_better: float
    p_equivalent: float
    p_worse: float
    wins: Estimate  # share of units in which the first scores more, ties counting half
    # "equivalent" where `p_equivalent` reaches the confidence, else what is shown of the first
    decision: str = "open"

    def turned(self) -> "Comparison":
        """The same pair, the second system first."""
        won, lost, note = self.wins.interval
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=self.difference.signed(-1),
            p_better=self.p_worse,
            p_worse=self.p_better,
            wins=Estimate(1 - self.wins.value, Interval(1 - lost, 1 - won, note)),
            decision={"better": "worse", "worse": "better"}.get(self.decision, self.decision),
        )


@dataclass(frozen=True)
class RankSets:
    """Ranks of the systems, 1 for the best, shape (S,), and the plausible ones by pairs shown."""

    rank: IntArray  # of the mean over units; systems that tie share the best of theirs
    low: IntArray  # as many as are shown to be better come before
    high: IntArray
    note: str


def comparisons(
    scores: FloatArray, clusters: Clusters, posterior: Posterior, rope: float, confidence: float
) -> list[Comparison]:
    """All pairs of systems, each by the units of both and by draws of the true means.

    `rope` is half the width of the region of practical equivalence, in points of the score, from 0.
    Decisions take LEAST_CERTAINTY, be the confidence lower.
    """
    pairs = list(combinations(range(scores.shape[1]), 2))
    apart = (scores[:, [a]] - scores[:, a + 1 :] for a in range(scores.shape[1] - 1))
    tests = [test for of_first in apart for test in paired_tests(of_first, clusters)]
    adjusted = holm([test.p for test in tests])
    draws, found = np.ascontiguousarray(posterior.means.T), []
    for (first, second), test, p_holm in zip(pairs, tests, adjusted, strict=True):
        better = worse = math.nan
        if test.n > 2:
            drawn = draws[first] - draws[second]
            edge = rope + 1e-9 * max(abs(test.mean), test.error)  # rounding is no difference
            n_better, n_worse = map(np.count_nonzero, (drawn > edge, drawn < -edge))
            ties = 0.0 if rope else (len(drawn) - n_better - n_worse) / 2
            better, worse = (float(n + ties) / len(drawn) for n in (n_better, n_worse))
        equivalent = float(np.maximum(0.0, 1 - better - worse))
        share = test.wins / test.units if test.units else math.nan
        n = min(test.n, test.units)  # clusters are what varies
        interval = share_interval(share * n if test.units else 0, n, confidence, test.word)
        difference, wins = Estimate(test.mean, test.interval(confidence)), Estimate(share, interval)
        found.append(
            Comparison(first, second, difference, test.p, p_holm, better, equivalent, worse, wins)
        )
    return _decided(found, draws, max(confidence, LEAST_CERTAINTY))


def _decided(found: list[Comparison], draws: FloatArray, confidence: float) -> list[Comparison]:
    """Comparisons with their decisions: the likeliest of Holm's that hold at once."""
    kept = list(found)
    asked = []
    for place, pair in enumerate(found):
        is_constant = math.isnan(pair.p) and pair.difference.value != 0
        if pair.p_equivalent >= confidence:
            kept[place] = replace(pair, decision="equivalent")
        elif not math.isnan(pair.p_better) and (is_constant or pair.p_holm < 1 - confidence):
            asked.append(place)
    sure = {p: max(found[p].p_better, found[p].p_worse) for p in asked}
    held = np.ones(draws.shape[1], bool)
    of_test = {p: (np.nan_to_num(found[p].p_holm), np.nan_to_num(found[p].p)) for p in asked}
    for place in sorted(asked, key=lambda p: (-sure[p], *of_test[p])):
        pair = found[place]
        is_better = pair.difference.value > 0
        winner, loser = (pair.first, pair.second) if is_better else (pair.second, pair.first)
        held &= draws[winner] > draws[loser]
        if held.mean() < confidence:
            break
        kept[place] = replace(pair, decision="better" if is_better else "worse")
    return kept


def rank_sets(pairs: Sequence[Comparison], means: FloatArray) -> RankSets:
    """Plausible ranks by the pairs, all of them, that are shown to differ; means: shape (S,)."""
    rank = 1 + (means > means[:, None] + rounding_of(means)).sum(axis=1)
    low, high = np.ones_like(rank), np.full_like(rank, len(means))
    for pair in pairs:
        ends = {"better": (pair.first, pair.second), "worse": (pair.second, pair.first)}
        if pair.decision in ends:
            winner, loser = ends[pair.decision]
            high[winner] -= 1
            low[loser] += 1
    note = f"by the {len(pairs)} pairs that are compared at once"
    if all(math.isnan(pair.p_better) for pair in pairs):
        note = "undefined: fewer than three units"
    return RankSets(rank, np.minimum(low, rank), np.maximum(high, rank), note)


@dataclass(frozen=True)
class PairedTest:
    """Student's paired t over n independent units, or clusters; `units` are all of both systems."""

    n: int
    mean: float
    error: float
    wins: float
    units: int
    word: str = "units"

    @property
    def p(self) -> float:
        """Two-sided p of no difference; nan where the units do not say."""
        if self.n < 3 or not self.error > 0:
            return math.nan
        return 2 * (1 - student_probability(abs(self.mean) / self.error, self.n - 1))

    def interval(self, confidence: float) -> Interval:
        """Student's interval; its note warns of few units."""
        if self.n < 3:
            return undefined_interval(f"fewer than three {self.word}")
        if not self.error > 0:
            return undefined_interval(f"no spread between {self.word}")
        half = student_quantile(0.5 + confidence / 2, self.n - 1) * self.error
        warning = ", few for scores that are not normal" if self.n < FEW_UNITS else ""
        note = f"Student's t over {self.n} {self.word}{warning}"
        return Interval(self.mean - half, self.mean + half, note)


def paired_tests(differences: FloatArray, clusters: Clusters = None) -> list[PairedTest]:
    """Tests of differences of pairs, shape (U, pairs), nan for a unit that does not count."""
    has = ~np.isnan(differences)
    means, errors, n = mean_errors(differences, clusters)
    wins = (differences > 0).sum(axis=0) + (differences == 0).sum(axis=0) / 2
    word = "units" if clusters is None else "clusters"
    numbers = [c.tolist() for c in (n, means, errors, wins, has.sum(axis=0))]
    return [
        PairedTest(k, mean, error, won, units, word)
        for k, mean, error, won, units in zip(*numbers, strict=True)
    ]


# --- What trusting one unit costs
#
# True regret is the mean of the best system less that of a unit's winner, over units. No estimator
# of a largest mean is unbiased at ties. Taking the best observed mean for the best true one (the
# plug-in value) is too large, the more so the nearer the systems tie: it picks the luckiest.
# Choosing the best system on one half of the units and taking its mean from the other (the
# cross-fitted value) is too small: it sometimes picks a worse one. The headline lies between: as
# far from the cross-fitted value towards the plug-in value as the observed differences are likely
# to be real.
#
# Source: Cawley & Talbot (2010) on what selection adds; Chernozhukov et al. (2018) on
# cross-fitting.

N_HALVES, HALF_CELLS = 200, 2_000_000  # of many units fewer halves say the same
LARGEST_NUMBER_OF_PATTERNS = 200  # units whose noise is put to the test of other means
DRAWS_OF_PATTERNS = 1000


@dataclass(frozen=True)
class Regret:
    """Expected regret in points of the score, from 0: a shrunken estimate, the headline."""

    value: float
    plug_in: float  # upper end of the bracket: the best observed mean is taken for the true one
    cross_fitted: float  # lower end; below 0 where the choice does not carry over
    interval: Interval  # of the true regret; from 0 where no system is shown to be better


def expected_regret(
    unit_scores: FloatArray,
    shrinkage: float,
    confidence: float,
    seed: int,
    clusters: Clusters = None,
) -> Regret:
    """Regret of trusting one unit; nan for fewer than three: one would be judged by one other.

    The headline is between the two ends of the bracket, and not negative. `shrinkage` is the share
    of the observed differences that is expected to be real, by the posterior.
    """
    unit_scores = unit_scores[:, drawing_order(unit_scores)]
    order = np.lexsort(unit_scores.T)  # whatever the order of the rows
    groups = np.arange(len(order)) if clusters is None else ways_of(clusters)[0]
    unit_scores, groups = unit_scores[order], encoded(groups[order].tolist())[0]
    plug_in = plug_in_regret(unit_scores, groups)
    if groups.max() < 2:
        reason = undefined_interval("fewer than three units")
        return Regret(math.nan, plug_in, math.nan, reason)
    cross_fitted = min(plug_in, cross_fitted_regret(unit_scores, seed, groups))
    value = max(0.0, cross_fitted + shrinkage * (plug_in - cross_fitted))
    interval = regret_interval(unit_scores, groups, confidence, seed).holding(value)
    return Regret(value, plug_in, cross_fitted, interval)


def plug_in_regret(unit_scores: FloatArray, groups: IntArray) -> float:
    """Best mean less the mean of the unit's winner, both from the other clusters, over units."""
    others = _other_means(unit_scores, groups)
    return float(others.max(axis=1).mean()) - _value_of_winners(unit_scores, others)


def cross_fitted_regret(unit_scores: FloatArray, seed: int, groups: IntArray) -> float:
    """The same with the best system chosen on one half of the clusters and judged on the other."""
    n_units, n = len(unit_scores), int(groups.max()) + 1
    n_halves = int(np.clip(HALF_CELLS // n, 10, N_HALVES))
    order = np.random.default_rng([seed, 2]).random((n_halves, n)).argsort(axis=1)
    in_half = (order < n // 2).astype(float)
    if n < n_units:
        in_half = in_half[:, groups]
    sizes = in_half.sum(axis=1, keepdims=True)
    half = in_half @ unit_scores / sizes
    rest = (unit_scores.sum(axis=0) - in_half @ unit_scores) / (n_units - sizes)
    rows = np.arange(len(half))
    best = (rest[rows, half.argmax(axis=1)] + half[rows, rest.argmax(axis=1)]).mean() / 2
    return float(best) - _value_of_winners(unit_scores, _other_means(unit_scores, groups))


def regret_interval(
    unit_scores: FloatArray, groups: IntArray, confidence: float, seed: int
) -> Interval:
    """Interval of the true regret.

    True regret is the largest, over systems b, of b's mean less the mean of a unit's winner. Each
    of these has an interval by its influence function. The lower end is the largest lower bound,
    and all lower bounds hold at once; the upper end is the largest upper bound, and only that of
    the true best need hold. Where units agree so well that no influence is left, the means that
    are plausible under normal noise bound what other units could name.
    """
    n_systems, n_units = unit_scores.shape[1], int(groups.max()) + 1
    weights, means = winner_weights(unit_scores), unit_scores.mean(axis=0)
    shares = weights.mean(axis=0)
    values = means - shares @ means
    own = unit_scores - (unit_scores @ shares)[:, None]
    chosen = weights @ means - shares @ means
    errors = _standard_errors(own - chosen[:, None], groups)
    # were all means equal, only the first part would vary: nothing smaller shows a difference
    cautious = np.maximum(errors, _standard_errors(own, groups))
    tail = (1 - confidence) / 2
    at_once = student_quantile(1 - tail / n_systems, n_units - 1)
    low = max(0.0, float((values - at_once * cautious).max()))
    # one-sided from 0 where 0 is not excluded, unless the units are too few to know their noise by
    upper = 1 - tail if low > 0 or n_units < FEW_UNITS else confidence
    high = float((values + student_quantile(upper, n_units - 1) * errors).max())
    losses = losses_under(*flat_draws(unit_scores, groups, seed), unit_scores)
    plausible_low, plausible_high = np.quantile(losses, [tail, upper]).tolist()
    high = max(high, plausible_high)
    if high > 1e-9 * float(np.ptp(unit_scores)):  # more than rounding
        word = "units" if n_units == len(unit_scores) else "clusters"
        note = f"largest of {n_systems} bounds over {n_units} {word}"
        return Interval(min(low, plausible_low) if low > 0 else 0.0, high, note)
    return _interval_of_one_winner(unit_scores, groups, confidence)


def _interval_of_one_winner(
    unit_scores: FloatArray, groups: IntArray, confidence: float
) -> Interval:
    """Bound where all units name one system: how many might not, times what that could cost."""
    n_units, means = int(groups.max()) + 1, unit_scores.mean(axis=0)
    best = int(means.argmax())
    reach = student_quantile(confidence, n_units - 1)
    behind = unit_scores[:, [best]] - unit_scores
    cost = float((behind.mean(axis=0) + reach * _standard_errors(behind, groups)).max())
    unseen = 1 - wilson_interval(n_units, n_units, confidence).low
    if not cost > 0:
        return undefined_interval("no spread between units")
    return Interval(0.0, unseen * cost, f"Wilson over {n_units} units that all name one system")


def losses_under(means: FloatArray, sds: FloatArray, unit_scores: FloatArray) -> FloatArray:
    """Regret if the means were as drawn and units had noise such as these have; shape (d,).

    How often further units have each pattern of noise is drawn by the Bayesian bootstrap of Rubin
    (1981).
    """
    n_units = len(unit_scores)
    noise = unit_scores - unit_scores.mean(axis=1, keepdims=True)
    noise = noise - noise.mean(axis=0)
    observed = math.sqrt(float((noise**2).sum()) / ((n_units - 1) * (noise.shape[1] - 1)))
    if not observed > 0:
        return np.zeros(1)
    noise *= math.sqrt(n_units / (n_units - 1)) / observed
    step = math.ceil(n_units / LARGEST_NUMBER_OF_PATTERNS)
    rows, patterns = np.arange(len(means)), noise[::step]
    shape = (len(patterns), len(means))
    weights = np.random.default_rng([0, 4]).standard_exponential(shape)
    weights /= weights.sum(axis=0)
    found = np.zeros(len(means))
    for pattern, weight in zip(patterns, weights, strict=True):
        found += weight * means[rows, (means + sds[:, None] * pattern).argmax(axis=1)]
    losses: FloatArray = means.max(axis=1) - found
    return losses


def _other_means(unit_scores: FloatArray, groups: IntArray) -> FloatArray:
    own, sizes = sums_of(unit_scores, groups)[groups], np.bincount(groups)[groups]
    means: FloatArray = (unit_scores.sum(axis=0) - own) / (len(unit_scores) - sizes)[:, None]
    return means


def _value_of_winners(unit_scores: FloatArray, others: FloatArray) -> float:
    return float((winner_weights(unit_scores) * others).sum(axis=1).mean())


def _standard_errors(values: FloatArray, groups: IntArray) -> FloatArray:
    return mean_errors(values, groups if int(groups.max()) + 1 < len(groups) else None)[1]


def flat_draws(
    unit_scores: FloatArray, groups: IntArray, seed: int, n_draws: int = DRAWS_OF_PATTERNS
) -> tuple[FloatArray, FloatArray]:
    """Draws of the means, (d, S), and of a noise of all systems, (d,), under a flat prior."""
    n_units, n_systems = unit_scores.shape
    own = unit_scores - unit_scores.mean(axis=1, keepdims=True)
    means = own.mean(axis=0)
    n = int(groups.max()) + 1
    squares = float((sums_of(own - means, groups) ** 2).sum()) * (n / n_units)
    generator = np.random.default_rng(seed)
    sds = np.sqrt(squares / generator.chisquare((n - 1) * (n_systems - 1), n_draws))
    noise = generator.standard_normal((n_draws, n_systems))
    return means + sds[:, None] / math.sqrt(n_units) * noise, sds


# --- All of this as fields of a result

AGREEMENTS = (
    *("best_holds", "ranking_holds", "best_holds_others", "ranking_holds_others"),
    *("winner_agreement", "ranking_agreement", "kendall_tau", "expected_regret"),
)


def agreement_fields(
    table: ScoreTable, first: int, options: Options, posterior: Posterior
) -> dict[str, Any]:
    """How well units agree, as published and over all pairs, what trusting one costs, and ties."""
    scores, confidence, clusters = table.unit_scores, options.confidence, table.whole_clusters
    reason = undefined_interval(f"{len(scores)} unit(s) that all systems scored")
    estimates = dict.fromkeys(AGREEMENTS, Estimate(math.nan, reason))
    regret, order = Regret(math.nan, math.nan, math.nan, reason), list[str]()
    if n_independent(len(scores), clusters) > 1:
        by_name = table.by_name
        published = published_order(scores[:, by_name])[first][::-1]
        order = [table.systems[by_name[i]] for i in published]
        shrinkage = 0.0 if math.isnan(posterior.shrinkage) else posterior.shrinkage
        regret = expected_regret(scores, shrinkage, confidence, options.seed, clusters)
        found = (
            *holds(scores[:, by_name], first, confidence),
            winner_agreement(scores, confidence, clusters),
            ranking_agreement(scores, confidence, clusters),
            kendall_tau(scores, confidence, clusters),
            Estimate(regret.value, regret.interval),
        )
        estimates = dict(zip(AGREEMENTS, found, strict=True))
    result: dict[str, Any] = {"first_best": order[0] if order else None, "first_ranking": order}
    for name, estimate in estimates.items():
        result |= estimate.as_fields(name)
    ordered = np.sort(scores, axis=1)
    ties = ordered[:, 1:] == ordered[:, :-1]
    return result | {
        "expected_regret_plug_in": regret.plug_in,
        "expected_regret_cross_fitted": regret.cross_fitted,
        "n_units_with_tied_best": int(ties[:, -1].sum()),
        "n_units_with_ties": int(ties.any(axis=1).sum()),
    }


def null_rows(table: ScoreTable, seed: int) -> list[dict[str, Any]]:
    """Agreement that noise alone would produce: of repeats (if there are any), of whole units."""
    if len(table.units) < 2:
        return []
    noises = {"repeat": repeat_noise(table.runs, table.starts)}
    noises["unit"] = unit_noise(table.unit_scores)
    known = {name: noise for name, noise in noises.items() if not np.isnan(noise).any()}
    return [{"noise": n, **noise_only(table.unit_scores, of, seed)} for n, of in known.items()]


# --- What should make a reader doubt the units or a system: said beside the verdict
#
# Units that were sampled together, or a unit given twice, tell less than as many independent ones;
# a system that now and then fails has scores that no interval of a few units describes.

MOST_UNITS, FEWEST_UNITS = 300, 6  # that are looked at
MOST_NAMED = 4
N_WORLDS = 199
ALARM = 0.01  # p below which units are said to be alike
# robust standard deviations below a system's own level; of normal scores 1 table in 50 has some
FAILED, FAILED_OF_FEW = 4.5, 10.0  # and what is added, over the number of units
SAME_SCALE = 1.4826  # of the median distance of normal scores: one standard deviation
LEAST_GAP = 5.0  # how many times farther apart other units are than those nearly given twice
UNEQUAL = 0.5  # clusters are worth fewer than this share of their number


def doubts_of(table: ScoreTable, seed: int) -> list[str]:
    """Sentences about units that are not independent, unequal clusters, and failing systems."""
    scored, failed = (~np.isnan(table.compared)).sum(axis=0), n_failures(table.compared)
    said = _lacking(table) + [
        f"{in_code(name)} fails on {n} of {has} units, far below its own level: its intervals can"
        " be too narrow."
        for name, n, has in zip(table.systems, failed, scored, strict=True)
        if n
    ]
    if table.clusters is not None:
        return said + _unequal(table.clusters)
    return said + _alike(table, seed)


def n_failures(scores: FloatArray) -> FloatArray:
    """Units in which a system falls far below its own level, shape (S,)."""
    n_units, n_systems = (~np.isnan(scores)).sum(axis=0), scores.shape[1]
    if len(scores) < FEWEST_UNITS or n_systems < 2:
        return np.zeros_like(n_units)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # units of one system alone
        others = [np.nanmedian(np.delete(scores, i, axis=1), axis=1) for i in range(n_systems)]
        own = scores - np.stack(others, axis=1)
        own = own - np.nanmedian(own, axis=0)
        widths = SAME_SCALE * np.nanmedian(np.abs(own), axis=0)
    width = np.fmax(widths, np.nanmedian(widths))
    with np.errstate(invalid="ignore"):
        failed = own < -(FAILED + FAILED_OF_FEW / len(scores)) * width
    return np.where(width > 0, failed.sum(axis=0), 0)


def _lacking(table: ScoreTable) -> list[str]:
    """How many of all units each system has that lacks some, those with the fewest first."""
    coverage, n = table.coverage, len(table.all_units)
    lacking = sorted(np.flatnonzero(coverage < n), key=lambda i: (coverage[i], table.systems[i]))
    if not lacking:
        return []
    named = [f"{in_code(table.systems[i])} has {coverage[i]}" for i in lacking[:MOST_NAMED]]
    more = len(lacking) - len(named)
    rest = f"; {more} more lack some" if more else ""
    return [f"{', '.join(named)} of {n} units{rest}."]


def _unequal(clusters: IntArray) -> list[str]:
    """A word where few clusters hold most of the units."""
    for way in ways_of(clusters)[: 1 if clusters.ndim == 1 else 2]:
        sizes = np.bincount(way)
        sizes = sizes[sizes > 0]
        worth = float(sizes.sum() ** 2 / (sizes**2).sum())
        if worth < UNEQUAL * len(sizes):
            return [
                f"The largest of {len(sizes)} clusters has {sizes.max()} of {sizes.sum()} units:"
                f" they are worth about {worth:.1f} equal ones, and intervals can be too narrow."
            ]
    return []


def _alike(table: ScoreTable, seed: int) -> list[str]:
    """A word where units are given twice, or are more alike than independent ones would be."""
    names, scores = [str(unit) for unit in table.units], table.unit_scores
    if (n := len(scores)) < FEWEST_UNITS or n > MOST_UNITS:
        return []
    pairs, how = [], "the same scores{}: a unit given twice counts twice;"
    if len(np.unique(scores)) > n:  # else scores are so coarse that units tie by chance
        pairs = [p for p in combinations(range(n), 2) if np.array_equal(*scores[list(p)])]
    if not pairs:
        pairs = near_twins(scores)
        how = "nearly the same scores{}, unlike all other pairs: if they are one unit given twice,"
    if pairs:
        first, second = min(sorted((names[a], names[b])) for a, b in pairs)
        more = f" (and {len(pairs) - 1} pairs more)" if len(pairs) > 1 else ""
        said = f"{how.format(more)} name them in one `cluster`."
        return [f"{in_code(first)} and {in_code(second)} have {said}"]
    own = (scores - scores.mean(axis=0)) @ contrasts(scores.shape[1])
    for end in (0, -1):
        words = [re.split(r"[\W_]+", name.strip().casefold().strip("_-./ "))[end] for name in names]
        share, word = _by_name(own, words, seed)
        if word:
            return [
                f"Units that share a word of their names ({in_code(word)}, say) are alike"
                f" (intra-class correlation {share:.2f}): intervals are too narrow unless"
                " `cluster` says which belong together."
            ]
    return []


def near_twins(scores: FloatArray) -> list[tuple[int, int]]:
    """Pairs of units, (U, S), that are so near to each other that all other pairs are far apart.

    Distances of all pairs are sorted; one that is R times the one before it parts the near pairs
    from the others. Of independent units in p dimensions the k nearest pairs leave such a gap with
    a probability of about R^(-kp), whatever the scale, so R is ALARM^(-1 / p), or LEAST_GAP if that
    is more. p is the participation ratio of the variances, with what all systems share made no
    larger than their differences. No group of near units has more than half of all; scores that
    differ by less than the smallest step between two are a step apart.

    Of 6 to 60 independent units of 2 to 8 systems .2 % have such pairs over ten kinds of noise, 3 %
    at most. Six units given three times are found with noise between copies of 3 % from five
    systems on, of 1 % with three, and of .1 to .3 % with two.
    """
    n, k = scores.shape
    own, level = scores @ contrasts(k), scores.mean(axis=1) * math.sqrt(k)
    width = math.sqrt(float(own.var(axis=0).mean()))
    level *= min(1.0, width / max(float(level.std()), 1e-300))
    places = np.column_stack([own, level])
    places -= places.mean(axis=0)
    variances = np.linalg.svd(places, compute_uv=False) ** 2
    if not variances.any():
        return []
    gap = max(LEAST_GAP, ALARM ** -(float((variances**2).sum()) / float(variances.sum()) ** 2))
    steps = np.diff(np.sort(scores, axis=0), axis=0)
    step = float(steps.min(initial=math.inf, where=steps > rounding_of(scores)))
    first, second = np.triu_indices(n, 1)
    apart = np.maximum(np.sqrt(((places[first] - places[second]) ** 2).sum(axis=1)), step)
    order = np.argsort(apart, kind="stable")
    wide = np.flatnonzero(apart[order[1:]] >= gap * apart[order[:-1]])
    for n_near in (wide[::-1] + 1).tolist():
        near = order[:n_near]
        if np.bincount(np.append(first[near], second[near])).max() + 1 <= n / 2:
            return list(zip(first[near].tolist(), second[near].tolist(), strict=True))
    return []


def _by_name(own: FloatArray, words: Sequence[str], seed: int) -> tuple[float, str]:
    """Intra-class correlation of units that share a word of their names, where it is shown."""
    kinds, codes, counts = np.unique(np.array(words), return_inverse=True, return_counts=True)
    if not 2 <= len(kinds) <= len(words) / 1.5 or (counts > 1).sum() < 2 or "" in kinds:
        return math.nan, ""
    codes = codes.reshape(-1)
    generator = np.random.default_rng([seed, 7])
    order = np.lexsort((codes, *own.T[::-1]))  # whatever the order of the rows
    own, codes = own[order], codes[order]
    observed = _correlation(own, codes)
    drawn = [_correlation(own, generator.permutation(codes)) for _ in range(N_WORLDS)]
    if observed <= 0 or np.mean(np.array(drawn) >= observed) >= ALARM:
        return math.nan, ""
    return observed, str(kinds[int(counts.argmax())])


def _correlation(own: FloatArray, codes: IntArray) -> float:
    """Intra-class correlation of the rows' contrasts, by analysis of variance."""
    counts = np.bincount(codes)
    n, k = len(codes), int((counts > 0).sum())
    means = sums_of(own, codes) / np.maximum(counts, 1)[:, None]
    between = float((counts[:, None] * means**2).sum()) / (k - 1)
    within = float(((own - means[codes]) ** 2).sum()) / max(n - k, 1)
    size = (n - float((counts**2).sum()) / n) / (k - 1)
    whole = between + (size - 1) * within
    return (between - within) / whole if whole > 0 else 0.0


# --- What should make one doubt a table: runs that are not of all, names that look alike


def unequal_runs(inputs: Mapping[str, Sequence[Any]]) -> list[str]:
    """What is said of runs of a unit that some of the systems with a score there lack."""
    if "repeat" not in inputs:
        return []
    of_runs = zip(inputs["unit"], inputs["repeat"], strict=True)
    runs = grouped(zip(of_runs, inputs["system"], strict=True))
    systems = grouped(zip(inputs["unit"], inputs["system"], strict=True))
    all_of = {unit: set(names) for unit, names in systems.items()}
    lacking = {run: sorted(map(str, all_of[run[0]].difference(has))) for run, has in runs.items()}
    named = [
        f"{in_code(repeat)} of {in_code(unit)} lacks {quoted(names)}"
        for (unit, repeat), names in lacking.items()
        if names
    ]
    if not named:
        return []
    n = f"{len(named):,} of {len(runs):,} runs {'lacks' if len(named) == 1 else 'lack'} a system"
    return [f"{n} that has other runs of the unit: {some_of(named)}."]


LOOKALIKES = str.maketrans("авекмнорстухіѕјαβεικνορτυχ", "abekmhopctyxisjabeikvoptux")
"""Letters of other scripts as the Latin ones that they look like."""


def close_names(labels: Mapping[str, Sequence[Any]]) -> list[str]:
    """Questions about systems or units whose names differ in case, blanks or marks alone."""
    asked = []
    for role in ("system", "unit"):
        alike: dict[str, list[Any]] = {}
        for name in dict.fromkeys(labels[role]):
            text = unicodedata.normalize("NFKC", str(name)).casefold().translate(LOOKALIKES)
            text = re.sub(r"\((?:ours|this work|reported|best)\)|\bours\b", "", text)
            bare = re.sub(r"[^\w+#]+|_", "", text)
            bare = repr(float(text)) if PLAIN.fullmatch(text) else bare
            alike.setdefault(bare or text, []).append(name)
        asked += [
            f"{quoted(names)}: one {role} or {len(names)}? They are kept apart; if they are one,"
            " give it one name."
            for names in alike.values()
            if len(names) > 1
        ]
    return asked
