"""Intervals of shares and gaps whose clusters were sampled within strata that the design fixes.

A SORTS family or a CenterBench level has as many clusters as its design says, on every draw: a
bootstrap that lets these numbers vary is too wide. It is studentised, and for a score with a range
runs on the logit scale, so that no end leaves the range.

Source: Efron & Tibshirani (1993), 12.5 and 12.6; Wolter (2007), chapter 6, on linearised variances
in strata; Romano & Wolf (2005) on the largest of several studentised statistics.
"""

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .columns import FloatArray, IntArray
from .uncertainty import (
    CHUNK_CELLS,
    LARGEST_UNDEFINED_SHARE,
    Interval,
    Kinds,
    check_confidence,
    check_n_resamples,
    drawn_resamples,
    in_chunks,
    kinds_of,
    picked,
    score_ends,
    student_quantile,
    undefined_interval,
    wilson_interval,
    with_few_apart,
)

SMALLEST_ERROR = 1e-9
ROUNDING = 1e-13
COLUMNS_AT_ONCE = 8  # scores whose sums of all resamples are held together
Bounds = tuple[float, float]


def stratified_interval(
    numerators: npt.ArrayLike, denominators: npt.ArrayLike, strata: npt.ArrayLike, **options: Any
) -> Interval:
    """Interval of one ratio of sums over clusters; its options are of `stratified_intervals`."""
    top, bottom = (np.asarray(values, float)[:, None] for values in (numerators, denominators))
    return stratified_intervals(top, bottom, strata, **options)[0]


