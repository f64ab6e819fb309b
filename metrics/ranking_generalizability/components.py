"""What varies: components of the variance, and what the noise leaves plausible of the means.

Names that mean the same in every function:

    system, unit, repeat  numbers of each run's, from 0, shape (n,); a repeat is one of its unit
    scores                of U units by S systems, shape (U, S), nan where a system has none
    clusters              number of each unit's cluster, shape (U,) or (U, 2); None for independent
                          units
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from .._shared.columns import BoolArray, FloatArray, IntArray
from .._shared.uncertainty import (
    Interval,
    chi_square_quantile,
    student_quantile,
    undefined_interval,
)
from .inputs import (
    METRIC,
    MOST_CELLS,
    ROUNDING,
    Cells,
    Clusters,
    ItemCells,
    ScoreTable,
    codes_of_sets,
    drawing_order,
    grouped,
    refusal,
    row_codes,
    thinned,
)

# --- Variance components of single runs by restricted maximum likelihood, with missing cells
#
# The model of a score is: its system's mean, plus an effect of the unit, of the system in the unit,
# of the repeat in the unit, and of the single run. Units are independent, so that the likelihood is
# a sum over units; units with the same pattern of cells share their matrices.
#
# Source: Patterson & Thompson (1971); Searle, Casella & McCulloch (1992), chapters 6 and 8.

NAMES = ("unit", "system_by_unit", "repeat", "system_by_repeat")
MOST_STEPS = 200
SMALL = 1e-10  # of the whole variance: a component of this size is none
TOLERANCE = 1e-10  # in log-likelihood


@dataclass(frozen=True)
class Fit:
    """Estimates, none below 0; nan for a variance that the cells cannot tell from another."""

    variances: dict[str, float]  # of the named components, in squared points of the score
    means: FloatArray  # generalised least-squares means of the systems, shape (S,)
    # squared standard errors by the expected information, at the value, one and two errors above
    squares: dict[str, FloatArray]
    items_per_run: float = math.nan  # their harmonic mean, where items were fitted too


def fit_components(system: IntArray, unit: IntArray, repeat: IntArray, score: FloatArray) -> Fit:
    """Fits the components of runs; of two that the cells do not tell apart one is nan."""
    names = identified(system, unit, repeat)
    levels = np.bincount(system, score) / np.bincount(system)
    stacks = stacked(run_vectors(names, system, unit, repeat, score - levels[system]))
    fit = fit_from(names, functools.partial(step_of, stacks), float(np.var(score)))
    return replace(fit, means=fit.means + levels)


def fit_balanced(
    mean_squares: FloatArray, degrees: FloatArray, n_systems: int, n_repeats: int, means: FloatArray
) -> Fit:
    """The same of a complete table with equally many repeats, from its mean squares.

    These are of units, of systems by units, of repeats in units, of what is left; the first two
    alone where there is one repeat. `degrees` are theirs, `means` those of the systems, shape (S,).
    """
    # what each component adds to the expected value of each mean square
    loads = np.array([[n_systems * n_repeats, n_repeats, n_systems, 1]] * 4, float)
    loads[1:, 0] = loads[2:, 1] = loads[[1, 3], 2] = 0
    k = len(degrees)
    loads = loads[:k, :k].copy()

    def step(theta: FloatArray) -> RestrictedLikelihood:
        expected = loads @ theta
        ratio = mean_squares / expected
        likelihood = -float((degrees * (np.log(expected) + ratio)).sum()) / 2
        gradient = loads.T @ (degrees * (ratio - 1) / expected) / 2
        information = (loads.T * (degrees / expected**2)) @ loads / 2
        return RestrictedLikelihood(likelihood, gradient, information, means)

    return fit_from(NAMES[:k], step, float(mean_squares.mean()))


def fit_from(
    names: Sequence[str], step_at: "StepAt", scale: float, of: Sequence[str] = NAMES
) -> Fit:
    """Fits the named components; others are nan. `scale` is the variance of all scores."""
    scale = max(scale, 1e-300)
    theta = np.full(len(names), scale / len(names))
    step, free = step_at(theta), np.ones(len(names), bool)
    for _ in range(MOST_STEPS):
        theta, taken = _improved(step_at, theta, step, free, scale)
        gain = taken.likelihood - step.likelihood
        wanted = (theta > SMALL * scale) | (taken.gradient > 0)  # at 0, would it gain by growing?
        is_still = abs(gain) < TOLERANCE * (1 + abs(taken.likelihood))
        is_done = is_still and bool((wanted == free).all())
        step, free = taken, wanted
        if is_done:
            break
    variances = dict.fromkeys(of, math.nan)
    squares = dict.fromkeys(of, np.full(3, math.nan))
    at_best = _squared_errors(step.information).tolist()
    for place, (name, value, square) in enumerate(zip(names, theta.tolist(), at_best, strict=True)):
        variances[name] = 0.0 if value <= SMALL * scale else value
        error = math.sqrt(square)
        above = (np.where(np.arange(len(theta)) == place, theta + k * error, theta) for k in (1, 2))
        found = [_squared_errors(step_at(moved).information)[place] for moved in above]
        squares[name] = np.array([square, *found])
    return Fit(variances, step.means, squares)


def _without_spread(names: Sequence[str], of: Sequence[str], means: FloatArray) -> Fit:
    squares = dict.fromkeys(of, np.full(3, math.nan))
    return Fit(dict.fromkeys(of, math.nan) | dict.fromkeys(names, 0.0), means, squares)


def _squared_errors(information: FloatArray) -> FloatArray:
    """Variances of the estimates, at least 0, shape (k,)."""
    return np.maximum(0.0, np.diag(np.linalg.pinv(information)))


@dataclass(frozen=True)
class Vectors:
    """Independent vectors of m scores with one covariance; stacked, of p patterns of each."""

    kernels: FloatArray  # what each of k components adds to it, (k, m, m); stacked (k, p, m, m)
    systems: FloatArray  # design of the systems' means, (m, S); stacked (p, m, S)
    n: Any  # how many vectors; stacked an array, (p, 1, 1)
    sums: FloatArray  # their sum, (m,); stacked (p, m, 1)
    squares: FloatArray  # sum of their squares, (m, m); stacked (p, m, m)


@dataclass(frozen=True)
class RestrictedLikelihood:
    """Restricted likelihood and what it needs to grow."""

    likelihood: float
    gradient: FloatArray
    information: FloatArray
    means: FloatArray


def identified(system: IntArray, unit: IntArray, repeat: IntArray) -> list[str]:
    """Components that these cells tell apart; the last one takes what is left."""
    cells = np.unique(np.stack([system, unit]), axis=1).shape[1]
    if cells == len(system):  # no system has two runs in a unit
        return ["unit", "system_by_unit"]
    if np.unique(np.stack([unit, repeat]), axis=1).shape[1] == len(system):
        return ["unit", "system_by_unit", "system_by_repeat"]  # no repeat has two systems
    return list(NAMES)


def run_vectors(
    names: Sequence[str], system: IntArray, unit: IntArray, repeat: IntArray, score: FloatArray
) -> Iterator[Vectors]:
    """Scores of the units, those with the same cells together."""
    order = np.lexsort((repeat, system, unit))
    system, unit, repeat = (column[order] for column in (system, unit, repeat))
    score = score[order]
    starts = np.flatnonzero(np.append(True, unit[1:] != unit[:-1])).tolist()
    by_cells: dict[bytes, tuple[IntArray, IntArray, list[FloatArray]]] = {}
    for start, stop in pairwise([*starts, len(unit)]):
        own, number = system[start:stop], np.unique(repeat[start:stop], return_inverse=True)[1]
        cells = np.stack([own, number]).astype(np.int64).tobytes()
        by_cells.setdefault(cells, (own, number, []))[2].append(score[start:stop])
    of_systems = np.eye(int(system.max()) + 1)
    for own, number, units in by_cells.values():
        same, scores = kernels(own, number, number), np.stack(units, axis=1)
        used, sums = np.stack([same[name] for name in names]), scores.sum(axis=1)
        yield Vectors(used, of_systems[own], len(units), sums, scores @ scores.T)


def step_of(stacks: Sequence[Vectors], theta: FloatArray) -> RestrictedLikelihood:
    """Restricted log-likelihood at the variances, its gradient, and the expected information."""
    k, n_systems = len(theta), stacks[0].systems.shape[2]
    inverses: list[FloatArray] = []
    likelihood, normal, right = 0.0, np.zeros((n_systems, n_systems)), np.zeros(n_systems)
    for stack in stacks:
        matrix = np.tensordot(theta, stack.kernels, 1)
        inverse = np.asarray(np.linalg.inv(matrix), np.float64)
        inverses.append(inverse)
        likelihood -= float(stack.n[:, 0, 0] @ np.linalg.slogdet(matrix)[1]) / 2
        weighted = inverse @ stack.systems
        normal += (stack.n * (stack.systems.swapaxes(1, 2) @ weighted)).sum(axis=0)
        right += (weighted * stack.sums).sum(axis=(0, 1))
    spread = np.asarray(np.linalg.inv(normal), np.float64)
    means = spread @ right
    likelihood -= float(np.linalg.slogdet(normal)[1]) / 2
    gradient, information, shared = np.zeros(k), np.zeros((k, k)), np.zeros((k, *normal.shape))
    for stack, inverse in zip(stacks, inverses, strict=True):
        squares, *added = _terms(stack, inverse, means, spread)
        likelihood -= squares / 2
        for total, part in zip((gradient, information, shared), added, strict=True):
            total += part
    drawn = spread @ shared  # what estimating the means takes away, (k, S, S)
    gradient += np.trace(drawn, axis1=1, axis2=2) / 2
    information += np.tensordot(drawn, drawn, ([1, 2], [2, 1])) / 2
    return RestrictedLikelihood(likelihood, gradient, information, means)


def _terms(
    stack: Vectors, inverse: FloatArray, means: FloatArray, spread: FloatArray
) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """What a stack adds to the squares, the gradient, the information and what means take away."""
    fitted = (stack.systems @ means)[:, :, None]
    crossed = stack.sums @ fitted.swapaxes(1, 2)
    residual = stack.squares - crossed - crossed.swapaxes(1, 2)
    residual = residual + stack.n * (fitted @ fitted.swapaxes(1, 2))
    solved = inverse @ residual @ inverse
    weighted = inverse @ stack.systems
    moved = inverse @ stack.kernels  # (k, p, m, m)
    pulled = stack.kernels @ weighted  # (k, p, m, S)
    traces = (np.trace(moved, axis1=2, axis2=3) * stack.n[:, 0, 0]).sum(axis=1)
    gradient = ((stack.kernels * solved).sum(axis=(1, 2, 3)) - traces) / 2
    k = len(stack.kernels)
    flat = (moved * stack.n).reshape(k, -1)
    information = flat @ moved.swapaxes(2, 3).reshape(k, -1).T
    backs = (inverse @ pulled) @ spread * stack.n
    information = information - 2 * (pulled.reshape(k, -1) @ backs.reshape(k, -1).T)
    shared = (stack.n * (weighted.swapaxes(1, 2) @ pulled)).sum(axis=1)
    return float((inverse * residual).sum()), gradient, information / 2, shared


def _improved(
    step_at: "StepAt", theta: FloatArray, step: RestrictedLikelihood, free: BoolArray, scale: float
) -> tuple[FloatArray, RestrictedLikelihood]:
    """Next variances: a step by the information, shortened until the likelihood does not fall."""
    direction = np.zeros(len(theta))
    information = step.information[np.ix_(free, free)]
    information = information + 1e-12 * np.eye(len(information)) * np.trace(information)
    direction[free] = np.linalg.solve(information, step.gradient[free])
    for halving in range(30):
        proposed = np.maximum(theta + direction / 2**halving, SMALL * scale / 2)
        taken = step_at(proposed)
        if taken.likelihood >= step.likelihood:
            return proposed, taken
    return theta, step


StepAt = Callable[[FloatArray], RestrictedLikelihood]


# --- Variance components of the scores of single items: how much of a run is the luck of its items
#
# To the model of runs come an effect of the item, of the system on the item, of the
# repeat on the item, and of the single answer. Items belong to their unit, whatever they are
# called. Items of a unit that the same runs answered are exchangeable, so that their means and the
# deviations from these are independent: what m runs say of n items is one vector of means and one m
# x m matrix of squares, and the time of a fit does not grow with the number of items.
#
# Source: Searle, Casella & McCulloch (1992), chapters 4.6 and 6.

ITEM_NAMES = ("item", "system_by_item", "item_by_repeat", "system_by_item_by_repeat")
ALL_NAMES = (*NAMES, *ITEM_NAMES)


@dataclass(frozen=True)
class ItemGroup:
    """Items of a unit that the same m runs answered."""

    unit: int
    system: IntArray  # number of each run's system, shape (m,)
    repeat: IntArray
    n_items: int
    means: FloatArray  # score of each run over the items, shape (m,)
    squares: FloatArray  # sums over the items of products of deviations from these, shape (m, m)


def fit_items(cells: ItemCells) -> Fit | None:
    """Fits the components of runs and of items together by restricted maximum likelihood.

    None where no two items of a unit were answered by the same runs of two systems. Of a unit the
    runs that `thinned` leaves are read, and the groups of items with most answers.
    """
    groups = kept_groups(item_groups(cells))
    n_systems = int(cells.system.max()) + 1
    is_seen = np.bincount(np.concatenate([group.system for group in groups]), minlength=n_systems)
    if not is_seen.all() or not any(is_telling(group) for group in groups):
        return None
    levels = np.bincount(cells.system, cells.score) / np.bincount(cells.system)
    names = names_of(groups)
    scale = float(np.var(cells.score))
    if scale > 0:
        means = mean_vectors(groups, names, levels)
        stacks = stacked([*means, *deviation_vectors(groups, names, n_systems)])
        fit = fit_from(names, functools.partial(step_of, stacks), scale, ALL_NAMES)
        fit = replace(fit, means=fit.means + levels)
    else:
        fit = _without_spread(names, ALL_NAMES, levels)
    n_items = np.bincount(row_codes(cells.unit, cells.system, cells.repeat))
    return replace(fit, items_per_run=float(len(n_items) / (1 / n_items).sum()))


def item_groups(cells: ItemCells) -> Iterator[ItemGroup]:
    """Items of each unit by the runs that answered them, in any order."""
    run = row_codes(cells.unit, cells.system, cells.repeat)
    first = np.unique(run, return_index=True)[1]
    system, unit, repeat = (of[first] for of in cells[:3])
    runs = Cells(system, unit, repeat, run[first].astype(np.float64))
    left = np.isin(run, thinned(runs).score.astype(np.int64))
    run, score = run[left], cells.score[left]
    item = row_codes(cells.unit[left], cells.item[left])
    group = codes_of_sets(item, run)[item]  # a set of runs is of one unit
    order = np.lexsort((run, item, group))
    n_rows = np.bincount(group)
    for stop, n in zip(np.cumsum(n_rows).tolist(), n_rows.tolist(), strict=True):
        rows = order[stop - n : stop]
        m = int((item[rows] == item[rows[0]]).sum())
        of_items, own = score[rows].reshape(-1, m), first[run[rows[:m]]]
        means = of_items.mean(axis=0)
        apart = of_items - means
        unit, system, repeat = (of[own] for of in (cells.unit, cells.system, cells.repeat))
        yield ItemGroup(int(unit[0]), system, repeat, len(of_items), means, apart.T @ apart)


def kept_groups(groups: Iterable[ItemGroup]) -> list[ItemGroup]:
    """Of each unit the groups with most answers: MOST_CELLS means, one group at least."""
    kept: list[ItemGroup] = []
    cells: dict[int, int] = {}
    for group in sorted(groups, key=lambda g: (g.unit, -g.n_items * len(g.system))):
        n = cells.get(group.unit, 0)
        if not n or n + len(group.system) <= MOST_CELLS:
            kept.append(group)
            cells[group.unit] = n + len(group.system)
    return kept


def is_telling(group: ItemGroup) -> bool:
    """Whether a group tells an item's effect from that of a system on it."""
    return group.n_items > 1 and len(set(group.system.tolist())) > 1


