"""Rows of a suite as they were built into a folder, in the place of a draw."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dataset_scripts.registry import builder_for, suite_builder
from research.engine.table_on_disk import TableOnDisk


def built_groups(
    place: Path, config: str, split: str, columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """The rows of `<place>/<config>/<split>-*.parquet`, by row group; a ValueError without them."""
    files = sorted((place / config).glob(f"{split}-*.parquet"))
    if not files:
        raise ValueError(
            f"--rows, got {place} without {config}/{split}; expected a folder that push.py build"
            " wrote"
        )
    if missing := [name for name in columns or () if name not in pq.read_schema(files[0]).names]:
        raise ValueError(
            f"--rows {place}: {config}: columns, got none named {', '.join(missing)};"
            " expected those of the config"
        )
    for path in files:
        with pq.ParquetFile(path) as file:
            for number in range(file.num_row_groups):
                yield file.read_row_group(number, columns=columns and list(columns))


def split_on_disk(
    name: str, config: str, split: str, options: Mapping[str, Any], columns: Sequence[str]
) -> TableOnDisk:
    """The same rows in a temporary file, into which they are written as they are drawn."""
    with tempfile.TemporaryDirectory() as cache:
        builder = builder_for(suite_builder(name), name, config, options, cache)
        return TableOnDisk(batch.select(columns) for batch in builder.split_batches()[split])
