"""Divisions of a metric's units into named groups, such as clauses by word order.

What a reference does not say puts its unit into no group; nothing is guessed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .columns import IntArray


class Grouping(NamedTuple):
    """A division of n units into named groups; a unit may be in several, or in none.

    Attributes:
        names: Names of the groups.
        units: Unit of each membership, shape (m,).
        groups: Group of each membership as an index into `names`, shape (m,).
    """

    names: tuple[str, ...]
    units: IntArray
    groups: IntArray


NO_GROUPING = Grouping((), np.zeros(0, np.int64), np.zeros(0, np.int64))


def open_grouping(names: Sequence[str | None] | None) -> Grouping:
    """Units by name, shape (n,) with None for none, in the order in which names occur first."""
    if names is None:
        return NO_GROUPING
    values = pa.array(names, pa.string())
    has_value = values.is_valid().to_numpy(zero_copy_only=False)
    return encoded_grouping(np.flatnonzero(has_value), values.drop_null())


def closed_grouping(
    where: str, columns: Mapping[str, Any], field: str, names: Sequence[str]
) -> Grouping:
    """Units by a field whose values are a closed set, in the order of the set.

    Raises:
        ValueError: Names the first unit of a value that the set lacks.
    """
    grouping = open_grouping(columns.get(field))
    check_closed(where, field, grouping, names, "one of")
    return in_order(grouping, names)


def encoded_grouping(units: IntArray, values: pa.Array) -> Grouping:
    """Grouping of memberships: unit and name of each, shape (m,)."""
    encoded = values.dictionary_encode()
    names = tuple(str(name) for name in encoded.dictionary.to_pylist())
    return Grouping(names, units, encoded.indices.to_numpy().astype(np.int64))


def check_closed(
    where: str, field: str, grouping: Grouping, names: Sequence[str], expected: str
) -> None:
    """Raises a ValueError that names the first unit of a group that is not among `names`."""
    for group, name in enumerate(grouping.names):
        if name not in names:
            i = grouping.units[grouping.groups == group][0]
            raise ValueError(
                f"{where}[{i}]: {field}, got {name!r}; expected {expected} {', '.join(names)}"
            )


def in_order(grouping: Grouping, names: Sequence[str]) -> Grouping:
    """Same grouping with its groups in the order of `names`."""
    ranks = np.argsort([names.index(name) for name in grouping.names])
    new = np.empty(len(ranks), np.int64)
    new[ranks] = np.arange(len(ranks))
    return Grouping(tuple(grouping.names[i] for i in ranks), grouping.units, new[grouping.groups])


def group_of_unit(grouping: Grouping, n: int) -> IntArray:
    """Group of each of n units that are in one group at most, -1 for none; shape (n,)."""
    groups = np.full(n, -1)
    groups[grouping.units] = grouping.groups
    return groups


def name_of_unit(grouping: Grouping, n: int) -> list[str | None]:
    """Name of the group of each of n units that are in one group at most, None for none."""
    groups = group_of_unit(grouping, n).tolist()
    return [grouping.names[group] if group >= 0 else None for group in groups]


def restrict(grouping: Grouping, units: IntArray) -> Grouping:
    """Grouping of some units, which keep their numbers; groups that lose all are dropped."""
    is_wanted = np.zeros(int(max(grouping.units.max(initial=-1), units.max(initial=-1))) + 1, bool)
    is_wanted[units] = True
    return keep(grouping, is_wanted[grouping.units])


def keep(grouping: Grouping, is_kept: Any) -> Grouping:
    """Grouping of some memberships, shape (m,); groups that lose all are dropped."""
    found, groups = _renumbered(grouping.groups[is_kept])
    return Grouping(tuple(grouping.names[i] for i in found), grouping.units[is_kept], groups)


def cross(first: Grouping, second: Grouping) -> tuple[Grouping, list[tuple[str, str]]]:
    """Groups of units that share a group of each, and the two names of each new group.

    A unit may be in several groups of `first`, in one of `second`.
    """
    n = int(max(first.units.max(initial=-1), second.units.max(initial=-1))) + 1
    others = group_of_unit(second, n)[first.units]
    is_kept = others >= 0
    width = max(len(second.names), 1)
    found, groups = _renumbered(first.groups[is_kept] * width + others[is_kept])
    names = [(first.names[code // width], second.names[code % width]) for code in found]
    return Grouping(tuple(map(" ".join, names)), first.units[is_kept], groups), names


def _renumbered(groups: IntArray) -> tuple[list[int], IntArray]:
    """Groups that occur, in order, and the place in that list of each."""
    occurs = np.bincount(groups) > 0
    return np.flatnonzero(occurs).tolist(), (np.cumsum(occurs) - 1)[groups]
