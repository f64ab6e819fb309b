"""What the viewer shows above each column: kind of values, how many are missing, a histogram.

The kinds and their bounds are the viewer's: a string column with few values is shown by value, any
other by the lengths of its texts. Where its computation fails for one column, the split has no
statistics at all, so `ColumnCount.failure` says for which columns it does.

Source: the dataset viewer's `libcommon/statistics_utils.py` (2026), restated.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

MOST_LABELS = 1000
LARGEST_LABEL_SHARE = 0.2  # of different values among all
FEW_LABELS = 10  # so few values are labels whatever their share
BINS = 10


@dataclass(frozen=True)
class ColumnStatistics:
    """Statistics of one column.

    Attributes:
        kind: `string_label`, `string_text`, `bool`, `int`, `float`, `list` or `struct`, as the
            viewer calls them.
        n_missing: Nulls.
        counts: Values or ranges and how many rows have them, the most frequent label first, ranges
            in order.
        summary: One line: distinct values, or the range of values or lengths.
    """

    kind: str
    n_missing: int
    counts: Mapping[str, int]
    summary: str


class ColumnCount:
    """What decides how the viewer shows a column, counted part by part, in little memory.

    Attributes:
        n: Values, null or not.
        labels: Distinct values of a string column, null among them; once there are more than the
            viewer shows as labels, those that came before.
    """

    def __init__(self, parts: Iterable[pa.ChunkedArray] = ()) -> None:
        """Counts all parts of a column."""
        self.n, self.labels = 0, set[str | None]()
        self._kind: pa.DataType = pa.null()
        self._n_numbers, self._low, self._high = 0, math.inf, -math.inf
        for part in parts:
            self.add(part)

    def add(self, part: pa.ChunkedArray) -> None:
        """Counts a further part."""
        self._kind, self.n = part.type, self.n + len(part)
        if _is_string(part.type) and len(self.labels) <= MOST_LABELS:
            self.labels |= set(pc.unique(part).to_pylist())
        numbers = _numbers(part)
        if numbers is not None and len(numbers):
            low, high = pc.min_max(numbers).as_py().values()
            self._n_numbers += len(numbers)
            self._low, self._high = min(self._low, low), max(self._high, high)

    @property
    def is_shown_as_labels(self) -> bool:
        """Whether the viewer shows a string column by its values; null counts as one of them."""
        n = len(self.labels)
        share = LARGEST_LABEL_SHARE * max(self.n, 1)
        return n <= FEW_LABELS or (n <= MOST_LABELS and n <= share)

    @property
    def failure(self) -> str:
        """Why the viewer's computation fails for the column, and so for its split; "" if not.

        It fails where whole numbers (values, lengths of lists, lengths of texts that are no labels)
        span exactly two consecutive ones, since one bin then has two edges that differ, and where a
        column of numbers has a single value, since that has no standard deviation.
        """
        if not self._n_numbers or (_is_string(self._kind) and self.is_shown_as_labels):
            return ""
        what = _name_of_numbers(self._kind)
        if self._n_numbers == 1:
            return f"a single value among {what}"
        if not pa.types.is_floating(self._kind) and self._high - self._low == 1:
            return f"{what} {self._low} and {self._high} only"
        return ""


def is_shown_as_labels(column: pa.ChunkedArray) -> bool:
    """Whether the viewer shows a string column by its values; null counts as one of them."""
    return ColumnCount([column]).is_shown_as_labels


def _numbers(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Numbers that the viewer makes a histogram of, without nulls; None where it makes none."""
    kind = column.type
    if _is_list(kind):
        return pc.list_value_length(column).drop_null()
    if _is_string(kind):
        return pc.utf8_length(column).drop_null()
    if pa.types.is_floating(kind):
        return column.filter(pc.invert(pc.is_nan(column))).drop_null()
    return column.drop_null() if pa.types.is_integer(kind) else None


def _name_of_numbers(kind: pa.DataType) -> str:
    if _is_list(kind):
        return "lengths of lists"
    if _is_string(kind):
        return "lengths of texts"
    return "numbers" if pa.types.is_floating(kind) else "whole numbers"


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _is_string(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def column_statistics(column: pa.ChunkedArray) -> ColumnStatistics:
    """Statistics of a column; an Arrow error where its type has none."""
    kind = column.type
    if pa.types.is_struct(kind):
        return ColumnStatistics("struct", column.null_count, {}, f"{kind.num_fields} fields")
    if pa.types.is_boolean(kind):
        return _of_labels("bool", pc.cast(column, pa.string()), column.null_count)
    if _is_string(kind):
        if is_shown_as_labels(column):
            return _of_labels("string_label", column, column.null_count)
        return _of_numbers("string_text", pc.utf8_length(column), column.null_count, "characters")
    if _is_list(kind):
        return _of_numbers("list", pc.list_value_length(column), column.null_count, "items")
    name = "int" if pa.types.is_integer(kind) else "float"
    return _of_numbers(
        name, column if name == "int" else pc.cast(column, pa.float64()), column.null_count, ""
    )


def _of_labels(kind: str, column: pa.ChunkedArray, n_missing: int) -> ColumnStatistics:
    found = pc.value_counts(column.drop_null()).to_pylist()
    counts = {
        str(entry["values"]): int(entry["counts"])
        for entry in sorted(found, key=lambda entry: (-entry["counts"], entry["values"]))
    }
    most = ", ".join(
        f"{label} {100 * n / sum(counts.values()):.0f} %" for label, n in list(counts.items())[:2]
    )
    return ColumnStatistics(
        kind, n_missing, counts, f"{len(counts):,} value{'' if len(counts) == 1 else 's'}: {most}"
    )


def _of_numbers(kind: str, column: Any, n_missing: int, unit: str) -> ColumnStatistics:
    values = column.drop_null().to_numpy()
    values = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    if not len(values):
        return ColumnStatistics(kind, n_missing, {}, "no values")
    low, high = values.min(), values.max()
    summary = f"{_short(low)} to {_short(high)} {unit}".strip()
    if values.dtype.kind != "f" and int(high) - int(low) < BINS:  # one bar per whole number
        found, counts = np.unique(values, return_counts=True)
        return ColumnStatistics(
            kind,
            n_missing,
            {_short(n): int(count) for n, count in zip(found, counts, strict=True)},
            summary,
        )
    counts, edges = np.histogram(values, bins=BINS)
    ranges = [f"{_short(edges[i])} to {_short(edges[i + 1])}" for i in range(BINS)]
    return ColumnStatistics(
        kind, n_missing, dict(zip(ranges, counts.tolist(), strict=True)), summary
    )


def _short(value: Any) -> str:
    return f"{float(value):,.4g}" if abs(float(value)) < 10_000 else f"{float(value):,.0f}"
