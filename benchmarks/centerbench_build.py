"""CenterBench: building the default draw from nothing, and a million questions apart.

`python -m benchmarks.centerbench_build` takes about two minutes; `--million` is the part that it
runs in the other process.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.timing import Goal, measure, report
from builders.centerbench.draw import Drawer, default_drawer
from builders.centerbench.mirror import patterns
from builders.centerbench.relations import DOMAINS, KnowledgeBase
from dataset_scripts import centerbench
from dataset_scripts.registry import builder_for
from dataset_scripts.suite import canary
from publish.parquet import count_rows, write_split

MILLION = 3_087  # pairs per level: 324 questions each over levels 1 to 6

PATTERN = patterns(6)[1]  # down, down, up, up, down, down


def build(folder: Path) -> int:
    """Reads the tables, counts, draws, asks, writes the default draw; gives the number of rows."""
    default_drawer.cache_clear()
    return write_questions(folder, {})


def write_questions(folder: Path, options: Mapping[str, int]) -> int:
    """Writes the questions of a draw batch by batch, as the build does; gives their number."""
    builder = builder_for(centerbench.CenterBench, "centerbench", "questions", options, str(folder))
    batches, features = builder.split_batches()["test"], builder.config.features
    assert features is not None
    return count_rows(write_split(batches, features, folder, "test", canary("centerbench")))


def main() -> int:
    """Runs the benchmark; gives the exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "--million" in sys.argv:
            start = time.perf_counter()
            print(
                write_questions(folder, {"size": MILLION}),
                time.perf_counter() - start,
                resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            )
            return 0
        seconds = measure(lambda: build(folder), 3)
        counting = measure(
            lambda: [Drawer(KnowledgeBase()).space(domain).count(PATTERN) for domain in DOMAINS],
            3,
        )
        run = subprocess.run(
            [sys.executable, "-m", "benchmarks.centerbench_build", "--million"],
            capture_output=True,
            text=True,
            check=True,
        )
    rows, seconds_of_million, megabytes = map(float, run.stdout.split())
    print(f"of the default draw, reading and counting take {counting:.2f} s\n")
    return report(
        f"CenterBench build: 9,720 and {rows:,.0f} questions",
        [
            Goal("default draw generated and written, seconds", seconds, 2, larger_is_better=False),
            Goal(
                "a million generated and written, seconds",
                seconds_of_million,
                60,
                larger_is_better=False,
            ),
            Goal("a million, questions", rows, 1_000_000),
            Goal("a million, peak memory in MB", megabytes, 1_000, larger_is_better=False),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
