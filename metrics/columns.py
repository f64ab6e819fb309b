"""Whole columns in, plain values out: how every metric reads its inputs.

And the direct path around evaluate's row-by-row encoding.

A column may be a list, a tuple, a numpy array, an Arrow array, a pandas Series, a torch tensor or a
column of a `datasets.Dataset`. Rows may be a `datasets.Dataset`, a pandas DataFrame, an Arrow
table, a dict of columns or a list of dicts; columns that nobody asks for are ignored. Every error
is a ValueError that names the metric, the input, the value found and what was expected. What the
values of a column may be stands in `values.py`, the record of a metric's columns in `contract.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class DirectCompute:
    """Mixin for evaluate modules: `compute()` on whole columns skips evaluate's encoding.

    The encoding costs a hundred times the score itself.

    Write `class Gper(DirectCompute, evaluate.Metric)` with `contract = INPUTS`. Where batches were
    added before, or several processes share the work, evaluate's own path is taken, so that 50
    added and 7 passed rows are scored as 57. What is added is read by the same contract, and kept
    in a form that loses nothing of it.
    """

    contract: Any = None

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Scores whole columns, together with whatever was added before.

        Args:
            predictions: One prediction per item, any column type.
            references: One reference per item, any column or row type.
            **options: Further input columns and the options described below.

        Returns:
            A dict of results, with scalars=True of numbers only; None on processes other than the
            first.

        Raises:
            ValueError: An input or an option is not what it should be.
        """
        run = {} if options.get("run") is None else options["run"]  # an array has no truth
        if self.contract is not None and isinstance(run, Mapping):
            run = run_of_rows(references) | dict(run)
            options |= {"run": run} if run else {}
        given = {"predictions": predictions, "references": references, **options}
        result = self._compute_columns(**given)
        return numbers_of(result) if result and options.get("scalars") else result

    def _compute_columns(self, predictions: Any, references: Any, **options: Any) -> Any:
        module: Any = self
        given = {"predictions": predictions, "references": references, **options}
        names = module._feature_names()
        columns = {name: given.get(name) for name in names}
        others = {name: value for name, value in given.items() if name not in columns}
        for name in ("predictions", "references"):
            if others.get(name, 0) is None:
                del others[name]
        parent: Any = super()
        is_added, is_given = module.writer is not None, any(c is not None for c in columns.values())
        if is_added or module.num_process > 1:
            if is_given or not is_added:
                self.add_batch(**columns)
            return parent.compute(**others)
        missing = [name for name, column in columns.items() if column is None]
        if missing and self.contract is None:
            raise ValueError(
                f"{module.name}: inputs, got none for {', '.join(missing)}; "
                f"expected {', '.join(names)}"
            )
        return module._compute(**columns, **others)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **columns: Any) -> None:
        """Adds items, read by the metric's contract as `compute` reads them.

        Args:
            predictions: One prediction per item, any column type.
            references: One reference per item, any column or row type.
            **columns: Further input columns.

        Raises:
            ValueError: A column is not what it should be; nothing of the batch is added then.
        """
        parent: Any = super()
        given = {"predictions": predictions, "references": references, **columns}
        if self.contract is None:
            parent.add_batch(**given)
            return
        kept = {name: column for name, column in given.items() if column is not None}
        parent.add_batch(**self.contract.stored(self.contract.read(kept)))

    def _enforce_nested_string_type(self, schema: Any, obj: Any) -> None:
        """Evaluate's look at the first item; the contract has looked at all."""
        if self.contract is None:
            parent: Any = super()
            parent._enforce_nested_string_type(schema, obj)

    def add(self, *, prediction: Any = None, reference: Any = None, **columns: Any) -> None:
        """Adds one item, as `add_batch` does.

        Args:
            prediction: The item's prediction.
            reference: Its reference.
            **columns: Further input columns, one value each.
        """
        one = {"predictions": prediction, "references": reference, **columns}
        names = getattr(self.contract, "columns", one)
        given = {n: [value] for n, value in one.items() if n in names or value is not None}
        self.add_batch(**given)


