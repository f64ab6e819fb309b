"""Files of scores as one table: CSV, TSV, JSONL, JSON, Parquet, and result files of harnesses."""

import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .harness import Row, is_sample, result_rows, sample_rows

SEPARATORS = {".csv": ",;\t", ".tsv": "\t;,"}  # the first is the format's own
RESULTS = ("results*.json", "samples_*.jsonl")
KINDS = (*SEPARATORS, ".jsonl", ".json", ".parquet")
BLANK = ["", "nan", "NaN", "NA", "N/A", "null", "None", "-"]


def read_files(paths: Sequence[Path], metric: str | None) -> list[Row]:
    """Rows of files or folders, one after the other; those of result files know what they are.

    Args:
        paths: Files; a folder stands for the result files in it and below.
        metric: The score to be taken from result files; None for each task's first.

    Raises:
        ValueError: A file is of an unknown kind, broken or without scores.
    """
    files = [file for path in paths for file in (_of_folder(path) if path.is_dir() else [path])]
    for path in files:
        check_kind(path)
    return [row for path in files for row in read_file(path, path.read_bytes(), metric)]


def check_kind(path: Path) -> None:
    """Refuses a file by its ending."""
    if path.suffix.lower() not in KINDS:
        got = path.suffix or "no ending"
        raise ValueError(f"{path}: format, got {got}; expected {', '.join(KINDS)}")


def read_file(path: Path, content: bytes, metric: str | None) -> Sequence[Row]:
    """Rows of one file.

    Args:
        path: Its name, whose ending says what it is; result files may name a model by the folder.
        content: Its bytes.
        metric: As in `read_files`.
    """
    kind = path.suffix.lower()
    if kind in SEPARATORS:
        return _read_table(path, content)
    if kind == ".parquet":
        import pyarrow.parquet as pq

        rows: list[Row] = pq.read_table(io.BytesIO(content)).to_pylist()
        return rows
    if kind == ".jsonl":
        rows = _read_lines(path, content)
        return sample_rows(path, rows, metric) if rows and is_sample(rows[0]) else rows
    return _read_json(path, content, metric)


def _of_folder(folder: Path) -> list[Path]:
    found = [sorted(folder.rglob(pattern)) for pattern in RESULTS]
    found.append([path for path in sorted(folder.rglob("*.json")) if path not in found[0]])
    chosen = found[0] or found[2] or found[1]
    if not chosen:
        raise ValueError(f"{folder}: result files, got none; expected {' or '.join(RESULTS)}")
    return chosen


def _read_table(path: Path, content: bytes) -> list[Row]:
    """Rows of a table; numbers as numbers, with a decimal comma where points do not occur."""
    import pyarrow as pa
    from pyarrow import csv

    header = content.split(b"\n", 1)[0].decode(errors="replace")
    separator = max(SEPARATORS[path.suffix.lower()], key=header.count)
    has_comma = separator != "," and re.search(rb"\d,\d", content) and b"." not in content
    convert = csv.ConvertOptions(
        null_values=BLANK, strings_can_be_null=True, decimal_point="," if has_comma else "."
    )
    options = csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    try:
        table = csv.read_csv(io.BytesIO(content), parse_options=options, convert_options=convert)
    except pa.ArrowInvalid as error:
        raise ValueError(f"{path}: not readable as a table: {error}") from None
    names = [name.strip() for name in table.column_names]
    if doubled := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"{path}: column {doubled[0]!r}, got it twice; expected it once")
    columns = [_typed(column) for column in table.columns]
    rows: list[Row] = pa.table(columns, names=names).to_pylist()
    return rows


def _typed(column: Any) -> Any:
    """Numbers as they are, truth values as 0 and 1, everything else as text."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        return column.cast(pa.int8())
    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    return column if is_number else column.cast(pa.string())


def _read_lines(path: Path, content: bytes) -> list[Row]:
    """Objects of JSON Lines."""
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: text, got {error.reason}; expected UTF-8") from None
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            row = line
        if isinstance(row, dict):
            rows.append(row)
        elif line.strip():
            raise ValueError(f"{path}:{number}: line, got {line[:60]!r}; expected a JSON object")
    return rows


def _read_json(path: Path, content: bytes, metric: str | None) -> Sequence[Row]:
    """Rows of a JSON file: a list of rows, a dict of columns, or a harness's result."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: JSON, got {error}; expected rows or a result") from None
    if isinstance(found, dict):
        rows = result_rows(path, found, metric)
        if rows is not None:
            return rows
        lengths = {len(value) if isinstance(value, list) else -1 for value in found.values()}
        if len(lengths) == 1 and lengths != {-1}:
            return [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
    if isinstance(found, list) and all(isinstance(row, dict) for row in found):
        return found
    raise ValueError(
        f"{path}: JSON, got {type(found).__name__}; expected a list of rows, columns, or a result"
        " of lm-evaluation-harness or every_eval_ever"
    )
