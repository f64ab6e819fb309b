"""What the suites' columns share: types of arrays, and the fields that people's ratings fill."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from metrics._shared.columns import BoolArray as BoolArray
from metrics._shared.columns import FloatArray as FloatArray
from metrics._shared.columns import IntArray as IntArray

Columns = Mapping[str, Sequence[Any]]
"""Columns by name, all of one length."""
Row = Mapping[str, Any]
"""Values by column."""

RATING_FIELDS = [pa.field("rating_mean", pa.float64()), pa.field("n_raters", pa.int32())]
"""Last fields of every schema of rows: null until people have rated (`dataset_scripts.ratings`)."""


TEXT, COUNT, FREQUENCY = pa.string(), pa.int32(), pa.float32()
TEXTS, COUNTS = pa.list_(TEXT), pa.list_(COUNT)
Fields = list[tuple[str, pa.DataType]]


def typed(types: Mapping[str, pa.DataType], *names: str) -> Fields:
    """Names and types of columns, from lists of names with blanks between; text by default."""
    return [(name, types.get(name, TEXT)) for text in names for name in text.split()]
