"""Whole columns in, plain values out: how every metric reads its inputs.

And the direct path around evaluate's row-by-row encoding.

A column may be a list, a tuple, a numpy array, an Arrow array, a pandas Series, a torch tensor or a
column of a `datasets.Dataset`. Rows may be a `datasets.Dataset`, a pandas DataFrame, an Arrow
table, a dict of columns or a list of dicts; columns that nobody asks for are ignored. Every error
is a ValueError or TypeError that names the metric, the input, the value found and what was
expected.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
_NO_ORDER = "got a set; expected a sequence, in the order of the items"


class DirectCompute:
    """Mixin for evaluate modules: `compute()` on whole columns skips evaluate's encoding.

    The encoding costs a hundred times the score itself.

    Write `class Gper(DirectCompute, evaluate.Metric)`. Where batches were added before, or several
    processes share the work, evaluate's own path is taken, so that 50 added and 7 passed rows are
    scored as 57.
    """

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Scores whole columns, together with whatever was added before.

        Args:
            predictions: One prediction per item, any column type.
            references: One reference per item, any column or row type.
            **options: Further input columns and the options described below.

        Returns:
            A dict of results; None on processes other than the first.
        """
        module: Any = self
        given = {"predictions": predictions, "references": references, **options}
        names = module._feature_names()
        columns = {name: given.get(name) for name in names}
        if (
            module.writer is not None
            or module.num_process > 1
            or all(column is None for column in columns.values())
        ):
            parent: Any = super()
            return parent.compute(predictions=predictions, references=references, **options)
        missing = [name for name, column in columns.items() if column is None]
        if missing:
            raise ValueError(
                f"{module.name}: inputs, got none for {', '.join(missing)}; "
                f"expected {', '.join(names)}"
            )
        return module._compute(
            **columns, **{name: value for name, value in options.items() if name not in columns}
        )