def names_of(groups: Sequence[ItemGroup]) -> list[str]:
    """Components that groups tell apart: of runs, and of items by deviations from their means."""
    cells = [np.stack([g.system, np.full(len(g.system), g.unit), g.repeat]) for g in groups]
    telling = [
        np.stack([g.system, np.full(len(g.system), i), g.repeat])
        for i, g in enumerate(groups)
        if is_telling(g)
    ]
    in_place_of = dict(zip(NAMES, ITEM_NAMES, strict=True))  # an item stands as a unit does
    of_items = identified(*np.concatenate(telling, axis=1))
    of_runs = identified(*np.unique(np.concatenate(cells, axis=1), axis=1))
    return of_runs + [in_place_of[name] for name in of_items]


def mean_vectors(
    groups: Sequence[ItemGroup], names: Sequence[str], levels: FloatArray
) -> Iterator[Vectors]:
    """Means of all groups of a unit, less the systems' levels: one vector a unit."""
    for of_unit in grouped((group.unit, group) for group in groups).values():
        system = np.concatenate([g.system for g in of_unit])
        repeat = np.concatenate([g.repeat for g in of_unit])
        place = np.repeat(np.arange(len(of_unit)), [len(g.system) for g in of_unit])
        n_items = np.array([g.n_items for g in of_unit], float)[place]
        same = kernels(system, repeat, place)
        used = [same[name] / (n_items if name in ITEM_NAMES else 1) for name in names]
        apart = np.concatenate([g.means for g in of_unit]) - levels[system]
        design = np.eye(len(levels))[system]
        yield Vectors(np.stack(used), design, 1, apart, np.outer(apart, apart))


