"""The only reader of the project's data files.

A table is a TSV file: UTF-8, NFC, LF, no quoting. Comment lines come first (`# source:` and `#
licence:` are compulsory, `# notes:` is free, `# key:` names the columns that identify a row, by
default the first), then one header line, then one record per line. `|` separates the values of a
multi-valued cell, `_` means not applicable, no cell is empty, and the rows are sorted by their key.
A record is a frozen dataclass whose fields are the columns; their annotations (str, int, float,
bool as yes or no, Literal, tuple[str, ...], X | None) are the schema. Every error names file, line,
column, the value found and what was expected.
"""

import dataclasses
import functools
import gzip
import types
import typing
import unicodedata
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from metrics._shared.plain_text import MARK, TextError, decode, json_lines

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib  # type: ignore[import-not-found, no-redef, unused-ignore]

NOT_APPLICABLE, VALUE_SEPARATOR = "_", "|"
YES_OR_NO = {"yes": True, "no": False}

Record = TypeVar("Record")


class DataFileError(ValueError):
    """A data file breaks its contract; the message says where, what, got and expected."""


class RawTable(NamedTuple):
    """A table as text: `comments` by name, the `header`, and `rows` with their line numbers."""

    path: Path
    comments: dict[str, str]
    header: tuple[str, ...]
    key: tuple[str, ...]
    rows: list[tuple[int, tuple[str, ...]]]


def read_table(path: Path, record: type[Record]) -> list[Record]:
    """Reads a TSV table into records of a frozen dataclass, in the order of its key.

    Its fields are the header's columns, in order (`class_` reads the column `class`).

    Raises:
        DataFileError: The file breaks any rule of this module's docstring, or a cell does not fit
            its column's type.
    """
    raw, hints = read_raw(path), typing.get_type_hints(record)
    fields: Any = dataclasses.fields(record)  # type: ignore[arg-type]  # a record is a dataclass
    parsers = {field.name: _parser(hints[field.name]) for field in fields}
    columns = tuple(name.rstrip("_") for name in parsers)
    if raw.header != columns:
        got, expected = " ".join(raw.header), " ".join(columns)
        raise DataFileError(f"{path}: header, got {got}; expected {expected}")
    return [record(**_parse_row(path, number, parsers, cells)) for number, cells in raw.rows]


def read_raw(path: Path) -> RawTable:
    """Reads a table as text and checks what needs no schema: comments, NFC, cells, key, order."""
    lines = _read_lines(path)
    comments = _comments(path, lines)
    start = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if start == len(lines):
        got = f"{path}: header, got the end of the file"
        raise DataFileError(f"{got}; expected one line of column names")
    header = tuple(lines[start].split("\t"))
    numbered = enumerate(lines[start + 1 :], start + 2)
    rows = [(number, _split_row(path, number, line, header)) for number, line in numbered]
    key = tuple(comments.get("key", header[0]).split())
    check_values(path, "key column", key, header)
    _check_order(raw := RawTable(path, comments, header, key, rows))
    return raw


def read_settings(path: Path) -> dict[str, Any]:
    """Reads a TOML file that begins with `# source:` and `# licence:` comments.

    A DataFileError where they are missing or it is not TOML.
    """
    text = "\n".join(lines := _read_lines(path))
    _comments(path, lines)
    try:
        return read_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise DataFileError(f"{path}: TOML, got {error}; expected a well-formed file") from error


def read_toml(text: str) -> dict[str, Any]:
    """Settings of a text in TOML, on any Python."""
    return dict(tomllib.loads(text))


def check_values(path: Path, what: str, values: Iterable[str], allowed: Collection[str]) -> None:
    """A DataFileError that names the first value that is not allowed, if there is one."""
    for value in values:
        if value not in allowed:
            expected = _one_of(sorted(allowed))
            raise DataFileError(f"{path}: {what}, got {value!r}; expected {expected}")


def read_bytes(path: Path) -> bytes:
    """Bytes of a file, unpacked where its name ends in `.gz`; a DataFileError if it is broken."""
    data = path.read_bytes()
    if path.suffix != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataFileError(f"{path}: archive, got {error}; expected a whole gzip file") from None


