"""Files of scores as one table: CSV, TSV, JSONL, JSON, Parquet, and result files of harnesses."""

import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ground.tables import read_bytes, read_json_lines
from rank.harness import ResultRow, Row, is_sample, result_rows, sample_rows

SEPARATORS = {".csv": ",;\t", ".tsv": "\t;,"}  # the first is the format's own
RESULTS = ("results*.json", "samples_*.jsonl")
KINDS = (*SEPARATORS, ".jsonl", ".json", ".parquet")
BLANK = ["", "nan", "NaN", "NA", "N/A", "null", "None", "-"]


@dataclass(frozen=True)
class ScoreFiles:
    """A table of scores and what its files say of it.

    Attributes:
        table: Columns, or rows.
        is_lower_better: Whether the files say that a lower score is a better one.
        note: What was chosen of the files, a sentence; empty where nothing was.
    """

    table: Any
    is_lower_better: bool = False
    note: str = ""


def read_files(paths: Sequence[Path], metric: str | None) -> ScoreFiles:
    """One table from files or folders.

    Args:
        paths: Files; a folder stands for the result files in it and below.
        metric: The score to be taken from result files; None for each task's first.

    Raises:
        ValueError: A file is of an unknown kind, broken or without scores.
    """
    files = [file for path in paths for file in (_of_folder(path) if path.is_dir() else [path])]
    if unknown := [path for path in files if path.suffix.lower() not in KINDS]:
        got = unknown[0].suffix or "no ending"
        raise ValueError(f"{unknown[0]}: format, got {got}; expected {', '.join(KINDS)}")
    tables = [_read(path, metric) for path in files]
    results = [row for table in tables for row in table if isinstance(row, ResultRow)]
    directions = {row["lower"] for row in results}
    if len(directions) > 1:
        raise ValueError(
            f"{paths[0]}: scores, got some of which a lower one is better; expected one kind:"
            " name it with --metric"
        )
    chosen = sorted({str(row["metric"]) for row in results})
    note = f"Score: {', '.join(chosen)}." if chosen else ""
    rows = [row.shown() if isinstance(row, ResultRow) else row for table in tables for row in table]
    return ScoreFiles(rows, directions == {True}, note)


def _of_folder(folder: Path) -> list[Path]:
    found = [sorted(folder.rglob(pattern)) for pattern in RESULTS]
    found.append([path for path in sorted(folder.rglob("*.json")) if path not in found[0]])
    chosen = found[0] or found[2] or found[1]
    if not chosen:
        raise ValueError(f"{folder}: result files, got none; expected {' or '.join(RESULTS)}")
    return chosen


def _read(path: Path, metric: str | None) -> Sequence[Row]:
    kind = path.suffix.lower()
    if kind in SEPARATORS:
        return _read_table(path)
    if kind == ".parquet":
        import pyarrow.parquet as pq

        rows: list[Row] = pq.read_table(path).to_pylist()
        return rows
    if kind == ".jsonl":
        rows = [row for _, row in read_json_lines(path)]
        return sample_rows(path, rows, metric) if rows and is_sample(rows[0]) else rows
    return _read_json(path, metric)


def _read_table(path: Path) -> list[Row]:
    """Rows of a table; numbers as numbers, with a decimal comma where points do not occur."""
    import pyarrow as pa
    from pyarrow import csv

    content = read_bytes(path)
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


def _read_json(path: Path, metric: str | None) -> Sequence[Row]:
    """Rows of a JSON file: a list of rows, a dict of columns, or a harness's result."""
    try:
        found = json.loads(read_bytes(path))
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
