"""Rows of a suite as they were built into a folder, in the place of a draw."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def read_built(
    place: Path, config: str, split: str, columns: Sequence[str] | None = None
) -> pa.Table:
    """The rows of a split, `<place>/<config>/<split>-*.parquet`: all columns or some.

    Raises:
        ValueError: There are none, or a column is missing.
    """
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
    return pa.concat_tables(
        [pq.read_table(file, columns=columns and list(columns)) for file in files]
    )
