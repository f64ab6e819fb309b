"""ERAS: building both scripts, against `Dataset.from_generator` and a bare Parquet write."""

import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.timing import Goal, measure, report
from builders.eras.assembly import Script, pair_table
from builders.eras.draw import ParadigmDraw, draw
from builders.eras.validity import problems
from dataset_scripts.eras import PAIR_FEATURES
from dataset_scripts.suite import canary
from publish.parquet import write_split

SCRIPTS: tuple[Script, ...] = ("simplified", "traditional")


def build(drawn: list[ParadigmDraw], folder: Path) -> None:
    """Assembles and writes both scripts as the build does."""
    for script in SCRIPTS:
        write_split([pair_table(drawn, script)], PAIR_FEATURES, folder, script, canary("eras"))


def write_only(tables: Mapping[str, pa.Table], folder: Path) -> None:
    """Writes finished tables by pyarrow's defaults with zstd: the floor."""
    for script, table in tables.items():
        pq.write_table(table, folder / f"{script}-floor.parquet", compression="zstd")


def generate_row_by_row(rows: Mapping[str, list[dict[str, Any]]], folder: Path) -> float:
    """Seconds of `Dataset.from_generator` and `to_parquet` for finished rows of both scripts."""
    start = time.perf_counter()
    for script in SCRIPTS:

        def yield_rows(script: str = script) -> Iterator[dict[str, Any]]:
            yield from rows[script]

        data = datasets.Dataset.from_generator(
            yield_rows, features=PAIR_FEATURES, cache_dir=str(folder / script), fingerprint=script
        )
        data.to_parquet(folder / f"{script}-rows.parquet")
    return time.perf_counter() - start


def main() -> int:
    """Runs the benchmark; gives the exit code."""
    datasets.disable_progress_bars()
    seconds_of_draw = measure(draw, 3)
    drawn = draw()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours = measure(lambda: build(drawn, folder))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        megabytes = max(path.stat().st_size for path in folder.glob("*.parquet")) / 1e6
        tables: dict[str, pa.Table] = {script: pair_table(drawn, script) for script in SCRIPTS}
        floor = measure(lambda: write_only(tables, folder))
        validation = measure(lambda: [problems(table) for table in tables.values()])
        peer = generate_row_by_row(
            {script: table.to_pylist() for script, table in tables.items()}, folder
        )
    print(
        f"draw {seconds_of_draw:.2f} s, assemble and write {ours:.2f} s, "
        f"bare write {floor:.2f} s, from_generator {peer:.1f} s\n"
    )
    return report(
        "ERAS build, 203,944 pairs in two scripts",
        [
            Goal("times faster than from_generator of finished rows", peer / ours, 5),
            Goal("times the bare Parquet write", ours / floor, 3, larger_is_better=False),
            Goal("validation, seconds", validation, 2, larger_is_better=False),
            Goal("peak memory, MB", peak, 400, larger_is_better=False),
            Goal("largest script, MB", megabytes, 7, larger_is_better=False),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
