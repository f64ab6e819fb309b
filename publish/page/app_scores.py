"""Tables of scores that a person uploads, and result files of harnesses, as one table."""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app_parquet import MAX_COLUMNS, MAX_ROWS  # type: ignore[import-not-found]  # beside it
from app_readers import READERS, InputError, check_size, read_upload  # type: ignore[import-not-found]

DIRECTIONS = {"by its name": None, "higher is better": True, "lower is better": False}


def read_scores(
    given: Sequence[tuple[str, bytes]], chosen: str | None, settings: Mapping[str, Any], metric: Any
) -> Any:
    """Tables of several files, for `compute(data=...)`; `chosen` is the score of result files."""
    reader = importlib.import_module(type(metric).__module__.rpartition(".")[0] + ".score_files")
    tables, texts = [], []
    for name, content in given:
        check_size(name, len(content))
        kind = READERS.get(Path(name).suffix.lower())
        if kind not in settings["formats"] or kind == "Parquet":
            columns = read_upload(name, content, settings)  # within its limits, or refused
            n_rows = len(next(iter(columns.values())))
            places = [f"{name}: row {i + 1}" for i in range(n_rows)]
            tables.append(reader.ScoreRows(columns, places))
        else:
            texts.append((_path(name, content), content))
    try:
        tables += reader.read_contents(texts, chosen)
    except ValueError as error:
        raise InputError(str(error)) from error
    for table in tables:
        _check(table)
    return tables


def _path(name: str, content: bytes) -> Path:
    """Name of a file; JSON that is one object and was pasted as lines is no file of lines."""
    path = Path(name)
    is_lines = path.suffix.lower() == ".jsonl"
    text = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    first = text.split(b"\n", 1)[0].strip()
    is_object = first in (b"{", b"[") or (text.count(b"\n") < 2 and first[-1:] in (b"}", b"]"))
    return path.with_suffix(".json") if is_lines and is_object and _is_one(text) else path


def _is_one(text: bytes) -> bool:
    """Whether a text is one value of JSON with results or rows, and no object in a line."""
    return text.startswith(b"[") or b'"results"' in text or b'"evaluation_results"' in text


def _check(table: Any) -> None:
    """Refuses what is too large for a page, or names no model."""
    if table.n_rows > MAX_ROWS:
        raise InputError(f"rows, got {table.n_rows:,}; expected at most {MAX_ROWS:,}")
    if len(table.columns) > MAX_COLUMNS:
        raise InputError(f"columns, got {len(table.columns):,}; expected at most {MAX_COLUMNS:,}")
    if table.is_result and not all(table.columns["model"]):
        raise InputError(
            f"{table.places[0]}: model, got none: lm-evaluation-harness names it by the folder"
            " alone; expected its results_*.json, or `python -m garden_path rank` with the folder"
        )
