"""What engines cost and give: a second worker, and one worker on tasks of a second.

    python -m benchmarks.engines              # the local engine
    python -m benchmarks.engines --ray        # and Ray Data

The wall clock decides, so that the cores must be free; how many processes want them stands above
the table. Rows go to a store, as in a study. What workers import and load is in the figures, what
one process loads is not.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.timing import Goal, report
from builders.morphseg.sampling import Setting
from dataset_scripts.registry import split_table
from ground import ray_engine
from ground.engines import ENGINES, ONE_THREAD, Engine, Workers, run_tasks
from ground.loop import Loop, Stage
from ground.store import Store
from studies.eras.segmentation import BATCHES
from studies.morphseg.data import RELEASED
from studies.morphseg.generalizability import STUDY, stage
from studies.morphseg.plan import Plan, read_pool
from studies.morphseg.results import StoredRun
from studies.study import Run
from systems.registry import load

N_SECONDS = 10  # tasks of one second
N_LAC = 20  # sentences of ERAS for LAC, in thousands
N_DATA_SETS, SIZE = 4, 2000  # of the CRF trainings


def wall(work: Callable[[], object]) -> float:
    """Seconds of a piece of work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def segment(name: str, n: int | None, batch_size: int | None) -> Callable[[Workers], None]:
    """Segments sentences of ERAS as the study does, the first n thousand or all of them."""
    segmenter = load("segmenter", name, batch_size=batch_size)
    segmenter.predict(["他喜欢上海。"])  # what is made once is made
    table = split_table("eras", "simplified", "test")
    tasks = BATCHES.tasks(segmenter, table if n is None else table.slice(0, 500 * n))
    make = partial(load, "segmenter", name, batch_size=batch_size)

    def work(workers: Workers) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder), BATCHES.schema)
            Loop(workers=workers).fill(Stage(name, store, lambda: tasks, BATCHES.call, load=make))

    return work


def train_crfs(workers: Workers) -> None:
    """Trains and scores CRFs of the synthetic language."""
    folder = str(RELEASED.default)
    setting = Setting("synthetic", len(read_pool("synthetic", folder)), SIZE, "without")
    plan = Plan((setting,), ("1-crf",), N_DATA_SETS, folder)
    with tempfile.TemporaryDirectory() as store:
        options = STUDY.parser().parse_args(["--store", store])
        run = Run(STUDY, options, Loop(workers=workers))
        run.fill(stage(StoredRun(plan, run), setting, "scores"))


WORK: dict[str, Callable[[], Callable[[Workers], None]]] = {
    "jieba, all of ERAS": partial(segment, "jieba", None, None),
    "lac-small, 20,000 sentences": partial(segment, "lac-small", N_LAC, 500),
    "20 CRF trainings": lambda: train_crfs,
}


def speed_up(what: str, prepare: Callable[[], Callable[[Workers], None]]) -> Goal:
    """Seconds of one worker over those of two."""
    work = prepare()
    one, two = (wall(partial(work, Workers(n))) for n in (1, 2))
    return Goal(f"{what}: 2 workers against 1", one / two, 1.8)


def wait_a_second(task: Any) -> bool:
    """A task of a second that needs no processor."""
    time.sleep(1)
    return bool(task)


def overhead(engine: Engine) -> Goal:
    """What one worker adds to tasks of a second, from the moment that it has done the first."""
    tasks = [(f"{i}", True) for i in range(N_SECONDS + 1)]
    outcomes = run_tasks(wait_a_second, tasks, Workers(1, engine))
    next(outcomes)
    start = time.perf_counter()
    n = sum(1 for outcome in outcomes if not outcome.error)
    added = (time.perf_counter() - start) / n - 1
    return Goal(f"{engine}: added to a task of a second", added, 0.1, larger_is_better=False)


def main() -> int:
    """Runs the benchmark; gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ray", action="store_true", help="Ray Data too")
    parser.add_argument("--only", choices=("overhead", *WORK), help="one of them")
    options = parser.parse_args()
    goals = []
    for what, prepare in WORK.items():
        if options.only in (None, what):
            goals.append(speed_up(what, prepare))
    if options.only in (None, "overhead"):
        goals += [overhead(engine) for engine in ENGINES if engine == "local" or options.ray]
    ray_engine.stop()
    n_busy, n_cores = os.getloadavg()[0], os.cpu_count()
    return report(f"Engines; {n_busy:.1f} processes want the {n_cores} cores", goals)


if __name__ == "__main__":
    os.environ.update(ONE_THREAD)
    sys.exit(main())
