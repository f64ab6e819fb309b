"""What the suites' columns share: types of arrays, and the fields that people's ratings fill."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Columns = Mapping[str, list[object]]
"""Columns by name, all of one length."""

RATING_FIELDS = [pa.field("rating_mean", pa.float64()), pa.field("n_raters", pa.int32())]
"""Last fields of every schema of rows: null until people have rated (`dataset_scripts.ratings`)."""
