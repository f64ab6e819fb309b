"""Uncertainty of a score whose items were sampled in clusters.

Wilson's interval and the cluster bootstrap. Strata are in `stratified.py`, p values in
`significance.py`, quantiles in `distributions.py`.

A cluster is what was drawn together (an ERAS paradigm, a SORTS base triple, a CenterBench sentence
pair): clusters are resampled, never rows. A statistic is given as a function of cluster weights, so
that one vectorised call scores all resamples: weights of shape (r, c), one row per resample, give r
values; weight 1 everywhere gives the estimate itself.
Nothing here ever returns an interval of zero width: where the data cannot say, both ends are nan
and `note` says why.

Source: Wilson (1927); Efron & Tibshirani (1993), chapters 12 to 14; Cameron & Miller (2015) on
clusters.
"""

import functools
import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .columns import FloatArray, IntArray
from .distributions import student_quantile
from .resampling import CHUNK_CELLS, check_n_resamples, in_chunks, kinds_of

Statistic = Callable[[FloatArray], FloatArray]
LARGEST_UNDEFINED_SHARE = 0.05
ROUNDING = 1e-12  # of a score of size 1: what adding in another order makes


class Interval(NamedTuple):
    """Two-sided confidence interval; `note` is its method, or the reason why both ends are nan."""

    low: float
    high: float
    note: str

    def as_fields(self, name: str) -> dict[str, float | str]:
        """Result fields of the score `name`: `<name>_low`, `<name>_high`, `<name>_interval`."""
        return {f"{name}_low": self.low, f"{name}_high": self.high, f"{name}_interval": self.note}

    def clipped(self, lowest: float, highest: float) -> "Interval":
        """Same interval cut to the range of the score; nan stays nan."""
        if math.isnan(self.low):
            return self
        return self._replace(low=max(lowest, self.low), high=min(highest, self.high))


def undefined_interval(reason: str) -> Interval:
    """Interval of a score that has none: nan at both ends and the reason."""
    return Interval(math.nan, math.nan, f"undefined: {reason}")


