"""Rows of scores (system, unit, repeat, score) as one complete table.

Every system is scored in every repeat of every unit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..columns import FloatArray, IntArray

WHERE = "ranking_generalizability"
MOST_CELLS = 60
MOST_UNITS = 400


@dataclass(frozen=True)
class Cells:
    """Scores one by one: numbers of system, unit and repeat, and the score; all of shape (n,)."""

    system: IntArray
    unit: IntArray
    repeat: IntArray
    score: FloatArray


@dataclass(frozen=True)
class ItemCells:
    """Scores of items: numbers of system, unit, repeat and item, and the score; shape (n,) each."""

    system: IntArray
    unit: IntArray
    repeat: IntArray
    item: IntArray
    score: FloatArray


class ScoreTable(NamedTuple):
    """Scores of S systems in U units, each with its own repeats.

    Attributes:
        systems: Names, sorted; the rows of `runs` and the columns of `unit_scores`.
        units: Names in order of first appearance.
        runs: Shape (S, C): one column per repeat of a unit, the repeats of a unit side by side.
        starts: First column of each unit, shape (U,).
        unit_scores: Shape (U, S): mean over the repeats of the unit, exactly rounded, so that equal
            scores tie.
        cells: All scores given, those of incomplete runs too.
        partial: Where every score counts, shape (all units, S): mean over a system's own repeats,
            nan where it has none; None where the units above are all there is.
        items: Scores of single items, where `cells` are means over these.
    """

    systems: tuple[str, ...]
    units: tuple[Any, ...]
    runs: FloatArray
    starts: IntArray
    unit_scores: FloatArray
    cells: Cells
    partial: FloatArray | None = None
    items: ItemCells | None = None

    @property
    def compared(self) -> FloatArray:
        """Unit scores by which systems are compared: `partial` where there is one."""
        return self.unit_scores if self.partial is None else self.partial

    @property
    def n_repeats(self) -> IntArray:
        """Number of repeats of each unit, shape (U,)."""
        return np.diff(np.append(self.starts, self.runs.shape[1]))


def make_table(
    system: Sequence[Any],
    unit: Sequence[Any],
    repeat: Sequence[Any],
    score: FloatArray,
    missing: str = "refuse",
) -> ScoreTable:
    """Builds the table from rows in any order.

    Args:
        system: Name of the system of each row.
        unit: What was sampled (data set, draw, language) and scored by all systems.
        repeat: Which run on that unit (split, seed); the same for all systems, as they are compared
            run by run.
        score: Finite numbers.
        missing: What becomes of a run that lacks a system: "refuse", an error; "drop", it is kept
            in `cells` alone; "model", it counts in `partial`, and the systems of a unit need not
            have the same repeats.

    Raises:
        ValueError: Fewer than two systems or units, a run scored twice, or a system without a score
            in some run; the message names it.
    """
    system_codes, systems = _encode([str(name) for name in system])
    unit_codes, units = _encode(unit)
    repeat_codes, repeats = _encode(repeat)
    for what, found in (("systems", systems), ("units", units)):
        if len(found) < 2:
            raise ValueError(f"{WHERE}: {what}, got {len(found)}; expected at least 2")
    runs, run = np.unique(unit_codes * len(repeats) + repeat_codes, return_inverse=True)
    order = np.argsort(np.array(systems, dtype=object))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    names = tuple(systems[i] for i in order)
    cells = Cells(rank[system_codes], unit_codes, repeat_codes, score)
    labels = [(units[r // len(repeats)], repeats[r % len(repeats)]) for r in runs.tolist()]
    places = cells.system * len(runs) + run
    if missing == "model" and len(np.unique(places)) == len(places) < len(names) * len(runs):
        return _partial_table(names, units, cells)
    _check_complete(places, names, labels, missing)
    table = np.full((len(names), len(runs)), np.nan)
    table.reshape(-1)[places] = score
    is_complete = ~np.isnan(table).any(axis=0)
    kept = np.unique(runs[is_complete] // len(repeats))
    if len(kept) < 2:
        raise ValueError(
            f"{WHERE}: units that all systems scored, got {len(kept)}; expected at least 2"
        )
    starts = np.searchsorted(runs[is_complete], kept * len(repeats))
    complete = np.ascontiguousarray(table[:, is_complete])
    chosen = tuple(units[i] for i in kept.tolist())
    return ScoreTable(names, chosen, complete, starts, _unit_means(complete, starts), cells)


def _partial_table(names: tuple[str, ...], units: Sequence[Any], cells: Cells) -> ScoreTable:
    """Table in which a system has its own repeats in a unit, or none."""
    shape = (len(units), len(names))
    place = cells.unit * len(names) + cells.system
    counts = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    sums = np.bincount(place, cells.score, shape[0] * shape[1]).reshape(shape)
    partial = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    kept = np.flatnonzero((counts > 0).all(axis=1))
    whole = partial[kept]
    starts, runs = np.arange(len(kept)), np.ascontiguousarray(whole.T)
    chosen = tuple(units[i] for i in kept.tolist())
    return ScoreTable(names, chosen, runs, starts, whole, cells, partial)


def thinned(cells: Cells) -> Cells:
    """The first MOST_UNITS units, and MOST_CELLS scores of each: of a system two repeats or more.

    The time of a fit grows with the number of units and the cube of their scores; what is left
    estimates the same.
    """
    if cells.unit.max() >= MOST_UNITS:
        first = cells.unit < MOST_UNITS
        cells = Cells(
            cells.system[first], cells.unit[first], cells.repeat[first], cells.score[first]
        )
    n_kept = max(2, MOST_CELLS // (int(cells.system.max()) + 1))
    order = np.lexsort((cells.repeat, cells.system, cells.unit))
    unit, system = cells.unit[order], cells.system[order]
    is_new = np.append(True, (unit[1:] != unit[:-1]) | (system[1:] != system[:-1]))
    starts = np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))
    kept = np.sort(order[np.arange(len(order)) - starts < n_kept])
    return Cells(cells.system[kept], cells.unit[kept], cells.repeat[kept], cells.score[kept])


def item_cells(columns: Mapping[str, Any], item: Sequence[Any]) -> ItemCells:
    """Rows of items with numbers for names; those of systems are the ones of the table."""
    names = [str(name) for name in columns["system"]]
    place = {name: i for i, name in enumerate(sorted(set(names)))}
    system = np.fromiter(map(place.__getitem__, names), np.int64, len(names))
    unit, repeat, items = (
        _encode(column)[0] for column in (columns["unit"], columns["repeat"], item)
    )
    return ItemCells(system, unit, repeat, items, columns["score"])


def item_means(columns: Mapping[str, Any], item: Sequence[Any]) -> dict[str, Any]:
    """Columns with one row per run, its score the mean over the run's items.

    Args:
        columns: `system`, `unit`, `repeat` and `score`, one row per item.
        item: Name of each row's item.

    Raises:
        ValueError: Systems were scored on different items of a run, or on one of them twice.
    """
    names = ("system", "unit", "repeat")
    codes = [_encode(columns[name])[0] for name in names]
    run = row_codes(*codes)
    items = _encode(item)[0]
    first = np.unique(run, return_index=True)[1]
    of_run = run * (int(items.max()) + 1) + items
    if len(np.unique(of_run)) < len(of_run):
        place = int(
            np.setdiff1d(np.arange(len(of_run)), np.unique(of_run, return_index=True)[1])[0]
        )
        got = ", ".join(f"{name} {columns[name][place]!r}" for name in names)
        raise ValueError(f"{WHERE}: {got}: item, got {item[place]!r} again; expected it once")
    _check_items(codes, items, run, first, columns)
    means = np.bincount(run, weights=columns["score"]) / np.bincount(run)
    return {name: [columns[name][i] for i in first] for name in names} | {"score": means}


def _check_items(
    codes: Sequence[IntArray],
    items: IntArray,
    run: IntArray,
    first: IntArray,
    columns: Mapping[str, Any],
) -> None:
    """Raises a ValueError where systems have different items in a repeat of a unit."""
    weights = np.random.default_rng(0).integers(1, 2**40, int(items.max()) + 1)
    sums = np.zeros(len(first), np.int64)  # of random numbers: equal for equal sets of items
    np.add.at(sums, run, weights[items])
    seen: dict[tuple[int, int], tuple[int, int]] = {}
    for place, total in zip(first.tolist(), sums.tolist(), strict=True):
        key = (int(codes[1][place]), int(codes[2][place]))
        other, expected = seen.setdefault(key, (place, total))
        if expected != total:
            pair = f"{columns['system'][place]!r} and {columns['system'][other]!r}"
            raise ValueError(
                f"{WHERE}: unit {columns['unit'][place]!r}: items, got different ones for {pair};"
                " expected the same: leave out what one of them lacks"
            )


def row_codes(*columns: IntArray) -> IntArray:
    """Number of each distinct row of columns of numbers from 0, by their order, shape (n,)."""
    codes = columns[0]
    for column in columns[1:]:  # by one key, which is far faster than np.unique of rows
        codes = np.unique(codes * (int(column.max()) + 1) + column, return_inverse=True)[1]
    return np.unique(codes, return_inverse=True)[1]


def _encode(values: Sequence[Any]) -> tuple[IntArray, list[Any]]:
    distinct = list(dict.fromkeys(values))
    code = {value: i for i, value in enumerate(distinct)}
    return np.fromiter(map(code.__getitem__, values), np.int64, len(values)), distinct


def _check_complete(
    places: IntArray, systems: Sequence[str], runs: Sequence[tuple[Any, Any]], missing: str
) -> None:
    counts = np.bincount(places, minlength=len(systems) * len(runs))
    gaps = counts == 0 if missing == "refuse" else np.zeros_like(counts)
    advice = "one, since all systems are compared in every run; missing='drop' leaves the run out"
    for wrong, expected in ((counts > 1, "one"), (gaps, advice)):
        if wrong.any():
            cell = int(np.argmax(wrong))
            unit, repeat = runs[cell % len(runs)]
            place = f"system {systems[cell // len(runs)]!r}, unit {unit!r}, repeat {repeat!r}"
            raise ValueError(f"{WHERE}: {place}: got {counts[cell]} scores; expected {expected}")


def _unit_means(runs: FloatArray, starts: IntArray) -> FloatArray:
    """Mean over the repeats of each unit, shape (U, S), rounded once from the exact value."""
    n_runs = np.diff(np.append(starts, runs.shape[1]))
    if (n_runs == 1).all():
        return runs.T.copy()
    high, low = np.zeros((2, len(runs), len(starts)))
    for k in range(int(n_runs.max())):
        has = np.flatnonzero(n_runs > k)
        high[:, has], error = _exact_sum(high[:, has], runs[:, starts[has] + k])
        low[:, has] += error
    high, low = _exact_sum(high, low)
    means = _divide(high, low, n_runs.astype(float))
    # where the sum nearly cancels, or a value is too small or large, twice the digits may not do
    ends = starts + n_runs
    largest = np.stack(
        [np.abs(runs[:, a:b]).max(axis=1) for a, b in zip(starts, ends, strict=True)]
    )
    doubtful = ~((largest.T > 1e-140) & (largest.T < 1e140) & (np.abs(means) > 1e-9 * largest.T))
    for system, unit in np.argwhere(doubtful & (largest.T > 0)).tolist():
        values = runs[system, starts[unit] : ends[unit]].tolist()
        means[system, unit] = float(sum(map(Fraction, values)) / len(values))
    return np.ascontiguousarray(means.T)


def _exact_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rounded sum and what rounding took from it (Knuth's two-sum)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _divide(high: FloatArray, low: FloatArray, n: FloatArray) -> FloatArray:
    """(high + low) / n, rounded once: the quotient of the high part, and of what it leaves."""
    quotient = high / n
    product = quotient * n
    big = quotient * 134217729.0  # 2^27 + 1: splits the quotient in two halves (Dekker)
    head = big - (big - quotient)
    error = (head * n - product) + (quotient - head) * n
    rest: FloatArray = quotient + (((high - product) - error) + low) / n
    return rest
