"""Columns and rows as a metric reads them, whatever type they come in.

A column may be a list, a tuple, an array, a Series, a tensor or a column of a `datasets.Dataset`;
rows a `Dataset`, a DataFrame, an Arrow table, a dict of columns or a list of dicts. What numpy,
Arrow or Python would quietly turn into a number or a text (a boolean, a date, a complex number, a
masked value, "0.5", a set) is refused by name. Numbers of any width are numbers, numpy's and
`Decimal` included, and 2.0 is a whole number. Every error is a ValueError that names the metric,
the input, the value found and what was expected.
"""

import decimal
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def to_list(column: Any, where: str = "a column") -> list[Any]:
    """Plain Python values of a column; a ValueError where it is no sequence, or has no order."""
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
    """Named fields of rows as columns of one length, in whatever type they come.

    A ValueError for no rows, a missing field (the row is named), or another kind of rows.
    """
    names = column_names(rows)
    if names is None:
        return _columns_of_dicts(where, rows, fields)
    if missing := [field for field in fields if field not in names]:
        raise ValueError(
            f"{where}: got no field {missing[0]!r} among {', '.join(map(str, names))}; "
            f"expected {', '.join(fields)}"
        )
    columns = {}
    for field in fields:
        column = rows[field]
        is_sized = hasattr(column, "__len__") and _is_iterable(column)
        columns[field] = column if is_sized else to_list(column, f"{where}: {field}")
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


def by_name(where: str, given: Any, choices: Sequence[Sequence[str]], expected: str) -> Any:
    """Rows of numbers, in the order of the first choice of names that is there.

    What has no names is returned as it is; a ValueError for names of no choice, or of several.
    """
    names = [name for name in field_names(given) if isinstance(name, str)]
    if not names:
        return given
    there = [one for one in choices if {*one} <= {*names}]
    chosen = there[0] if there else ()
    if not there or any(not {*one} <= {*chosen} for one in there):
        raise ValueError(f"{where}: got columns {', '.join(names)}; expected {expected}")
    columns = read_columns(where, given, chosen)
    found = {name: read_values(f"{where}: {name}", columns[name], NUMBER) for name in columns}
    check_lengths(where, **found)
    return np.stack(list(found.values()), axis=1)


def check_lengths(where: str, **columns: Any) -> int:
    """Common length of the columns, paired by position; a ValueError for several, or for 0."""
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
        expected = " or ".join(map(repr, allowed))
        raise ValueError(f"{where}: {name}, got {shown(value)}; expected {expected}")


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
    expected = ", ".join(fields)
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            got = f"{type(row).__name__}; expected a row with {expected}"
            raise ValueError(f"{where}[{i}]: got {got}")
        if missing := [field for field in fields if field not in row]:
            raise ValueError(f"{where}[{i}]: got no field {missing[0]!r}; expected {expected}")
    return {field: [row[field] for row in rows] for field in fields}


