"""What the studies of ERAS share: the pairs of a config, and the options that choose them."""

from collections.abc import Sequence

import pyarrow as pa

from dataset_scripts.registry import split_table
from studies.options import Option, folder, natural
from studies.study import Options

CONFIGS = ("simplified", "traditional", "simplified_lite", "traditional_lite")
SEED = Option("seed", "which draw of the suite; 0 is the published one", 0, type=natural)
ROWS = Option(
    "rows", "pairs of another build or version instead, a folder such as hub/eras", type=folder
)


def configs(*default: str) -> Option:
    """The option that chooses configs."""
    text = "lite: 50 pairs of each of the 39 paradigms; else all 203,944"
    return Option("config", text, list(default), nargs="+", choices=CONFIGS)


def read_pairs(options: Options, columns: Sequence[str] | None = None) -> dict[str, pa.Table]:
    """The pairs of each config that was chosen, all columns of the data set or some."""
    return {
        config: split_table("eras", config, "test", {"seed": options.seed}, columns)
        for config in options.config
    }


def script_of(config: str) -> str:
    """The script of a config."""
    return config.removesuffix("_lite")