def deviation_vectors(
    groups: Sequence[ItemGroup], names: Sequence[str], n_systems: int
) -> Iterator[Vectors]:
    """Deviations of a group's items from their means: one vector less than items, without means."""
    for group in groups:
        m = len(group.system)
        if group.n_items > 1:
            same = kernels(group.system, group.repeat, np.zeros(m, np.int64))
            used = [same[name] * (name in ITEM_NAMES) for name in names]
            design, n = np.zeros((m, n_systems)), group.n_items - 1
            yield Vectors(np.stack(used), design, n, np.zeros(m), group.squares)


def kernels(system: IntArray, repeat: IntArray, group: IntArray) -> dict[str, FloatArray]:
    """Which two of m means of a unit share an effect, by component, each of shape (m, m)."""
    same_as = [(of[:, None] == of).astype(float) for of in (system, repeat, group)]
    of_system, of_repeat, of_items = same_as
    shared = [np.ones_like(of_system), of_system, of_repeat, of_system * of_repeat]
    of_run = dict(zip(NAMES, shared, strict=True))
    return of_run | dict(zip(ITEM_NAMES, (of_items * same for same in shared), strict=True))


def stacked(vectors: Iterable[Vectors]) -> list[Vectors]:
    """Vectors by their length, those with one design and covariance together."""
    alike: dict[tuple[bytes, bytes], Vectors] = {}
    for one in vectors:
        key = one.kernels.tobytes(), one.systems.tobytes()
        if (found := alike.get(key)) is not None:
            squares = found.squares + one.squares
            one = replace(one, n=found.n + one.n, sums=found.sums + one.sums, squares=squares)
        alike[key] = one
    by_length = grouped((len(one.sums), one) for one in alike.values())
    return [
        Vectors(
            np.stack([v.kernels for v in same], axis=1),
            np.stack([v.systems for v in same]),
            np.array([v.n for v in same], float)[:, None, None],
            np.stack([v.sums for v in same])[:, :, None],
            np.stack([v.squares for v in same]),
        )
        for same in by_length.values()
    ]


