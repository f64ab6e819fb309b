"""Gold clauses: what `subject_object_las` reads from references, the rows of the data set `sorts`.

A clause has a tree, its subject and its object (0-based), and may say what it belongs to: word
order, properties, item, base triple, and what settles which phrase is the subject. What a reference
does not say is not scored; nothing is guessed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..columns import IntArray, check_ids
from .inventory import NO_PROPERTY, PROPERTIES, RESOLVED_BY, WORD_ORDERS
from .trees import Trees, read_trees, to_lists


class Grouping(NamedTuple):
    """A division of n clauses into named groups; a clause may be in several, or in none.

    Attributes:
        names: Names of the groups.
        clauses: Clause of each membership, shape (m,).
        groups: Group of each membership as an index into `names`, shape (m,).
    """

    names: tuple[str, ...]
    clauses: IntArray
    groups: IntArray


NO_GROUPING = Grouping((), np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True, eq=False)
class Clauses:
    """n gold clauses.

    Attributes:
        trees: Their trees; words other than subject, object and main verb may be unlabelled.
        subjects: Shape (n,); 0-based.
        objects: Likewise.
        ids: n names, for messages and rows; None where references have none.
        word_order: Grouping by word order, `properties` by property, `item` by item, `triple` by
            base triple, `resolved_by` by what settles the clause; without groups where references
            do not say.
    """

    trees: Trees
    subjects: IntArray
    objects: IntArray
    ids: list[str] | None
    word_order: Grouping
    properties: Grouping
    item: Grouping
    triple: Grouping
    resolved_by: Grouping

    @property
    def n(self) -> int:
        """Number of clauses."""
        return len(self.subjects)


def read_clauses(where: str, columns: Mapping[str, Any]) -> Clauses:
    """Gold clauses from columns.

    Args:
        where: What they are, for messages.
        columns: `heads`, `deprels`, `subject`, `object`, and perhaps `tokens`, `id`, `word_order`,
            `properties`, `item_id`, `triple_id`, `resolved_by`, as `inputs.INPUTS` reads them.

    Raises:
        ValueError: An index is outside its clause, a subject or object is unlabelled, a name is
            unknown, or an id occurs twice.
    """
    trees = read_trees(where, columns)
    subjects, objects = columns["subject"], columns["object"]
    _check_arguments(trees, subjects, objects)
    ids = columns.get("id")
    if ids is not None:
        check_ids(where, ids)
    return Clauses(
        trees,
        subjects,
        objects,
        ids,
        word_order=_closed_grouping(where, columns, "word_order", WORD_ORDERS),
        properties=_property_grouping(where, columns),
        item=_open_grouping(columns.get("item_id")),
        triple=_open_grouping(columns.get("triple_id")),
        resolved_by=_closed_grouping(where, columns, "resolved_by", RESOLVED_BY),
    )


def group_of_clause(grouping: Grouping, n: int) -> IntArray:
    """Group of each of n clauses that are in one group at most, -1 for none; shape (n,)."""
    groups = np.full(n, -1)
    groups[grouping.clauses] = grouping.groups
    return groups


def restrict(grouping: Grouping, clauses: IntArray) -> Grouping:
    """Grouping of some clauses, which keep their numbers; groups that lose all are dropped."""
    is_wanted = np.zeros(
        int(max(grouping.clauses.max(initial=-1), clauses.max(initial=-1))) + 1, bool
    )
    is_wanted[clauses] = True
    is_kept = is_wanted[grouping.clauses]
    found, groups = _renumbered(grouping.groups[is_kept])
    return Grouping(tuple(grouping.names[i] for i in found), grouping.clauses[is_kept], groups)


def cross(first: Grouping, second: Grouping) -> tuple[Grouping, list[tuple[str, str]]]:
    """Groups of clauses that share a group of each, and the two names of each new group.

    A clause may be in several groups of `first`, in one of `second`.
    """
    n = int(max(first.clauses.max(initial=-1), second.clauses.max(initial=-1))) + 1
    others = group_of_clause(second, n)[first.clauses]
    is_kept = others >= 0
    width = max(len(second.names), 1)
    found, groups = _renumbered(first.groups[is_kept] * width + others[is_kept])
    names = [(first.names[code // width], second.names[code % width]) for code in found]
    return Grouping(tuple(map(" ".join, names)), first.clauses[is_kept], groups), names


def _renumbered(groups: IntArray) -> tuple[list[int], IntArray]:
    """Groups that occur, in order, and the place in that list of each."""
    occurs = np.bincount(groups) > 0
    return np.flatnonzero(occurs).tolist(), (np.cumsum(occurs) - 1)[groups]


def _check_arguments(trees: Trees, subjects: IntArray, objects: IntArray) -> None:
    lengths = np.diff(trees.offsets)
    for role, words in (("subject", subjects), ("object", objects)):
        if len(bad := np.flatnonzero((words < 0) | (words >= lengths))):
            i = bad[0]
            raise ValueError(
                f"{trees.where}[{i}]: {role}, got {words[i]}; expected a word from 0 to "
                f"{lengths[i] - 1}"
            )
        if len(bad := np.flatnonzero(trees.heads[trees.offsets[:-1] + words] < 1)):
            raise ValueError(
                f"{trees.where}[{bad[0]}]: heads, got no head for the {role}; expected the main "
                f"verb"
            )
    if len(bad := np.flatnonzero(subjects == objects)):
        raise ValueError(
            f"{trees.where}[{bad[0]}]: object, got {objects[bad[0]]}, the subject; expected "
            f"another word"
        )


def _closed_grouping(
    where: str, columns: Mapping[str, Any], field: str, names: tuple[str, ...]
) -> Grouping:
    grouping = _open_grouping(columns.get(field))
    for group, name in enumerate(grouping.names):
        if name not in names:
            i = grouping.clauses[grouping.groups == group][0]
            raise ValueError(
                f"{where}[{i}]: {field}, got {name!r}; expected one of {', '.join(names)}"
            )
    order = [names.index(name) for name in grouping.names]
    return _sorted(grouping, order)


def _property_grouping(where: str, columns: Mapping[str, Any]) -> Grouping:
    if "properties" not in columns:
        return NO_GROUPING
    lists = to_lists(columns["properties"], pa.string())
    clauses = np.repeat(np.arange(len(lists)), lists.value_lengths().to_numpy())
    grouping = _grouping(clauses, lists.flatten())
    for group, name in enumerate(grouping.names):
        if name not in (NO_PROPERTY, *PROPERTIES):
            i = grouping.clauses[grouping.groups == group][0]
            raise ValueError(
                f"{where}[{i}]: properties, got {name!r}; expected some of "
                f"{', '.join((NO_PROPERTY, *PROPERTIES))}"
            )
    if NO_PROPERTY in grouping.names:
        is_class = grouping.groups != grouping.names.index(NO_PROPERTY)
        found, groups = _renumbered(grouping.groups[is_class])
        grouping = Grouping(
            tuple(grouping.names[i] for i in found), grouping.clauses[is_class], groups
        )
    return _sorted(grouping, [PROPERTIES.index(name) for name in grouping.names])


def _open_grouping(names: list[str | None] | None) -> Grouping:
    if names is None:
        return NO_GROUPING
    values = pa.array(names, pa.string())
    has_value = values.is_valid().to_numpy(zero_copy_only=False)
    return _grouping(np.flatnonzero(has_value), values.drop_null())


def _grouping(clauses: IntArray, values: pa.Array) -> Grouping:
    encoded = values.dictionary_encode()
    names = tuple(str(name) for name in encoded.dictionary.to_pylist())
    return Grouping(names, clauses, encoded.indices.to_numpy().astype(np.int64))


def _sorted(grouping: Grouping, order: list[int]) -> Grouping:
    ranks = np.argsort(order)
    new = np.empty(len(ranks), np.int64)
    new[ranks] = np.arange(len(ranks))
    return Grouping(tuple(grouping.names[i] for i in ranks), grouping.clauses, new[grouping.groups])
