"""Variance components of the scores of single items: how much of a run is the luck of its items.

To the model of runs (see `reml`) come an effect of the item, of the system on the item, of the
repeat on the item, and of the single answer. Items belong to their unit, whatever they are called.
Items of a unit that the same runs answered are exchangeable, so that their means and the deviations
from these are independent: what m runs say of n items is one vector of means and one m x m matrix
of squares, and the time of a fit does not grow with the number of items.

Source: Searle, Casella & McCulloch (1992), chapters 4.6 and 6.
"""

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..columns import FloatArray, IntArray
from .reml import NAMES, Fit, Patterns, fit_from, identified, step_of
from .score_table import MOST_CELLS, Cells, ItemCells, row_codes, thinned

ITEM_NAMES = ("item", "system_by_item", "item_by_repeat", "system_by_item_by_repeat")
ALL_NAMES = (*NAMES, *ITEM_NAMES)


@dataclass(frozen=True)
class ItemGroup:
    """Items of a unit that the same m runs answered.

    Attributes:
        unit: Number of the unit.
        system: Number of each run's system, shape (m,).
        repeat: Number of its repeat.
        n_items: How many items these are.
        means: Mean score of each run over the items, shape (m,).
        squares: Sums over the items of products of deviations from these, shape (m, m).
    """

    unit: int
    system: IntArray
    repeat: IntArray
    n_items: int
    means: FloatArray
    squares: FloatArray


def fit_items(cells: ItemCells) -> Fit | None:
    """Fits the components of runs and of items together by restricted maximum likelihood.

    Args:
        cells: One score per system, unit, repeat and item.

    Returns:
        Variances by ALL_NAMES; None where no two items of a unit were answered by the same runs of
        two systems. Of a unit the runs that `thinned` leaves are read, and the groups of items with
        most answers.
    """
    groups = kept_groups(item_groups(cells))
    n_systems = int(cells.system.max()) + 1
    is_seen = np.bincount(np.concatenate([group.system for group in groups]), minlength=n_systems)
    if not is_seen.all() or not any(is_telling(group) for group in groups):
        return None
    levels = np.bincount(cells.system, cells.score) / np.bincount(cells.system)
    names = [*run_names(groups), *item_names(groups)]
    scale = float(np.var(cells.score))
    if scale > 0:
        means = mean_vectors(groups, names, levels)
        stacks = stacked([*means, *deviation_vectors(groups, names, n_systems)])
        fit = fit_from(names, functools.partial(step_of, stacks), scale, ALL_NAMES)
        fit = replace(fit, means=fit.means + levels)
    else:
        nothing = dict.fromkeys(ALL_NAMES, math.nan)
        no_squares = dict.fromkeys(ALL_NAMES, np.full(3, math.nan))
        fit = Fit(nothing | dict.fromkeys(names, 0.0), nothing, levels, no_squares)
    return replace(fit, items_per_run=items_per_run(cells))


def items_per_run(cells: ItemCells) -> float:
    """Harmonic mean of the numbers of items of the runs: a mean over n items has 1 / n."""
    counts = np.bincount(row_codes(cells.unit, cells.system, cells.repeat))
    return float(len(counts) / (1 / counts).sum())


def item_groups(cells: ItemCells) -> Iterator[ItemGroup]:
    """Items of each unit by the runs that answered them, in any order."""
    run = row_codes(cells.unit, cells.system, cells.repeat)
    first = np.unique(run, return_index=True)[1]
    runs = Cells(
        cells.system[first], cells.unit[first], cells.repeat[first], run[first].astype(np.float64)
    )
    left = np.isin(run, thinned(runs).score.astype(np.int64))
    run, score = run[left], cells.score[left]
    item = row_codes(cells.unit[left], cells.item[left])
    weights = np.random.default_rng(0).integers(0, 2**63, len(first), np.uint64)
    sums = np.zeros(int(item.max()) + 1, np.uint64)  # equal for equal sets of runs
    np.add.at(sums, item, weights[run])
    group = np.unique(sums, return_inverse=True)[1][item]  # a set of runs is of one unit
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


def run_names(groups: Sequence[ItemGroup]) -> list[str]:
    """Components of runs that the groups tell apart."""
    columns = [(np.full(len(g.system), g.unit), g.system, g.repeat) for g in groups]
    unit, system, repeat = (np.concatenate(column) for column in zip(*columns, strict=True))
    runs = np.unique(np.stack([system, unit, repeat]), axis=1)
    return identified(*runs)


def item_names(groups: Sequence[ItemGroup]) -> list[str]:
    """Components of items that the groups tell apart, by deviations from their means."""
    telling = [group for group in groups if is_telling(group)]
    place = np.concatenate([np.full(len(g.system), i) for i, g in enumerate(telling)])
    system, repeat = (
        np.concatenate(columns)
        for columns in zip(*((g.system, g.repeat) for g in telling), strict=True)
    )
    in_place_of = dict(zip(NAMES, ITEM_NAMES, strict=True))  # an item stands as a unit does
    return [in_place_of[name] for name in identified(system, place, repeat)]


def mean_vectors(
    groups: Sequence[ItemGroup], names: Sequence[str], levels: FloatArray
) -> Iterator["Vectors"]:
    """Means of all groups of a unit, less the systems' levels: one vector a unit."""
    by_unit: dict[int, list[ItemGroup]] = {}
    for group in groups:
        by_unit.setdefault(group.unit, []).append(group)
    for of_unit in by_unit.values():
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
) -> Iterator["Vectors"]:
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
    of_system, of_repeat, of_items = (
        (of[:, None] == of).astype(float) for of in (system, repeat, group)
    )
    shared = [np.ones_like(of_system), of_system, of_repeat, of_system * of_repeat]
    of_run = dict(zip(NAMES, shared, strict=True))
    return of_run | dict(zip(ITEM_NAMES, (of_items * same for same in shared), strict=True))


@dataclass(frozen=True)
class Vectors:
    """Independent vectors of m scores with one covariance.

    Attributes:
        kernels: What each of k components adds to it, shape (k, m, m).
        systems: Design of the systems' means, shape (m, S).
        n: How many vectors.
        sums: Their sum, shape (m,).
        squares: Sum of their squares, shape (m, m).
    """

    kernels: FloatArray
    systems: FloatArray
    n: int
    sums: FloatArray
    squares: FloatArray


def stacked(vectors: Iterable[Vectors]) -> list[Patterns]:
    """Vectors by their length, those with one design and covariance together."""
    alike: dict[tuple[bytes, bytes], Vectors] = {}
    for one in vectors:
        key = one.kernels.tobytes(), one.systems.tobytes()
        if (found := alike.get(key)) is not None:
            squares = found.squares + one.squares
            one = replace(one, n=found.n + one.n, sums=found.sums + one.sums, squares=squares)
        alike[key] = one
    by_length: dict[int, list[Vectors]] = {}
    for one in alike.values():
        by_length.setdefault(len(one.sums), []).append(one)
    return [
        Patterns(
            np.stack([v.systems for v in same]),
            np.stack([v.kernels for v in same], axis=1),
            np.array([v.n for v in same], float)[:, None, None],
            np.stack([v.sums for v in same])[:, :, None],
            np.stack([v.squares for v in same]),
        )
        for same in by_length.values()
    ]
