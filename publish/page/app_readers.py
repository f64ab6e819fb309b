"""Reads what a person uploads or pastes into columns; what is too large or broken is refused."""

import csv
import importlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from app_parquet import (  # type: ignore[import-not-found]  # beside it
    EVERY,
    MAX_COLUMNS,
    MAX_DEPTH,
    MAX_ROWS,
    ParquetError,
    read_parquet,
)
from plain_text import (  # type: ignore[import-not-found]  # as in `metrics`
    TextError,
    decode,
)

READERS = {
    ".csv": "CSV",
    ".tsv": "TSV",
    ".jsonl": "JSONL",
    ".json": "JSONL",
    ".parquet": "Parquet",
    ".conll": "CoNLL",
    ".conllu": "CoNLL",
}
MEGABYTE = 1 << 20  # as Gradio counts
MAX_BYTES = 20 * MEGABYTE
SEPARATORS = {"CSV": ",;\t", "TSV": "\t;,"}  # the first is the format's own
SEPARATOR_LINE = re.compile(r"sep=([,;\t|])\n")  # by which a spreadsheet tells its own
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+\s*")
Columns = dict[str, list[Any]]


class InputError(ValueError):
    """What was uploaded cannot be scored; the message is for the person who uploaded it."""


def read_upload(
    name: str, content: bytes, settings: Mapping[str, Any], metric: Any = None
) -> Columns:
    """Reads a file into columns by the ending of its name; CoNLL by the metric's own reader."""
    kind = READERS.get(Path(name).suffix.lower())
    if kind not in settings["formats"]:
        raise InputError(
            f"{name}: format, got {Path(name).suffix or 'no ending'}; expected"
            f" {', '.join(settings['formats'])}"
        )
    check_size(name, len(content))
    try:
        columns = _read(kind, content, settings, metric)
    except (InputError, ParquetError) as error:
        raise InputError(f"{name}: {error}") from error
    except ValueError as error:
        raise InputError(f"{name}: not readable as {kind}: {error}") from error
    if not columns or not next(iter(columns.values())):
        raise InputError(f"{name}: rows, got none; expected at least one")
    return columns


def check_size(name: str, size: int) -> None:
    """Refuses a file of more than 20 MB, which is known before it is read."""
    if size > MAX_BYTES:
        raise InputError(
            f"{name}: size, got {size / MEGABYTE:,.1f} MB; expected at most"
            f" {MAX_BYTES // MEGABYTE} MB"
        )


def guess_format(text: str) -> str:
    """File name for pasted text: JSON begins with a brace, CoNLL with a comment or a number."""
    first = text.lstrip().split("\n")[0]
    if first.startswith(("{", "[")):
        return "pasted.jsonl"
    if first.startswith("# ") or first.startswith("1\t"):
        return "pasted.conllu"
    return "pasted.tsv" if "\t" in first else "pasted.csv"


def wanted_columns(settings: Mapping[str, Any]) -> set[str]:
    """Names of the columns that a page has a use for."""
    if settings.get("is_table"):
        return {EVERY}
    return {"id", *(name for entry in settings["inputs"] for name in entry["columns"])}


def _read(kind: str | None, content: bytes, settings: Mapping[str, Any], metric: Any) -> Columns:
    if kind == "Parquet":
        return _read_parquet(content, wanted_columns(settings))
    text = _decode(content)
    if kind == "JSONL":
        return _read_json(text)
    if kind == "CoNLL":
        return _read_conll(text, metric)
    return _read_table(str(kind), text, settings)


def _decode(content: bytes) -> str:
    try:
        return str(decode(content, "line").text)
    except TextError as error:
        raise InputError(f"{error} (spreadsheets call it 'CSV UTF-8')") from error