def wilson_interval(n_successes: float, n: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval of a proportion.

    Args:
        n_successes: Number of successes in [0, n]; a fraction where clusters count by their mean.
        n: Number of independent trials (clusters, not rows).
        confidence: Two-sided level in (0, 1).

    Returns:
        Ends in [0, 1]; undefined for n = 0. Wider than zero also at 0 and n successes.

    Raises:
        ValueError: A count or the level is out of range.

    Example:
        >>> round(wilson_interval(0, 10).high, 4)
        0.2775
    """
    check_confidence(confidence)
    if not 0 <= n_successes <= n:
        raise ValueError(
            f"wilson_interval: n_successes, got {n_successes}; expected a number in [0, {n}]"
        )
    if n == 0:
        return undefined_interval("no clusters")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share, spread = n_successes / n, z * z / n
    centre = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return Interval(
        max(0.0, centre - half) if n_successes else 0.0,
        min(1.0, centre + half) if n_successes < n else 1.0,  # not one rounding below
        f"Wilson over {n} clusters",
    )


def score_ends(share: float, error: float, reach: float) -> tuple[float, float]:
    """Wilson's ends for a share with any standard error: asymmetric near 0 and 1, inside (0, 1).

    Args:
        share: Estimate in (0, 1).
        error: Its standard error, above 0; it says how many independent trials the share is worth.
        reach: Quantile of the normal, or of Student's t.

    Source: Korn & Graubard (1998) on effective sample sizes in intervals of proportions.
    """
    n = share * (1 - share) / error**2
    spread = reach * reach / n
    centre = (share + spread / 2) / (1 + spread)
    half = reach * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return centre - half, centre + half


def with_few_apart(
    ends: tuple[float, float], values: FloatArray, confidence: float
) -> tuple[float, float]:
    """Ends that allow for the few clusters apart from an end of [0, 1] being small ones by chance.

    Args:
        ends: Of the interval of a share over clusters.
        values: The share of each cluster, shape (c,).
        confidence: Two-sided level in (0, 1).

    Returns:
        Where most values are 0 or most are 1, the interval also holds what the share is if Wilson's
        share of clusters stands apart, each as far as the farthest.
    """
    low, high = ends
    for end in (0.0, 1.0):
        distances = np.abs(values - end)
        is_apart = distances > 1e-9
        if is_apart.mean() < 0.5:
            share = wilson_interval(int(is_apart.sum()), len(values), confidence).high
            reach = share * float(distances.max())
            low, high = (min(low, 1 - reach), high) if end else (low, max(high, reach))
    return low, high


def cluster_interval(
    statistic: Statistic,
    n_clusters: int,
    *,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """BCa bootstrap interval of any statistic of cluster weights.

    Args:
        statistic: Maps weights of shape (r, n_clusters) to r values; nan where a value is
            undefined.
        n_clusters: Number of clusters, the resampled units.
        confidence: Two-sided level in (0, 1).
        n_resamples: Number of bootstrap samples, at least 100.
        seed: Seed of the resamples; the same seed gives the same interval.

    Returns:
        Undefined, with the reason, for fewer than two clusters, an undefined estimate, over 5 %
        undefined resamples or equal resamples.

    Source: Efron (1987), with the acceleration of the jackknife over clusters and Hesterberg's
        (2015) expansion for few clusters.
    """

    def as_column(weights: FloatArray) -> FloatArray:
        return statistic(weights)[:, None]

    return cluster_intervals(
        as_column, n_clusters, confidence=confidence, n_resamples=n_resamples, seed=seed
    )[0]


def cluster_intervals(
    statistics: Statistic,
    n_clusters: int,
    *,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> list[Interval]:
    """BCa bootstrap intervals of several statistics from the same resamples.

    Each is the interval that `cluster_interval` has for it alone.

    Args:
        statistics: Maps weights of shape (r, n_clusters) to values of shape (r, k), one column per
            statistic.
        n_clusters: Number of clusters, the resampled units.
        confidence: Two-sided level in (0, 1), of each interval on its own.
        n_resamples: Number of bootstrap samples, at least 100.
        seed: Seed of the resamples.

    Returns:
        k intervals, undefined as in `cluster_interval`.
    """
    check_confidence(confidence)
    ones = np.ones((1, n_clusters))
    estimates = statistics(ones)[0]
    if n_clusters < 2:
        return [undefined_interval(f"{n_clusters} cluster(s)") for _ in estimates]
    resamples = _resample(statistics, n_clusters, n_resamples, seed)
    left_out = in_chunks(
        lambda start, stop: statistics(ones - np.eye(n_clusters)[start:stop]),
        n_clusters,
        n_clusters,
    )
    columns = zip(estimates.tolist(), resamples.T, left_out.T, strict=True)
    return [
        _bca_interval(estimate, drawn, jackknife, confidence)
        for estimate, drawn, jackknife in columns
    ]


def cluster_ratio_interval(
    numerators: npt.ArrayLike,
    denominators: npt.ArrayLike,
    *,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Studentised bootstrap interval of a ratio of sums, such as a micro-averaged rate.

    Args:
        numerators: Sum of the numerator per cluster, shape (c,).
        denominators: Sum of the denominator per cluster, shape (c,), not negative. All ones: an
            unweighted mean over clusters.
        confidence: Two-sided level in (0, 1).
        n_resamples: Number of bootstrap samples.
        seed: Seed of the resamples.

    Returns:
        An interval that is not clipped to the range of the ratio; undefined as in
        `cluster_interval`.

    Source: Efron & Tibshirani (1993), 12.5; standard errors by linearisation of the ratio over
        clusters.
    """
    check_confidence(confidence)
    top, bottom = np.asarray(numerators, float), np.asarray(denominators, float)
    n_clusters = len(top)
    if n_clusters < 2:
        return undefined_interval(f"{n_clusters} cluster(s)")

    def studentise(weights: FloatArray) -> FloatArray:
        ratio, error = ratio_and_error(weights, *own)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(error > 0, (ratio - estimate) / error, np.nan)

    own = (top, bottom)
    (estimate,), (error,) = ratio_and_error(np.ones((1, n_clusters)), *own)
    if not error > 0:
        return undefined_interval(
            "no spread between clusters" if math.isfinite(estimate) else "empty denominator"
        )
    is_large = n_clusters * n_resamples > CHUNK_CELLS
    if is_large and (kinds := kinds_of(top[:, None], bottom[:, None])):
        own = (top[kinds.first], bottom[kinds.first])
        check_n_resamples(n_resamples)
        pick = functools.partial(_picks, np.random.default_rng(seed), n_clusters)
        deviations = studentise(kinds.counted(pick, n_resamples))
    else:
        deviations = _resample(studentise, n_clusters, n_resamples, seed)
    if reason := _degenerate(float(estimate), deviations):
        return undefined_interval(reason)
    tail = (1 - confidence) / 2
    low, high = np.quantile(deviations[np.isfinite(deviations)], [tail, 1 - tail])
    return Interval(
        float(estimate - max(0.0, high) * error),  # an interval holds its estimate
        float(estimate - min(0.0, low) * error),
        f"studentised bootstrap over {n_clusters} clusters",
    )


def cluster_error(
    values: npt.ArrayLike, clusters: npt.ArrayLike, strata: npt.ArrayLike | None = None
) -> float:
    """Standard error of a mean whose items were sampled in clusters, by linearisation.

    Args:
        values: Shape (n,).
        clusters: Name of each item's cluster, shape (n,).
        strata: Name of each item's stratum, shape (n,), within which its cluster was drawn; one of
            each cluster. None for a single one.

    Returns:
        At least 0; nan where a stratum has fewer than two clusters.

    Example:
        >>> round(cluster_error([1, 1, 0, 0], ["a", "a", "b", "b"]), 3)
        0.5
    """
    found = np.asarray(values, float)
    codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
    sums = np.bincount(codes, weights=found - found.mean())
    of_cluster = np.zeros(len(sums), dtype=np.int64)
    if strata is not None:
        of_cluster[codes] = np.unique(np.asarray(strata), return_inverse=True)[1]
    sizes = np.bincount(of_cluster)
    if sizes.min() < 2:
        return math.nan
    means = np.bincount(of_cluster, weights=sums) / sizes
    squares = np.bincount(of_cluster, weights=(sums - means[of_cluster]) ** 2)
    return float(np.sqrt((squares * sizes / (sizes - 1)).sum()) / len(found))


def check_confidence(confidence: float) -> None:
    """Raises a ValueError where `confidence` is not a level in (0, 1)."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence, got {confidence}; expected a level in (0, 1), such as 0.95")


def _resample(statistic: Statistic, n_clusters: int, n_resamples: int, seed: int) -> FloatArray:
    check_n_resamples(n_resamples)
    generator = np.random.default_rng(seed)

    def draw(start: int, stop: int) -> FloatArray:
        picks = _picks(generator, n_clusters, stop - start)  # five times faster than multinomial()
        picks += np.arange(stop - start)[:, None] * n_clusters
        return statistic(
            np.bincount(picks.ravel(), minlength=picks.size).reshape(picks.shape).astype(float)
        )

    return in_chunks(draw, n_resamples, n_clusters)


def _picks(generator: np.random.Generator, n_clusters: int, n: int) -> IntArray:
    return generator.integers(0, n_clusters, (n, n_clusters))


def _degenerate(estimate: float, resamples: FloatArray) -> str:
    finite = resamples[np.isfinite(resamples)]
    if not math.isfinite(estimate):
        return "the score itself is undefined"
    if len(finite) < (1 - LARGEST_UNDEFINED_SHARE) * len(resamples):
        return f"{len(resamples) - len(finite)} of {len(resamples)} resamples are undefined"
    if np.ptp(finite) <= ROUNDING * max(1.0, abs(estimate)):
        return "all resamples are equal"
    return ""


def _bca_interval(
    estimate: float, resamples: FloatArray, left_out: FloatArray, confidence: float
) -> Interval:
    if reason := _degenerate(estimate, resamples):
        return undefined_interval(reason)
    without_one = left_out[np.isfinite(left_out)]
    if len(without_one) < 2:
        return undefined_interval("the score is undefined where one cluster is left out")
    ends = _bca_quantiles(estimate, resamples[np.isfinite(resamples)], without_one, confidence)
    return Interval(*ends, f"BCa bootstrap over {len(left_out)} clusters")


def _bca_quantiles(
    estimate: float, resamples: FloatArray, left_out: FloatArray, confidence: float
) -> tuple[float, float]:
    normal = NormalDist()
    difference, tie = resamples - estimate, ROUNDING * max(1.0, abs(estimate))
    below = 0.5 * (np.mean(difference < -tie) + np.mean(difference <= tie))  # a tie is half below
    bias = normal.inv_cdf(min(max(float(below), 0.5 / len(resamples)), 1 - 0.5 / len(resamples)))
    spread = left_out.mean() - left_out
    scale = float(np.sum(spread**2) ** 1.5)
    acceleration = float(np.sum(spread**3)) / (6 * scale) if scale > 0 else 0.0
    reach = _expanded_quantile(0.5 + confidence / 2, len(left_out))
    levels = []
    for z in (bias - reach, bias + reach):
        slope = 1 - acceleration * z
        levels.append(normal.cdf(bias + z / slope) if slope > 0 else float(z > 0))
    low, high = np.quantile(resamples, levels)
    return min(float(low), estimate), max(float(high), estimate)  # an interval holds its estimate


def _expanded_quantile(level: float, n_clusters: int) -> float:
    """Quantile that widens a bootstrap over few clusters as much as it is too narrow.

    A bootstrap knows neither that the spread was estimated (Student's t for the normal quantile)
    nor that it divides by n (the factor sqrt(n / (n - 1))); with few clusters both matter.
    """
    freedom = n_clusters - 1
    return math.sqrt(n_clusters / freedom) * student_quantile(level, freedom)


def ratio_and_error(
    weights: FloatArray, top: FloatArray, bottom: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Ratio of sums for weights of shape (r, c), and its linearised error; (c,) each part."""
    n_clusters = weights.sum(axis=1)  # that of a resample, by cluster or by kind
    with np.errstate(divide="ignore", invalid="ignore"):
        total = weights @ bottom
        ratio = (weights @ top) / total
        # sum over clusters of w (top - ratio * bottom)^2, expanded so that no (r, c) residual is
        # held
        squares = (
            weights @ top**2
            - 2 * ratio * (weights @ (top * bottom))
            + ratio**2 * (weights @ bottom**2)
        )
        error = np.sqrt(np.maximum(squares, 0) * n_clusters / (n_clusters - 1)) / total
    return ratio, np.where(error < 1e-9 * np.maximum(1, np.abs(ratio)), 0.0, error)
