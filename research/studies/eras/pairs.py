"""What the studies of ERAS share: the pairs of a config, and the options that choose them."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dataset_scripts.registry import split_table
from ground.command_line import folder
from research.studies.options import Option, flag
from research.studies.study import Options


def built_pairs(place: Path, config: str, columns: Sequence[str]) -> pa.Table:
    """The rows of `<place>/<config>/test-*.parquet`; a ValueError without them."""
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
    return pa.concat_tables(pq.ParquetFile(path).read(list(columns)) for path in files)


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
