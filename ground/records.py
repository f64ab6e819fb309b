"""A user's file as records: CSV, TSV, JSON, JSON lines, Parquet or plain lines.

The format is told from the content, not from the name: a table has a header that names a column
which is asked for, JSON begins with a brace or a bracket, Parquet with its mark. What is none of
these is plain lines. Text is read by the contract of `metrics.plain_text`.
"""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from metrics._shared.plain_text import (
    SEPARATORS,
    DoubledNameError,
    TextError,
    cut,
    decode,
    json_lines,
    lines_of,
    table_rows,
    unique_object,
)

PARQUET_MARK = b"PAR1"
ARCHIVES = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "zip": re.compile(rb"PK\x03\x04"),
    "bzip2": re.compile(rb"BZh[1-9]1AY&SY"),
    "xz": re.compile(rb"\xfd7zXZ\0"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
}
"""How packed files begin."""
JSON_ARRAY = re.compile(r"\[\s*(?:\{|\n)")  # words and replies begin otherwise
SEPARATOR_LINE = re.compile(r"sep=([,;\t|])")
THOUSANDS = re.compile(r"[-+\u2212]?[1-9][0-9]{0,2},[0-9]{3}")
COUNTER = re.compile(r"\s*([0-9]{1,9})(?:[.):]\s+|\t)(?=.*\S)")
FOREIGN_POINT = re.compile(r"[-+]?[0-9]*,[0-9]+")


