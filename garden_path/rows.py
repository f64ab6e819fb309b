"""Rows of the suites: from the package, a folder that `push.py build` made, or the Hub."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ground.extras import told
from ground.paths import ROOT

PACKAGED = ROOT / "hub"
VARIABLE = "GARDEN_PATH_HUB"
PROVENANCE = "provenance.json"


def load(suite: str, config: str, split: str = "test", *, hub: str | None = None) -> pa.Table:
    """Rows of one split of a config; a ValueError where there is none, which lists what there is.

    `hub` is a folder that holds the suites, or a namespace of the Hub; by default the environment
    variable GARDEN_PATH_HUB, and else what is inside this package.
    """
    place = _place(hub)
    if not Path(place).is_dir() and place != str(PACKAGED):
        return _of_hub(place, suite, config, split)
    folder = Path(place) / suite / config
    files = sorted(folder.glob(f"{split}-*.parquet"))
    if not files:
        raise ValueError(
            f"{_shown(place)}: rows, got no {suite}/{config}/{split}; {_there(place, folder)}"
        )
    # `pq.read_table` would import pyarrow.dataset first, which nothing here needs.
    return pa.concat_tables(pq.ParquetFile(file).read() for file in files)


def origin(suite: str, config: str, hub: str | None = None) -> dict[str, str]:
    """What a build says of a config's rows, for a signature; {} where it says nothing."""
    if not (build := build_of(suite, hub)):
        return {}
    found = {"suite_version": str(build.get("since", {}).get(config, build["version"]))}
    options: Mapping[str, Any] = build["options"]
    if config.startswith("released"):
        return found | {"edition": "released"}
    if build.get("commitment"):
        return found
    drawn = [str(options.get("seed", 0)), *([str(options["size"])] if "size" in options else [])]
    return found | {"draw": "/".join(drawn), "edition": "generated"}


def build_of(suite: str, hub: str | None = None) -> dict[str, Any]:
    """What a suite's `provenance.json` says of its build; {} where there is none."""
    place = _place(hub)
    path = Path(place) / suite / PROVENANCE
    if not Path(place).is_dir() and place != str(PACKAGED):
        from huggingface_hub import hf_hub_download

        try:
            path = Path(hf_hub_download(f"{place}/{suite}", PROVENANCE, repo_type="dataset"))
        except (OSError, ValueError):
            return {}
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _place(hub: str | None) -> str:
    return hub or os.environ.get(VARIABLE) or str(PACKAGED)


def _of_hub(place: str, suite: str, config: str, split: str) -> pa.Table:
    try:
        import datasets
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{place}: rows, got no such folder; expected one with the suites (a namespace of the"
            f" Hub needs more: {told('datasets')})"
        ) from error
    try:
        found: Any = datasets.load_dataset(f"{place}/{suite}", config, split=split)
    except (OSError, ValueError) as error:
        said = str(error).split("\n")[0]
        raise ValueError(
            f"{place}/{suite}: rows, got {said}; expected a folder with the suites, or a"
            " namespace of the Hub that has them"
        ) from error
    return found.data.table.combine_chunks()


def _shown(place: str) -> str:
    return "this package" if place == str(PACKAGED) else place


def _there(place: str, folder: Path) -> str:
    """The splits of a config's folder, or what configs there are."""
    splits = {folder / path.name.partition("-")[0] for path in folder.glob("*-*.parquet")}
    configs = (path for path in Path(place).glob("*/*") if any(path.glob("*.parquet")))
    found = sorted(path.relative_to(place).as_posix() for path in splits or configs)
    if not found:
        return "expected suites there: `make hub` builds them in a clone"
    return f"expected one of {', '.join(found)}"
