"""How sure a score is whose items were sampled in clusters: intervals, resamples and p values.

A cluster is what was drawn together (an ERAS paradigm, a SORTS base triple, a CenterBench sentence
pair): clusters are resampled, never rows. A statistic is a function of cluster weights of shape
(r, c), one row per resample; weight 1 everywhere gives the estimate itself. Many clusters may be
alike: a resample is as well described by how often it has each kind of cluster. No interval has
zero width: where the data cannot say, both ends are nan and `note` says why.

Source: Wilson (1927); Efron & Tibshirani (1993), chapters 12 to 14; Cameron & Miller (2015) on
clusters; Fisher (1935) on random signs; Edwards (1948) on McNemar's test; Holm (1979).
"""

import functools
import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .columns import FloatArray, IntArray

LARGEST_EXACT_DEGREES = 2000  # of Student's t


@functools.cache
def student_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t for a level in (0, 1) and a whole number of degrees from 1.

    Exact up to rounding (relative error below 1e-9 for levels in [0.0001, 0.9999]).

    Source: Abramowitz & Stegun (1964), 26.7.3 and 26.7.4, inverted by Newton's method: beyond 0 the
        distribution function is concave, so that the steps never overshoot.

    Example:
        >>> round(student_quantile(0.975, 1), 4), round(student_quantile(0.975, 2), 4)
        (12.7062, 4.3027)
    """
    if not 0 < probability < 1 or degrees < 1 or degrees != int(degrees):
        raise ValueError(
            f"student_quantile: got probability {probability}, degrees {degrees}; "
            "expected a level in (0, 1) and a whole number from 1"
        )
    if probability <= 0.5:
        return -student_quantile(1 - probability, degrees) if probability < 0.5 else 0.0
    log_scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)
    scale = math.exp(log_scale) / math.sqrt(degrees * math.pi)
    t, step = NormalDist().inv_cdf(probability), math.inf
    while step > 1e-14 * t:
        density = scale * (1 + t * t / degrees) ** (-(degrees + 1) / 2)
        step = (probability - 0.5 - _student_between(t, degrees) / 2) / density
        t += max(0.0, step)
    return t


def student_probability(t: float, degrees: int) -> float:
    """Probability that Student's t is below `t`, in [0, 1].

    Exact up to rounding for up to 2,000 degrees of freedom, within 1e-7 from there on.
    """
    if not math.isfinite(t) or t == 0:
        return 0.5 if t == 0 else float(t > 0)
    if degrees > LARGEST_EXACT_DEGREES:  # Wallace (1959)
        factor = (8 * degrees + 1) / (8 * degrees + 3)
        z = factor * math.sqrt(degrees * math.log1p(t * t / degrees))
        return NormalDist().cdf(math.copysign(z, t))
    return 0.5 + math.copysign(_student_between(abs(t), degrees), t) / 2


def _student_between(t: float, degrees: int) -> float:
    """Probability that Student's t lies between -t and t, for t > 0."""
    cosine_squared = degrees / (degrees + t * t)
    sine = t / math.sqrt(degrees + t * t)
    if degrees % 2 == 0:
        k = np.arange(1, degrees // 2)
        return sine * (1 + float(np.cumprod((2 * k - 1) / (2 * k) * cosine_squared).sum()))
    angle = 2 / math.pi * math.atan(t / math.sqrt(degrees))
    if degrees == 1:
        return angle
    k = np.arange(1, (degrees - 1) // 2)
    series = 1 + float(np.cumprod(2 * k / (2 * k + 1) * cosine_squared).sum())
    return angle + 2 / math.pi * sine * math.sqrt(cosine_squared) * series


CHUNK_CELLS = 4_000_000  # weights held at once: 32 MB
CELLS_AT_ONCE = 250_000  # picks that a processor's cache holds
KEPT_CELLS = 200_000_000  # weights kept for all scores of a result, a byte each


class Kinds(NamedTuple):
    """Clusters by kind: a cluster of each kind, shape (k,), and the kind of each cluster, (c,)."""

    first: IntArray
    of_cluster: IntArray

    def counted(self, pick: Callable[[int], IntArray], n_resamples: int) -> FloatArray:
        """How often each resample has each kind, shape (r, k); `pick` gives the next n of them."""
        n_kinds, step = len(self.first), max(1, CELLS_AT_ONCE // len(self.of_cluster))
        counts = np.empty((n_resamples, n_kinds))
        for start in range(0, n_resamples, step):
            rows = counts[start : start + step]
            kinds = self.of_cluster[pick(len(rows))]
            kinds += np.arange(0, rows.size, n_kinds)[:, None]
            rows[:] = np.bincount(kinds.ravel(), minlength=rows.size).reshape(rows.shape)
        return counts


def kinds_of(*columns: FloatArray) -> Kinds | None:
    """Kinds of clusters with the same values, columns (c, k); None where few clusters are alike."""
    values = np.concatenate(columns, axis=1)
    first, of_cluster = np.unique(values, axis=0, return_index=True, return_inverse=True)[1:]
    return Kinds(first, of_cluster.reshape(-1)) if 4 * len(first) <= len(values) else None


def drawn_resamples(sizes: tuple[int, ...], n: int, seed: int) -> Callable[[int, int], FloatArray]:
    """How often resamples start to stop, asked for in order, have each cluster, shape (n, c)."""
    if n * sum(sizes) <= KEPT_CELLS:
        return lambda start, stop: _kept_resamples(sizes, n, seed)[start:stop].astype(float)
    generator = np.random.default_rng(seed)
    return lambda start, stop: _counts(picked(sizes, stop - start, generator))


@functools.lru_cache(maxsize=2)
def _kept_resamples(sizes: tuple[int, ...], n: int, seed: int) -> npt.NDArray[np.uint8]:
    """In bytes, since none of n resamples has a cluster 256 times."""
    generator = np.random.default_rng(seed)
    kept = np.empty((n, sum(sizes)), np.uint8)
    step = max(1, CELLS_AT_ONCE // kept.shape[1])
    for start in range(0, n, step):
        rows = kept[start : start + step]
        rows[:] = _counts(picked(sizes, len(rows), generator))
    return kept


def _counts(picks: IntArray) -> FloatArray:
    """How often each row of picks, shape (n, c), has each cluster."""
    picks += np.arange(len(picks))[:, None] * picks.shape[1]
    counts = np.bincount(picks.ravel(), minlength=picks.size)
    return counts.reshape(picks.shape).astype(float)


def picked(sizes: tuple[int, ...], n: int, generator: np.random.Generator) -> IntArray:
    """Clusters that n resamples pick, each from its group, shape (n, c); groups lie in a row."""
    size, first = (
        np.repeat(values, sizes) for values in (sizes, np.cumsum((0, *sizes[:-1]), dtype=np.int64))
    )
    picks: IntArray = (generator.random((n, len(size))) * size).astype(np.int64)
    picks += first
    return picks


def in_chunks(
    call: Callable[[int, int], npt.NDArray[np.generic]], n: int, width: int
) -> FloatArray:
    """Rows start to stop of `call(start, stop)` for 0 to n, so many at once as memory allows."""
    step = max(1, CHUNK_CELLS // max(1, width))
    rows = [call(start, min(n, start + step)) for start in range(0, n, step)]
    return np.concatenate(rows).astype(float)


def check_n_resamples(n_resamples: int) -> None:
    """Raises a ValueError where there are fewer than 100 resamples."""
    if n_resamples < 100:
        raise ValueError(f"n_resamples, got {n_resamples}; expected at least 100")


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
        return self._replace(low=max(self.low, lowest), high=min(self.high, highest))

    def holding(self, *values: float) -> "Interval":
        """Same interval, as much wider as it takes to hold some values; nan stays nan."""
        return self._replace(low=min(self.low, *values), high=max(self.high, *values))


def undefined_interval(reason: str) -> Interval:
    """Interval of a score that has none: nan at both ends and the reason."""
    return Interval(math.nan, math.nan, f"undefined: {reason}")


def wilson_interval(n_successes: float, n: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval of a proportion, in [0, 1]; undefined for n = 0.

    `n_successes`, a fraction where clusters count by their mean, is of n independent trials, which
    are clusters and not rows. The ends are never the same, at 0 and n successes too; a ValueError
    for a number that is not in [0, n] or a level that is not in (0, 1).

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
    low, high = _wilson_ends(n_successes / n, n, NormalDist().inv_cdf(0.5 + confidence / 2))
    return Interval(
        max(0.0, low) if n_successes else 0.0,
        min(1.0, high) if n_successes < n else 1.0,  # not one rounding below
        f"Wilson over {n} clusters",
    )


def _wilson_ends(share: float, n: float, reach: float) -> tuple[float, float]:
    spread = reach * reach / n
    centre = (share + spread / 2) / (1 + spread)
    half = reach * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return centre - half, centre + half


def score_ends(share: float, error: float, reach: float) -> tuple[float, float]:
    """Wilson's ends for a share in (0, 1) with any standard error above 0.

    The error says how many independent trials the share is worth; `reach` is the quantile of the
    normal, or of Student's t. Source: Korn & Graubard (1998) on effective sample sizes.
    """
    return _wilson_ends(share, share * (1 - share) / error**2, reach)


def with_few_apart(
    ends: tuple[float, float], values: FloatArray, confidence: float
) -> tuple[float, float]:
    """Ends that allow for the few clusters apart from an end of [0, 1] being small ones by chance.

    Where most `values`, a share of each cluster, shape (c,), stand at 0 or at 1, the interval also
    holds what the share is if Wilson's share of clusters stands apart, each as far as the farthest.
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


def cluster_interval(statistic: Statistic, n_clusters: int, **options: Any) -> Interval:
    """`cluster_intervals` of one statistic, which maps weights of shape (r, n_clusters) to (r,)."""
    return cluster_intervals(lambda weights: statistic(weights)[:, None], n_clusters, **options)[0]


def cluster_intervals(
    statistics: Statistic,
    n_clusters: int,
    *,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> list[Interval]:
    """BCa bootstrap intervals of several statistics from the same resamples, as each has it alone.

    Args:
        statistics: Maps weights of shape (r, n_clusters) to values of shape (r, k), one column per
            statistic; nan where a value is undefined.
        n_clusters: Number of clusters, the resampled units.
        confidence: Two-sided level in (0, 1), of each interval on its own.
        n_resamples: At least 100.
        seed: The same seed gives the same intervals.

    Returns:
        k intervals; undefined, with the reason, for fewer than two clusters, an undefined estimate,
        over 5 % undefined resamples or equal resamples.

    Source: Efron (1987), with the acceleration of the jackknife over clusters and Hesterberg's
        (2015) expansion for few clusters.
    """
    check_confidence(confidence)
    ones = np.ones((1, n_clusters))
    estimates = statistics(ones)[0]
    if n_clusters < 2:
        return [undefined_interval(f"{n_clusters} cluster(s)") for _ in estimates]
    resamples = _resample(statistics, n_clusters, n_resamples, seed)
    left_out = in_chunks(
        lambda a, b: statistics(ones - np.eye(n_clusters)[a:b]), n_clusters, n_clusters
    )
    columns = zip(estimates.tolist(), resamples.T, left_out.T, strict=True)
    return [_bca_interval(*column, confidence) for column in columns]


def cluster_ratio_interval(
    numerators: npt.ArrayLike,
    denominators: npt.ArrayLike,
    *,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Studentised bootstrap interval of a ratio of sums, such as a micro-averaged rate.

    Sums of numerator and denominator (not negative) per cluster have shape (c,); denominators of 1
    make an unweighted mean. The interval is not clipped to the range of the ratio; options, and
    where it is undefined, are those of `cluster_intervals`.

    Source: Efron & Tibshirani (1993), 12.5; errors by linearisation of the ratio over clusters.
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
        draw = np.random.default_rng(seed).integers
        counts = kinds.counted(lambda n: draw(0, n_clusters, (n, n_clusters)), n_resamples)
        deviations = studentise(counts)
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

    `values`, the name of each item's cluster, and perhaps that of the stratum within which the
    cluster was drawn have shape (n,). At least 0; nan for a stratum of fewer than two clusters.
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
        # five times faster than multinomial()
        picks = generator.integers(0, n_clusters, (stop - start, n_clusters))
        return statistic(_counts(picks))

    return in_chunks(draw, n_resamples, n_clusters)


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
    normal, drawn = NormalDist(), resamples[np.isfinite(resamples)]
    difference, tie = drawn - estimate, ROUNDING * max(1.0, abs(estimate))
    below = 0.5 * (np.mean(difference < -tie) + np.mean(difference <= tie))  # a tie is half below
    bias = normal.inv_cdf(min(max(float(below), 0.5 / len(drawn)), 1 - 0.5 / len(drawn)))
    spread = without_one.mean() - without_one
    scale = float(np.sum(spread**2) ** 1.5)
    acceleration = float(np.sum(spread**3)) / (6 * scale) if scale > 0 else 0.0
    reach = _expanded_quantile(0.5 + confidence / 2, len(without_one))
    levels = []
    for z in (bias - reach, bias + reach):
        slope = 1 - acceleration * z
        levels.append(normal.cdf(bias + z / slope) if slope > 0 else float(z > 0))
    low, high = np.quantile(drawn, levels)
    interval = Interval(float(low), float(high), f"BCa bootstrap over {len(left_out)} clusters")
    return interval.holding(estimate)


def _expanded_quantile(level: float, n_clusters: int) -> float:
    """Quantile that widens a bootstrap over few clusters as much as it is too narrow.

    It knows neither that the spread was estimated (Student's t) nor that it divides by n.
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
        squares = weights @ top**2 - 2 * ratio * (weights @ (top * bottom))
        squares += ratio**2 * (weights @ bottom**2)
        error = np.sqrt(np.maximum(squares, 0) * n_clusters / (n_clusters - 1)) / total
    return ratio, np.where(error < 1e-9 * np.maximum(1, np.abs(ratio)), 0.0, error)


# --- P values of paired differences, Holm's correction, and quantiles of chi-square and beta

LARGEST_SERIES = 1000.0  # degrees of freedom of chi-square


def chi_square_quantile(probability: float, degrees: float) -> float:
    """Quantile of chi-square with any number of degrees of freedom above 0.

    Example:
        >>> round(chi_square_quantile(0.95, 2), 4)  # -2 log(0.05)
        5.9915

    Source: the series of the incomplete gamma function, inverted by bisection from the bracket that
        Wilson & Hilferty (1931) give.
    """
    if not 0 < probability < 1 or not degrees > 0:
        raise ValueError(
            f"chi_square_quantile: got probability {probability}, degrees {degrees}; "
            "expected a level in (0, 1) and a number above 0"
        )
    spread = 2 / (9 * degrees)
    guess = 1 - spread + NormalDist().inv_cdf(probability) * math.sqrt(spread)
    if degrees > LARGEST_SERIES:
        return float(degrees * guess**3)
    low, high = 0.0, max(degrees * guess**3, 0.1)
    while _chi_square_below(high, degrees) < probability:
        high *= 1.5
    for _ in range(100):
        middle = (low + high) / 2
        is_below = _chi_square_below(middle, degrees) < probability
        low, high = (middle, high) if is_below else (low, middle)
    return high


@functools.cache
def beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile of the beta distribution.

    Example:
        >>> round(beta_quantile(0.5, 1, 2), 4)  # 1 - sqrt(0.5)
        0.2929

    Source: the continued fraction of Abramowitz & Stegun (1964), 26.5.8, inverted by Newton's
        method, kept in its bracket, and rounded as bisection ends.
    """
    if not 0 < probability < 1 or not min(a, b) > 0:
        raise ValueError(
            f"beta_quantile: got probability {probability}, a {a}, b {b}; "
            "expected a level in (0, 1) and numbers above 0"
        )
    root = _beta_root(probability, a, b)
    low, high = 0.0, 1.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if middle < root else (low, middle)
    return high


def _beta_root(probability: float, a: float, b: float) -> float:
    """Where beta's distribution function is the probability; some six steps and not forty."""
    low, high, x = 0.0, 1.0, a / (a + b)
    log_scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    for _ in range(200):
        above = _beta_below(x, a, b) - probability
        low, high = (low, x) if above > 0 else (x, high)
        density = math.exp(log_scale + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x))
        step = above / density if density > 0 else math.inf
        is_inside = low < x - step < high
        x = x - step if is_inside else (low + high) / 2
        if (is_inside and abs(step) < 1e-9 * min(x, 1 - x)) or high - low < 1e-15 * high:
            break  # a further step would be the square of this one
    return x


def _beta_below(x: float, a: float, b: float) -> float:
    """Probability that beta is below x in (0, 1)."""
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly
        return 1 - _beta_below(1 - x, b, a)
    log_scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    scale = math.exp(log_scale + a * math.log(x) + b * math.log1p(-x)) / a
    upper, lower = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = lower
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        before = fraction
        for step in (even, odd):  # Lentz's way from above
            upper, lower = 1 + step / upper, 1 / (1 + step * lower)
            fraction *= upper * lower
        if abs(fraction - before) < 1e-15 * abs(fraction):
            break
    return scale * fraction


def _chi_square_below(x: float, degrees: float) -> float:
    """Probability that chi-square is below x > 0."""
    half = degrees / 2
    n_terms = int(x + degrees) + 60
    terms = np.cumprod(x / 2 / (half + np.arange(1, n_terms)))
    log_first = half * math.log(x / 2) - x / 2 - math.lgamma(half + 1)
    return math.exp(log_first) * (1 + float(terms.sum()))


LARGEST_EXACT_SIGN_FLIP = 16


def sign_flip_test(differences: npt.ArrayLike, n_flips: int = 10_000, seed: int = 0) -> float:
    """Two-sided p value of the mean of paired differences under random signs.

    All 2^n patterns of signs for up to 16 independent pairs (sentences, not rows), shape (n,), else
    `n_flips` random ones. In (0, 1]; nan for no pairs. Differences of 0 say nothing either way.
    """
    values = np.asarray(differences, float)
    n = len(values)
    if n == 0:
        return math.nan
    observed = abs(values.sum()) - 1e-12 * np.abs(values).sum()
    if n <= LARGEST_EXACT_SIGN_FLIP:
        return float(np.mean(np.abs(_half_of_all_signs(n) @ values) >= observed))
    generator, total, hits = np.random.default_rng(seed), values.sum(), 0
    step = max(2, CELLS_AT_ONCE // n // 2 * 2)
    for start in range(0, n_flips, step):
        minus = _coins(generator, min(step, n_flips - start) * n).reshape(-1, n)
        hits += int((np.abs(total - 2.0 * (minus @ values)) >= observed).sum())
    return (hits + 1) / (n_flips + 1)


def _coins(generator: np.random.Generator, n: int) -> FloatArray:
    """`generator.integers(0, 2, n)` in a third of its time: the first bit of each half word."""
    words = generator.bit_generator.random_raw(-(-n // 2)).astype("<u8", copy=False)
    return (words.view("<u4")[:n] >> 31).astype(float)


@functools.cache
def _half_of_all_signs(n: int) -> npt.NDArray[np.float64]:
    """Patterns whose last sign is plus, shape (2^(n-1), n); the others give the same sizes."""
    bits = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1
    return (1 - 2 * bits).astype(np.float64)


def mcnemar_test(n_first_only: int, n_second_only: int) -> float:
    """Exact two-sided p value of McNemar's test; it assumes independent pairs.

    From the numbers of pairs where only the first, or only the second member is right. In (0, 1];
    1 where there are no discordant pairs.
    """
    n, k = n_first_only + n_second_only, min(n_first_only, n_second_only)
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    ways = log_factorial[n] - log_factorial[: k + 1] - log_factorial[n - np.arange(k + 1)]
    terms = ways - n * math.log(2)
    return float(min(1.0, 2 * np.exp(terms).sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """P values that are right for several claims at once: the chance of any false one is bounded.

    In the order given, in [0, 1], never below the given ones; nan, a claim that could not be
    tested, does not count and stays nan.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    tested = sorted((p, i) for i, p in enumerate(p_values) if not math.isnan(p))
    adjusted, largest = [math.nan] * len(p_values), 0.0
    for rank, (p, i) in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - rank) * p))
        adjusted[i] = largest
    return adjusted
