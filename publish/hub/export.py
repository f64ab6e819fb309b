"""Exports a split of a suite as a file: JSON Lines, or a format of the suite's own field.

Those formats are in FORMATS of `builders/<suite>/writers.py`: functions that turn columns, class
labels by their names, into text.
"""

import importlib
import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import datasets
import pyarrow as pa

from dataset_scripts.registry import builder_for, suite_builder, suite_names

Writer = Callable[[Mapping[str, Sequence[Any]]], str]
JSON = "json"


def export(
    suite: str,
    format: str,
    config: str | None = None,
    split: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> str:
    """Text of one split, by default of the default config and of the only split.

    A ValueError where the suite has no such format, config or split, or the format lacks a column.
    """
    writers = _formats(suite)
    if format not in writers:
        raise ValueError(f"{suite}: --format, got {format!r}; expected {', '.join(writers)}")
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
    table = tables[chosen]
    if format == JSON:
        return writers[format](table.to_pydict())
    try:
        return writers[format](named_labels(table, instance.config.features))
    except KeyError as error:
        got = f"{suite}: --config, got {config}, which has no column {error}"
        raise ValueError(f"{got}; expected one that {format} can be written from") from error


def json_lines(columns: Mapping[str, Sequence[Any]]) -> str:
    """JSON Lines: an object a row, class labels as the numbers that `load_dataset` has."""
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def named_labels(table: pa.Table, features: datasets.Features) -> dict[str, list[Any]]:
    """Columns of a table, class labels by their names."""
    columns: dict[str, list[Any]] = table.to_pydict()
    for name, feature in features.items():
        inner = getattr(feature, "feature", feature)
        if isinstance(inner, datasets.ClassLabel):
            given = columns[name]
            columns[name] = [inner.int2str(one) if one or one == 0 else [] for one in given]
    return columns


def _formats(suite: str) -> Mapping[str, Writer]:
    if suite not in suite_names():
        raise ValueError(f"NAME, got {suite!r}; expected one of {', '.join(suite_names())}")
    name = f"builders.{suite}.writers"
    has_own = importlib.util.find_spec(name) is not None
    own = getattr(importlib.import_module(name), "FORMATS", {}) if has_own else {}
    return {**own, JSON: json_lines}