def read_text(path: Path, encoding: str = "utf-8", *, is_normalized: bool = True) -> str:
    """Text of a file by the contract of `metrics.plain_text`, unpacked if its name ends in `.gz`.

    A recorded source may have another encoding, and is not put into NFC. A DataFileError names the
    line where the bytes are no text.
    """
    data = read_bytes(path)
    try:
        if encoding != "utf-8":
            data = data.decode(encoding).encode()
        return decode(data, str(path), is_normalized=is_normalized).text
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        got = f"{path}:{line}: encoding, got the byte {byte:#04x}"
        raise DataFileError(f"{got}; expected {encoding.upper()}") from None
    except TextError as error:
        raise DataFileError(str(error)) from None


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of a JSON Lines file with the numbers of their lines; blank lines are passed over."""
    try:
        yield from json_lines(read_text(path), str(path))
    except TextError as error:
        raise DataFileError(str(error)) from None


def _read_lines(path: Path) -> list[str]:
    """Lines of a file of this project, which is stricter with itself than with a user."""
    read_text(path)  # says what is wrong with an encoding
    text = read_bytes(path).decode("utf-8", errors="replace")
    if text.startswith(MARK):
        raise DataFileError(f"{path}:1: encoding, got a byte order mark; expected none")
    lines = text.removesuffix("\n").split("\n")
    if "\r" in text or not unicodedata.is_normalized("NFC", text):
        for number, line in enumerate(lines, 1):
            if "\r" in line:
                raise DataFileError(f"{path}:{number}: line end, got CR; expected LF")
            if not unicodedata.is_normalized("NFC", line):
                got = f"{path}:{number}: text, got a decomposed character"
                raise DataFileError(f"{got}; expected NFC")
    return lines


def _comments(path: Path, lines: Sequence[str]) -> dict[str, str]:
    comments: dict[str, str] = {}
    for line in lines:
        if not line.startswith("#"):
            break
        name, _, value = line.removeprefix("#").partition(":")
        comments[name.strip()] = value.strip()
    for name in ("source", "licence"):
        if not comments.get(name):
            got = f"{path}: comments, got no '# {name}:' line"
            raise DataFileError(f"{got}; expected one before the header")
    return comments


def _split_row(path: Path, number: int, line: str, header: tuple[str, ...]) -> tuple[str, ...]:
    cells = tuple(line.split("\t"))
    if len(cells) != len(header):
        raise DataFileError(f"{path}:{number}: columns, got {len(cells)}; expected {len(header)}")
    for name, cell in zip(header, cells, strict=True):
        if cell != cell.strip() or not cell:
            expected = "a value without outer blanks, or _"
            raise DataFileError(f"{path}:{number}: {name}, got {cell!r}; expected {expected}")
    return cells


def _check_order(raw: RawTable) -> None:
    columns = [raw.header.index(name) for name in raw.key]
    keys = [(number, tuple(cells[c] for c in columns)) for number, cells in raw.rows]
    numeric = [all(key[i].isdigit() for _, key in keys) for i in range(len(columns))]
    order = [
        tuple(int(k) if n else k for k, n in zip(key, numeric, strict=True)) for _, key in keys
    ]
    for (number, key), before, after in zip(keys[1:], order, order[1:], strict=False):
        where, got = f"{raw.path}:{number}", "/".join(key)
        if before == after:
            raise DataFileError(f"{where}: key, got {got} twice; expected one row for each")
        if before > after:
            got = f"{where}: order, got {got} after a later key"
            raise DataFileError(f"{got}; expected sorted rows")


def _parse_row(
    path: Path, number: int, parsers: Mapping[str, Callable[[str], object]], cells: Sequence[str]
) -> dict[str, object]:
    values = {}
    for (name, parse), cell in zip(parsers.items(), cells, strict=True):
        try:
            values[name] = parse(cell)
        except ValueError as error:
            where = f"{path}:{number}: {name}"
            raise DataFileError(f"{where}, got {cell!r}; expected {error}") from None
    return values


def _parser(hint: Any) -> Callable[[str], object]:
    """What reads a cell of a column; what it expects is the message of its ValueError."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        (inner,) = [_parser(a) for a in arguments if a is not type(None)]
        return lambda cell: None if cell == NOT_APPLICABLE else inner(cell)
    if origin is tuple:
        parse = _parser(arguments[0])
        return lambda cell: tuple(
            map(parse, [] if cell == NOT_APPLICABLE else cell.split(VALUE_SEPARATOR))
        )
    if hint in (int, float):
        return functools.partial(_parse_number, hint)
    if hint is str:
        return _parse_text
    allowed = {str(a): str(a) for a in arguments} if origin is Literal else YES_OR_NO
    return functools.partial(_parse_one_of, allowed)


def _parse_one_of(allowed: Mapping[str, object], cell: str) -> object:
    if cell not in allowed:
        raise ValueError(_one_of([*allowed]))
    return allowed[cell]


def _parse_text(cell: str) -> str:
    if cell == NOT_APPLICABLE or not cell:
        raise ValueError("a value; this column has no 'not applicable'")
    return cell


def _parse_number(kind: type, cell: str) -> object:
    try:
        return kind(cell)
    except ValueError:
        raise ValueError("a whole number" if kind is int else "a number") from None


def _one_of(values: Sequence[str]) -> str:
    shown = list(values[:12]) + (["..."] if len(values) > 12 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
