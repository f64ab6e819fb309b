"""Rows of the suites: from the package, a folder that `push.py build` made, or the Hub."""

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ground.paths import ROOT

PACKAGED = ROOT / "hub"
VARIABLE = "GARDEN_PATH_HUB"


def load(suite: str, config: str, split: str = "test", *, hub: str | None = None) -> pa.Table:
    """Rows of one split of a config.

    Args:
        suite: The suite, such as `eras`.
        config: The config, such as `simplified_lite`.
        split: The split.
        hub: A folder that holds the suites, or a namespace of the Hub; by default the environment
            variable GARDEN_PATH_HUB, and else what is inside this package.

    Raises:
        ValueError: There is no such suite, config or split; the message lists what there is.
    """
    place = hub or os.environ.get(VARIABLE) or str(PACKAGED)
    if not Path(place).is_dir() and place != str(PACKAGED):
        return _of_hub(place, suite, config, split)
    folder = Path(place) / suite / config
    files = sorted(folder.glob(f"{split}-*.parquet"))
    if not files:
        raise ValueError(f"{_shown(place)}: rows, got no {suite}/{config}/{split}; {_there(place)}")
    # `pq.read_table` would import pyarrow.dataset first, which nothing here needs.
    return pa.concat_tables(pq.ParquetFile(file).read() for file in files)


def _of_hub(place: str, suite: str, config: str, split: str) -> pa.Table:
    import datasets

    try:
        found: Any = datasets.load_dataset(f"{place}/{suite}", config, split=split)
    except (OSError, ValueError) as error:
        told = str(error).split("\n")[0]
        raise ValueError(
            f"{place}/{suite}: rows, got {told}; expected a folder with the suites, or a"
            " namespace of the Hub that has them"
        ) from error
    return found.data.table.combine_chunks()


def _shown(place: str) -> str:
    return "this package" if place == str(PACKAGED) else place


def _there(place: str) -> str:
    found = sorted(
        path.relative_to(place).as_posix()
        for path in Path(place).glob("*/*")
        if path.is_dir() and any(path.glob("*.parquet"))
    )
    if not found:
        return "expected suites there: `make hub` builds them in a clone"
    return f"expected one of {', '.join(found)}"
