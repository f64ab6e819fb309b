"""What the viewer shows above each column: kind of values, how many are missing, a histogram.

A string column with few values is shown by value, any other by the lengths of its texts. Where this
fails for one column, the split has no statistics at all. Source: the dataset viewer's
`libcommon/statistics_utils.py` (2026), restated.
"""

import math
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

MOST_LABELS = 1000
LARGEST_LABEL_SHARE = 0.2  # of different values among all
FEW_LABELS = 10  # so few values are labels whatever their share


class ColumnCount:
    """What decides how the viewer shows a column, counted part by part.

    `labels` are the distinct values of a string column, null among them, as far as they are
    counted.
    """

    def __init__(self, parts: Iterable[pa.ChunkedArray] = ()) -> None:
        """Counts all parts of a column."""
        self.n, self.labels = 0, set[str | None]()
        self._kind: pa.DataType = pa.null()
        self._n_numbers, self._low, self._high = 0, math.inf, -math.inf
        for part in parts:
            self._add(part)

    def _add(self, part: pa.ChunkedArray) -> None:
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

        It does where whole numbers (values, lengths) span exactly two, since one bin then has two
        edges that differ, and where numbers have a single value, which has no standard deviation.
        """
        if not self._n_numbers or (_is_string(self._kind) and self.is_shown_as_labels):
            return ""
        what = _name_of_numbers(self._kind)
        if self._n_numbers == 1:
            return f"a single value among {what}"
        if not pa.types.is_floating(self._kind) and self._high - self._low == 1:
            return f"{what} {self._low} and {self._high} only"
        return ""


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
