"""What the scores leave plausible of the true means, under a prior that allows for near ties.

The prior: the true means of the systems are normal about a common value, with a standard deviation
of r times that of one unit's noise (the part of a unit's score that is a system's own). Nothing is
known of the noise, and log r is uniform from log(1/200) to log(20): systems that all but tie are as
likely as systems far apart. A flat prior on the means would take differences for large that are
not, and name winners too surely.

The noise has one standard deviation for all systems. Then the posterior is in closed form for each
r (a normal of the means given the variance, and an inverse gamma of the variance), and a grid does
the rest.

Source: Gelman et al. (2013), chapters 5 and 3.3; Efron & Morris (1975) on shrinkage.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np

from ..columns import FloatArray
from .inputs import METRIC

SMALLEST_RATIO, LARGEST_RATIO, N_RATIOS = 0.005, 20.0, 40
DRAW_CELLS = 50_000
LEAST_DRAWS, MOST_DRAWS = 2000, 10_000


@dataclass(frozen=True)
class Posterior:
    """Draws of what is plausible, and how much of an observed difference is taken for real.

    Attributes:
        means: Draws of the systems' means about their common mean, shape (d, S).
        noise_sd: Draws of the standard deviation of a unit's noise, shape (d,).
        shrinkage: Share of the observed differences that is expected to be real, in [0, 1].
    """

    means: FloatArray
    noise_sd: FloatArray
    shrinkage: float


def hierarchical_posterior(unit_scores: FloatArray, seed: int) -> Posterior:
    """Posterior under the prior that the module describes.

    Args:
        unit_scores: Shape (U, S), U and S at least 2.
        seed: Seed of the draws.
    """
    n_units, n_systems = unit_scores.shape
    generator, n_draws = np.random.default_rng(seed), n_draws_of(n_systems)
    ratios = _ratios_of(unit_scores)
    if ratios is None:
        return Posterior(np.zeros((n_draws, n_systems)), np.zeros(n_draws), 0.0)
    weights, kept, rests = ratios
    means, degrees = _contrasts(unit_scores)[0], n_units * (n_systems - 1)
    chosen = generator.choice(N_RATIOS, n_draws, p=weights)
    variance = rests[chosen] / generator.chisquare(degrees, n_draws)
    width = np.sqrt(kept[chosen] * variance / n_units)
    noise = generator.standard_normal((n_draws, n_systems))
    drawn = kept[chosen][:, None] * means + width[:, None] * noise
    return Posterior(drawn, np.sqrt(variance), float(weights @ kept))


def shrinkage_of(unit_scores: FloatArray) -> float:
    """Share of the observed differences that the prior expects to be real, in [0, 1]."""
    ratios = _ratios_of(unit_scores)
    return 0.0 if ratios is None else float(ratios[0] @ ratios[1])


def _ratios_of(unit_scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Probability of each ratio of the grid, share of differences kept, squares left; shape (r,).

    None where the systems' scores never differ.
    """
    n_units, n_systems = unit_scores.shape
    means, squares = _contrasts(unit_scores)
    spread = 1 + n_units * np.geomspace(SMALLEST_RATIO, LARGEST_RATIO, N_RATIOS) ** 2
    between = n_units * float((means**2).sum())
    if not between + squares > 0:
        return None
    rests = squares + between / spread
    with np.errstate(divide="ignore"):
        logs = -(n_systems - 1) / 2 * np.log(spread) - n_units * (n_systems - 1) / 2 * np.log(rests)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum(), 1 - 1 / spread, rests


