"""Reads a built suite for a study: the rows it scores, and the stamp that its result carries."""

import json
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

HUB = Path(__file__).resolve().parent.parent / "hub"


class Stamp(NamedTuple):
    """What a result was measured on: VERSION of the suite and its content hash."""

    version: str
    content_hash: str


def read_stamp(suite: str, hub: Path = HUB) -> Stamp:
    """Gives the stamp of a built suite.

    Raises:
        ValueError: The suite has not been built, or is another draw than the published one.
    """
    path = hub / suite / "provenance.json"
    if not path.exists():
        raise ValueError(f"{path}: build of {suite}, got none; expected one: run make hub")
    provenance = json.loads(path.read_text(encoding="utf-8"))
    if provenance["options"]:
        raise ValueError(f"{path}: options, got {provenance['options']}; expected the published draw, built without any")
    return Stamp(provenance["version"], provenance["content_hash"])


def read_split(suite: str, config: str, split: str, columns: list[str], hub: Path = HUB) -> pa.Table:
    """Gives some columns of one split of a built suite.

    Raises:
        ValueError: There is no such split.
    """
    paths = sorted((hub / suite / config).glob(f"{split}-*.parquet"))
    if not paths:
        raise ValueError(f"{hub / suite / config}: split {split}, got no file; expected one: run make hub")
    return pa.concat_tables([pq.read_table(path, columns=columns) for path in paths])
