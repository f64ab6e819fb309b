"""Which system is the pool's best, how sure that is, and how many units would settle it."""

import math
from typing import NamedTuple

import numpy as np

from ..columns import FloatArray
from ..uncertainty import Interval, undefined_interval
from .agreement import winner_weights
from .noise import draw_noise, unit_noise
from .prior import hierarchical_posterior, partial_posterior
from .score_table import ScoreTable

LEAST_CERTAINTY = 0.8  # below it no winner is named
N_TRUTHS = 100  # true means that are tried for the interval of n_units_to_settle


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


def settle(unit_scores: FloatArray, certainty: float, confidence: float, seed: int) -> Settlement:
    """How many units would settle which system is the pool's best.

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
    if len(unit_scores) < 2:
        return Settlement(0, math.nan, undefined_interval("fewer than two units of all systems"))
    means, noise = unit_scores.mean(axis=0), draw_noise(unit_noise(unit_scores), seed)
    plausible = _plausible_means(unit_scores, noise, seed)
    lead = _Lead(noise)
    n_units = lead.units_to_settle(means, certainty)
    tail = (1 - confidence) / 2
    spread = [lead.units_to_settle(truth, certainty) for truth in plausible[:N_TRUTHS]]
    low, high = np.quantile(spread, [tail, 1 - tail], method="nearest").tolist()
    interval = Interval(low, high, f"over true means that {len(unit_scores)} units leave plausible")
    return Settlement(
        int(means.argmax()),
        n_units,
        undefined_interval("the best means tie") if math.isnan(n_units) else interval,
    )


class Leader(NamedTuple):
    """The best system, and of each the probability to be truly the best and the mean, (S,).

    Where systems lack units the means are those of least squares, as if all had all units.
    """

    best: int
    chances: FloatArray
    means: FloatArray


def leader(table: ScoreTable, seed: int) -> Leader:
    """The best system by all units that are compared, those that lack systems too."""
    if table.partial is None:
        chances, means = p_best_on_average(table.unit_scores, seed), table.unit_scores.mean(axis=0)
        return Leader(int(means.argmax()), chances, means)
    posterior, means = partial_posterior(table.partial, seed)
    has_two = (~np.isnan(table.partial)).sum(axis=1) > 1
    chances = winner_weights(posterior.means).mean(axis=0)
    if has_two.sum() < 3:
        chances = np.full(len(means), math.nan)
    level = float(np.nanmean(np.nanmean(table.partial - means, axis=1)))  # of all units
    return Leader(int(means.argmax()), chances, means + level)


def p_best_on_average(unit_scores: FloatArray, seed: int) -> FloatArray:
    """Probability of each system to be truly the best of the pool, given the units; shape (S,).

    Under the prior of `prior.py`, which allows for near ties. For two units nan.
    """
    if len(unit_scores) < 3:
        return np.full(unit_scores.shape[1], math.nan)
    posterior = hierarchical_posterior(unit_scores, seed)
    is_flat = np.ptp(posterior.means) == 0
    weights = winner_weights(unit_scores[:1] if is_flat else posterior.means)
    chances: FloatArray = weights.mean(axis=0)
    return chances


def _plausible_means(unit_scores: FloatArray, noise: FloatArray, seed: int) -> FloatArray:
    n = len(unit_scores)
    tails = np.sqrt((n - 1) / np.random.default_rng([seed, 1]).chisquare(n - 1, (len(noise), 1)))
    means: FloatArray = unit_scores.mean(axis=0) + noise * tails / math.sqrt(n)
    return means


class _Lead:
    """How far noise can set systems before the best one.

    Args:
        noise: Draws, shape (d, S).
    """

    def __init__(self, noise: FloatArray) -> None:
        self.noise = np.ascontiguousarray(noise.T)
        self.ahead_of: dict[int, FloatArray] = {}

    def units_to_settle(self, means: FloatArray, certainty: float) -> float:
        """Units whose mean names the best of these means with the certainty; nan where they tie."""
        best = int(means.argmax())
        gaps = np.delete(means[best] - means, best)
        if not gaps.min() > 0:
            return math.nan
        if best not in self.ahead_of:
            self.ahead_of[best] = np.delete(self.noise - self.noise[best], best, axis=0)
        ratios = (self.ahead_of[best] / gaps[:, None]).max(axis=0)
        needed = max(0.0, float(np.quantile(ratios, certainty, method="higher"))) ** 2
        return float(math.floor(needed) + 1)
