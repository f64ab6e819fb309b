"""Draws of ten and a hundred times the size, in files: processor time a row, and memory.

    python -m benchmarks.streaming               # 1x and 10x, some minutes
    python -m benchmarks.streaming --times 1 10 100 --suites morphseg

Each draw is built in a process of its own, as `push.py build` does: drawn, written, ids compared,
hashed; then its rows are checked. Seconds are of the processor, so that other work on the machine
does not count. What a process needs once (imports, tables, counts of chains) is in the smallest
draw too: a larger one has ten times the rows in hardly more memory, and no more time for each.
ERAS and SORTS are drawn at their capacity instead, a third more and four times the published size.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.timing import Goal, report
from dataset_scripts.content import content_hash_of_files
from dataset_scripts.registry import builder_for, suite_builder
from publish.parquet import count_rows, write_split
from publish.rows import read_units, repeated_problems

SLOWEST, LARGEST = 1.15, 1.2  # seconds a row and peak memory, of a larger draw to the smallest


class DrawCase(NamedTuple):
    """A config, the size of its published draw, and the most that its tables fill, if little."""

    config: str
    size: int
    capacity: int | None = None


CASES = {
    "centerbench": DrawCase("questions", 30),
    "morphseg": DrawCase("synthetic", 10_000),
    "eras": DrawCase("simplified", 203_944, 271_089),
    "sorts": DrawCase("conll", 1, 4),
}


class MeasuredDraw(NamedTuple):
    """What one draw took: its rows, files, processor seconds in all, peak of memory."""

    rows: int
    files: int
    seconds: float
    megabytes: float


def build(suite: str, config: str, size: int) -> MeasuredDraw:
    """Builds and checks one config in this process."""
    builder, n_rows, n_files = suite_builder(suite), 0, 0
    with tempfile.TemporaryDirectory() as name:
        instance = builder_for(builder, suite, config, {"size": size}, name)
        features = instance.config.features
        assert features is not None
        for split, batches in instance.split_batches().items():
            paths = write_split(batches, features, Path(name), split, "")
            problems = repeated_problems(paths, instance.distinct_columns())
            for table in read_units(paths, builder.UNIT):
                problems += instance.problems(table)
            if problems:
                raise ValueError(problems[0])
            content_hash_of_files(paths, features)
            n_rows, n_files = n_rows + count_rows(paths), n_files + len(paths)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return MeasuredDraw(n_rows, n_files, time.process_time(), used.ru_maxrss / 1024)


def build_apart(suite: str, config: str, size: int) -> MeasuredDraw:
    """The same in a process of its own."""
    asked = ["--one", suite, config, str(size)]
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.streaming", *asked],
        capture_output=True,
        text=True,
        check=True,
    )
    return MeasuredDraw(*json.loads(run.stdout))


def goals_of(suite: str, times: Sequence[int]) -> list[Goal]:
    """Draws a suite at several sizes; the ratios to the first."""
    case = CASES[suite]
    sizes = [case.size, case.capacity] if case.capacity else [case.size * n for n in times]
    draws = [build_apart(suite, case.config, size) for size in sizes]
    for size, draw in zip(sizes, draws, strict=True):
        print(
            f"{suite}/{case.config}, size {size:,}: {draw.rows:,} rows, {draw.files} files, "
            f"{draw.seconds:.1f} s, {1e6 * draw.seconds / draw.rows:.0f} µs a row, "
            f"{draw.megabytes:.0f} MB",
            flush=True,
        )
    first, goals = draws[0], []
    for draw in draws[1:]:
        what = f"{suite}: {draw.rows / first.rows:.3g} times the rows"
        slower = (draw.seconds / draw.rows) / (first.seconds / first.rows)
        larger = draw.megabytes / first.megabytes
        goals.append(Goal(f"{what}, seconds a row", slower, SLOWEST, larger_is_better=False))
        goals.append(Goal(f"{what}, peak memory", larger, LARGEST, larger_is_better=False))
    return goals


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.streaming",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--suites", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--times", nargs="+", type=int, default=[1, 10])
    parser.add_argument("--one", nargs=3, metavar=("SUITE", "CONFIG", "SIZE"), help="one draw")
    options = parser.parse_args(arguments)
    if options.one:
        suite, config, size = options.one
        print(json.dumps(build(suite, config, int(size))))
        return 0
    goals = [goal for suite in options.suites for goal in goals_of(suite, options.times)]
    return report("Draws that stream", goals)


if __name__ == "__main__":
    sys.exit(main())