@dataclass(frozen=True)
class Records:
    """What a file holds."""

    where: str  # the file, for messages
    kind: str  # `CSV`, `TSV`, `JSON`, `JSON lines`, `Parquet`, `CoNLL` or `lines`
    rows: list[dict[str, Any]]  # its values as the file has them; of plain lines, `{"line": ...}`
    places: list[int]  # number of the line that each row is from, or of the row
    said: tuple[str, ...] = ()  # what was changed in reading
    known: frozenset[str] = frozenset()  # columns that are understood, in small letters
    id_column: str = ""  # where it is called otherwise

    def place(self, row: int) -> str:
        """Where a row stands, for messages."""
        return f"{self.where}:{self.places[row]}"

    def others(self) -> dict[Any, list[Any]]:
        """The columns that are not understood, with their cells."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        known = self.known | {self.id_column.lower()}
        others = [name for name in names if str(name).lower() not in known]
        return {name: [row.get(name) for row in self.rows] for name in others}


Others = Callable[[bytes, str, str], Records | None] | None
"""Reads the bytes and the text of a file, by its name for messages."""


def records_of(
    data: bytes, where: str, what: str, columns: Collection[str], others: Others = None
) -> Records:
    """Records of the bytes of a file; `columns`, in small letters, tell a header from words.

    A ValueError says where it breaks its format.
    """
    if data.startswith(PARQUET_MARK):
        return _parquet(data, where)
    if packed := next((name for name, mark in ARCHIVES.items() if mark.match(data)), ""):
        help = "unpack it" + (", or name it .gz" if packed == "gzip" else "")
        raise TextError(f"{where}: {what}, got a {packed} file; expected text: {help}")
    text, said = decode(data, where)
    first = next((line for line in lines_of(text) if line.strip()), "")
    if not first:
        raise TextError(f"{where}: {what}, got an empty file; expected at least one")
    if first.lstrip().startswith(("{", "[")) and (found := _json(text, where, said, columns)):
        return found
    found = others(data, text, where) if others else None
    return found or _table(text, where, said, columns) or _lines(text, where, said)


def _parquet(data: bytes, where: str) -> Records:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(io.BytesIO(data)).read()
        names = table.column_names
        if doubled := next((name for name in names if names.count(name) > 1), ""):
            raise TextError(f"{where}: column {doubled!r}, got it twice; expected it once")
        rows = table.to_pylist()
    except (pa.ArrowException, OSError) as error:
        got = cut(" ".join(str(error).split()), 200)
        raise TextError(f"{where}: Parquet, got {got}; expected a whole file") from None
    return Records(where, "Parquet", rows, list(range(1, len(rows) + 1)))


def _json(text: str, where: str, said: tuple[str, ...], columns: Collection[str]) -> Records | None:
    """Rows of JSON lines, of an array, of an object of columns, or of one from ids to values."""
    try:
        whole = json.loads(text, object_pairs_hook=unique_object)
    except DoubledNameError as error:
        raise TextError(f"{where}: JSON, got {error}; expected it once") from None
    except (ValueError, RecursionError) as error:
        if _is_one_value(text.strip()):
            number, what = getattr(error, "lineno", 1), getattr(error, "msg", "too many brackets")
            got = f"{where}:{number}: JSON, got {what}"
            raise TextError(f"{got}; expected a JSON object or array") from None
        if not text.lstrip().startswith("{"):
            return None
        pairs = list(json_lines(text, where))
        return Records(where, "JSON lines", [r for _, r in pairs], [n for n, _ in pairs], said)
    if isinstance(whole, dict) and whole and all(isinstance(v, list) for v in whole.values()):
        lengths = {len(column) for column in whole.values()}
        has_column = any(str(name).lower() in columns for name in whole)
        if len(lengths) == 1 and len(whole) > 1 and has_column:
            rows = [dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)]
            return Records(where, "JSON", rows, list(range(1, len(rows) + 1)), said)
    if isinstance(whole, dict):
        is_one = "id" in {str(name).lower() for name in whole}
        rows = [whole] if is_one else [{"id": k, "prediction": v} for k, v in whole.items()]
    else:
        rows = [row if isinstance(row, dict) else {"prediction": row} for row in whole]
    return Records(where, "JSON", rows, list(range(1, len(rows) + 1)), said)


def _is_one_value(text: str) -> bool:
    """Whether a text that is no JSON was to be one array or object, not lines of them."""
    first, is_more, _ = text.partition("\n")
    if text.startswith("{"):
        return bool(is_more) and not first.rstrip().endswith("}")
    is_open = first.count("[") > first.count("]") if is_more else first.startswith('["')
    return bool(JSON_ARRAY.match(text)) or (is_open and text.endswith(("]", ",")))


def _table(
    text: str, where: str, said: tuple[str, ...], columns: Collection[str]
) -> Records | None:
    """A table, if some separator makes a header of its first line; else None."""
    told = SEPARATOR_LINE.fullmatch(text.partition("\n")[0].strip("\n"))
    body = text.partition("\n")[2] if told else text
    header = next((line for line in lines_of(body) if line.strip()), "")
    separators = (told[1],) if told else SEPARATORS
    known = {one: _names(header, one) & set(columns) for one in separators}
    best = max(separators, key=lambda one: len(known[one]))
    if not known[best]:
        return None
    try:
        (_, names), *cells = table_rows(body, best)
    except csv.Error as error:
        raise TextError(f"{where}: table, got {error}; expected quotes that are closed") from None
    names = [name.strip().lower() for name in names]
    for number, row in cells:
        if len(row) != len(names):
            raise TextError(f"{where}:{number}: cells, got {len(row)}; expected {len(names)}")
    if twice := [name for name in names if names.count(name) > 1]:
        got = f"{twice[0]!r} twice" if twice[0] or best != "|" else "those of a table of Markdown"
        raise TextError(f"{where}:1: column, got {got}; expected each once, such as in CSV")
    rows: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for _, row in cells]
    kind = "TSV" if best == "\t" else "CSV"
    if best not in ",\t":
        said += (f"cells divided by {best!r}",)
    return Records(where, kind, rows, [number + bool(told) for number, _ in cells], said)


def _names(header: str, separator: str) -> set[str]:
    try:
        row = next(csv.reader([header], delimiter=separator), [])
    except csv.Error:
        return set()
    return {cell.strip().lower() for cell in row}


def _lines(text: str, where: str, said: tuple[str, ...]) -> Records:
    """Lines that are not blank, as they are."""
    kept = {n: {"line": line} for n, line in enumerate(lines_of(text), 1) if line.strip()}
    return Records(where, "lines", list(kept.values()), list(kept), said)


def value_of(row: Mapping[str, Any], names: Collection[str]) -> Any:
    """Value of the first of some columns that a row has; None for none or an empty cell."""
    lowered = {str(name).lower(): value for name, value in row.items()}
    for name in names:
        value = lowered.get(name)
        if value is not None and value != "":
            return value
    return None


def with_one_mark(records: Records, names: Sequence[str]) -> Records:
    """The records, if their numbers have one decimal mark; a comma is said.

    A ValueError where they have two, or none tells whether `1,081` is a thousand or one.
    """
    seen: dict[str, int] = {}
    for i, row in enumerate(records.rows):
        text = value_of(row, names)
        if isinstance(text, str):
            has_comma = FOREIGN_POINT.fullmatch(text.strip())
            seen.setdefault("," if has_comma else "." * ("." in text), i)
    if "," in seen and "." in seen:
        (a, b) = (records.place(seen[mark]) for mark in ",.")
        got = cut(str(value_of(records.rows[seen[","]], names)))
        raise TextError(f"{a}: value, got {got!r}, but a point in {b}; expected one decimal mark")
    every = [str(value_of(row, names)).strip() for row in records.rows] if "," in seen else []
    if every and all(THOUSANDS.fullmatch(text) for text in every if "," in text):
        place, got = records.place(seen[","]), every[seen[","]]
        told = f"{got!r}, where the comma may be a thousands or a decimal mark"
        raise TextError(f"{place}: value, got {told}; expected a point as the decimal mark")
    if "," in seen:
        return replace(records, said=(*records.said, "a comma read as the decimal mark"))
    return records


def number_of(value: Any) -> float | None:
    """A cell as a finite number, with either decimal mark; None where it is none."""
    if isinstance(value, bool):
        return None
    text = str(value).strip().replace("\u2212", "-")
    if "_" in text:  # Python's own
        return None
    try:
        number = float(text.replace(",", ".") if FOREIGN_POINT.fullmatch(text) else text)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def fields_of(value: Any, names: Collection[str]) -> Iterator[Any]:
    """What a value of JSON has in fields of some names, however deep."""
    for name, one in value.items() if isinstance(value, dict) else ():
        yield from [one] if name in names else fields_of(one, names)
    for one in value if isinstance(value, list) else ():
        yield from fields_of(one, names)


def without_counter(records: Records) -> Records:
    """Lines without the numbers 1, 2, 3, ... in front of all of them, which is said.

    A ValueError where every line has a number of its own, and they do not count the lines.
    """
    found = [COUNTER.match(row.get("line", "")) for row in records.rows]
    counts, n = [int(one[1]) for one in found if one], len(found)
    if n < 2 or len(set(counts)) < n:
        return records
    first = min(counts[0], 1)
    for i, count in enumerate(counts):
        if count != first + i:
            got = f"the number {count} in front, as all have one"
            raise TextError(f"{records.place(i)}: line, got {got}; expected {first + i}, or ids")
    rows = [
        {**row, "line": row["line"][one.end() if one else 0 :]}
        for row, one in zip(records.rows, found, strict=True)
    ]
    said = f"the numbers {counts[0]:,} to {counts[-1]:,} in front of the lines taken off"
    return replace(records, rows=rows, said=(*records.said, said))


def numbered_lines(records: Records) -> Records:
    """Lines of a number, or of a text, a tab and a number, as `prediction` and `text`."""
    rows: list[dict[str, Any]] = []
    for row in records.rows:
        text, tab, value = row["line"].rpartition("\t")
        if not tab or number_of(text) is not None:
            text, value = "", row["line"]
        found = {"prediction": value.strip(), **({"text": text} if text else {})}
        rows.append(found | ({"id": row["id"]} if "id" in row else {}))
    return replace(records, rows=rows)