def _read_table(kind: str, text: str, settings: Mapping[str, Any]) -> Columns:
    """Columns of a table, all cells as text; a decimal comma becomes a point, as Europe writes."""
    told = SEPARATOR_LINE.match(text)
    text = text[told.end() :] if told else text
    header = text.lstrip("\n").split("\n")[0]
    if (n := max(map(header.count, SEPARATORS[kind]))) >= MAX_COLUMNS:
        raise InputError(f"columns, got {n + 1:,}; expected at most {MAX_COLUMNS:,}")
    known = SEPARATORS[kind] if told is None else told[1]
    separator = _separator(header, known, wanted_columns(settings))
    rows = _table_rows(text, separator)
    names = [name.strip() for name in next(rows, [])]
    _check_header(names)
    cells: list[list[str]] = [[] for _ in names]
    for number, row in enumerate(rows, start=1):
        _check_rows(number)
        if len(row) != len(names):
            raise InputError(f"row {number}: cells, got {len(row)}; expected {len(names)}")
        for column, cell in zip(cells, row, strict=True):
            column.append(cell)
    columns = dict(zip(names, cells, strict=True))
    if separator != ",":
        numbers = set(columns) if settings.get("is_table") else _number_columns(settings)
        for name in numbers & set(columns):
            columns[name] = [_with_point(cell) for cell in columns[name]]
    return columns


def _table_rows(text: str, separator: str) -> Iterator[list[str]]:
    """Rows of a table, its header first; empty lines are left out."""
    try:
        yield from filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise ValueError(error) from error


def _separator(header: str, candidates: str, wanted: set[str]) -> str:
    """The candidate under which the header names most columns that are known, or most at all."""

    def known(separator: str) -> int:
        cells = next(_table_rows(header, separator), [])
        if EVERY in wanted:
            return len(cells)
        return len(wanted & {cell.strip() for cell in cells})

    return max(candidates, key=known)  # the first of equals, the format's own


def _check_header(names: Sequence[str]) -> None:
    if len(names) > MAX_COLUMNS:
        raise InputError(f"columns, got {len(names):,}; expected at most {MAX_COLUMNS:,}")
    seen: set[str] = set()
    for name in (name.strip() for name in names):
        if name in seen:
            raise InputError(f"column {name!r}, got it twice; expected every column once")
        seen.add(name)


def _check_rows(n: int) -> None:
    if n > MAX_ROWS:
        raise InputError(f"rows, got {n:,} or more; expected at most {MAX_ROWS:,}")


def _number_columns(settings: Mapping[str, Any]) -> set[str]:
    return {name for entry in settings["inputs"] for name in entry.get("numbers", [])}


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell) else cell


def _read_json(text: str) -> Columns:
    try:
        rows = _json_rows(text)
    except RecursionError:
        raise InputError(f"nesting, got more than {MAX_DEPTH} levels; expected fewer") from None
    _check_rows(len(rows))
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            got = type(row).__name__
            raise InputError(f"row {number}: got {got}; expected an object in braces")
        if _depth(row) > MAX_DEPTH:
            raise InputError(
                f"row {number}: nesting, got more than {MAX_DEPTH} levels; expected fewer"
            )
    names = list(dict.fromkeys(name for row in rows for name in row))
    _check_header(names)
    return {name: [row.get(name) for row in rows] for name in names}


def _json_rows(text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        return list(json.loads(text))
    lines = [line for line in text.split("\n") if line.strip()]
    _check_rows(len(lines))
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise ValueError(f"row {number}: {error}") from error
    return rows


def _depth(row: Mapping[str, Any]) -> int:
    """Levels of lists and objects in a row, itself included; counts no further than the limit."""
    level: list[Any] = [row]
    for depth in range(1, MAX_DEPTH + 1):
        level = [
            item
            for value in level
            for item in (value.values() if isinstance(value, dict) else value)
            if isinstance(item, list | dict)
        ]
        if not level:
            return depth
    return 1 + int(MAX_DEPTH)


def _read_conll(text: str, metric: Any) -> Columns:
    """Reads trees with the metric's own reader; a comment `# sent_id = ...` gives the row's id."""
    reader = importlib.import_module(type(metric).__module__.rpartition(".")[0] + ".treebanks")
    treebank = reader.parse_conll(text.encode(), "line", is_output=True)
    columns = {name: lists.to_pylist() for name, lists in treebank.trees().items()}
    ids = treebank.comments("sent_id")
    return {**columns, "id": ids} if all(ids) else columns


def _read_parquet(content: bytes, wanted: set[str]) -> Columns:
    """Columns of a Parquet file: those of no use to the page are not decoded and hold None."""
    table = read_parquet(content, wanted)
    _check_header(table.column_names)
    return {name: table[name].to_pylist() for name in table.column_names}