# --- Where the variance of a single run's score comes from
#
# Source: Searle, Casella & McCulloch (1992), chapter 3.


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
        return _without_spread(NAMES[: len(degrees)], NAMES, table.runs.mean(axis=1))
    return fit_balanced(squares, degrees, n_systems, n_repeats, table.runs.mean(axis=1))


def component_interval(variance: float, squares: FloatArray, confidence: float) -> Interval:
    """Modified large-sample interval of a variance; from 0 where 0 is not excluded.

    The square of an error is (2 / d) (variance + floor)^2 + rest: what grows with the variance has
    d degrees of freedom and the shape of chi-square, the rest is taken for normal. `squares` are
    those of its error at the variance, and at one and two errors above it.

    Source: Graybill & Wang (1980); Ting, Burdick, Graybill, Jeyaratnam & Lu (1990).
    """
    error = math.sqrt(squares[0])
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


def component_rows(fit: Fit, confidence: float) -> list[dict[str, Any]]:
    """Variance components with their intervals and shares of a run's variance.

    A run is a mean over items, where their components are known too: of these it has 1 / n.
    """
    n_items = dict.fromkeys(ITEM_NAMES, fit.items_per_run)
    parts = {name: value / n_items.get(name, 1) for name, value in fit.variances.items()}
    total = sum(part for part in parts.values() if not math.isnan(part))
    rows: list[dict[str, Any]] = []
    for name, value in fit.variances.items():
        interval = component_interval(value, fit.squares[name], confidence).as_fields("variance")
        share = parts[name] / total if total else math.nan
        rows.append({"component": name, "variance": value, **interval, "share": share})
    return rows


def spread_of(table: ScoreTable) -> tuple[FloatArray, FloatArray]:
    """Standard deviations of each system's runs between units and between repeats, shape (S,).

    A negative variance counts as 0. The second is nan without repeats or where units lack systems.
    """
    if table.partial is not None:
        columns = (column[~np.isnan(column)] for column in table.partial.T)
        sds = np.array([column.std(ddof=1) if len(column) > 1 else math.nan for column in columns])
        return sds, np.full(len(sds), math.nan)
    between, within, size = _nested_mean_squares(table.runs, table.starts)
    if np.isnan(within).all():
        return np.sqrt(between), within
    return np.sqrt(np.maximum(0.0, between - within) / size), np.sqrt(within)


