"""Gold clauses: what `subject_object_las` reads from references, the rows of the data set `sorts`.

A clause has a tree, its subject and its object (0-based), and may say what it belongs to: word
order, properties, item, base triple, and what settles which phrase is the subject. What a reference
does not say is not scored; nothing is guessed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..columns import IntArray, check_ids
from ..groupings import (
    NO_GROUPING,
    Grouping,
    check_closed,
    closed_grouping,
    encoded_grouping,
    in_order,
    keep,
    open_grouping,
)
from ..trees import Trees, read_trees, to_lists
from .inventory import NO_PROPERTY, PROPERTIES, RESOLVED_BY, WORD_ORDERS


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
        word_order=closed_grouping(where, columns, "word_order", WORD_ORDERS),
        properties=_property_grouping(where, columns),
        item=open_grouping(columns.get("item_id")),
        triple=open_grouping(columns.get("triple_id")),
        resolved_by=closed_grouping(where, columns, "resolved_by", RESOLVED_BY),
    )


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


def _property_grouping(where: str, columns: Mapping[str, Any]) -> Grouping:
    if "properties" not in columns:
        return NO_GROUPING
    lists = to_lists(columns["properties"], pa.string())
    clauses = np.repeat(np.arange(len(lists)), lists.value_lengths().to_numpy())
    grouping = encoded_grouping(clauses, lists.flatten())
    check_closed(where, "properties", grouping, (NO_PROPERTY, *PROPERTIES), "some of")
    if NO_PROPERTY in grouping.names:
        grouping = keep(grouping, grouping.groups != grouping.names.index(NO_PROPERTY))
    return in_order(grouping, PROPERTIES)
