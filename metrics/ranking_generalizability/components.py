"""Where the variance of a single run's score comes from.

Source: Searle, Casella & McCulloch (1992), chapter 3.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..columns import FloatArray, IntArray
from ..distributions import chi_square_quantile
from ..uncertainty import Interval, undefined_interval
from .item_level import fit_items
from .reml import NAMES, Fit, fit_balanced, fit_components
from .score_table import ScoreTable, thinned


class VarianceComponents(NamedTuple):
    """Variances of a single run's score in squared score units; small ones may come out negative.

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
    """Standard deviations of each system's single run, shape (S,).

    Attributes:
        unit_sd: Between units.
        repeat_sd: Between repeats of a unit; nan without repeats.
    """

    unit_sd: FloatArray
    repeat_sd: FloatArray


def variance_components(runs: FloatArray, starts: IntArray) -> VarianceComponents:
    """Variance of single runs by analysis of variance; negative estimates are not cut off.

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


def restricted_components(table: ScoreTable) -> Fit:
    """Components by restricted maximum likelihood, from all scores given; of items where given."""
    if table.items is not None and (fit := fit_items(table.items)) is not None:
        return fit
    n_runs = table.n_repeats
    is_complete = len(table.cells.score) == table.runs.size
    if not is_complete or len(set(n_runs.tolist())) > 1:
        cells = table.cells if table.partial is None else thinned(table.cells)
        return fit_components(cells.system, cells.unit, cells.repeat, cells.score)
    n_systems, n_units, n_repeats = len(table.systems), len(table.units), int(n_runs[0])
    shared = table.runs.mean(axis=0, keepdims=True)
    between, within, _ = _nested_mean_squares(shared, table.starts)
    own_between, own_within, _ = _nested_mean_squares(table.runs - shared, table.starts)
    squares = np.array([n_systems * between[0], own_between.sum() / (n_systems - 1)])
    degrees = np.array([n_units - 1.0, (n_systems - 1.0) * (n_units - 1)])
    if n_repeats > 1:
        residual = own_within.sum() / (n_systems - 1)
        squares = np.append(squares, [n_systems * within[0], residual])
        free = n_units * (n_repeats - 1.0)
        degrees = np.append(degrees, [free, (n_systems - 1) * free])
    if not squares.max() > 0:
        zero = dict.fromkeys(NAMES[: 2 if n_repeats == 1 else 4], 0.0)
        blank = dict.fromkeys(NAMES, math.nan)
        nothing = dict.fromkeys(NAMES, np.full(3, math.nan))
        return Fit(blank | zero, blank, table.runs.mean(axis=1), nothing)
    return fit_balanced(squares, degrees, n_systems, n_repeats, table.runs.mean(axis=1))


def component_interval(
    variance: float, error: float, squares: FloatArray, confidence: float
) -> Interval:
    """Modified large-sample interval of a variance; from 0 where 0 is not excluded.

    The square of an error is (2 / d) (variance + floor)^2 + rest: what grows with the variance has
    d degrees of freedom and the shape of chi-square, the rest is taken for normal.

    Args:
        variance: The estimate.
        error: Its standard error.
        squares: Square of the error at the variance, and one and two errors above it.
        confidence: Two-sided level in (0, 1).

    Source: Graybill & Wang (1980); Ting, Burdick, Graybill, Jeyaratnam & Lu (1990).
    """
    if math.isnan(variance) or not error > 0:
        return undefined_interval("not told apart" if math.isnan(variance) else "no spread")
    tail = (1 - confidence) / 2
    z = NormalDist().inv_cdf(1 - tail)
    curve = float(squares[2] - 2 * squares[1] + squares[0]) / 2  # (2 / d) error^2
    slope = float(4 * squares[1] - 3 * squares[0] - squares[2]) / 2
    if not curve > 1e-9 * float(squares[0]):
        low, high, degrees = variance - z * error, variance + z * error, math.inf
    else:
        grown = slope / (2 * curve) * error  # variance + floor
        rest = max(0.0, float(squares[0]) - curve / error**2 * grown**2)
        degrees = 2 * error**2 / curve
        above = degrees / chi_square_quantile(tail, degrees) - 1
        below = 1 - degrees / chi_square_quantile(1 - tail, degrees)
        high = variance + math.sqrt((above * grown) ** 2 + z * z * rest)
        low = variance - math.sqrt((below * grown) ** 2 + z * z * rest)
    if low <= 0:
        return Interval(0.0, high, "upper bound, from 0")
    return Interval(low, high, f"modified large sample with {degrees:.1f} degrees of freedom")


def system_spread(runs: FloatArray, starts: IntArray) -> SystemSpread:
    """Standard deviations of each system; a negative variance counts as 0.

    Without repeats all of it is between units.
    """
    between, within, size = _nested_mean_squares(runs, starts)
    if np.isnan(within).all():
        return SystemSpread(np.sqrt(between), within)
    return SystemSpread(np.sqrt(np.maximum(0.0, between - within) / size), np.sqrt(within))


def sums_by_unit(runs: FloatArray, starts: IntArray) -> FloatArray:
    """Sum over the repeats of each unit, shape (S, U)."""
    return np.add.reduceat(runs, starts, axis=1)


def _nested_mean_squares(
    runs: FloatArray, starts: IntArray
) -> tuple[FloatArray, FloatArray, float]:
    """Mean squares of each row of `runs`, and the effective number of repeats.

    Returns:
        Mean square between units, shape (S,); mean square within units, nan without repeats; the
        number of repeats that unequal ones are worth, by which the first exceeds the second.
    """
    n_runs = np.diff(np.append(starts, runs.shape[1]))
    n_units, n = len(starts), runs.shape[1]
    means = sums_by_unit(runs, starts) / n_runs
    centred = means - runs.mean(axis=1, keepdims=True)
    between = (n_runs * centred**2).sum(axis=1) / (n_units - 1)
    size = (n - float((n_runs**2).sum()) / n) / (n_units - 1)
    if n == n_units:
        return between, np.full(len(runs), math.nan), size
    within = ((runs - np.repeat(means, n_runs, axis=1)) ** 2).sum(axis=1) / (n - n_units)
    return between, within, size