def _nested_mean_squares(
    runs: FloatArray, starts: IntArray
) -> tuple[FloatArray, FloatArray, float]:
    """Mean squares of rows between units and within, and how many repeats these are worth."""
    n_runs = np.diff(np.append(starts, runs.shape[1]))
    n_units, n = len(starts), runs.shape[1]
    means = np.add.reduceat(runs, starts, axis=1) / n_runs
    centred = means - runs.mean(axis=1, keepdims=True)
    between = (n_runs * centred**2).sum(axis=1) / (n_units - 1)
    size = (n - float((n_runs**2).sum()) / n) / (n_units - 1)
    if n == n_units:
        return between, np.full(len(runs), math.nan), size
    within = ((runs - np.repeat(means, n_runs, axis=1)) ** 2).sum(axis=1) / (n - n_units)
    return between, within, size


# --- One joint distribution of the true means, on which everything that is said of them rests
#
# What the units say: the observed means and the covariance of their errors, with the degrees of
# freedom by which it is known. Each system has its own noise, and noises may go together. The
# sample covariance is shrunken towards equal noise without correlation, as far as makes a left-out
# unit likely, by a quarter at most (after Hoffbeck & Landgrebe 1996). So it has an inverse with no
# more units than systems too.
#
# The prior, which allows for near ties: the means of the systems that may be the best are normal
# about a common value, with a standard deviation of r times a unit's noise, and log r is uniform
# from log(1/200) to log(20). A flat prior would take differences for large that are not, and name
# winners too surely. A system that a paired t shows to be worse than another one (one-sided p
# below a line) tells nothing of how far the best lie apart: it has a flat prior of its own, and
# leaves the others' distribution as it is, to the last digit. Where the line lies is spread over
# `HOPELESS`, so that nobody's chances jump as a system crosses it.
#
# Source: Gelman et al. (2013), chapters 3.3 and 5; Efron & Morris (1975) on shrinkage.

SMALLEST_RATIO, LARGEST_RATIO, N_RATIOS = 0.005, 20.0, 40
HOPELESS = (0.0025, 0.0032, 0.004, 0.005, 0.0063, 0.008, 0.01)  # lines, each for a share of draws
N_DRAWS = 5000
SHRINKAGES = np.geomspace(1e-5, 0.25, 24)  # more would take one system's noise for another's
TINY = 1e-12  # of the largest: a variance of this size is none


class Evidence(NamedTuple):
    """What units say of the differences of k systems."""

    estimates: FloatArray  # contrasts of the means in the basis of `contrasts(k)`, (k - 1,)
    covariance: FloatArray  # of their errors, (k - 1, k - 1)
    degrees: float  # of freedom of the covariance's size
    n_units: float  # independent ones that it takes to be so sure: one's noise is this times larger


@dataclass(frozen=True)
class Posterior:
    """Draws of what is plausible, and how much of an observed difference is taken for real."""

    means: FloatArray  # of the systems about the mean of those that may be best, shape (d, S)
    shrinkage: float  # share of the observed differences of the best that is expected to be real

    @functools.cached_property
    def p_best(self) -> FloatArray:
        """Probability of each system to be truly the best, adding up to 1, shape (S,)."""
        if np.isnan(self.means).any():
            return np.full(self.means.shape[1], math.nan)
        top = self.means.max(axis=1, keepdims=True)
        is_best = self.means >= top - 1e-9 * np.ptp(self.means, axis=1, keepdims=True)
        shares: FloatArray = (is_best / is_best.sum(axis=1, keepdims=True)).mean(axis=0)
        return shares


@functools.lru_cache(maxsize=16)
def contrasts(k: int) -> FloatArray:
    """Orthonormal columns, each orthogonal to a constant, shape (k, k - 1)."""
    basis = np.zeros((k, max(k - 1, 0)))
    for j in range(1, k):
        basis[:j, j - 1], basis[j, j - 1] = 1.0, -float(j)
        basis[:, j - 1] /= math.sqrt(j * (j + 1))
    basis.flags.writeable = False
    return basis


def posterior_of(scores: FloatArray, clusters: Clusters, seed: int) -> Posterior:
    """Draws of the true means, given units; a higher score is better.

    A ValueError where two systems have no unit in common, not even through others.
    """
    order = drawing_order(scores)
    scores = scores[:, order]
    means, shrinkages = np.empty((N_DRAWS, len(order))), []
    by_line = contenders(scores, clusters)
    for may_be_best in np.unique(by_line, axis=0):
        drawn, shrinkage = _draws_given(scores, clusters, may_be_best, seed)
        for line in np.flatnonzero((by_line == may_be_best).all(axis=1)).tolist():
            means[line :: len(by_line), order] = drawn[line :: len(by_line)]
            shrinkages.append(shrinkage)
    return Posterior(means, math.fsum(shrinkages) / len(shrinkages))


def _draws_given(
    scores: FloatArray, clusters: Clusters, may_be_best: BoolArray, seed: int
) -> tuple[FloatArray, float]:
    """Draws of the true means where it is known which systems may be best; and shrinkage."""
    places = np.append(np.flatnonzero(may_be_best), np.flatnonzero(~may_be_best))
    n_best = int(may_be_best.sum())
    best = scores[:, places[:n_best]]
    if is_connected(best):
        first = evidence_of(best, clusters)
    else:  # compared through the others alone
        whole = evidence_of(scores[:, places], clusters)
        inside = contrasts(n_best).T @ contrasts(len(places))[:n_best]
        covariance = inside @ whole.covariance @ inside.T
        first = whole._replace(estimates=inside @ whole.estimates, covariance=covariance)
    drawn, errors, shrinkage = _draws_of_the_best(first, seed)
    means = np.empty((N_DRAWS, len(places)))
    means[:, places[:n_best]] = drawn
    if n_best < len(places):
        rest = _draws_of_the_rest(scores[:, places], clusters, n_best, errors, seed)
        means[:, places[n_best:]] = rest
    return means, shrinkage