def shown(value: Any) -> str:
    """A value as messages show it: on one line, of at most 80 characters, in valid Unicode."""
    try:
        text = repr(value) if encodes(repr(value)) else ascii(value)
    except (ValueError, RecursionError):  # a whole number of thousands of digits, a list as deep
        return f"a {type(value).__name__} too large to be shown"
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def encodes(text: str) -> bool:
    """Whether a text can be written to a file: it holds no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


LARGEST = 1e100  # sums and squares of numbers up to here stay finite
BYTES_OF_FLOAT = 8
LARGEST_WHOLE = 2**53  # up to here a float64 is exact
NUMBERS = (int, float, np.integer, np.floating, decimal.Decimal)
NO_NUMBERS = (bool, np.bool_, np.timedelta64)
ONE = {
    "number": "a finite number",
    "whole": "a whole number",
    "text": "text",
    "name": "text or a whole number",
}
MANY = {"number": "finite numbers", "whole": "whole numbers", "text": "texts", "name": "names"}
LISTS = frozenset((list, tuple))


@dataclass(frozen=True)
class Values:
    """Rule for the values of a column."""

    kind: str  # "number" (finite), "whole", "text", or "name" (text or whole number, read as text)
    help: str = ""
    depth: int = 0  # how many lists are around a single value: 1 where each item has a list
    widths: tuple[int, ...] = ()  # allowed lengths of the outermost of these lists; any where empty
    low: float = -LARGEST
    high: float = LARGEST
    choices: tuple[str, ...] = ()  # allowed texts; any where empty
    is_optional: bool = False  # whether the field may be missing, or None in all rows
    has_none: bool = False  # whether single values may be None
    keeps_arrow: bool = False  # whether Arrow lists of the right type are returned as they are
    adapt: Callable[[str, Any], Any] | None = None  # turns another form into these values

    @property
    def is_number(self) -> bool:
        """Whether single values are numbers."""
        return self.kind in ("number", "whole")

    def expected(self) -> str:
        """What an item is, in words, such as `a list of 2 finite numbers: one a sentence`."""
        about = f": {self.help}" if self.help else ""
        if self.choices:
            return ", ".join(self.choices[:-1]) + f" or {self.choices[-1]}" + about
        if not self.depth:
            return ONE[self.kind] + self._range() + about
        width = f"{' or '.join(map(str, self.widths))} " if self.widths else ""
        lists = "lists of " * (self.depth - 1)
        return f"a list of {width}{lists}{MANY[self.kind]}{self._range()}{about}"

    def _range(self) -> str:
        low = f" from {self.low:,.15g}" if self.low > -LARGEST else ""
        return low + (f" to {self.high:,.15g}" if self.high < LARGEST else "")


NUMBER = Values("number")


def read_values(where: str, given: Any, rule: Values) -> Any:
    """A column by its rule; messages say where it stands, such as `gper: predictions`.

    Numbers of depth 0 come as an array of shape (n,), numbers of depth 1 and one width as (n,
    width), all else as a list of n values; a ValueError names the first that breaks the rule.
    """
    given = rule.adapt(where, given) if rule.adapt else given
    if rule.keeps_arrow and _is_right_arrow(given, rule):
        return given
    column = as_plain(where, given)
    if isinstance(column, np.ndarray):
        column = _from_array(where, column, rule)
    values: Any = column
    if not isinstance(column, np.ndarray):
        column = _checked_lists(where, column, rule)
        if not _is_array(rule):
            return column
        values = _to_floats(where, column, rule)
    if values.dtype.kind == "f" and values.dtype.itemsize < BYTES_OF_FLOAT:
        values = values.astype(np.float64)  # float16 does not reach the ends of a range
    if len(values):
        _check_range(where, values, rule)
    return values.astype(np.int64 if rule.kind == "whole" else np.float64, copy=False)


def as_plain(where: str, given: Any) -> Any:
    """A column as a list of Python values or as an array; a ValueError as in `to_list`."""
    if isinstance(given, np.ma.MaskedArray):
        if n := int(np.ma.getmaskarray(given).sum()):
            raise ValueError(f"{where}: got {n} masked value{'s' * (n > 1)}; expected none")
        given = given.data
    if isinstance(given, pa.Array | pa.ChunkedArray):
        return _from_arrow(given)
    if hasattr(given, "columns") and hasattr(given, "to_numpy"):  # a frame without names
        given = given.to_numpy()
    kind = getattr(getattr(given, "dtype", None), "kind", "")
    if kind and kind in "iuf" and getattr(given, "ndim", 1):
        return np.asarray(given)
    return to_list(given, where)


def _is_right_arrow(given: Any, rule: Values) -> bool:
    """Whether a column is Arrow lists of the rule's kind, without a list that is null."""
    if not isinstance(given, pa.Array | pa.ChunkedArray) or not pa.types.is_list(given.type):
        return False
    leaf, flat = given.type.value_type, pc.list_flatten(given)
    is_kind = pa.types.is_integer(leaf) if rule.is_number else leaf == pa.string()
    if not is_kind or given.null_count or (flat.null_count and not rule.has_none):
        return False
    ends = pc.min_max(flat).as_py() if rule.is_number and len(flat) > flat.null_count else {}
    return not ends or (ends["min"] >= rule.low and ends["max"] <= rule.high)


