"""Means of answers and their intervals, over raters and items crossed.

    V = V_rater + V_item - V_answer,  at least the larger of the first two

of the sums by rater, by item and of single answers, which both have counted; with G / (G - 1) for G
raters or items and Student's t of the smaller G - 1. The ends of a share are Wilson's for the
number of answers that this variance is worth.

Source: Cameron, Gelbach & Miller (2011); Korn & Graubard (1998) for shares.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metrics._shared.columns import FloatArray
from metrics._shared.uncertainty import score_ends, student_quantile


class CrossedEstimate(NamedTuple):
    """A mean or a difference with its interval; both ends are nan where `note` says why."""

    value: float
    low: float
    high: float
    n: int
    note: str

    def text(self, scale: float = 1, digits: int = 1) -> str:
        """Value and interval as a table shows them, such as `50.0 [25.0, 75.0]`."""
        if math.isnan(self.low):
            return f"{scale * self.value:.{digits}f}" if self.n else "–"
        ends = f"[{scale * self.low:.{digits}f}, {scale * self.high:.{digits}f}]"
        return f"{scale * self.value:.{digits}f} {ends}"


def crossed_mean(
    values: Sequence[float], raters: Sequence[str], items: Sequence[str], *, is_share: bool = True
) -> CrossedEstimate:
    """Mean of answers, one value each, with its interval of 95 %.

    `raters` says whose an answer is, `items` what was sampled together with its item (a pair, a
    paradigm, a triple). A share, 0 to 1, keeps the ends within.

    Example:
        >>> crossed_mean([1, 0, 1, 1], ["a", "a", "b", "b"], ["x", "y", "x", "y"]).value
        0.75
    """
    array = np.asarray(values, dtype=np.float64)
    if not len(array):
        return CrossedEstimate(math.nan, math.nan, math.nan, 0, "no answers")
    value = float(array.mean())
    influence = (array - value) / len(array)
    return _estimate(value, influence, raters, items, is_share=is_share)


def crossed_difference(
    values: Sequence[float], is_first: Sequence[bool], raters: Sequence[str], items: Sequence[str]
) -> CrossedEstimate:
    """Mean of the answers of one kind minus the mean of the others, with its interval of 95 %."""
    array, first = np.asarray(values, dtype=np.float64), np.asarray(is_first, dtype=np.bool_)
    if first.all() or not first.any():
        return CrossedEstimate(math.nan, math.nan, math.nan, 0, "one kind of answers only")
    means = array[first].mean(), array[~first].mean()
    own, others = (array - means[0]) / first.sum(), (array - means[1]) / (~first).sum()
    influence = np.where(first, own, -others)
    return _estimate(float(means[0] - means[1]), influence, raters, items, is_share=False)


def _estimate(
    value: float,
    influence: FloatArray,
    raters: Sequence[str],
    items: Sequence[str],
    *,
    is_share: bool,
) -> CrossedEstimate:
    by_rater, n_raters = _squares(influence, raters)
    by_item, n_items = _squares(influence, items)
    variance = max(by_rater + by_item - float(influence @ influence), by_rater, by_item)
    degrees = min(n_raters, n_items) - 1
    if not degrees or variance <= 0:
        note = "all answers are equal" if degrees else "fewer than two raters or items"
        return CrossedEstimate(value, math.nan, math.nan, len(influence), note)
    error, quantile = math.sqrt(variance), student_quantile(0.975, degrees)
    low, high = value - quantile * error, value + quantile * error
    if is_share:
        low, high = score_ends(value, error, quantile)
    note = f"raters and items crossed, t({degrees})"
    return CrossedEstimate(value, low, high, len(influence), note)


def _squares(influence: FloatArray, names: Sequence[str]) -> tuple[float, int]:
    """Sum over groups of the squares of their sums, for few groups enlarged; number of groups."""
    codes = np.unique(np.asarray(names), return_inverse=True)[1]
    sums = np.bincount(codes, influence)
    n = len(sums)
    return float(sums @ sums) * n / max(n - 1, 1), n