def contenders(scores: FloatArray, clusters: Clusters) -> BoolArray:
    """Systems that no other is shown to be better than by itself, for each of HOPELESS: (l, S)."""
    n_systems = scores.shape[1]
    worst = np.zeros((len(HOPELESS), n_systems))  # largest t by which another is ahead, over reach
    for system in range(n_systems):
        mean, error, n = mean_errors(scores - scores[:, [system]], clusters)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(error > 0, mean / error, np.sign(mean) * math.inf)
        for line, p in enumerate(HOPELESS):
            reach = np.array([student_quantile(1 - p, k - 1) if k > 2 else math.inf for k in n])
            with np.errstate(invalid="ignore"):
                worst[line, system] = np.nanmax(np.delete(t / reach, system), initial=0.0)
    kept: BoolArray = worst <= 1
    for line in np.flatnonzero(~kept.any(axis=1)).tolist():  # each is beaten by one elsewhere
        kept[line, worst[line] == worst[line].min()] = True
    return kept


# --- What units say: means and the covariance of their errors


def evidence_of(scores: FloatArray, clusters: Clusters) -> Evidence:
    """What units say of the systems' differences, with a shrunken covariance."""
    if np.isnan(scores).any() and scores.shape[1] > 1:
        return _evidence_of_some(scores, clusters)
    n, k = scores.shape
    if k == 1:
        return Evidence(np.zeros(0), np.zeros((0, 0)), math.inf, n)
    own = scores @ contrasts(k)
    means = own.mean(axis=0)
    apart = own - means
    if clusters is None:
        return _evidence_of_units(means, apart)
    found = [_evidence_of_units(means, _of_clusters(apart, way)) for way in ways_of(clusters)]
    if len(found) == 1:
        return found[0]
    first, second, both = found
    sizes, axes = np.linalg.eigh(first.covariance + second.covariance - both.covariance)
    least = min(first, second, key=lambda evidence: evidence.n_units)
    covariance = (axes * np.maximum(sizes, 0.0)) @ axes.T
    return least._replace(covariance=covariance)


def _of_clusters(apart: FloatArray, way: IntArray) -> FloatArray:
    """Deviations of clusters: one is one unit, as heavy as it is large."""
    sums = sums_of(apart, way)
    return sums * (len(sums) / len(apart))


def _evidence_of_units(means: FloatArray, apart: FloatArray) -> Evidence:
    noise, degrees = shrunken(apart, shrinkage_of_noise(apart))
    return Evidence(means, noise / len(apart), degrees, len(apart))


def shrinkage_of_noise(apart: FloatArray) -> float:
    """How far the covariance is shrunken towards equal noise, in [0, 1], by contrasts (n, p).

    The mean of a grid, each share as heavy as a left-out unit is likely under it, so that it does
    not jump where two shares are as likely; the largest where too few units tell.
    """
    n, p = apart.shape
    sizes, axes = np.linalg.eigh(apart.T @ apart)
    kept = sizes > TINY * max(float(sizes.max(initial=0.0)), 1e-300)
    kept &= np.arange(p) >= p - (n - 1)  # no more than units tell
    if p < 2 or n < 4 or not kept.any():
        return float(SHRINKAGES[-1])
    sizes, along = sizes[kept], apart @ axes[:, kept]  # of what varies; (q,) and (n, q)
    common = float(sizes.sum()) / (n - 1) / len(sizes)
    # a left-out unit x: its own part of the covariance is taken out by a rank-one update
    rest = SHRINKAGES[:, None] * common + (1 - SHRINKAGES[:, None]) * sizes / (n - 2)
    is_hidden = n - 1 <= len(sizes) < p  # differences that never vary are no noise at all
    taken = (1 - SHRINKAGES) * n / ((n - 1) * (n - 2))
    distance = (along**2) @ (1 / rest).T  # (n, grid)
    left = np.maximum(1 - taken * distance, 1e-300)
    logs = -np.log(rest).sum(axis=1) * n - (np.log(left) + n / (n - 1) * distance / left).sum(0)
    if is_hidden:
        logs -= n * (p - len(sizes)) * np.log(SHRINKAGES * common)
    weights = np.exp((logs - logs.max()) / 2) * SHRINKAGES  # by size each is as likely
    return float(weights @ SHRINKAGES / weights.sum())


def shrunken(apart: FloatArray, share: float) -> tuple[FloatArray, float]:
    """Covariance of one unit's contrasts, and the degrees of freedom of its size."""
    n, p = apart.shape
    observed = apart.T @ apart / (n - 1)
    sizes, axes = np.linalg.eigh(observed)
    varies = axes[:, sizes > TINY * max(float(sizes[-1]), 1e-300)]
    if varies.shape[1] == min(p, n - 1):
        varies = np.eye(p)  # else some differences never vary: they stay so
    common = float(np.trace(observed)) / max(varies.shape[1], 1)
    noise = share * common * (varies @ varies.T) + (1 - share) * observed
    return noise, (n - 1) * (1 + share * (varies.shape[1] - 1))


