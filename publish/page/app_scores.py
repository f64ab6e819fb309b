"""Tables of scores that a person uploads, and result files of harnesses, as one table."""

import importlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app_readers import InputError, check_size, read_upload  # type: ignore[import-not-found]

RESULTS = ("results", "evaluation_results")  # what a result file of a harness holds


def read_scores(
    given: Sequence[tuple[str, bytes]], chosen: str | None, settings: Mapping[str, Any], metric: Any
) -> Any:
    """Columns of one table, or rows of several files, one after the other.

    Args:
        given: Names and contents of the files.
        chosen: The score to be taken from result files; None for each task's first.
        settings: The page's settings.
        metric: The loaded metric, whose own reader reads result files.

    Raises:
        InputError: A file breaks its format or a limit, or holds single answers of a model that it
            does not name.
    """
    reader = importlib.import_module(type(metric).__module__.rpartition(".")[0] + ".score_files")
    tables = []
    for name, content in given:
        check_size(name, len(content))
        if is_result(name, content):
            path = Path(name).with_suffix(".json")
            tables.append(reader.read_file(path, content, chosen))
        else:
            tables.append(_table(name, content, settings))
    if len(tables) == 1:
        return tables[0]
    return [row for table in tables for row in _rows(table)]


def _table(name: str, content: bytes, settings: Mapping[str, Any]) -> dict[str, list[Any]]:
    columns = read_upload(name, content, settings)
    if "doc_id" in columns and {"filtered_resps", "metrics"} & set(columns):
        raise InputError(
            f"{name}: model, got none: lm-evaluation-harness names it by the folder alone; expected"
            " its results_*.json, or `python -m rank` with the folder"
        )
    return {label: read_numbers(column) for label, column in columns.items()}


def is_result(name: str, content: bytes) -> bool:
    """Whether a file is one JSON object with results of a harness."""
    if not Path(name).suffix.lower().startswith(".json"):
        return False
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and any(found.get(key) for key in RESULTS)


def read_numbers(column: Sequence[Any]) -> list[Any]:
    """A column of text as numbers, None where a cell is blank; as it is where a cell is none."""
    cells = [cell.strip() if isinstance(cell, str) else cell for cell in column]
    try:
        return [None if cell in ("", None) else float(cell) for cell in cells]
    except (TypeError, ValueError):
        return list(column)


def _rows(table: Any) -> list[dict[str, Any]]:
    if isinstance(table, list):
        return table
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
