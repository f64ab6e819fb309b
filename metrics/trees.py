"""Dependency trees as flat columns, whatever type predictions and references come in.

Lists or Arrow arrays of them, as `inputs` reads them, go in; out come one array of heads, one of
labels and one of tokens over all sentences, with the offsets of the sentences. Every error names
the input, the sentence, the value found and what was expected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .columns import IntArray
from .values import Values

UNLABELLED, NO_LABEL = -1, "_"
LONGEST = 1_000_000  # words of a clause
TREE = {
    "heads": Values(
        "whole",
        "1-based, 0 for the root",
        depth=1,
        low=0,
        high=LONGEST,
        has_none=True,
        keeps_arrow=True,
    ),
    "deprels": Values("text", "one label per word", depth=1, has_none=True, keeps_arrow=True),
    "tokens": Values("text", "the words", depth=1, is_optional=True, keeps_arrow=True),
}


@dataclass(frozen=True, eq=False)
class Trees:
    """n sentences with t words in all.

    Attributes:
        where: What they are, for messages.
        offsets: Shape (n + 1,); sentence i is the words [offsets[i], offsets[i + 1]).
        heads: Shape (t,); 1-based within the sentence, 0 the root, -1 unlabelled.
        deprels: t labels.
        tokens: t tokens, or None.
    """

    where: str
    offsets: IntArray
    heads: IntArray
    deprels: pa.StringArray
    tokens: pa.StringArray | None

    @property
    def n(self) -> int:
        """Number of sentences."""
        return len(self.offsets) - 1

    @property
    def head_positions(self) -> IntArray:
        """Heads as positions in the flat arrays: shape (t,), -1 for the root, -2 for unlabelled."""
        firsts = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        return np.where(self.heads > 0, firsts + self.heads - 1, self.heads - 1)

    def words(self, sentence: int) -> list[str] | None:
        """Tokens of a sentence, None where there are none."""
        return (
            None
            if self.tokens is None
            else self.tokens[self.offsets[sentence] : self.offsets[sentence + 1]].to_pylist()
        )

    def sentence_of(self, word: int) -> int:
        """Sentence in which a word is."""
        return int(np.searchsorted(self.offsets, word, side="right")) - 1


def as_tables(where: str, given: Any) -> Any:
    """A data set's rows as an Arrow table; other rows as they are."""
    return given.with_format("arrow")[:] if hasattr(given, "with_format") else given


def read_trees(where: str, columns: Mapping[str, Any]) -> Trees:
    """Trees of columns `heads`, `deprels` and perhaps `tokens`, one list per sentence each.

    Args:
        where: What they are, for messages.
        columns: As `inputs.INPUTS` or a treebank gives them. A head is 1-based, 0 the root, None
            unlabelled.

    Raises:
        ValueError: Lists differ in length, or a head is outside the sentence or the word itself.
    """
    offsets, heads = _flatten(where, "heads", columns["heads"], pa.int32())
    label_offsets, deprels = _flatten(where, "deprels", columns["deprels"], pa.string())
    _check_offsets(where, "deprels", label_offsets, offsets)
    tokens = None
    if "tokens" in columns:
        token_offsets, tokens = _flatten(where, "tokens", columns["tokens"], pa.string())
        _check_offsets(where, "tokens", token_offsets, offsets)
    trees = Trees(
        where,
        offsets,
        heads.fill_null(UNLABELLED).to_numpy().astype(np.int64),
        deprels.fill_null(NO_LABEL),
        tokens,
    )
    _check_heads(trees)
    return trees


def check_parsed(trees: Trees, words: IntArray, roles: Sequence[str]) -> None:
    """Raises a ValueError where a word that is scored has no head or no label.

    Args:
        trees: n sentences.
        words: Positions of k words of each in the flat arrays, shape (n, k).
        roles: What each of the k words is, for the message.
    """
    has_label = pc.not_equal(trees.deprels, NO_LABEL).to_numpy(zero_copy_only=False)
    for is_bad, field, got, expected in (
        (trees.heads < 0, "heads", "None", "the number of a word, or 0"),
        (~has_label, "deprels", "no label", "a relation"),
    ):
        if len(bad := np.argwhere(is_bad[words])):
            i, role = bad[0]
            raise ValueError(
                f"{trees.where}[{i}]: {field}, got {got} for the {roles[role]}; expected {expected}"
            )


def _flatten(where: str, field: str, column: Any, kind: pa.DataType) -> tuple[IntArray, pa.Array]:
    lists = to_lists(column, kind)
    offsets = lists.offsets.to_numpy().astype(np.int64)
    if len(empty := np.flatnonzero(np.diff(offsets) == 0)):
        raise ValueError(f"{where}[{empty[0]}]: {field}, got no words; expected at least one")
    return offsets - offsets[0], lists.flatten()


def to_lists(column: Any, kind: pa.DataType) -> pa.ListArray:
    """Lists as one Arrow array; their values were checked when they were read."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.Array):
        return column if column.type == pa.list_(kind) else column.cast(pa.list_(kind))
    return pa.array(column, pa.list_(kind))


def _check_offsets(where: str, field: str, offsets: IntArray, head_offsets: IntArray) -> None:
    if len(bad := np.flatnonzero(np.diff(offsets) != np.diff(head_offsets))):
        i = bad[0]
        n, n_heads = np.diff(offsets)[i], np.diff(head_offsets)[i]
        raise ValueError(
            f"{where}[{i}]: {field}, got {n} but {n_heads} heads; expected one of each per word"
        )


def _check_heads(trees: Trees) -> None:
    lengths = np.diff(trees.offsets)
    ids = np.arange(len(trees.heads)) - np.repeat(trees.offsets[:-1], lengths) + 1
    limits = np.repeat(lengths, lengths)
    is_bad = (trees.heads > limits) | (trees.heads < UNLABELLED) | (trees.heads == ids)
    if len(bad := np.flatnonzero(is_bad)):
        i, word = trees.sentence_of(bad[0]), ids[bad[0]]
        expected = f"0 to {limits[bad[0]]}, 0 for the root, not the word itself"
        raise ValueError(
            f"{trees.where}[{i}]: heads, got {trees.heads[bad[0]]} for word {word}; expected "
            f"{expected}"
        )
