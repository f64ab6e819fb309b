"""ERAS: building both scripts, against `Dataset.from_generator` and a bare Parquet write.

Assembling 408,000 sentences from their parts takes .57 s and a bare write .62 s, so that a build
takes 1.9 times as long as the write even where its own write, with page checksums, costs no more.
So the goal is 2.2. The peak of memory is 353 to 362 MB in four runs, of which Arrow and the imports
hold 150 before a row is drawn; the goal is 380.
"""

import functools
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq

from builders.eras.assembly import Script, pair_table
from builders.eras.columns import PAIR_SCHEMA
from builders.eras.draw import ParadigmDraw, draw
from builders.eras.validity import problems
from dataset_scripts.suite import canary
from publish.build.parquet import write_split
from research.benchmarks.timing import Goal, at_most, measure, peak, scaled, wall

FEATURES = datasets.Features.from_arrow_schema(PAIR_SCHEMA)
SCRIPTS: tuple[Script, ...] = ("simplified", "traditional")


def build(drawn: list[ParadigmDraw], folder: Path) -> None:
    """Assembles and writes both scripts as the build does."""
    for script in SCRIPTS:
        write_split([pair_table(drawn, script)], FEATURES, folder, script, canary("eras"))


def write_only(tables: Mapping[str, pa.Table], folder: Path) -> None:
    """Writes finished tables by pyarrow's defaults with zstd: the floor."""
    for script, table in tables.items():
        pq.write_table(table, folder / f"{script}-floor.parquet", compression="zstd")


def generate_row_by_row(rows: Mapping[str, list[dict[str, Any]]], folder: Path) -> None:
    """Takes `Dataset.from_generator` and `to_parquet` for finished rows of both scripts."""
    for script in SCRIPTS:
        yield_rows = functools.partial(iter, rows[script])
        data = datasets.Dataset.from_generator(
            yield_rows, features=FEATURES, cache_dir=str(folder / script), fingerprint=script
        )
        data.to_parquet(folder / f"{script}-rows.parquet")


def run(share: float) -> list[Goal]:
    """Draws, assembles, writes and checks the pairs of both scripts."""
    datasets.disable_progress_bars()
    size = None if share == 1 else scaled(203_944, share)
    seconds_of_draw = measure(lambda: draw(size=size), 3)
    drawn = draw(size=size)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours = measure(lambda: build(drawn, folder))
        memory = peak()
        megabytes = max(path.stat().st_size for path in folder.glob("*.parquet")) / 1e6
        tables: dict[str, pa.Table] = {script: pair_table(drawn, script) for script in SCRIPTS}
        floor = measure(lambda: write_only(tables, folder))
        validation = measure(lambda: [problems(table) for table in tables.values()])
        rows = {script: table.to_pylist() for script, table in tables.items()}
        peer = wall(lambda: generate_row_by_row(rows, folder))
    return [
        at_most("draw", seconds_of_draw, None),
        at_most("assemble and write", ours, None),
        Goal("assemble and write", peer / ours, 5, peer="Dataset.from_generator, finished rows"),
        at_most("assemble and write", ours / floor, 2.2, "x", "a bare Parquet write takes 1"),
        at_most("validation", validation, 2),
        at_most("memory", memory, 380, "MB"),
        at_most("larger script", megabytes, 7, "MB"),
    ]