def _evidence_of_some(scores: FloatArray, clusters: Clusters) -> Evidence:
    """Evidence where systems lack units: generalised least squares of units and systems."""
    has = ~np.isnan(scores)
    has &= has.sum(axis=1, keepdims=True) > 1  # a lone system's score says nothing of differences
    used = has.any(axis=1)
    scores, has = scores[used], has[used]
    k = scores.shape[1]
    basis = contrasts(k)
    means = least_squares_means(np.where(has, scores, np.nan))
    apart = np.where(has, scores - means, 0.0)
    apart = np.where(has, apart - apart.sum(axis=1, keepdims=True) / has.sum(1, keepdims=True), 0.0)
    both = has.T.astype(float) @ has
    degrees = max(1.0, float(has.sum() - len(has) - k + 1))
    scale = float((has.sum(axis=1) - 1).sum()) / degrees
    observed = basis.T @ (apart.T @ apart / np.maximum(both, 1) * scale) @ basis
    sizes, axes = np.linalg.eigh(observed)
    observed = (axes * np.maximum(sizes, 0.0)) @ axes.T
    whole = scores[has.all(axis=1)] @ basis
    share = shrinkage_of_noise(whole - whole.mean(axis=0)) if len(whole) > 3 else SHRINKAGES[-1]
    common = float(np.trace(observed)) / (k - 1)
    noise = share * common * np.eye(k - 1) + (1 - share) * observed
    known = degrees / (k - 1) * (1 + share * (k - 2))
    if not common > 0:
        return Evidence(basis.T @ means, noise, known, len(scores))
    estimates, covariance, sums = _least_squares(scores, has, noise)
    if clusters is not None:
        squares, n = np.zeros_like(covariance), len(scores)
        for way, sign in zip(ways_of(clusters[used]), (1, 1, -1), strict=False):
            gathered = sums_of(sums, np.unique(way, return_inverse=True)[1])
            n = min(n, len(gathered))
            squares += sign * gathered.T @ gathered * (len(gathered) / max(len(gathered) - 1, 1))
        covariance = covariance @ squares @ covariance
        known = max(n - 1.0, 1.0)
    size = float(np.trace(covariance)) / (k - 1)
    return Evidence(estimates, covariance, known, common / size if size > 0 else len(scores))


