"""What the viewer shows above each column: the kind of its values, how many are missing, and a histogram.

The kinds and their bounds are the viewer's: a string column with few values is shown by value, any
other by the lengths of its texts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

MOST_LABELS = 1000
LARGEST_LABEL_SHARE = 0.2  # of different values among all
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


def is_shown_as_labels(column: pa.ChunkedArray) -> bool:
    """Whether the viewer shows a string column by its values."""
    n = pc.count_distinct(column).as_py()
    return bool(
        n <= MOST_LABELS and n <= LARGEST_LABEL_SHARE * max(len(column) - column.null_count, 1)
    )


def column_statistics(column: pa.ChunkedArray) -> ColumnStatistics:
    """Gives the statistics of a column; an Arrow error where its type has none."""
    kind = column.type
    if pa.types.is_struct(kind):
        return ColumnStatistics("struct", column.null_count, {}, f"{kind.num_fields} fields")
    if pa.types.is_boolean(kind):
        return _of_labels("bool", pc.cast(column, pa.string()), column.null_count)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        if is_shown_as_labels(column):
            return _of_labels("string_label", column, column.null_count)
        return _of_numbers("string_text", pc.utf8_length(column), column.null_count, "characters")
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
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
