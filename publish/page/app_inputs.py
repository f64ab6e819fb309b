"""Turns what a person uploads into what a metric's `compute()` takes, as `space.toml` says.

A column that the file lacks is taken from the suite, row by row by `id`; predictions never are.
Every error names the column or the row.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app_readers import Columns, InputError  # type: ignore[import-not-found]  # beside it

HERE = Path(__file__).resolve().parent


def metric_inputs(columns: Columns, config: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `compute()`; columns that the file lacks are those of the chosen config."""
    _check_ids(columns.get("id", []))
    inputs = {
        entry["name"]: _input(columns, entry)
        for entry in settings["inputs"]
        if not entry.get("from_suite")
    }
    given = [entry for entry in settings["inputs"] if entry.get("from_suite")]
    missing = [name for entry in given for name in entry["columns"] if name not in columns]
    if any(
        name not in entry.get("optional", [])
        for entry in given
        for name in entry["columns"]
        if name in missing
    ):
        renamed = {old: new for entry in given for old, new in entry.get("rename", {}).items()}
        columns = {
            **columns,
            **_from_suite(
                columns, {name: renamed.get(name, name) for name in missing}, config, settings
            ),
        }
    return inputs | {entry["name"]: _input(columns, entry) for entry in given}


def read_roles(text: str) -> dict[str, list[str]]:
    """Columns that a person names: `system=model, unit=corpus+year`; {} for no text."""
    found = {}
    for part in filter(None, map(str.strip, text.split(","))):
        role, mark, names = (piece.strip() for piece in part.partition("="))
        if not mark:
            raise InputError(f"columns, got {part!r}; expected such as system=model, unit=corpus")
        found[role] = [name.strip() for name in names.split("+")] if names else []
    return found


def suite_id(settings: Mapping[str, Any]) -> str:
    """The suite in this Space's namespace, in a folder beside this one, or by its bare name."""
    suite = str(settings["suite"])
    if space := os.environ.get("SPACE_ID"):
        return f"{space.split('/')[0]}/{suite}"
    beside = HERE.parent / suite
    return str(beside) if beside.is_dir() else suite


def _check_ids(ids: Sequence[Any]) -> None:
    first: dict[Any, int] = {}
    for number, name in enumerate(ids, start=1):
        if not isinstance(name, str | int):
            raise InputError(f"row {number}: id, got {name!r}; expected a text")
        if name in first:
            raise InputError(
                f"row {number}: id, got {name!r} again, after row {first[name]}; expected every id"
                " once"
            )
        first[name] = number


def _from_suite(
    columns: Columns, missing: Mapping[str, str], config: str, settings: Mapping[str, Any]
) -> Columns:
    """Missing columns of the file, from those of the suite by `id`, or by position for all rows."""
    if not settings["suite"]:
        raise InputError(
            f"column {next(iter(missing))!r}, got none among {', '.join(columns)}; expected one"
        )
    suite = _load_suite(config, settings)
    known = {ours: theirs for ours, theirs in missing.items() if theirs in suite.column_names}
    if "id" not in columns:
        n = len(next(iter(columns.values())))
        if n != suite.num_rows:
            what = f"{', '.join(list(missing)[:3])} nor id"
            raise InputError(
                f"columns, got neither {what}; expected ids of {config}, or all its"
                f" {suite.num_rows:,} rows in their order"
            )
        return {ours: suite[theirs][:] for ours, theirs in known.items()}
    places = {row: place for place, row in enumerate(suite["id"][:])}
    for number, row in enumerate(columns["id"], start=1):
        if row not in places:
            raise InputError(
                f"row {number}: id, got {row!r}; expected an id of {settings['suite']}, {config}"
            )
    chosen = suite.select([places[row] for row in columns["id"]])
    return {ours: chosen[theirs][:] for ours, theirs in known.items()}


def _load_suite(config: str, settings: Mapping[str, Any]) -> Any:
    from datasets import concatenate_datasets, load_dataset

    try:
        return concatenate_datasets(list(load_dataset(suite_id(settings), config).values()))
    except (OSError, ValueError) as error:
        found = f"{type(error).__name__}: {error}".split("\n")[0]
        raise InputError(
            f"suite {settings['suite']}, {config}: got {found}; expected it on the Hub, or its"
            " columns in the file"
        ) from error


def _input(columns: Columns, given: Mapping[str, Any]) -> Any:
    optional = given.get("optional", [])
    names = [name for name in given["columns"] if name in columns or name not in optional]
    for name in names:
        if name not in columns:
            raise InputError(
                f"column {name!r}, got none among {', '.join(columns)}; expected"
                f" {', '.join(given['columns'])}"
            )
    read = {
        name: [
            _cell(value, name, number, given) for number, value in enumerate(columns[name], start=1)
        ]
        for name in names
    }
    if given["form"] == "column" and optional:
        return [None if value == "" else value for value in read[names[0]]] if names else None
    if given["form"] == "column":
        return read[names[0]]
    if given["form"] == "matrix":
        return [list(row) for row in zip(*read.values(), strict=True)]
    fields = [given.get("rename", {}).get(name, name) for name in names]
    return [dict(zip(fields, row, strict=True)) for row in zip(*read.values(), strict=True)]


def _cell(value: Any, name: str, number: int, given: Mapping[str, Any]) -> Any:
    """One cell: a CSV file knows only text, so numbers and lists of words are read from it here."""
    if not isinstance(value, str):
        return value
    if name in given.get("lists", []):
        choices = value.split(given["alternatives"]) if "alternatives" in given else [value]
        return choices[0].split() if len(choices) == 1 else [choice.split() for choice in choices]
    kind = (
        float
        if name in given.get("numbers", [])
        else int
        if name in given.get("integers", [])
        else str
    )
    try:
        return kind(value)
    except ValueError:
        raise InputError(
            f"row {number}: {name}, got {value!r}; expected a"
            f" {'whole ' if kind is int else ''}number"
        ) from None