def _from_arrow(given: Any) -> Any:
    """Numbers as an array, lists of numbers of one length as one too; other values as they are."""
    if _is_number(given.type) and not given.null_count:
        return np.asarray(given)
    if pa.types.is_fixed_size_list(given.type) or pa.types.is_list(given.type):
        whole = given.combine_chunks() if isinstance(given, pa.ChunkedArray) else given
        flat = whole.flatten()
        is_full = len(flat) and not flat.null_count and not whole.null_count
        if is_full and _is_number(flat.type) and len(pc.unique(whole.value_lengths())) == 1:
            return np.asarray(flat).reshape(len(whole), -1)
    return given.to_pylist()


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _is_array(rule: Values) -> bool:
    return rule.is_number and not rule.has_none and (not rule.depth or bool(rule.widths))


def _from_array(where: str, column: Any, rule: Values) -> Any:
    """An array that has the rule's shape, as it is; a list where it has to be read one by one."""
    if not rule.is_number:
        if rule.kind == "name" and column.ndim == 1:
            return column.tolist()
        raise ValueError(f"{where}: got an array of {column.dtype}; expected {rule.expected()}")
    is_matrix = _is_array(rule) and rule.depth and len(column)
    if column.ndim != rule.depth + 1 or (is_matrix and column.shape[1] not in rule.widths):
        width = " or ".join(map(str, rule.widths)) or "m"
        expected = f"(n, {width})" if rule.depth else "(n,)"
        raise ValueError(f"{where}: got shape {column.shape}; expected {expected}")
    return column if _is_array(rule) else column.tolist()


def _checked_lists(where: str, column: list[Any], rule: Values) -> list[Any]:
    """The column if all its values are of the rule's kind; names become texts."""
    if rule.has_none and not rule.depth and float in set(map(type, column)):
        column = [None if is_missing(value) else value for value in column]
    if rule.depth and not _are_plain(column, rule.depth):
        column = [_as_lists(value, rule.depth) for value in column]
    if not (_are_plain(column, rule.depth) and _fits(column, rule)):
        raise _error(where, *_first_bad(column, rule), rule)
    if rule.kind == "name":
        names = {
            v: v if v is None else str(v if isinstance(v, str) else int(v)) for v in set(column)
        }
        return list(map(names.__getitem__, column))
    if rule.kind == "whole" and rule.depth == 1 and not _is_array(rule):
        return [[None if value is None else int(value) for value in values] for values in column]
    return column


def _are_plain(column: list[Any], depth: int) -> bool:
    """Whether there are lists, or tuples, down to the depth."""
    return all(set(map(type, _leaves(column, level))) <= LISTS for level in range(depth))


def _as_lists(value: Any, depth: int) -> Any:
    """An item's arrays and the like as lists; what has no order, or is none, as it is."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.getmaskarray(value).any():
        return value
    for method in ("to_pylist", "tolist", "as_py"):
        if hasattr(value, method) and not isinstance(value, str):
            value = getattr(value, method)()
            break
    if depth > 1 and type(value) in LISTS:
        return [_as_lists(one, depth - 1) for one in value]
    return value


def _leaves(column: list[Any], depth: int) -> Iterator[Any]:
    level: Any = column
    for _ in range(depth):
        level = chain.from_iterable(level)
    return iter(level)


def _fits(column: list[Any], rule: Values) -> bool:
    if rule.widths and not set(map(len, column)) <= set(rule.widths):
        return False
    kinds = set(map(type, _leaves(column, rule.depth)))
    if rule.has_none:
        kinds.discard(type(None))
    if not all(_is_kind(kind, rule.kind) for kind in kinds):
        return False
    leaves: Iterable[Any] = _leaves(column, rule.depth)
    if rule.kind == "text":
        texts = [text for text in leaves if text is not None]
        return (not rule.choices or set(texts) <= set(rule.choices)) and encodes("".join(texts))
    if rule.kind == "name":
        leaves = set(leaves)  # names come again and again
    return _is_array(rule) or all(value is None or _is_one(value, rule) for value in leaves)


def _is_kind(kind: type, wanted: str) -> bool:
    if wanted in ("text", "name") and issubclass(kind, str):
        return True
    return wanted != "text" and issubclass(kind, NUMBERS) and not issubclass(kind, NO_NUMBERS)


def is_text(value: Any) -> bool:
    """Whether a value is a text that can be written to a file."""
    return isinstance(value, str) and encodes(value)


def _is_one(value: Any, rule: Values) -> bool:
    """Whether a single value is of the rule's kind and in its range."""
    if not _is_kind(type(value), rule.kind):
        return False
    if isinstance(value, str):
        return (not rule.choices or value in rule.choices) and encodes(value)
    if isinstance(value, np.floating):
        value = float(value)  # float16 and its infinity compare with no larger number
    if isinstance(value, decimal.Decimal) and value.is_nan():
        return False
    if not (value == value and rule.low <= value <= rule.high):  # nan is not itself
        return False
    return rule.kind == "number" or (value == int(value) and abs(value) <= LARGEST_WHOLE)