def partial_posterior(unit_scores: FloatArray, seed: int) -> tuple[Posterior, FloatArray]:
    """Posterior where systems lack units, under the same prior, and the systems' adjusted means.

    A unit tells of the differences of the systems that it has. Along the directions in which all
    units together tell independent things of the means (eigenvectors of the information), the
    posterior is in closed form again.

    Args:
        unit_scores: Shape (U, S), nan where a system has no score.
        seed: Seed of the draws.

    Returns:
        The posterior, and least-squares means of the systems about their common mean, shape (S,).

    Raises:
        ValueError: Two systems have no unit in common, not even through others.
    """
    has = ~np.isnan(unit_scores)
    has &= has.sum(axis=1, keepdims=True) > 1  # a lone system's score says nothing of differences
    n_systems, sizes = unit_scores.shape[1], np.maximum(has.sum(axis=1, keepdims=True), 1)
    own = np.where(has, unit_scores, 0.0)
    own = np.where(has, own - own.sum(axis=1, keepdims=True) / sizes, 0.0)
    information = np.diag(has.sum(axis=0).astype(float)) - (has / sizes).T @ has
    weights, axes = np.linalg.eigh(information)
    if n_systems > 1 and not weights[1] > 1e-9 * weights[-1]:
        raise ValueError(
            f"{METRIC}: units, got two groups of systems that share none; expected a unit of both"
        )
    weights, axes = weights[1:], axes[:, 1:]
    along = axes.T @ own.sum(axis=0) / weights
    squares = float((own**2).sum() - (weights * along**2).sum())
    used = has.any(axis=1)
    degrees = int(has.sum()) - int(used.sum())
    ratios = np.geomspace(SMALLEST_RATIO, LARGEST_RATIO, N_RATIOS)[:, None]
    spread = 1 + weights * ratios**2
    rests = np.maximum(squares, 0.0) + (weights * along**2 / spread).sum(axis=1)
    generator, n_draws = np.random.default_rng(seed), n_draws_of(n_systems)
    if not rests.max() > 0:
        flat = Posterior(np.zeros((n_draws, n_systems)), np.zeros(n_draws), 0.0)
        return flat, axes @ along
    logs = -np.log(spread).sum(axis=1) / 2 - degrees / 2 * np.log(rests)
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    kept = 1 - 1 / spread
    chosen = generator.choice(N_RATIOS, n_draws, p=shares)
    variance = rests[chosen] / generator.chisquare(degrees, n_draws)
    width = np.sqrt(kept[chosen] * variance[:, None] / weights)
    drawn = kept[chosen] * along + width * generator.standard_normal(width.shape)
    shrinkage = float((shares @ kept).mean())
    return Posterior(drawn @ axes.T, np.sqrt(variance), shrinkage), axes @ along


def flat_posterior(unit_scores: FloatArray, seed: int, n_draws: int = LEAST_DRAWS) -> Posterior:
    """Posterior under a flat prior on the means: its intervals are those of Student's t."""
    n_units, n_systems = unit_scores.shape
    means, squares = _contrasts(unit_scores)
    chi_squares, noise = _flat_draws(seed, (n_units - 1) * (n_systems - 1), n_draws, n_systems)
    sd = np.sqrt(squares / chi_squares)
    return Posterior(means + sd[:, None] / math.sqrt(n_units) * noise, sd, 1.0)


@functools.lru_cache(maxsize=4)
def _flat_draws(
    seed: int, degrees: int, n_draws: int, n_systems: int
) -> tuple[FloatArray, FloatArray]:
    generator = np.random.default_rng(seed)
    return generator.chisquare(degrees, n_draws), generator.standard_normal((n_draws, n_systems))


def n_draws_of(n_systems: int) -> int:
    """Number of posterior draws, fewer for many systems."""
    return int(np.clip(DRAW_CELLS // n_systems, LEAST_DRAWS, MOST_DRAWS))


def _contrasts(unit_scores: FloatArray) -> tuple[FloatArray, float]:
    """Means of the systems about the common mean, and the squares that they leave unexplained."""
    own = unit_scores - unit_scores.mean(axis=1, keepdims=True)
    means = own.mean(axis=0)
    return means, float(((own - means) ** 2).sum())
