"""What the studies of ERAS share: the pairs of a config, and the options that choose them."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dataset_scripts.registry import builder_for, split_table, suite_builder
from ground.command_line import folder
from research.engine.table_on_disk import TableOnDisk
from research.studies.options import Option, flag
from research.studies.study import Options


def built_groups(place: Path, config: str, columns: Sequence[str]) -> Iterator[pa.Table]:
    """The rows of `<place>/<config>/test-*.parquet`, by row group; a ValueError without them."""
    files = sorted((place / config).glob("test-*.parquet"))
    if not files:
        raise ValueError(
            f"--rows, got {place} without {config}/test; expected a folder that push.py build wrote"
        )
    if missing := [name for name in columns if name not in pq.read_schema(files[0]).names]:
        raise ValueError(
            f"--rows {place}: {config}: columns, got none named {', '.join(missing)};"
            " expected those of the config"
        )
    for path in files:
        with pq.ParquetFile(path) as file:
            for number in range(file.num_row_groups):
                yield file.read_row_group(number, columns=list(columns))


def drawn_on_disk(config: str, options: Mapping[str, Any], columns: Sequence[str]) -> TableOnDisk:
    """Pairs of a draw in a temporary file, into which they are written as they are drawn."""
    with tempfile.TemporaryDirectory() as cache:
        builder = builder_for(suite_builder("eras"), "eras", config, options, cache)
        return TableOnDisk(batch.select(columns) for batch in builder.split_batches()["test"])


CONFIGS = ("simplified", "traditional", "simplified_lite", "traditional_lite")
SEED = flag("seed", "which draw of the suite; 0 is the published one", 0, low=0)
ROWS = flag(
    "rows", "pairs of another build or version instead, a folder such as hub/eras", parse=folder
)


def configs(*default: str) -> Option:
    """The option that chooses configs."""
    text = "lite: 50 pairs of each of the 39 paradigms; else all 203,944"
    return flag("config", text, list(default), many="+", choices=CONFIGS)


def read_pairs(options: Options) -> dict[str, pa.Table]:
    """The pairs of each config that was chosen."""
    return {
        config: split_table("eras", config, "test", {"seed": options.seed})
        for config in options.config
    }


def script_of(config: str) -> str:
    """The script of a config."""
    return "traditional" if "traditional" in config else "simplified"