Place = tuple[int, ...]


def _first_bad(column: Sequence[Any], rule: Values, places: Place = ()) -> tuple[Place, str]:
    """Place and value of the first thing that breaks the rule, such as (3,) and `True`."""
    depth = rule.depth - len(places)
    for i, value in enumerate(column):
        at = (*places, i)
        if depth and type(value) in LISTS:
            if depth == rule.depth and rule.widths and len(value) not in rule.widths:
                return at, f"{shown(value)}, {len(value)} values"
            below, got = _first_bad(value, rule, at)
            if below:
                return below, got
        elif depth or not ((rule.has_none and value is None) or _is_one(value, rule)):
            return at, shown(value)
    return (), ""


def _error(where: str, place: Sequence[int], got: str, rule: Values) -> ValueError:
    """Error about one value: `gper: references[3]: paradigm_id, got 40; expected ...`."""
    metric, name, *field = where.split(": ", 2)
    at = f"{metric}: {name}[{', '.join(map(str, place))}]: {''.join(f'{one}, ' for one in field)}"
    return ValueError(f"{at}got {got}; expected {rule.expected()}")


def _to_floats(where: str, column: list[Any], rule: Values) -> Any:
    if rule.widths and len(widths := list(dict.fromkeys(map(len, column)))) > 1:
        place = list(map(len, column)).index(widths[1])
        got = f"{widths[1]} values after rows of {widths[0]}"
        raise ValueError(f"{where}[{place}]: got {got}; expected {widths[0]} in every row")
    try:
        return np.asarray(column, dtype=np.float64)
    except OverflowError:
        raise _error(where, *_first_bad(column, rule), rule) from None


def _check_range(where: str, values: Any, rule: Values) -> None:
    low, high = rule.low, rule.high
    if rule.kind == "whole":
        low, high = max(low, -LARGEST_WHOLE), min(high, LARGEST_WHOLE)
    if values.dtype.kind == "f":
        is_bad = ~((values >= low) & (values <= high))  # nan is neither
        if rule.kind == "whole":
            is_bad |= values != np.floor(values)
    elif values.min() >= low and values.max() <= high:
        return
    else:
        is_bad = (values < low) | (values > high)
    if is_bad.any():
        place = np.argwhere(is_bad)[0].tolist()
        value = values[tuple(place)].item()
        is_whole = abs(value) < LARGEST_WHOLE and value == int(value)
        raise _error(where, place, repr(int(value) if is_whole else value), rule)


def rows_of(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """Rows of columns of one length."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def is_blank(column: Sequence[Any]) -> bool:
    """Whether an optional field holds nothing at all, but None or nan."""
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return bool(column.null_count == len(column))
    return all(map(is_missing, column))


def is_missing(value: Any) -> bool:
    """Whether a value is None, or nan, which pandas has for it."""
    return value is None or (isinstance(value, float) and math.isnan(value))
