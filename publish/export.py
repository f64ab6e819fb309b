"""Exports a split of a suite as a file of the suite's own field.

A suite that has such formats names them in `builders/<suite>/writers.py`: FORMATS, a mapping of a
format's name to a function that turns columns into text; the first line of its docstring is what
`--help` says of it. Nothing here knows a suite.
"""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa

from dataset_scripts.registry import builder_for, suite_builder, suite_names
from ground.files import write_whole

Writer = Callable[[Mapping[str, Sequence[Any]]], str]


def formats() -> dict[str, dict[str, str]]:
    """What each suite that has formats can be exported as: their names, with a line about each."""
    return {
        suite: {name: str(inspect.getdoc(writer)).split("\n")[0] for name, writer in found.items()}
        for suite in suite_names()
        if (found := _formats(suite))
    }


def export(
    suite: str,
    format: str,
    config: str | None = None,
    split: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> str:
    """Text of one split in one format.

    Args:
        suite: The suite.
        format: One of its formats.
        config: One of its configs; None is the default one.
        split: One of its splits; None is the only one.
        options: Options of the draw.

    Raises:
        ValueError: The suite has no such format, config or split, or several splits and none is
            named, or the config lacks a column that the format needs.
    """
    writers = _formats(suite)
    if format not in writers:
        expected = ", ".join(writers) or f"a suite that has any: {', '.join(formats())}"
        raise ValueError(f"{suite}: --format, got {format!r}; expected {expected}")
    builder = suite_builder(suite)
    config = config or builder.DEFAULT_CONFIG_NAME
    known = [one.name for one in builder.BUILDER_CONFIGS]
    if config not in known:
        raise ValueError(f"{suite}: --config, got {config!r}; expected one of {', '.join(known)}")
    instance = builder_for(builder, suite, config, options or {}, "")
    tables = instance.split_tables()
    chosen = split or (next(iter(tables)) if len(tables) == 1 else "none")
    if chosen not in tables:
        raise ValueError(f"{suite}: --split, got {chosen}; expected one of {', '.join(tables)}")
    try:
        return writers[format](_named_labels(tables[chosen], instance.config.features))
    except KeyError as error:
        raise ValueError(
            f"{suite}: --config, got {config}, which has no column {error}; "
            f"expected one that {format} can be written from"
        ) from error


def _named_labels(table: pa.Table, features: datasets.Features) -> dict[str, list[Any]]:
    """Columns of a table, class labels by their names."""
    columns: dict[str, list[Any]] = table.to_pydict()
    for name, feature in features.items():
        inner = getattr(feature, "feature", feature)
        if isinstance(inner, datasets.ClassLabel):
            columns[name] = [
                inner.int2str(value) if value or value == 0 else [] for value in columns[name]
            ]
    return columns


def write_export(text: str, path: Path | None) -> None:
    """Writes an export to a file, or to standard output where no file is given."""
    if path is None:
        sys.stdout.write(text)
    else:
        write_whole(path, text)


def _formats(suite: str) -> Mapping[str, Writer]:
    if suite not in suite_names():
        raise ValueError(f"NAME, got {suite!r}; expected one of {', '.join(suite_names())}")
    name = f"builders.{suite}.writers"
    if importlib.util.find_spec(name) is None:
        return {}
    found: Mapping[str, Writer] = getattr(importlib.import_module(name), "FORMATS", {})
    return found
