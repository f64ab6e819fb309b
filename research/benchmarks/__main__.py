"""Runs the benchmarks, each in a process of its own, one after the other, and prints one table.

python -m research.benchmarks                  all of them, about ten minutes
python -m research.benchmarks gper sorts_scoring   some
python -m research.benchmarks --smoke          a hundredth of the work; no goal is judged
python -m research.benchmarks --write          all of them, and the table into docs/benchmarks.md
"""

import argparse
import contextlib
import importlib
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ground.files import write_whole
from ground.found import found
from ground.markdown import markdown_table
from ground.paths import ROOT
from research.benchmarks.timing import Goal, judge_nothing

SMOKE = 0.01
LONGEST = 900.0  # seconds of one benchmark
PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = Path(__file__).with_name("page.md.txt")
LIBRARIES = ("numpy", "pyarrow", "datasets", "evaluate", "torch", "transformers")
OURS = ("research", "metrics", "builders", "dataset_scripts", "garden_path", "ground", "publish")
BENCHMARKS = found(Path(__file__).parent, "run")


class BenchmarkRun(NamedTuple):
    """What became of one benchmark: its goals, or what it lacks, or the last line of its error."""

    name: str
    goals: Sequence[Goal] = ()
    lacks: str = ""
    error: str = ""
    seconds: float = 0.0
    load: float = 0.0  # processes that wanted the cores when it began

    @property
    def missed(self) -> list[Goal]:
        """The goals that it does not reach."""
        return [goal for goal in self.goals if not goal.is_met()]

    def text(self) -> str:
        """The benchmark's part of the page."""
        title = str(importlib.import_module(f"{__package__}.{self.name}").__doc__).split("\n")[0]
        if self.error or self.lacks:
            said = f"Failed: {self.error}" if self.error else f"Not measured: needs {self.lacks}"
        else:
            said = markdown_table([goal.row() for goal in self.goals]).strip()
        took = f"`{self.name}`: {self.seconds:.0f} s, load {self.load:.1f} at its start."
        return f"## {title.rstrip('.')}\n\n{took}\n\n{said}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what is named; gives the exit code, 1 where a benchmark fails or misses a goal."""
    parser = argparse.ArgumentParser(
        prog="python -m research.benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--smoke", action="store_true", help="a hundredth of the work, unjudged")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    parser.add_argument("--share", type=float, help=argparse.SUPPRESS)  # of a process of its own
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.names if name not in BENCHMARKS]:
        parser.error(f"name, got {unknown[0]!r}; expected some of {', '.join(BENCHMARKS)}")
    if options.write and (options.names or options.smoke):
        parser.error("--write: got it with NAME or --smoke; expected all benchmarks, in full")
    if options.share is not None:
        print(_told(options.names[0], options.share))
        return 0
    outcomes = []
    for name in options.names or BENCHMARKS:
        outcomes.append(run_apart(name, SMOKE if options.smoke else 1.0))
        print(outcomes[-1].text(), flush=True)
    if options.write:
        write_whole(PAGE, page(outcomes))
    missed = [goal for outcome in outcomes for goal in outcome.missed]
    failed = [outcome for outcome in outcomes if outcome.error]
    return 1 if failed or (missed and not options.smoke) else 0


def run_apart(name: str, share: float) -> BenchmarkRun:
    """Runs one benchmark in a fresh process, on one thread unless it asks for more."""
    load, start = os.getloadavg()[0], time.perf_counter()
    command = [sys.executable, "-m", __package__, name, "--share", str(share)]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    lines = [""]
    try:
        run = subprocess.run(
            command, cwd=ROOT, env=one_thread, capture_output=True, text=True, timeout=LONGEST
        )
        lines = run.stdout.split("\n")
        said = (run.stderr.strip() or "nothing").split("\n")[-1] if run.returncode else ""
    except subprocess.TimeoutExpired:
        said = f"not done after {LONGEST:.0f} s"
    told = "{}" if said else lines[-2]  # before the end of the last line
    found: dict[str, Any] = {"goals": [], "lacks": ""} | json.loads(told)
    goals = [Goal(*goal) for goal in found["goals"]]
    seconds = time.perf_counter() - start
    return BenchmarkRun(name, goals, found["lacks"], said, seconds, load)


def _told(name: str, share: float) -> str:
    """Runs one benchmark here; gives its goals, or what it lacks, as a line of JSON."""
    lacks, goals = "", []
    if share < 1:
        judge_nothing()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            goals = importlib.import_module(f"{__package__}.{name}").run(share)
    except ModuleNotFoundError as error:
        if str(error.name).split(".")[0] in OURS:
            raise
        lacks = f"the package {error.name}"
    return json.dumps({"goals": goals, "lacks": lacks})


def page(outcomes: Sequence[BenchmarkRun]) -> str:
    """The whole page."""
    head = HEAD.read_text(encoding="utf-8").format(machine=machine(), versions=versions())
    return "\n".join([head, *(outcome.text() for outcome in outcomes)])


def machine() -> str:
    """The processor and the system."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").split("\n") if info.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = models[0] if models else platform.processor() or platform.machine()
    return f"{os.cpu_count()} cores of {processor}, {platform.system()} {platform.machine()}"


def versions() -> str:
    """Versions of Python and of the libraries that count."""
    here = importlib.metadata.distributions()
    known = {one.metadata["Name"].lower(): one.version for one in here}
    libraries = [f"{name} {known[name]}" for name in LIBRARIES if name in known]
    return ", ".join([f"Python {platform.python_version()}", *libraries])


if __name__ == "__main__":
    sys.exit(main())
