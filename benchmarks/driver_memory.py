"""Memory of the process that is started, at a tenth and at all rows of a study, workers beside it.

    python -m benchmarks.driver_memory
    python -m benchmarks.driver_memory --systems jieba maxmatch

ERAS in both scripts is segmented by two workers, and scored: 81,578 and 815,776 sentences, each in
a process of its own. Its peak is that of the whole process: imports, the suite's tables and draw,
its rows, what comes from workers and goes to the store, the scores.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from benchmarks.timing import Goal, report
from ground.engines import ONE_THREAD, Workers
from ground.loop import Loop
from ground.memory import give_memory_back
from studies import ARROW_POOL
from studies.eras.pairs import pairs_on_disk
from studies.eras.segmentation import COLUMNS, STUDY
from studies.study import Run

SIZES = (20_394, 203_944)  # pairs of each script
SCRIPTS = ("simplified", "traditional")
LARGEST = 1.2


def peaks(size: int, systems: Sequence[str]) -> dict[str, float]:
    """Peak of this process in MB after each step of the study with that many pairs a script."""
    found = {}

    def note(step: str) -> None:
        found[step] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    give_memory_back(is_driver=True)
    note("imported")
    with tempfile.TemporaryDirectory() as folder:
        given = ["--systems", *systems, "--config", *SCRIPTS]
        options = STUDY.parser().parse_args([*given, "--store", folder])
        run = Run(STUDY, options, Loop(workers=Workers(2)))
        rows = pairs_on_disk(SCRIPTS, COLUMNS, {"size": size})
        note("rows")
        STUDY.work(rows, run)
        note("predicted")
        STUDY.show(STUDY.score(rows, run), options)
        note("scored")
    return found


def peaks_apart(size: int, systems: Sequence[str]) -> dict[str, float]:
    """The same in a process of its own."""
    arguments = ("benchmarks.driver_memory", "--one", str(size), "--systems", *systems)
    run = subprocess.run(
        [sys.executable, "-m", *arguments],
        env={**os.environ, **ONE_THREAD, **ARROW_POOL},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return found


def main() -> int:
    """Runs the benchmark; gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--systems", nargs="+", default=["jieba"], metavar="NAME")
    parser.add_argument("--one", type=int, metavar="SIZE", help="one size, in this process")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(peaks(options.one, options.systems)))
        return 0
    found = {size: peaks_apart(size, options.systems) for size in SIZES}
    for size, steps in found.items():
        told = ", ".join(f"{name} {megabytes:.0f} MB" for name, megabytes in steps.items())
        print(f"{2 * len(SCRIPTS) * size:,} sentences: {told}", flush=True)
    few, many = (steps["scored"] for steps in found.values())
    goal = Goal("peak at ten times the rows", many / few, LARGEST, larger_is_better=False)
    return report("Memory of the driver", [goal])


if __name__ == "__main__":
    sys.exit(main())
