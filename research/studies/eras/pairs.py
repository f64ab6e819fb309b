"""What the studies of ERAS share: the pairs of a config, and the options that choose them."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from dataset_scripts.registry import split_table
from ground.command_line import folder
from research.engine.table_on_disk import TableOnDisk
from research.studies.built_rows import split_on_disk
from research.studies.options import Option, flag
from research.studies.study import Options

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


def pairs_on_disk(
    names: Sequence[str], columns: Sequence[str], draw: Mapping[str, int]
) -> dict[str, TableOnDisk]:
    """Some columns of the pairs of each config of a draw, with its options, in temporary files."""
    return {name: split_on_disk("eras", name, "test", draw, columns) for name in names}


def script_of(config: str) -> str:
    """The script of a config.

    Example:
        >>> script_of("extended"), script_of("traditional_lite")
        ('simplified', 'traditional')
    """
    return "traditional" if "traditional" in config else "simplified"