def to_list(column: Any) -> list[Any]:
    """Plain Python values of a column, not touched one by one where its type can do it."""
    if isinstance(column, list):
        return column
    if isinstance(column, str | bytes | Mapping):
        raise TypeError(
            f"a column, got {type(column).__name__}; expected a sequence with one value per item"
        )
    if isinstance(column, set | frozenset):
        raise ValueError(f"a column: {_NO_ORDER}")
    for method in ("to_pylist", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    if isinstance(column, tuple):
        return list(column)
    if hasattr(column, "__getitem__") and hasattr(column, "__len__"):
        return list(column[:])
    return list(column)


def to_float_matrix(where: str, values: Any, widths: tuple[int, ...]) -> FloatArray:
    """Rows of numbers as an array of shape (n, w), where w must be one of `widths`.

    Raises:
        ValueError: There are no rows, rows differ in length, the width is not allowed, or a value
            is nan, infinite or not a number.
    """
    matrix = _to_array(where, values, f"rows of {_one_of(widths)} numbers")
    if len(matrix) == 0:
        raise ValueError(f"{where}: got no rows; expected at least one")
    if matrix.ndim != 2 or matrix.shape[1] not in widths:
        raise ValueError(f"{where}: got shape {matrix.shape}; expected (n, {_one_of(widths)})")
    _check_finite(where, matrix)
    return matrix


def to_float_array(where: str, values: Any) -> FloatArray:
    """One number per item, shape (n,); a ValueError for none, or one that is not finite."""
    array = _to_array(where, values, "one number per item")
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(
            f"{where}: got shape {array.shape}; expected one number per item and at least one item"
        )
    _check_finite(where, array)
    return array


def to_int_array(where: str, values: Any) -> IntArray:
    """One whole number per item, shape (n,); a ValueError for anything else."""
    if (
        isinstance(values, np.ndarray)
        and values.dtype.kind in "iu"
        and values.ndim == 1
        and len(values)
    ):
        return values.astype(np.int64, copy=False)
    if isinstance(values, set | frozenset):
        raise ValueError(f"{where}: {_NO_ORDER}")
    if _dtype_kind(values) == "b":
        raise ValueError(f"{where}: got an array of bool; expected numbers")
    if isinstance(values, list | tuple) and bool in set(map(type, values)):
        place = next(i for i, value in enumerate(values) if isinstance(value, bool))
        raise ValueError(f"{where}[{place}]: got {values[place]}; expected a whole number")
    array = to_float_array(where, values)
    whole = array.astype(np.int64)
    if bad := np.flatnonzero(whole != array).tolist():
        raise ValueError(f"{where}[{bad[0]}]: got {array[bad[0]]}; expected a whole number")
    return whole


def read_columns(where: str, rows: Any, fields: Sequence[str]) -> dict[str, Any]:
    """Named fields of rows as columns, in whatever type they come; other fields are ignored.

    Args:
        where: What the rows are, for messages, such as `gper: references`.
        rows: A Dataset, DataFrame, Arrow table, dict of columns or sequence of dicts.
        fields: The fields that are needed.

    Returns:
        One column per field, all of the same length.

    Raises:
        ValueError: There are no rows, a field is missing (the row is named) or columns differ in
            length.
        TypeError: The rows are of no known kind.
    """
    names = _column_names(rows)
    if names is None:
        return _columns_of_dicts(where, rows, fields)
    if missing := [field for field in fields if field not in names]:
        raise ValueError(
            f"{where}: got no field {missing[0]!r} among {', '.join(map(str, names))}; "
            f"expected {', '.join(fields)}"
        )
    columns = {field: rows[field] for field in fields}
    lengths = {field: len(column) for field, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{where}: got columns of lengths {lengths}; expected one length")
    if not next(iter(lengths.values())):
        raise ValueError(f"{where}: got no rows; expected at least one")
    return columns


def field_names(rows: Any) -> list[str]:
    """Names of the fields that rows have; those of the first row where the rows are dicts."""
    names = _column_names(rows)
    if names is not None:
        return list(names)
    first = next(iter(rows), None)
    return list(first) if isinstance(first, Mapping) else []


def check_lengths(where: str, **columns: Any) -> int:
    """Common length of the columns; they are paired by position.

    Raises:
        ValueError: The lengths differ, or there is nothing to score.
    """
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        counts = " but ".join(f"{n} {name}" for name, n in lengths.items())
        raise ValueError(
            f"{where}: got {counts}; expected equal numbers, they are paired by position"
        )
    n = next(iter(lengths.values()))
    if n == 0:
        raise ValueError(f"{where}: got no items; expected at least one")
    return n


def check_option(where: str, name: str, value: Any, allowed: Sequence[Any]) -> None:
    """Raises a ValueError where an option is not one of its allowed values."""
    if value not in allowed:
        raise ValueError(
            f"{where}: {name}, got {value!r}; "
            f"expected {_one_of([repr(option) for option in allowed])}"
        )


def _dtype_kind(values: Any) -> str:
    """Letter of a numpy or pandas column's kind of values, such as b for bool; empty for others."""
    return str(getattr(getattr(values, "dtype", None), "kind", ""))


def _refuse_odd_arrays(where: str, values: Any) -> None:
    """Raises a ValueError for what numpy would turn into numbers, but nobody means as such."""
    if isinstance(values, set | frozenset):
        raise ValueError(f"{where}: {_NO_ORDER}")
    n = int(np.ma.getmaskarray(values).sum()) if isinstance(values, np.ma.MaskedArray) else 0
    if n:
        raise ValueError(f"{where}: got {n} masked value{'s' * (n > 1)}; expected none")
    if _dtype_kind(values) in ("c", "m", "M"):
        raise ValueError(f"{where}: got an array of {values.dtype}; expected numbers")


def _to_array(where: str, values: Any, expected: str) -> FloatArray:
    _refuse_odd_arrays(where, values)
    if hasattr(values, "to_numpy") and hasattr(
        values, "type"
    ):  # Arrow: a list array becomes an array of arrays, so go through Python
        values = (
            values.to_pylist()
            if "list" in str(values.type)
            else values.to_numpy(**_copy_allowed(values))
        )
    elif (
        not hasattr(values, "__array__") or str(getattr(values, "dtype", "")) == "object"
    ):  # such as a pandas column of lists
        values = to_list(values)
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{where}: got values that are no array of numbers ({error}); expected {expected}"
        ) from None


def _copy_allowed(values: Any) -> dict[str, bool]:
    return {} if hasattr(values, "chunks") else {"zero_copy_only": False}


def _check_finite(where: str, array: FloatArray) -> None:
    if not np.isfinite(array.sum()) and not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0].tolist()
        raise ValueError(f"{where}{place}: got {array[tuple(place)]}; expected a finite number")


def _column_names(rows: Any) -> Sequence[str] | None:
    if isinstance(rows, Mapping):
        return list(rows)
    for attribute in ("column_names", "columns"):
        names = getattr(rows, attribute, None)
        if names is not None and not callable(names):
            return list(names)
    return None


def _columns_of_dicts(where: str, rows: Any, fields: Sequence[str]) -> dict[str, Any]:
    rows = to_list(rows)
    if not rows:
        raise ValueError(f"{where}: got no rows; expected at least one")
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(
                f"{where}[{i}]: got {type(row).__name__}; expected a row with {', '.join(fields)}"
            )
        if missing := [field for field in fields if field not in row]:
            raise ValueError(
                f"{where}[{i}]: got no field {missing[0]!r}; expected {', '.join(fields)}"
            )
    return {field: [row[field] for row in rows] for field in fields}


def _one_of(values: Sequence[Any]) -> str:
    return " or ".join(map(str, values))
