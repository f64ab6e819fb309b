"""What one unit's winner is worth: regret, variance components, what noise alone would give, and how many units settle the winner.

All take unit scores of shape (U, S), higher is better: U resamples (data sets, draws, seeds) that
scored the same S systems. They speak about further resamples of the same pool, not about another
pool.

Source: Liu & Prud'hommeaux (2022), 6.1 and 7.1, for the question; Searle, Casella & McCulloch
(1992), chapter 3, for variance components.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..uncertainty import Interval, student_quantile, undefined_interval
from .agreement import Estimate, published_order, ranking_groups, winner_weights

VERSION = "1.0.1"

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
N_DRAWS = 10_000
N_TRUTHS = 100  # true means that are tried for the interval of n_units_to_settle
DRAW_CELLS = 2_000_000


class VarianceComponents(NamedTuple):
    """Variances of a single run's score, each in squared score units; estimates of small ones may be negative.

    Attributes:
        unit: Units that are easier or harder for all systems; it leaves rankings alone.
        system_by_unit: Units that favour some systems: what makes rankings differ between units.
        repeat: Repeats of a unit that are easier or harder for all systems; nan without repeats.
        system_by_repeat: What is left: noise of a system's single run; nan without repeats, where
            it is part of `system_by_unit`.
    """

    unit: float
    system_by_unit: float
    repeat: float
    system_by_repeat: float


class SystemSpread(NamedTuple):
    """Standard deviations of each system's single run, shape (S,): between units, and between repeats of a unit (nan without repeats)."""

    unit_sd: FloatArray
    repeat_sd: FloatArray


class NoiseOnly(NamedTuple):
    """What agreement to expect if every unit had the same true scores and only noise told them apart.

    Attributes:
        best_holds: Expected published share, the first unit included.
        best_holds_sd: Its standard deviation over the choice of units, the first included.
        ranking_holds: Expected published share for the whole ranking.
        winner_agreement: Probability that two distinct units name the same winner.
        ranking_agreement: Probability that two distinct units rank all systems alike.
    """

    best_holds: float
    best_holds_sd: float
    ranking_holds: float
    winner_agreement: float
    ranking_agreement: float


class Settlement(NamedTuple):
    """How many units settle the winner.

    Attributes:
        best: Number of the system with the best mean.
        n_units: Units whose mean names the true winner with the wanted certainty, if the observed
            means are the true ones; nan if they tie.
        n_units_interval: The same over means that these units leave plausible.
    """

    best: int
    n_units: float
    n_units_interval: Interval


def expected_regret(unit_scores: FloatArray, confidence: float) -> Estimate:
    """Gives the score that is lost on average by trusting one unit: mean of the best system minus mean of the unit's winner.

    The means leave the unit itself out, since its winner was chosen on it. The interval is the
    infinitesimal jackknife; it counts both the chance of each system to win and the differences of
    means as estimated. Not negative; 0 where every unit names the best system.
    """
    n = len(unit_scores)
    weights = winner_weights(unit_scores)
    others = (unit_scores.sum(axis=0) - unit_scores) / (n - 1)
    losses = others.max(axis=1) - (weights * others).sum(axis=1)
    best = unit_scores[:, int(unit_scores.mean(axis=0).argmax())]
    shares = weights.mean(axis=0)
    influence = losses + best - unit_scores @ shares
    error = math.sqrt(float(((influence - influence.mean()) ** 2).sum()) / (n * (n - 1)))
    value = float(losses.mean())
    if n < 3 or error < 1e-12 or not losses.any():
        return Estimate(
            value,
            undefined_interval(
                "fewer than three units" if n < 3 else "every unit names the best system"
            ),
        )
    half = student_quantile(0.5 + confidence / 2, n - 1) * error
    return Estimate(
        value,
        Interval(max(0.0, value - half), value + half, f"infinitesimal jackknife over {n} units"),
    )


