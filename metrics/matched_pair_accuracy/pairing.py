"""Matches question rows into plausible-implausible pairs.

From columns of rows to `MatchedPairs`, arrays with one place per pair; rows that do not pair up
are an error that names them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..columns import BoolArray, IntArray, shown, to_list
from .inputs import CONDITIONS

Labels = npt.NDArray[np.object_]

NO_LABELS: Labels = np.array([], dtype=object)

CORE_TYPES = ("action_performed", "agent_identification", "nested_dependency")
CONVENTION_TYPES = ("causal_sequence", "chain_consequence")
COUNT_TYPE = "entity_count"
DIFFICULTY = {
    "action_performed": "easy",
    "agent_identification": "easy",
    "entity_count": "medium",
    "nested_dependency": "medium",
    "causal_sequence": "hard",
    "chain_consequence": "hard",
}


class MatchedPairs(NamedTuple):
    """Question pairs; m of them.

    Attributes:
        rows: Row of the plausible and of the implausible member, shape (m, 2); -1 where a member
            is missing.
        cluster: Number of the sentence pair that a question pair belongs to, the unit that was
            sampled, shape (m,).
        n_clusters: Number of sentence pairs.
        labels: What the members share, by column name: `level`, `depth`, `question_type`,
            `difficulty`, `domain`; only what the rows have.
    """

    rows: IntArray
    cluster: IntArray
    n_clusters: int
    labels: dict[str, Labels]

    def are(self, name: str, values: Sequence[Any]) -> BoolArray:
        """Which pairs have one of the values under a label; none where the rows lack it."""
        labels = self.labels.get(name)
        return (
            np.isin(labels, values) if labels is not None else np.zeros(len(self.rows), dtype=bool)
        )

    @property
    def are_core(self) -> BoolArray:
        """Which pairs ask about structure alone; all where the rows have no question type."""
        return (
            self.are("question_type", CORE_TYPES)
            if "question_type" in self.labels
            else np.ones(len(self.rows), dtype=bool)
        )


def match_pairs(where: str, columns: Mapping[str, Any]) -> MatchedPairs:
    """Matches rows by `pair_id` and, where the rows have them, `depth` and `question_type`.

    Args:
        where: What the rows are, for messages.
        columns: `answer`, `pair_id`, `condition` and any of the further fields but `events`, one
            value per row, as `inputs.INPUTS` reads them.

    Raises:
        ValueError: A row has no pair, a member is there twice, or members differ in what they must
            share.
    """
    values = {name: to_list(column) for name, column in columns.items() if name != "answer"}
    if "" in values["pair_id"]:
        i = values["pair_id"].index("")
        raise ValueError(
            f"{where}[{i}]: pair_id, got ''; expected the id that both members of a pair share"
        )
    keys = list(
        zip(
            *(values[name] for name in ("pair_id", "depth", "question_type") if name in values),
            strict=True,
        )
    )
    members = [
        _rows_by_key(where, condition, keys, values["condition"]) for condition in CONDITIONS
    ]
    rows = np.array(
        [[of_condition.get(key, -1) for of_condition in members] for key in dict.fromkeys(keys)],
        dtype=np.int64,
    )
    labels = {
        str(name): _shared(where, name, values[name], rows)
        for name in ("level", "depth", "question_type", "domain")
        if name in values
    }
    if "question_type" in labels:
        labels["difficulty"] = np.array(
            [DIFFICULTY[name] for name in labels["question_type"]], dtype=object
        )
    cluster, n_clusters = _clusters(values, rows)
    return MatchedPairs(rows, cluster, n_clusters, labels)


def _rows_by_key(
    where: str, condition: str, keys: list[tuple[Any, ...]], conditions: list[str]
) -> dict[tuple[Any, ...], int]:
    rows: dict[tuple[Any, ...], int] = {}
    for i, (key, found) in enumerate(zip(keys, conditions, strict=True)):
        if found == condition and rows.setdefault(key, i) != i:
            raise ValueError(
                f"{where}[{i}]: pair {_shown(key)}, got a second {condition} member (the first is "
                f"row {rows[key]}); expected one"
            )
    return rows


def _shared(where: str, name: str, values: list[Any], rows: IntArray) -> Labels:
    for first, second in rows[(rows >= 0).all(axis=1)].tolist():
        if values[first] != values[second]:
            got = (
                f"{shown(values[first])} in row {first} and {shown(values[second])} in row {second}"
            )
            raise ValueError(
                f"{where}: {name} of one pair, got {got}; expected one value, its members differ "
                f"in condition only"
            )
    labels: Labels = np.array(values, dtype=object)[rows.max(axis=1)]
    return labels


def _clusters(values: Mapping[str, list[Any]], rows: IntArray) -> tuple[IntArray, int]:
    """Number of the sentence pair of each question pair, told from its plausible sentence."""
    pairs, sentences = values["pair_id"], values.get("sentence_id", values["pair_id"])
    first = {
        pair: sentence
        for pair, sentence, condition in zip(pairs, sentences, values["condition"], strict=True)
        if condition == CONDITIONS[0]
    }
    numbers: dict[Any, int] = {}
    cluster = [
        numbers.setdefault(first.get(pairs[row], sentences[row]), len(numbers))
        for row in rows.max(axis=1).tolist()
    ]
    return np.array(cluster, dtype=np.int64), len(numbers)


def _shown(key: tuple[Any, ...]) -> str:
    return " / ".join(map(str, key))
