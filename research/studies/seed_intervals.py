"""Uncertainty of what was measured on the same clusters of items by models of several seeds.

Clusters and seeds are crossed: every model saw every cluster. Both were sampled, so both are
resampled, independently of each other; a difference of two conditions is taken within each seed
and each cluster before that, so that what their models share cancels.

    w   weights of the clusters, shape (r, c): one row per resample; ones give the score itself
    n   number of seeds

Source: Owen (2007) on the bootstrap of crossed factors, which errs on the wide side where the
factors interact; McCarthy & Snowden (1985) on drawing one unit less than there are, without which
few seeds look too much alike; Satterthwaite (1946) on degrees of freedom. MOVER: Newcombe (1998),
"Interval estimation for the difference between independent proportions", method 10, for any pair of
intervals; Zou & Donner (2008).
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from garden_path.models.arrays import FloatArray
from metrics._shared.uncertainty import (
    Interval,
    student_probability,
    student_quantile,
    undefined_interval,
)

CONFIDENCE, POWER = 0.95, 0.8
N_RESAMPLES = 4000
LARGEST_UNDEFINED_SHARE = 0.05
Measure = Callable[[FloatArray], FloatArray]


class CrossedMean(NamedTuple):
    """A mean over seeds, nan where one has no value, with a 95 % interval over both factors.

    p is two-sided, of the mean being 0, from the same error and degrees of freedom; `detectable` is
    the smallest true value that would be found, at 5 %, in four of five studies. A note says why
    there is no interval.
    """

    value: float
    low: float
    high: float
    p: float
    detectable: float
    note: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the interval holds 0, or there is none."""
        return not (self.low > 0 or self.high < 0)


def undefined(value: float, note: str) -> CrossedMean:
    """A mean without an interval."""
    return CrossedMean(value, math.nan, math.nan, math.nan, math.nan, note)


def crossed_estimate(measure: Measure, n_clusters: int, seed: int = 0) -> CrossedMean:
    """Mean over seeds of a score, with its interval over clusters and seeds.

    `measure` maps w to the score of each seed, shape (r, n), nan where it is undefined. There is no
    interval for fewer than two clusters or seeds, where over 5 % of the resamples are undefined,
    and where all are equal.
    """
    by_seed = measure(np.ones((1, n_clusters)))[0]
    n_seeds, value = len(by_seed), float(by_seed.mean())
    if not math.isfinite(value):
        return undefined(math.nan, "a seed has no value")
    if min(n_clusters, n_seeds) < 2:
        return undefined(value, f"{n_seeds} seeds, {n_clusters} clusters")
    generator = np.random.default_rng(seed)
    drawn = measure(_weights(generator, n_clusters))
    chosen = _weights(generator, n_seeds)
    both, clusters_only = (chosen * drawn).mean(axis=1), drawn.mean(axis=1)
    is_defined = np.isfinite(clusters_only)
    if is_defined.mean() < 1 - LARGEST_UNDEFINED_SHARE:
        return undefined(value, f"{np.mean(~is_defined):.0%} of the resamples are undefined")
    error = float(both[is_defined].std())
    parts = [
        (float(clusters_only[is_defined].var()), n_clusters - 1),
        (float(by_seed.var(ddof=1)) / n_seeds, n_seeds - 1),
    ]
    if not error > 1e-12 * max(1.0, abs(value)):
        return undefined(value, "all resamples are equal")
    return _with_interval(value, error, _degrees(parts))


def _with_interval(value: float, error: float, degrees: int) -> CrossedMean:
    reach = student_quantile(0.5 + CONFIDENCE / 2, degrees)
    p = 2 * (1 - student_probability(abs(value) / error, degrees))
    detectable = (reach + student_quantile(POWER, degrees)) * error
    return CrossedMean(value, value - reach * error, value + reach * error, p, detectable)


def _weights(generator: np.random.Generator, n: int) -> FloatArray:
    """Weights of n units in N_RESAMPLES resamples: n - 1 of them drawn, the sum still n."""
    picks = generator.integers(0, n, (N_RESAMPLES, n - 1)) + n * np.arange(N_RESAMPLES)[:, None]
    counts = np.bincount(picks.ravel(), minlength=n * N_RESAMPLES).reshape(N_RESAMPLES, n)
    return counts.astype(np.float64) * (n / (n - 1))


def _degrees(parts: list[tuple[float, int]]) -> int:
    """Degrees of freedom of a sum of variances that have these."""
    total = sum(variance for variance, _ in parts)
    square = sum(variance**2 / degrees for variance, degrees in parts)
    return max(1, math.floor(total**2 / square)) if square > 0 else 1


def mover(first: tuple[float, float, float], second: tuple[float, float, float]) -> Interval:
    """Interval of the difference of two independent scores, each with the ends of its own interval.

    Example:
        >>> [round(end, 3) for end in mover((0.7, 0.6, 0.78), (0.5, 0.4, 0.6))[:2]]
        [0.059, 0.328]
    """
    if any(math.isnan(end) for end in (*first, *second)):
        return undefined_interval("one of the scores has none")
    (a, a_low, a_high), (b, b_low, b_high) = first, second
    below, above = math.hypot(a - a_low, b_high - b), math.hypot(a_high - a, b - b_low)
    return Interval(a - b - below, a - b + above, "MOVER, two samples")
