"""What agreement noise alone would give."""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..columns import FloatArray, IntArray
from .agreement import published_order, ranking_groups
from .components import sums_by_unit

N_DRAWS = 10_000
DRAW_CELLS = 2_000_000


class NoiseOnly(NamedTuple):
    """Agreement to expect if all units had the same true scores and only noise told them apart.

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


def noise_only(unit_scores: FloatArray, noise: FloatArray, seed: int) -> NoiseOnly:
    """Agreement that near-ties alone produce: units that share the observed means, plus noise.

    Args:
        unit_scores: Shape (U, S); their means are taken as the truth.
        noise: Covariance of a unit score's noise, shape (S, S), from `unit_noise` or
            `repeat_noise`.
        seed: Seed of the draws.
    """
    n = len(unit_scores)
    drawn = unit_scores.mean(axis=0) + draw_noise(noise, seed)
    winners = np.bincount(published_order(drawn)[:, -1], minlength=drawn.shape[1]) / len(drawn)
    rankings = np.bincount(ranking_groups(drawn))
    winner = _same_of_two(winners * len(drawn))
    ranking = _same_of_two(rankings)
    spread = (winners**3).sum() - (winners**2).sum() ** 2  # over the choice of the first unit
    counting = (winners**2 * (1 - winners)).sum() / (n - 1)  # over the others, given the first
    sd = (n - 1) / n * math.sqrt(max(0.0, spread + counting))
    return NoiseOnly((1 + (n - 1) * winner) / n, sd, (1 + (n - 1) * ranking) / n, winner, ranking)


def unit_noise(unit_scores: FloatArray) -> FloatArray:
    """Covariance of unit scores over units, shape (S, S): all differences of units are noise."""
    return np.atleast_2d(np.cov(unit_scores, rowvar=False))


def repeat_noise(runs: FloatArray, starts: IntArray) -> FloatArray:
    """Covariance of a unit score from its repeats alone, shape (S, S); nan without repeats."""
    n_runs = np.diff(np.append(starts, runs.shape[1]))
    degrees = runs.shape[1] - len(starts)
    if degrees == 0:
        return np.full((len(runs), len(runs)), math.nan)
    residuals: FloatArray = runs - np.repeat(sums_by_unit(runs, starts) / n_runs, n_runs, axis=1)
    covariance: FloatArray = residuals @ residuals.T / degrees * float((1 / n_runs).mean())
    return covariance


def draw_noise(covariance: FloatArray, seed: int, most: int = N_DRAWS) -> FloatArray:
    """Normal draws with the covariance, shape (r, S); as many as fit, 1,000 to `most`."""
    n_systems = len(covariance)
    n_draws = min(most, max(1000, DRAW_CELLS // n_systems))
    scale = float(np.trace(covariance)) / n_systems
    if scale <= 0:
        return np.zeros((n_draws, n_systems))
    root = np.linalg.cholesky(covariance + 1e-10 * scale * np.eye(n_systems))
    noise: FloatArray = standard_draws(seed, n_draws, n_systems) @ root.T
    return noise


@functools.lru_cache(maxsize=4)
def standard_draws(seed: int, n_draws: int, n_systems: int) -> FloatArray:
    """Standard normal draws, the same for every table of so many systems; not to be written to."""
    drawn = np.random.default_rng(seed).standard_normal((n_draws, n_systems))
    drawn.flags.writeable = False
    return drawn


def _same_of_two(counts: FloatArray | IntArray) -> float:
    n = counts.sum()
    return float((counts * (counts - 1.0)).sum() / (n * (n - 1)))