def numbers_of(result: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a result, nan among them: no tables, texts, options or truth values."""
    return {
        name: value
        for name, value in result.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def run_of_rows(rows: Any) -> dict[str, str]:
    """What a `datasets.Dataset` says of itself, for a signature; empty for rows of other kinds.

    Suite, edition, config and split; the VERSION too where the rows come from a builder of ours.
    """
    info: Any = getattr(rows, "info", None)
    name, version = getattr(info, "dataset_name", None), str(getattr(info, "version", ""))
    is_numbered = version not in ("", "None", "0.0.0")
    if not name or (name == info.builder_name and not is_numbered):
        return {}  # a reader of files, such as `csv`, is no suite
    edition = "released" if str(info.config_name).startswith("released") else "generated"
    known = {"suite": name, "edition": edition, "config": info.config_name, "split": rows.split}
    known |= {"suite_version": version if is_numbered else None}
    return {key: str(value) for key, value in known.items() if value}


def to_list(column: Any, where: str = "a column") -> list[Any]:
    """Plain Python values of a column, not touched one by one where its type can do it.

    Raises:
        ValueError: It is no sequence, or has no order.
    """
    if isinstance(column, list):
        return column
    got = type(column).__name__
    if isinstance(column, str | bytes | bytearray | Mapping) or not _is_iterable(column):
        raise ValueError(f"{where}, got {got}; expected a sequence with one value per item")
    if isinstance(column, set | frozenset):
        raise ValueError(f"{where}, got {got}; expected a sequence, in the order of the items")
    for method in ("to_pylist", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    if hasattr(column, "__getitem__") and hasattr(column, "__len__"):
        return list(column[:])
    return list(column)


def _is_iterable(column: Any) -> bool:
    return hasattr(column, "__iter__") and getattr(column, "ndim", 1) != 0


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
            length, or the rows are of no known kind.
    """
    names = column_names(rows)
    if names is None:
        return _columns_of_dicts(where, rows, fields)
    if missing := [field for field in fields if field not in names]:
        raise ValueError(
            f"{where}: got no field {missing[0]!r} among {', '.join(map(str, names))}; "
            f"expected {', '.join(fields)}"
        )
    columns = {field: _sized(f"{where}: {field}", rows[field]) for field in fields}
    lengths = {field: len(column) for field, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{where}: got columns of lengths {lengths}; expected one length")
    if not next(iter(lengths.values())):
        raise ValueError(f"{where}: got no rows; expected at least one")
    return columns


def field_names(rows: Any) -> list[str]:
    """Names of the fields that rows have; those of the first row where the rows are dicts."""
    names = column_names(rows)
    if names is not None:
        return list(names)
    first = next(iter(rows), None) if _is_iterable(rows) else None
    return list(first) if isinstance(first, Mapping) else []


def check_lengths(where: str, **columns: Any) -> int:
    """Common length of the columns; they are paired by position.

    Raises:
        ValueError: The lengths differ, or there is nothing to score.
    """
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        *first, last = (f"{n} {name}" for name, n in lengths.items())
        counts = f"{', '.join(first)} {'but' if len(first) == 1 else 'and'} {last}"
        raise ValueError(
            f"{where}: got {counts}; expected equal numbers, they are paired by position"
        )
    n = next(iter(lengths.values()))
    if n == 0:
        raise ValueError(f"{where}: got no items; expected at least one")
    return n


def check_ids(where: str, ids: Sequence[str]) -> None:
    """Raises a ValueError that names the first id that occurs a second time."""
    if len(set(ids)) < len(ids):
        first = {one: i for i, one in reversed(list(enumerate(ids)))}
        place = next(i for i, one in enumerate(ids) if first[one] < i)
        raise ValueError(f"{where}[{place}]: id, got {shown(ids[place])} again; expected each once")


def check_option(where: str, name: str, value: Any, allowed: Sequence[Any]) -> None:
    """Raises a ValueError where an option is not one of its allowed values."""
    if value not in allowed:
        raise ValueError(
            f"{where}: {name}, got {shown(value)}; "
            f"expected {_one_of([repr(option) for option in allowed])}"
        )


def column_names(rows: Any) -> Sequence[str] | None:
    """Names of the columns that rows consist of; None where they are no table."""
    if isinstance(rows, Mapping):
        return list(rows)
    for attribute in ("column_names", "columns"):
        names = getattr(rows, attribute, None)
        if names is not None and not callable(names):
            return list(names)
    return None


def _columns_of_dicts(where: str, rows: Any, fields: Sequence[str]) -> dict[str, Any]:
    rows = to_list(rows, where)
    if not rows:
        raise ValueError(f"{where}: got no rows; expected at least one")
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ValueError(
                f"{where}[{i}]: got {type(row).__name__}; expected a row with {', '.join(fields)}"
            )
        if missing := [field for field in fields if field not in row]:
            raise ValueError(
                f"{where}[{i}]: got no field {missing[0]!r}; expected {', '.join(fields)}"
            )
    return {field: [row[field] for row in rows] for field in fields}


def shown(value: Any) -> str:
    """A value as messages show it: on one line, of at most 80 characters, in valid Unicode."""
    text = repr(value) if encodes(repr(value)) else ascii(value)
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def encodes(text: str) -> bool:
    """Whether a text can be written to a file: it holds no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _sized(where: str, column: Any) -> Any:
    """A column that has a length: as it is, or as a list."""
    return column if hasattr(column, "__len__") and _is_iterable(column) else to_list(column, where)


def _one_of(values: Sequence[Any]) -> str:
    return " or ".join(map(str, values))
