"""Three works on two nodes of Ray on this machine, with few and with many rows.

    python -m benchmarks.two_nodes
    python -m benchmarks.two_nodes --works morphseg

ERAS cut by five segmenters (a tenth of its sentences, then all 815,776 of both scripts), questions
of CenterBench answered by a language model, segmenters of `morphseg` trained on an invented
language.
Every run has a driver of its own, whose peak of memory is taken, imports included: its own, read
ten times a second, and with the pages that it shares, which are Ray's object store (100 MB a node,
that fills however few or many rows there are). What it writes for few rows must be what one process
writes, byte for byte. Nodes have one core each.
"""

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from benchmarks.timing import Goal, report
from dataset_scripts.registry import split_table
from ground.engines import ONE_THREAD
from ground.paths import ROOT
from ground.ray_engine import RAY_STARTS
from studies import ARROW_POOL

STORE_MEMORY = 100 * 2**20  # bytes of a node's object store
LARGEST = 1.2  # peak of ten times the rows
N_PAIRS = 203_944  # of each script
SEGMENTERS = ("jieba", "jieba-no-hmm", "maxmatch", "maxmatch-backward", "wapic")
SCRIPTS = ("simplified", "traditional")


class TwoSizes(NamedTuple):
    """Arguments of a study, and what follows them for few and for many rows."""

    arguments: Sequence[str]
    few: Sequence[str]
    many: Sequence[str]


class DriverRun(NamedTuple):
    """What a driver wrote, by name of the file, and what it needed: seconds, and peaks in MB."""

    files: dict[str, bytes]
    wall: float
    processor: float
    own: float
    peak: float

    def __str__(self) -> str:
        return (
            f"{self.wall:.0f} s, {self.processor:.0f} s of the driver's, {self.own:.0f} MB of its"
            f" own, {self.peak:.0f} MB with what it shares"
        )


def begun_cluster(begin: Callable[[], Any]) -> Any:
    """A cluster, tried again where a busy machine was too slow for Ray's own limit."""
    for left in reversed(range(RAY_STARTS)):
        try:
            return begin()
        except Exception as error:
            if left == 0 or "timed out during startup" not in str(error):
                raise
    return None


@contextlib.contextmanager
def two_nodes() -> Iterator[tuple[Any, Any]]:
    """A Ray cluster on the loopback of two nodes of one core each, and the second of them."""
    from ray.cluster_utils import Cluster

    settings = {"num_cpus": 1, "object_store_memory": STORE_MEMORY}
    head = {**settings, "include_dashboard": False}
    made = begun_cluster(lambda: Cluster(initialize_head=True, head_node_args=head))
    try:
        yield made, made.add_node(**settings)
    finally:
        made.shutdown()


def works(folder: Path) -> dict[str, TwoSizes]:
    """The three works; what ERAS and CenterBench are given is written into the folder.

    Both sizes of ERAS are read from files: a draw would be part of one driver's memory only.
    """
    for part, size in (("few", N_PAIRS // 10), ("many", N_PAIRS)):
        build = ("push.py", "build", "eras", "--size", str(size), "--out", str(folder / part))
        subprocess.run([sys.executable, *build], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    lite = split_table("centerbench", "questions_lite", "test")
    sliced = {}
    for n in (60, 600):
        sliced[n] = str(folder / f"questions_{n}.parquet")
        pq.write_table(lite.slice(0, n), sliced[n])
    answers = ("centerbench", "answers", "--systems", "gguf:smollm2", "--batch-size", "20")
    trained = ("--languages", "synthetic", "--sizes", "500", "--models", "0-crf", "1-crf")
    return {
        "eras": TwoSizes(
            ("eras", "segmentation", "--systems", *SEGMENTERS, "--config", *SCRIPTS),
            ["--rows", str(folder / "few" / "eras")],
            ["--rows", str(folder / "many" / "eras")],
        ),
        "centerbench": TwoSizes(
            (*answers, "--max-new-tokens", "8", "--rows"), [sliced[60]], [sliced[600]]
        ),
        "morphseg": TwoSizes(
            ("morphseg", "generalizability", *trained, "--n-new-tests", "2", "--data-sets"),
            ["4"],
            ["40"],
        ),
    }


def drive(arguments: Sequence[str]) -> None:
    """Runs a study in this process; the last line printed is its seconds and peaks in MB."""
    from studies.__main__ import main as study

    own, is_over = [0.0], threading.Event()
    threading.Thread(target=_watch, args=(own, is_over), daemon=True).start()
    begun = time.perf_counter()
    if code := study([*arguments]):
        sys.exit(code)
    wall, usage = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF)
    is_over.set()
    print(json.dumps([wall, usage.ru_utime + usage.ru_stime, own[0], usage.ru_maxrss / 1024]))


def _watch(own: list[float], is_over: threading.Event) -> None:
    """Keeps the peak of this process's own memory, in MB, until the end."""
    while not is_over.wait(0.1):
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        sizes = dict(line.split(":", 1) for line in lines)
        own[0] = max(own[0], int(sizes["RssAnon"].split()[0]) / 1024)


def driven(arguments: Sequence[str], *place: str) -> DriverRun:
    """A study in a process of its own, with an empty store."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        where = [*place, "--store", str(Path(folder) / "store"), "--out", str(out)]
        run = subprocess.run(
            [sys.executable, "-m", "benchmarks.two_nodes", "--drive", *arguments, *where],
            env={**os.environ, **ONE_THREAD, **ARROW_POOL},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        files = {path.name: path.read_bytes() for path in out.iterdir()}
        return DriverRun(files, *json.loads(run.stdout.splitlines()[-1]))


def measured(name: str, work: TwoSizes) -> list[Goal]:
    """Runs few rows in one process and on two nodes, then many on two nodes; prints all three."""
    alone = driven([*work.arguments, *work.few])
    print(f"{name}, few rows, one process: {alone}", flush=True)
    runs = {}
    for size, rows in (("few", work.few), ("many", work.many)):
        with two_nodes() as (cluster, _):
            place = ("--engine", "ray", "--address", cluster.address)
            runs[size] = driven([*work.arguments, *rows], *place)
        print(f"{name}, {size} rows, two nodes: {runs[size]}", flush=True)
    equal = float(runs["few"].files == alone.files)
    ratio = runs["many"].own / runs["few"].own
    return [
        Goal(f"{name}: two nodes write what one process writes", equal, 1),
        Goal(
            f"{name}: driver's own memory, many rows over few",
            ratio,
            LARGEST,
            larger_is_better=False,
        ),
    ]


def main() -> int:
    """Runs the benchmark; gives the exit code."""
    if sys.argv[1:2] == ["--drive"]:
        drive(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--works", nargs="+", metavar="NAME", help="eras, centerbench, morphseg")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        known = works(Path(folder))
        chosen = options.works or list(known)
        goals = [goal for name in chosen for goal in measured(name, known[name])]
    return report("Two nodes of Ray", goals)


if __name__ == "__main__":
    sys.exit(main())