def stratified_intervals(
    numerators: npt.ArrayLike,
    denominators: npt.ArrayLike,
    strata: npt.ArrayLike,
    *,
    bounds: Bounds | None = (0.0, 1.0),
    contrast: npt.ArrayLike | None = None,
    is_simultaneous: bool = False,
    is_unequal: bool = False,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> list[Interval]:
    """Studentised bootstrap intervals of k ratios of sums from the same resamples.

    Args:
        numerators: Sum of the numerator per cluster, shape (c, k), one column per score.
        denominators: Sum of the denominator per cluster, shape (c, k), not negative; 0 where a
            cluster says nothing about a score.
        strata: Stratum of each cluster, shape (c,), whole numbers from 0. Strata of a single
            cluster are resampled together.
        bounds: Range of the scores, whose logit scale is used; (-1, 1) for a gap; None for none.
        contrast: Weight of each stratum's ratio, shape (number of strata,); by default the sums of
            all strata are pooled.
        is_simultaneous: Whether all k intervals hold at once with the given confidence.
        is_unequal: Whether clusters differ much in size: see `with_few_apart`.
        confidence: Two-sided level in (0, 1).
        n_resamples: Number of bootstrap samples, at least 100.
        seed: Seed of the resamples.

    Returns:
        k intervals, each with its score inside. Where all clusters stand at one end of the bounds,
        Wilson's interval over the clusters; undefined, with the reason, for fewer than two
        clusters, an empty denominator, or no spread between clusters elsewhere.

    Raises:
        ValueError: Shapes, a level or a number of resamples are out of range.
    """
    check_confidence(confidence)
    check_n_resamples(n_resamples)
    scores = _ratios(numerators, denominators, strata, contrast, bounds)
    n_clusters, n_scores = scores.top.shape
    if n_clusters < 2:
        return [undefined_interval(f"{n_clusters} cluster(s)")] * n_scores
    ratio, error = scores.estimate(np.ones((1, n_clusters)))
    deviations = scores.deviations(ratio, error, n_resamples, seed)
    has_spread = np.flatnonzero(error[0] > SMALLEST_ERROR).tolist()
    tail = (1 - confidence) / 2
    if is_simultaneous:
        tail = (1 - confidence ** (1 / n_scores)) / 2  # for the scores without spread
        largest = np.abs(deviations[:, has_spread]).max(axis=1, initial=0.0)
        reach = float(np.quantile(largest, confidence, method="higher"))
    intervals = []
    for k in range(n_scores):
        drawn = deviations[:, k]
        if k not in has_spread:
            intervals.append(_without_spread(scores, k, float(ratio[0, k]), 1 - 2 * tail))
        elif (n_missing := int(np.isnan(drawn).sum())) > LARGEST_UNDEFINED_SHARE * len(drawn):
            reason = f"{n_missing} of {len(drawn)} resamples are undefined"
            intervals.append(undefined_interval(reason))
        else:
            down, up = (reach, reach) if is_simultaneous else _reaches(drawn, tail)
            value, spread = float(ratio[0, k]), float(error[0, k])
            if math.isinf(max(down, up)):
                intervals.append(_with_little_spread(scores, k, (value, spread), tail, is_unequal))
                continue
            low, high = scores.ends(value, spread, down, up)
            kind = "simultaneous studentised" if is_simultaneous else "studentised"
            note = f"{kind} bootstrap over {n_clusters} clusters within strata"
            intervals.append(Interval(low, high, note))
    return intervals


@dataclass(frozen=True)
class _Ratios:
    """Ratios of sums over clusters as a function of cluster weights.

    `top` and `bottom` have shape (c, k); clusters of a group, which is resampled, and within it
    those of a stratum stand together. `shares` weigh the strata's ratios; None for pooled sums.
    """

    top: FloatArray
    bottom: FloatArray
    group_starts: IntArray
    group_sizes: IntArray
    stratum_starts: IntArray
    stratum_sizes: IntArray
    shares: FloatArray | None
    bounds: Bounds | None

    def estimate(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Ratio and its linearised standard error, both of shape (r, k), for weights (r, c)."""
        is_pooled, found = self.shares is None, []
        starts = self.group_starts if is_pooled else self.stratum_starts
        for start in range(0, self.top.shape[1], COLUMNS_AT_ONCE):
            columns = slice(start, start + COLUMNS_AT_ONCE)
            sums = _sums(weights, self.top[:, columns], self.bottom[:, columns], starts)
            found.append(self._pooled(sums) if is_pooled else self._contrasted(sums))
        ratios, errors = (np.concatenate(values).T for values in zip(*found, strict=True))
        return ratios, errors

    def deviations(
        self, ratio: FloatArray, error: FloatArray, n_resamples: int, seed: int
    ) -> FloatArray:
        """Studentised deviations of resamples from the estimate on the working scale, (r, k).

        Infinite for a resample without spread; nan for one with an empty denominator.
        """
        sizes, n_clusters = tuple(self.group_sizes.tolist()), len(self.top)
        is_large = n_resamples * n_clusters > CHUNK_CELLS
        if is_large and len(self.stratum_sizes) == 1 and (kinds := kinds_of(self.top, self.bottom)):
            return self._by_kind(kinds, n_resamples, seed)
        centre, drawn = self._scaled(ratio, error)[0], drawn_resamples(sizes, n_resamples, seed)
        return in_chunks(
            lambda a, b: self._studentised(centre, drawn(a, b)), n_resamples, n_clusters
        )

    def _by_kind(self, kinds: Kinds, n_resamples: int, seed: int) -> FloatArray:
        """Deviations of the same resamples from how often they have each kind of cluster."""
        top, bottom = self.top[kinds.first], self.bottom[kinds.first]
        alike = dataclasses.replace(self, top=top, bottom=bottom)
        counts = np.bincount(kinds.of_cluster)[None].astype(float)
        centre = self._scaled(*alike.estimate(counts))[0]
        pick = functools.partial(picked, (len(self.top),), generator=np.random.default_rng(seed))
        return alike._studentised(centre, kinds.counted(pick, n_resamples))

    def _studentised(self, centre: FloatArray, weights: FloatArray) -> FloatArray:
        drawn, spread = self._scaled(*self.estimate(weights))
        with np.errstate(divide="ignore", invalid="ignore"):
            deviation = (drawn - centre) / spread
        return np.where(drawn == centre, 0.0, deviation)

    def ends(self, ratio: float, error: float, down: float, up: float) -> tuple[float, float]:
        """Both ends on the scale of the score, so many errors below and above the ratio."""
        (centre,), (spread,) = self._scaled(np.array([ratio]), np.array([error]))
        low, high = float(centre - down * spread), float(centre + up * spread)
        if self.bounds is not None:
            lowest, highest = self.bounds
            low, high = (
                lowest + (highest - lowest) * (1 + math.tanh(end / 2)) / 2 for end in (low, high)
            )
        return min(low, ratio), max(high, ratio)

    def _scaled(self, ratio: FloatArray, error: FloatArray) -> tuple[FloatArray, FloatArray]:
        if self.bounds is None:
            return ratio, error
        lowest, highest = self.bounds
        share = np.clip((ratio - lowest) / (highest - lowest), 1e-12, 1 - 1e-12)
        inside = np.where((ratio > lowest) & (ratio < highest), error, 0.0)
        return np.log(share / (1 - share)), inside / (highest - lowest) / (share * (1 - share))

    def _pooled(self, sums: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
        a, b, aa, ab, bb = sums
        factor = _column(self.group_sizes / np.maximum(1, self.group_sizes - 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            total = np.where(b.sum(axis=0) > 0, b.sum(axis=0), np.nan)  # adjusted sums can go below
            ratio = a.sum(axis=0) / total
            # sum over the clusters of w (top - ratio * bottom)^2, less the groups' squared means
            squares, mixed, bottoms = ((part * factor).sum(axis=0) for part in (aa, ab, bb))
            means = (a - ratio * b) ** 2 * (factor / _column(self.group_sizes))
            residual = squares - 2 * ratio * mixed + ratio**2 * bottoms - means.sum(axis=0)
            return ratio, _error(residual, squares + ratio**2 * bottoms, total)

    def _contrasted(self, sums: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
        a, b, aa, ab, bb = sums
        factor = _column(self.stratum_sizes / np.maximum(1, self.stratum_sizes - 1))
        shares = np.asarray(self.shares)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = a / b
            squares = (aa - 2 * ratios * ab + ratios**2 * bb) * factor / b**2
            scale = ((aa + ratios**2 * bb) * factor / b**2 * _column(shares**2)).sum(axis=0)
            residual = (squares * _column(shares**2)).sum(axis=0)
            ratio = (ratios * _column(shares)).sum(axis=0)
            return ratio, _error(residual, scale, np.ones_like(scale))


def _column(values: FloatArray | IntArray) -> FloatArray:
    """One value for each block of clusters, to go with their sums."""
    return values[:, None, None].astype(float)


def _sums(
    weights: FloatArray, top: FloatArray, bottom: FloatArray, starts: IntArray
) -> list[FloatArray]:
    """Weighted sums of top, bottom, their squares and their product; each (blocks, k, r)."""
    columns = np.stack([top.T, bottom.T, top.T**2, top.T * bottom.T, bottom.T**2])
    flat = columns.reshape(-1, len(top))
    sums = np.zeros((len(starts), len(flat), len(weights)))
    ends = np.append(starts[1:], len(top))
    for block, start, end in zip(sums, starts.tolist(), ends.tolist(), strict=True):
        used = np.flatnonzero(flat[:, start:end].any(axis=1))
        block[used] = flat[used, start:end] @ weights[:, start:end].T
    by_kind = sums.reshape(len(starts), *columns.shape[:2], len(weights))
    return [by_kind[:, kind] for kind in range(len(columns))]


def resampling_groups(strata: IntArray) -> IntArray:
    """Group of each cluster, shape (c,): its stratum; lone ones, which never vary, join another."""
    counts = np.bincount(strata)
    lone = np.flatnonzero(counts == 1)
    if len(lone) == 0 or len(counts) == 1:
        return strata
    home = lone[0] if len(lone) > 1 else (lone[0] - 1 if lone[0] else 1)
    return np.where(np.isin(strata, lone), home, strata)


def _ratios(
    numerators: npt.ArrayLike,
    denominators: npt.ArrayLike,
    strata: npt.ArrayLike,
    contrast: npt.ArrayLike | None,
    bounds: Bounds | None,
) -> _Ratios:
    top, bottom = np.asarray(numerators, float), np.asarray(denominators, float)
    names, codes = np.unique(np.asarray(strata), return_inverse=True)
    if top.shape != bottom.shape or top.ndim != 2 or codes.shape != top.shape[:1]:
        raise ValueError(
            f"stratified_intervals: got numerators of shape {top.shape}, denominators of shape "
            f"{bottom.shape}, strata of shape {codes.shape}; expected (c, k), (c, k), (c,)"
        )
    weights = None if contrast is None else np.asarray(contrast, float)
    if weights is not None and weights.shape != names.shape:
        raise ValueError(
            f"stratified_intervals: contrast, got {weights.size} weights; "
            f"expected one for each of the {len(names)} strata"
        )
    groups = resampling_groups(codes)
    order = np.lexsort((codes, groups))
    blocks = (*_blocks(groups[order]), *_blocks(codes[order]))
    shares = None if weights is None else weights[codes[order][blocks[2]]]
    return _Ratios(top[order], bottom[order], *blocks, shares, bounds)


def _blocks(codes: IntArray) -> tuple[IntArray, IntArray]:
    """First position and length of each run of equal codes."""
    starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])
    return starts, np.diff(np.append(starts, len(codes)))


def _error(squares: FloatArray, scale: FloatArray, total: FloatArray) -> FloatArray:
    """Standard error; squares that are only the rounding of parts of size `scale` are none."""
    error: FloatArray = np.sqrt(np.where(squares > ROUNDING * scale, squares, 0.0)) / total
    return np.where(error < SMALLEST_ERROR, 0.0, error)


def _reaches(deviations: FloatArray, tail: float) -> tuple[float, float]:
    """How many errors the interval reaches down and up; an interval holds its score."""
    finite = deviations[~np.isnan(deviations)]
    low, high = np.quantile(finite, [tail, 1 - tail], method="nearest").tolist()
    return max(0.0, high), max(0.0, -low)


def _with_little_spread(
    scores: _Ratios, k: int, estimate: tuple[float, float], tail: float, is_unequal: bool
) -> Interval:
    """Wilson's interval for the clusters that the score is worth, where a bootstrap has too few."""
    if scores.bounds is None:
        return undefined_interval("too many resamples have no spread")
    lowest, highest = scores.bounds
    width, n_clusters = highest - lowest, len(scores.top)
    reach = student_quantile(1 - tail, max(1, n_clusters - len(scores.group_sizes)))
    low, high = score_ends((estimate[0] - lowest) / width, estimate[1] / width, reach)
    if is_unequal:
        has_any = scores.bottom[:, k] > 0
        values = (scores.top[has_any, k] / scores.bottom[has_any, k] - lowest) / width
        low, high = with_few_apart((low, high), values, 1 - 2 * tail)
    note = f"Wilson for what {n_clusters} clusters within strata are worth"
    return Interval(lowest + width * low, lowest + width * high, note)


def _without_spread(scores: _Ratios, k: int, ratio: float, confidence: float) -> Interval:
    """Wilson's interval where all clusters stand at one end of the bounds; else none."""
    if not math.isfinite(ratio):
        return undefined_interval("empty denominator")
    if scores.bounds is None or not np.isclose(ratio, scores.bounds, atol=1e-9).any():
        return undefined_interval("no spread between clusters")
    lowest, highest = scores.bounds
    n = int((scores.bottom[:, k] > 0).sum())
    bound = wilson_interval(n * round((ratio - lowest) / (highest - lowest)), n, confidence)
    low, high = (lowest + (highest - lowest) * end for end in bound[:2])
    return Interval(low, high, bound.note)
