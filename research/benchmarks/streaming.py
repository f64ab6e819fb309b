"""Draws of ten times the size, in files: processor time a row, and memory.

Each draw is built in a process of its own, as `push.py build` does: drawn, written, ids compared,
hashed; then its rows are checked. Seconds are of the processor, so that other work on the machine
does not count. What a process needs once (imports, tables, counts of chains) is in the smaller
draw too: a larger one has ten times the rows in hardly more memory, and no more time for each.
Rows are mixed, and a group of 20,000 is written at once, so that memory grows until both are full
and then no more (CenterBench: 444 MB for 9,720 rows, 638 for 97,200, 610 for 291,600): CenterBench
is drawn from 97,200 on. ERAS and SORTS are drawn at their capacity, a third and twice as much:
SORTS holds two groups there instead of one, which is a fifth of its memory.
"""

import tempfile
from pathlib import Path
from typing import NamedTuple

from dataset_scripts.content import content_hash_of_files
from dataset_scripts.registry import builder_for, suite_builder
from publish.build.parquet import count_rows, read_units, repeated_problems, write_split
from research.benchmarks.timing import Goal, apart, at_most, scaled

TIMES = 10
SLOWEST, LARGEST = 1.15, 1.25  # seconds a row and peak memory, of a larger draw to the smallest


class DrawCase(NamedTuple):
    """A config, a size, and the larger one if that is not ten times as much."""

    config: str
    size: int
    larger: int | None = None


CASES = {
    "centerbench": DrawCase("questions", 300, 900),
    "morphseg": DrawCase("synthetic", 10_000),
    "eras": DrawCase("simplified", 203_944, 271_089),
    "sorts": DrawCase("conll", 2, 4),
}


def build(suite: str, config: str, size: int) -> int:
    """Builds and checks one config in this process; gives the number of rows."""
    builder, n_rows = suite_builder(suite), 0
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
            n_rows += count_rows(paths)
    return n_rows


def run(share: float) -> list[Goal]:
    """Draws each suite at two sizes; seconds a row and memory of the larger to the smaller."""
    goals = []
    for suite, case in CASES.items():
        smallest = scaled(case.size, share)
        sizes = [smallest, case.larger or TIMES * smallest]
        if share < 1 and case.larger:
            sizes = sizes[:1]  # a hundredth has no end of tables
        draws = [apart(build, suite, case.config, size) for size in sizes]
        for one in draws:
            what = f"{suite}: {one.result:,} rows"
            goals.append(at_most(what, one.seconds, None))
            goals.append(at_most(f"{what}: memory", one.megabytes, None, "MB"))
        for one in draws[1:]:
            first, what = draws[0], f"{suite}: {one.result:,} rows"
            slower = (one.seconds / one.result) / (first.seconds / first.result)
            larger, peer = one.megabytes / first.megabytes, f"{first.result:,} rows take 1"
            goals.append(at_most(f"{what}, seconds a row", slower, SLOWEST, "x", peer))
            goals.append(at_most(f"{what}, peak memory", larger, LARGEST, "x", peer))
    return goals
