"""What engines cost and give: a second worker, and one worker on tasks of a second.

    python -m benchmarks.engines              # the local engine
    python -m benchmarks.engines --ray        # and Ray Data

The wall clock decides, so that the cores must be free; how many processes want them stands above
the table. Rows go to a store, as in a study. The work is long enough for a second worker to pay for
its start, which is in the figures and printed by itself: until both workers have imported and
loaded what they need and done something tiny. What one process loads is not in the figures.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.timing import Goal, report
from builders.morphseg.sampling import Setting
from dataset_scripts.registry import split_table
from ground import ray_engine
from ground.engines import ENGINES, ONE_THREAD, Engine, Workers, run_tasks
from ground.loop import Loop, Stage, Task
from ground.store import Store, make_key
from studies.eras.segmentation import BATCHES
from studies.morphseg.data import RELEASED
from studies.morphseg.generalizability import STUDY, stage
from studies.morphseg.plan import Plan, read_pool
from studies.morphseg.results import StoredRun
from studies.per_system import ITEMS_AT_ONCE
from studies.study import Run
from systems.registry import load

N_SECONDS = 10  # tasks of one second
N_DATA_SETS, SIZE = 4, 2000  # of the CRF trainings


class MeasuredWork(NamedTuple):
    """Work for some workers, and the least work of its kind, which takes as long as they start."""

    whole: Callable[[Workers], None]
    tiny: Callable[[Workers], None]


def wall(work: Callable[[], object]) -> float:
    """Seconds of a piece of work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def segment(name: str, n: int, times: int, batch_size: int | None = None) -> MeasuredWork:
    """Segments sentences of ERAS as the study does, the first n of each side, several times."""
    segmenter = load("segmenter", name, batch_size=batch_size)
    segmenter.predict(["他喜欢上海。"])  # what is made once is made
    table = split_table("eras", "simplified", "test").slice(0, n)
    tasks = [
        repeated(task, time) for time in range(times) for task in BATCHES.tasks(segmenter, table)
    ]
    one_by_one = BATCHES.tasks(replace(segmenter, batch_size=1), table.slice(0, 1))
    make = partial(load, "segmenter", name, batch_size=batch_size)

    def work(tasks: list[Task], workers: Workers) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder), BATCHES.schema)
            n = max(1, ITEMS_AT_ONCE // segmenter.batch_size)
            stage = Stage(name, store, lambda: tasks, BATCHES.call, load=make, rows_at_once=n)
            Loop(workers=workers).fill(stage)

    return MeasuredWork(partial(work, tasks), partial(work, one_by_one))


def repeated(task: Task, time: int) -> Task:
    """The same work under other keys, so that it is done again."""
    return replace(task, keys=tuple(make_key(key=key, time=time) for key in task.keys), name="")


def train_crfs(n_data_sets: int, size: int, workers: Workers) -> None:
    """Trains and scores CRFs of the synthetic language."""
    folder = str(RELEASED.default)
    setting = Setting("synthetic", len(read_pool("synthetic", folder)), size, "without")
    plan = Plan((setting,), ("1-crf",), n_data_sets, folder)
    with tempfile.TemporaryDirectory() as store:
        options = STUDY.parser().parse_args(["--store", store])
        run = Run(STUDY, options, Loop(workers=workers))
        run.fill(stage(StoredRun(plan, run), setting, "scores"))


WORK: dict[str, Callable[[], MeasuredWork]] = {
    "jieba, 2,039,440 sentences": partial(segment, "jieba", 203_944, 5),
    "lac-small, 203,944 sentences": partial(segment, "lac-small", 101_972, 1, 500),
    "20 CRF trainings": lambda: MeasuredWork(
        partial(train_crfs, N_DATA_SETS, SIZE), partial(train_crfs, 1, 50)
    ),
}


def speed_up(what: str, prepare: Callable[[], MeasuredWork]) -> Goal:
    """Seconds of one worker over those of two; prints both, and what two need to start."""
    whole, tiny = prepare()
    one, two = (wall(partial(whole, Workers(n))) for n in (1, 2))
    start = wall(partial(tiny, Workers(2)))
    print(
        f"{what}: {one:.1f} s by one worker, {two:.1f} s by two, of which {start:.1f} s until both"
        f" have begun; {one / (two - start):.2f} times without them",
        flush=True,
    )
    return Goal(f"{what}: 2 workers against 1, start included", one / two, 1.8)


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
    parser.add_argument("--only", choices=("overhead", *WORK), nargs="+", help="some of them")
    options = parser.parse_args()
    goals = []
    for what, prepare in WORK.items():
        if not options.only or what in options.only:
            goals.append(speed_up(what, prepare))
    if not options.only or "overhead" in options.only:
        goals += [overhead(engine) for engine in ENGINES if engine == "local" or options.ray]
    ray_engine.stop()
    n_busy, n_cores = os.getloadavg()[0], os.cpu_count()
    return report(f"Engines; {n_busy:.1f} processes want the {n_cores} cores", goals)


if __name__ == "__main__":
    os.environ.update(ONE_THREAD)
    sys.exit(main())
