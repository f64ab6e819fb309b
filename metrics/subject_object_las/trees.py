"""Dependency trees as flat columns, whatever type predictions and references come in.

Lists of dicts, Arrow tables, pandas frames and datasets go in; out come one array of heads, one of
labels and one of tokens over all sentences, with the offsets of the sentences. Every error names
the input, the sentence, the value found and what was expected.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..columns import IntArray, read_columns, to_list

UNLABELLED, NO_LABEL = -1, "_"
CONVERSION_ERRORS = (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError, TypeError)


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


def read_trees(where: str, rows: Any) -> Trees:
    """Trees of rows with `heads`, `deprels` and perhaps `tokens`, one list per sentence each.

    Args:
        where: What they are, for messages.
        rows: A dataset, Arrow table, frame, dict of columns or list of dicts. A head is 1-based, 0
            the root, None unlabelled.

    Raises:
        ValueError: Lists differ in length, a head is outside the sentence or the word itself, or a
            value is of another kind.
    """
    rows = to_table(rows)
    columns = read_columns(where, rows, ("heads", "deprels"))
    offsets, heads = _flatten(where, "heads", columns["heads"], pa.int32())
    label_offsets, deprels = _flatten(where, "deprels", columns["deprels"], pa.string())
    _check_offsets(where, "deprels", label_offsets, offsets)
    token_column = optional_column(where, rows, "tokens")
    tokens = None
    if token_column is not None:
        token_offsets, tokens = _flatten(where, "tokens", token_column, pa.string())
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


def to_table(rows: Any) -> Any:
    """Arrow table of a `datasets.Dataset`; other rows as they are."""
    return rows.with_format("arrow")[:] if hasattr(rows, "with_format") else rows


def optional_column(where: str, rows: Any, field: str) -> Any | None:
    """Column that rows may have; None where they lack it or it has no value at all.

    Raises:
        ValueError: Only some of a list of dicts have the field.
    """
    if not _has_field(rows, field):
        return None
    column = read_columns(where, rows, (field,))[field]
    is_empty = (
        column.null_count == len(column)
        if hasattr(column, "null_count")
        else all(value is None for value in column)
    )
    return None if is_empty else column


def _has_field(rows: Any, field: str) -> bool:
    for attribute in ("column_names", "columns"):  # Arrow, pandas
        if (names := getattr(rows, attribute, None)) is not None:
            return field in names
    return (
        field in rows if isinstance(rows, Mapping) else any(field in row for row in to_list(rows))
    )


def _flatten(where: str, field: str, column: Any, kind: pa.DataType) -> tuple[IntArray, pa.Array]:
    lists = _to_lists(where, field, column, kind)
    if lists.null_count:
        i = int(np.flatnonzero(lists.is_null().to_numpy(zero_copy_only=False))[0])
        raise ValueError(f"{where}[{i}]: {field}, got None; expected one value per word")
    offsets = lists.offsets.to_numpy().astype(np.int64)
    if len(empty := np.flatnonzero(np.diff(offsets) == 0)):
        raise ValueError(f"{where}[{empty[0]}]: {field}, got no words; expected at least one")
    return offsets - offsets[0], lists.flatten()


def _to_lists(where: str, field: str, column: Any, kind: pa.DataType) -> pa.ListArray:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if not isinstance(column, pa.Array):
        column = to_list(column)
    try:
        return _cast(column if isinstance(column, pa.Array) else pa.array(column), kind)
    except CONVERSION_ERRORS as error:
        raise ValueError(
            f"{where}{_first_bad(column, kind)}: {field}, got {error}; expected a list of {kind} "
            f"per sentence"
        ) from None


def _cast(array: pa.Array, kind: pa.DataType) -> pa.ListArray:
    """Casts lists; text is never taken for a number, nor a number for text."""
    if array.type == pa.list_(kind):
        return array
    value = getattr(array.type, "value_type", None)
    is_number = value is not None and (pa.types.is_integer(value) or pa.types.is_floating(value))
    is_text = value is not None and (pa.types.is_string(value) or pa.types.is_large_string(value))
    is_allowed = is_number if pa.types.is_integer(kind) else is_text
    if (
        not is_allowed
        and not (value is not None and pa.types.is_null(value))
        and not pa.types.is_null(array.type)
    ):
        raise pa.ArrowInvalid(f"{array.type}")
    return array.cast(pa.list_(kind))


def _first_bad(column: Any, kind: pa.DataType) -> str:
    for i, value in enumerate(to_list(column)):
        try:
            _cast(pa.array([value]), kind)
        except CONVERSION_ERRORS:
            return f"[{i}]"
    return ""


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
