"""Rows of scores (system, unit, repeat, score) as one complete table.

Every system is scored in every repeat of every unit.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..columns import FloatArray, IntArray

WHERE = "ranking_generalizability"


class ScoreTable(NamedTuple):
    """Scores of S systems in U units, each with its own repeats.

    Attributes:
        systems: Names, sorted; the rows of `runs` and the columns of `unit_scores`.
        units: Names in order of first appearance.
        runs: Shape (S, C): one column per repeat of a unit, the repeats of a unit side by side.
        starts: First column of each unit, shape (U,).
        unit_scores: Shape (U, S): mean over the repeats of the unit, exactly rounded, so that equal
            scores tie.
    """

    systems: tuple[str, ...]
    units: tuple[Any, ...]
    runs: FloatArray
    starts: IntArray
    unit_scores: FloatArray

    @property
    def n_repeats(self) -> IntArray:
        """Number of repeats of each unit, shape (U,)."""
        return np.diff(np.append(self.starts, self.runs.shape[1]))


def make_table(
    system: Sequence[Any], unit: Sequence[Any], repeat: Sequence[Any], score: FloatArray
) -> ScoreTable:
    """Builds the table from rows in any order.

    Args:
        system: Name of the system of each row.
        unit: What was sampled (data set, draw, language) and scored by all systems.
        repeat: Which run on that unit (split, seed); the same for all systems, as they are compared
            run by run.
        score: Finite numbers.

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
    cells = rank[system_codes] * len(runs) + run
    names = tuple(systems[i] for i in order)
    _check_complete(
        cells, names, [(units[r // len(repeats)], repeats[r % len(repeats)]) for r in runs.tolist()]
    )
    table = np.empty((len(names), len(runs)))
    table.reshape(-1)[cells] = score
    starts = np.searchsorted(runs, np.arange(len(units)) * len(repeats))
    return ScoreTable(names, tuple(units), table, starts, _unit_means(table, starts))


def _encode(values: Sequence[Any]) -> tuple[IntArray, list[Any]]:
    distinct = list(dict.fromkeys(values))
    code = {value: i for i, value in enumerate(distinct)}
    return np.fromiter(map(code.__getitem__, values), np.int64, len(values)), distinct


def _check_complete(
    cells: IntArray, systems: Sequence[str], runs: Sequence[tuple[Any, Any]]
) -> None:
    counts = np.bincount(cells, minlength=len(systems) * len(runs))
    for wrong, expected in (
        (counts > 1, "one"),
        (counts == 0, "one, since all systems are compared in every run"),
    ):
        if wrong.any():
            cell = int(np.argmax(wrong))
            unit, repeat = runs[cell % len(runs)]
            place = f"system {systems[cell // len(runs)]!r}, unit {unit!r}, repeat {repeat!r}"
            raise ValueError(f"{WHERE}: {place}: got {counts[cell]} scores; expected {expected}")


def _unit_means(runs: FloatArray, starts: IntArray) -> FloatArray:
    ends = np.append(starts[1:], runs.shape[1])
    if (ends - starts == 1).all():
        return runs.T.copy()
    bounds = list(zip(starts.tolist(), ends.tolist(), strict=True))
    sums = [[math.fsum(row[a:b]) for a, b in bounds] for row in runs.tolist()]
    return (np.array(sums) / (ends - starts)).T
