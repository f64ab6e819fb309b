"""What the studies of ERAS share: the pairs of a config, and the options that choose them."""

import pyarrow as pa

from dataset_scripts.registry import split_table
from studies.options import Option, natural
from studies.study import Options

CONFIGS = ("simplified", "traditional", "simplified_lite", "traditional_lite")
SEED = Option("seed", "which draw of the suite; 0 is the published one", 0, type=natural)


def configs(*default: str) -> Option:
    """The option that chooses configs."""
    text = "lite: 50 pairs of each of the 39 paradigms; else all 203,944"
    return Option("config", text, list(default), nargs="+", choices=CONFIGS)


def read_pairs(options: Options) -> dict[str, pa.Table]:
    """The pairs of each config that was chosen, columns as in the data set."""
    return {
        config: split_table("eras", config, "test", {"seed": options.seed})
        for config in options.config
    }


def script_of(config: str) -> str:
    """The script of a config."""
    return config.removesuffix("_lite")
