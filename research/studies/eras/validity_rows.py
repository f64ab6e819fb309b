"""Rows of the study `validity`: pairs and natural places by script, and what a system is given."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from dataset_scripts.eras import Eras
from dataset_scripts.registry import split_table
from ground.tables import read_table
from research.studies.answer_batches import Batches
from research.studies.eras.segmentation import segment, sentences

SCRIPTS = ("simplified", "traditional")
PAIR_CONFIGS = {
    "ERAS": {script: f"{script}_lite" for script in SCRIPTS},
    "extended": {"simplified": "extended", "traditional": "extended_traditional"},
}
TEXT = "natural"
SEEN = Path(__file__).resolve().parent.parent / "data" / "eras_seen_texts.tsv"
ANSWERS = pa.schema([("words", pa.list_(pa.list_(pa.string()))), ("seconds", pa.float64())])


class ItemSet(NamedTuple):
    """Rows of one script that a system is given at once: `ERAS`, `extended` or `natural`."""

    name: str
    script: str
    table: pa.Table


@dataclass(frozen=True)
class SeenText:
    """One row of `eras_seen_texts.tsv`: what a system has learned of a corpus of `corpora.toml`."""

    key: str
    system: str
    corpus: str
    how: str
    said_by: str


def read_parts(options: argparse.Namespace) -> dict[str, ItemSet]:
    """The parts by `name/script`; the extended pairs where this version has them."""
    known = {config.name for config in Eras.BUILDER_CONFIGS}
    parts = [
        ItemSet(name, script, split_table("eras", config, "test"))
        for name, configs in PAIR_CONFIGS.items()
        for script, config in configs.items()
        if config in known
    ]
    natural = split_table("eras", "natural_lite", "test", {"natural": tuple(options.natural)})
    parts += [
        ItemSet(TEXT, script, found)
        for script in SCRIPTS
        for found in [natural.filter(pc.equal(natural["script"], script))]
        if found.num_rows
    ]
    return {f"{part.name}/{part.script}": part for part in parts}


def script_of(system: Any) -> str:
    """The script in which a system is scored: its own, simplified where it takes both."""
    return system.script or SCRIPTS[0]


def part_sentences(system: Any, part: ItemSet) -> Sequence[str] | pa.ChunkedArray:
    """The sentences of a part that a system is given, none of another script than its own."""
    if part.script != script_of(system):
        return []
    if "control" in part.table.column_names:
        return sentences(system, part.table)
    return part.table["test"]


def seen_texts() -> Mapping[str, frozenset[str]]:
    """Corpora that a system has learned of, by its name."""
    rows = read_table(SEEN, SeenText)
    return {
        name: frozenset(row.corpus for row in rows if row.system == name)
        for name in {row.system for row in rows}
    }


BATCHES = Batches(ANSWERS, part_sentences, segment)