def variance_components(runs: FloatArray, starts: IntArray) -> VarianceComponents:
    """Splits the variance of single runs by analysis of variance, without cutting negative estimates off.

    Args:
        runs: Shape (S, C): scores of S systems in all repeats of all units.
        starts: First column of each unit.

    Returns:
        Method-of-moments estimates; unequal numbers of repeats are allowed for.
    """
    n_systems = len(runs)
    shared = runs.mean(axis=0, keepdims=True)
    between, within, size = _nested_mean_squares(shared, starts)
    between_own, within_own, _ = _nested_mean_squares(runs - shared, starts)
    residual = float(within_own.sum()) / (n_systems - 1)
    own_between = float(between_own.sum()) / (n_systems - 1)
    if math.isnan(residual):
        return VarianceComponents(
            float(between[0]) - own_between / n_systems, own_between, math.nan, math.nan
        )
    system_by_unit = (own_between - residual) / size
    unit = float(between[0] - within[0]) / size - system_by_unit / n_systems
    return VarianceComponents(
        unit, system_by_unit, float(within[0]) - residual / n_systems, residual
    )


def system_spread(runs: FloatArray, starts: IntArray) -> SystemSpread:
    """Gives each system's standard deviations, a negative variance estimate as 0; without repeats all of it is between units."""
    between, within, size = _nested_mean_squares(runs, starts)
    if np.isnan(within).all():
        return SystemSpread(np.sqrt(between), within)
    return SystemSpread(np.sqrt(np.maximum(0.0, between - within) / size), np.sqrt(within))


def noise_only(unit_scores: FloatArray, noise: FloatArray, seed: int) -> NoiseOnly:
    """Gives the agreement that near-ties alone produce: units that all share the observed means, plus normal noise.

    Args:
        unit_scores: Shape (U, S); their means are taken as the truth.
        noise: Covariance of a unit score's noise, shape (S, S), from `unit_noise` or
            `repeat_noise`.
        seed: Seed of the draws.
    """
    n = len(unit_scores)
    drawn = unit_scores.mean(axis=0) + _draw_noise(noise, seed)
    winners = np.bincount(published_order(drawn)[:, -1], minlength=drawn.shape[1]) / len(drawn)
    rankings = np.bincount(ranking_groups(drawn))
    winner = _same_of_two(winners * len(drawn))
    ranking = _same_of_two(rankings)
    spread = (winners**3).sum() - (winners**2).sum() ** 2  # over the choice of the first unit
    counting = (winners**2 * (1 - winners)).sum() / (n - 1)  # over the others, given the first
    sd = (n - 1) / n * math.sqrt(max(0.0, spread + counting))
    return NoiseOnly((1 + (n - 1) * winner) / n, sd, (1 + (n - 1) * ranking) / n, winner, ranking)


def unit_noise(unit_scores: FloatArray) -> FloatArray:
    """Gives the covariance of unit scores over units, shape (S, S): everything that differs between units counts as noise."""
    return np.atleast_2d(np.cov(unit_scores, rowvar=False))


def repeat_noise(runs: FloatArray, starts: IntArray) -> FloatArray:
    """Gives the covariance of a unit score that comes from its repeats alone, shape (S, S); nan where no unit has two."""
    n_runs = np.diff(np.append(starts, runs.shape[1]))
    degrees = runs.shape[1] - len(starts)
    if degrees == 0:
        return np.full((len(runs), len(runs)), math.nan)
    residuals: FloatArray = runs - np.repeat(_sums_by_unit(runs, starts) / n_runs, n_runs, axis=1)
    covariance: FloatArray = residuals @ residuals.T / degrees * float((1 / n_runs).mean())
    return covariance