def _least_squares(
    scores: FloatArray, has: BoolArray, noise: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Contrasts, the covariance of their errors, and each unit's score (gradient), (U, k - 1)."""
    k = scores.shape[1]
    basis = contrasts(k)
    rows, pattern = np.unique(has, axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)
    information, moment = np.zeros((k - 1, k - 1)), np.zeros(k - 1)
    parts = []
    for number, row in enumerate(rows):
        own = contrasts(int(row.sum()))
        design = own.T @ basis[row]
        weight = design.T @ np.linalg.pinv(design @ noise @ design.T, hermitian=True)
        seen = scores[pattern == number][:, row] @ own
        information += len(seen) * weight @ design
        moment += weight @ seen.sum(axis=0)
        parts.append((pattern == number, weight, design, seen))
    covariance = np.linalg.pinv(information, hermitian=True)
    estimates = covariance @ moment
    sums = np.zeros((len(scores), k - 1))
    for of, weight, design, seen in parts:
        sums[of] = (seen - design @ estimates) @ weight.T
    return estimates, covariance, sums


def is_connected(scores: FloatArray) -> bool:
    """Whether units compare all systems, be it through others."""
    has = ~np.isnan(scores)
    if has.all() or scores.shape[1] < 2:
        return True
    both = (has.T.astype(float) @ has) > 0
    reached = np.arange(scores.shape[1]) == 0
    for _ in range(scores.shape[1]):
        reached = reached | both[reached].any(axis=0)
    return bool(reached.all())


def least_squares_means(scores: FloatArray) -> FloatArray:
    """Means of the systems about their common mean, as if all had all units, shape (S,).

    A ValueError where two systems have no unit in common, not even through others.
    """
    has = ~np.isnan(scores)
    has &= has.sum(axis=1, keepdims=True) > 1
    sizes = np.maximum(has.sum(axis=1, keepdims=True), 1)
    own = np.where(has, scores, 0.0)
    own = np.where(has, own - own.sum(axis=1, keepdims=True) / sizes, 0.0)
    information = np.diag(has.sum(axis=0).astype(float)) - (has / sizes).T @ has
    weights, axes = np.linalg.eigh(information)
    if not is_connected(scores):
        raise refusal(f"{METRIC}: units", "two groups of systems that share none", "a unit of both")
    means: FloatArray = axes[:, 1:] @ (axes[:, 1:].T @ own.sum(axis=0) / weights[1:])
    return means


# --- Draws


def _draws_of_the_best(evidence: Evidence, seed: int) -> tuple[FloatArray, FloatArray, float]:
    """Draws of the means of the possible best, (d, k), their errors in contrasts, and shrinkage."""
    generator = np.random.default_rng([seed, 5])
    k = len(evidence.estimates) + 1
    if k == 1:
        return np.zeros((N_DRAWS, 1)), np.zeros((N_DRAWS, 0)), 1.0
    noise, axes = np.linalg.eigh(evidence.covariance)
    noise = np.maximum(noise, 0.0)
    along = axes.T @ evidence.estimates
    prior = np.geomspace(SMALLEST_RATIO, LARGEST_RATIO, N_RATIOS)[:, None] ** 2
    spread = prior * evidence.n_units * noise.mean() + noise  # (r, k - 1)
    standard = generator.standard_normal((N_DRAWS, k - 1))
    if not noise.max() > 0:
        means = np.tile(contrasts(k) @ evidence.estimates, (N_DRAWS, 1))
        return means, np.zeros_like(standard), float(bool(along.any()))
    rests = evidence.degrees + (along**2 / spread).sum(axis=1)
    degrees = evidence.degrees + k - 1
    logs = -np.log(spread).sum(axis=1) / 2 - degrees / 2 * np.log(rests)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    kept = 1 - noise / spread
    chosen = generator.choice(N_RATIOS, N_DRAWS, p=weights)
    size = rests[chosen] / generator.chisquare(degrees, N_DRAWS)
    # by the symmetric root: axes of equal noise, as of few units, may be turned at will
    sds = np.sqrt(kept[chosen] * noise * size[:, None])
    drawn = kept[chosen] * along + sds * (standard @ axes)
    errors = (drawn - along) @ axes.T
    return drawn @ axes.T @ contrasts(k).T, errors, float((weights @ kept).mean())


def _draws_of_the_rest(
    scores: FloatArray, clusters: Clusters, n_best: int, errors: FloatArray, seed: int
) -> FloatArray:
    """Draws of the means of the last systems about the mean of the first, under a flat prior.

    `errors` is how far the draws of the first lie from what was observed, shape (d, n_best - 1).
    """
    generator = np.random.default_rng([seed, 6])
    estimates, slope, rest, degrees = _rest_given_the_best(scores, clusters, n_best)
    sizes, axes = np.linalg.eigh((rest + rest.T) / 2)
    root = (axes * np.sqrt(np.maximum(sizes, 0.0))) @ axes.T
    tails = np.sqrt(degrees / generator.chisquare(degrees, (N_DRAWS, 1)))
    standard = generator.standard_normal((N_DRAWS, len(sizes)))
    drawn: FloatArray = estimates + errors @ slope.T + tails * standard @ root
    return drawn


def _rest_given_the_best(
    scores: FloatArray, clusters: Clusters, n_best: int
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Means of the last systems, how they go with those of the best, what is left, its degrees."""
    basis = contrasts(scores.shape[1])
    behind = basis[n_best:] - basis[:n_best].mean(axis=0)
    inside = contrasts(n_best).T @ basis[:n_best]
    if np.isnan(scores).any() or (clusters is not None and clusters.ndim > 1):
        evidence = evidence_of(scores, clusters)
        within = inside @ evidence.covariance @ inside.T
        across = behind @ evidence.covariance @ inside.T
        slope = across @ np.linalg.pinv(within, rcond=1e-9, hermitian=True)
        rest = behind @ evidence.covariance @ behind.T - slope @ across.T
        return behind @ evidence.estimates, slope, rest, evidence.degrees
    own = scores @ basis
    apart = own - own.mean(axis=0)
    apart = apart if clusters is None else _of_clusters(apart, clusters)
    best, last, n = apart @ inside.T, apart @ behind.T, len(apart)
    slope = np.zeros((len(behind), n_best - 1))
    if n_best > 1:
        noise = shrunken(best, shrinkage_of_noise(best))[0]
        across = last.T @ best / (n - 1)
        slope = across @ np.linalg.pinv(noise, rcond=1e-9, hermitian=True)
    left = last - best @ slope.T
    return behind @ own.mean(axis=0), slope, left.T @ left / (n - 1) / n, n - 1.0


# --- Means over units, and what they are worth where units come in clusters


def mean_errors(values: FloatArray, clusters: Clusters) -> tuple[FloatArray, FloatArray, IntArray]:
    """Means of columns, (U, k) with nan for no score, standard errors, and independent units.

    Source: Cameron, Gelbach & Miller (2011) on two ways of clusters.
    """
    has = ~np.isnan(values)
    counts = has.sum(axis=0)
    filled = np.where(has, values, 0.0)
    sums = np.ascontiguousarray(filled.T).sum(axis=1)  # one column is added up as any other
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / counts
        apart = np.where(has, values - means, 0.0)
        squares = np.ascontiguousarray(apart.T**2).sum(axis=1)
        n, squares = counts, squares * (counts / (counts - 1))
        if clusters is not None:
            ways = ways_of(clusters)
            n = np.min([(sums_of(has.astype(float), w) > 0).sum(axis=0) for w in ways], axis=0)
            sums_by_way = [sums_of(apart, way) for way in ways]
            by_way = [(s**2).sum(axis=0) * (len(s) / max(len(s) - 1, 1)) for s in sums_by_way]
            squares = by_way[0]
            if len(ways) > 1:  # A + B - AB, but no less than either
                first, second, both = by_way
                squares = np.maximum(first + second - both, np.maximum(first, second))
        errors = np.sqrt(squares) / counts
    largest = np.maximum(np.abs(filled).max(axis=0, initial=0.0), 1e-300)
    errors = np.where((n > 1) & (errors > ROUNDING * largest), errors, 0.0)
    return means, errors, n


def ways_of(clusters: IntArray) -> list[IntArray]:
    """The ways in which units are clustered, one or two, and with two the cells of both."""
    if clusters.ndim == 1:
        return [clusters]
    first, second = clusters.T
    return [first, second, np.unique(clusters, axis=0, return_inverse=True)[1].reshape(-1)]


def sums_of(values: FloatArray, clusters: IntArray) -> FloatArray:
    """Sums over the units of each cluster, shape (C, k)."""
    sums = np.zeros((int(clusters.max()) + 1, values.shape[1]))
    np.add.at(sums, clusters, values)
    return sums


def nearest_mean(row: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What is missed by the weighted mean of others that is nearest to a row, and its weights.

    Source: non-negative least squares of Lawson & Hanson (1974).
    """
    apart = (others - row).T
    scale = max(float(np.abs(apart).max()), 1e-300)
    a = np.vstack([apart / scale, np.ones(len(others))])
    b = np.append(np.zeros(len(row)), 1.0)
    weights, is_used = np.zeros(len(others)), np.zeros(len(others), bool)
    for _ in range(3 * len(others)):
        slope = np.where(is_used, -np.inf, a.T @ (b - a @ weights))
        if slope.max() <= 1e-10:
            break
        is_used[slope.argmax()] = True
        while is_used.any():
            solved = np.zeros(len(others))
            solved[is_used] = np.linalg.lstsq(a[:, is_used], b, rcond=None)[0]
            if (low := is_used & (solved <= 0)).any():
                step = (weights[low] / (weights[low] - solved[low])).min()
                weights = weights + step * (solved - weights)
                is_used &= weights > 1e-12
            else:
                weights = solved
                break
    weights = weights / max(weights.sum(), 1e-300)
    return apart @ weights, weights