def settle(unit_scores: FloatArray, certainty: float, confidence: float, seed: int) -> Settlement:
    """Says how many units would settle which system is the pool's best.

    The mean of m units is taken as normal with the observed covariance over m. A draw of the noise
    names the true winner as soon as m exceeds the largest squared ratio of noise to gap, so one set
    of draws answers for every m. What these units leave plausible of the true means is Student's t
    around the observed ones, since the covariance is estimated too.

    Args:
        unit_scores: Shape (U, S).
        certainty: Wanted probability that the mean's winner is the true one, in (0, 1).
        confidence: Level of the interval over plausible true means.
        seed: Seed of the draws.
    """
    means, noise = unit_scores.mean(axis=0), _draw_noise(unit_noise(unit_scores), seed)
    plausible = _plausible_means(unit_scores, noise, seed)
    n_units = _units_to_settle(means, noise, certainty)
    tail = (1 - confidence) / 2
    spread = [_units_to_settle(truth, noise, certainty) for truth in plausible[:N_TRUTHS]]
    low, high = np.quantile(spread, [tail, 1 - tail], method="nearest").tolist()
    interval = Interval(low, high, f"over true means that {len(unit_scores)} units leave plausible")
    return Settlement(
        int(means.argmax()),
        n_units,
        undefined_interval("the best means tie") if math.isnan(n_units) else interval,
    )


def p_best_on_average(unit_scores: FloatArray, seed: int) -> FloatArray:
    """Gives the probability of each system to be truly the best of the pool, given these units; shape (S,)."""
    plausible = _plausible_means(unit_scores, _draw_noise(unit_noise(unit_scores), seed), seed)
    chances: FloatArray = winner_weights(plausible).mean(axis=0)
    return chances


def _plausible_means(unit_scores: FloatArray, noise: FloatArray, seed: int) -> FloatArray:
    n = len(unit_scores)
    tails = np.sqrt((n - 1) / np.random.default_rng([seed, 1]).chisquare(n - 1, (len(noise), 1)))
    means: FloatArray = unit_scores.mean(axis=0) + noise * tails / math.sqrt(n)
    return means


def _units_to_settle(means: FloatArray, noise: FloatArray, certainty: float) -> float:
    best = int(means.argmax())
    gaps = np.delete(means[best] - means, best)
    if not gaps.min() > 0:
        return math.nan
    ratios = np.delete(noise - noise[:, [best]], best, axis=1) / gaps
    needed = np.maximum(0.0, ratios.max(axis=1)) ** 2
    return float(math.floor(np.quantile(needed, certainty, method="higher")) + 1)


def _draw_noise(covariance: FloatArray, seed: int) -> FloatArray:
    n_systems = len(covariance)
    n_draws = int(min(N_DRAWS, max(1000, DRAW_CELLS // n_systems)))
    scale = float(np.trace(covariance)) / n_systems
    if scale <= 0:
        return np.zeros((n_draws, n_systems))
    root = np.linalg.cholesky(covariance + 1e-10 * scale * np.eye(n_systems))
    noise: FloatArray = np.random.default_rng(seed).standard_normal((n_draws, n_systems)) @ root.T
    return noise


def _same_of_two(counts: FloatArray | IntArray) -> float:
    n = counts.sum()
    return float((counts * (counts - 1.0)).sum() / (n * (n - 1)))


def _sums_by_unit(runs: FloatArray, starts: IntArray) -> FloatArray:
    return np.add.reduceat(runs, starts, axis=1)


def _nested_mean_squares(
    runs: FloatArray, starts: IntArray
) -> tuple[FloatArray, FloatArray, float]:
    """Gives each row's mean square between units and within units (nan without repeats), and the mean number of repeats for the former."""
    n_runs = np.diff(np.append(starts, runs.shape[1]))
    n_units, n = len(starts), runs.shape[1]
    means = _sums_by_unit(runs, starts) / n_runs
    centred = means - runs.mean(axis=1, keepdims=True)
    between = (n_runs * centred**2).sum(axis=1) / (n_units - 1)
    size = (n - float((n_runs**2).sum()) / n) / (n_units - 1)
    if n == n_units:
        return between, np.full(len(runs), math.nan), size
    within = ((runs - np.repeat(means, n_runs, axis=1)) ** 2).sum(axis=1) / (n - n_units)
    return between, within, size
