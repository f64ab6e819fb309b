"""What engines cost and give: a second worker, and one worker on tasks of a second.

The wall clock decides, so that the cores must be free. Rows go to a store, as in a study. The start
of a second worker is in the figures and shown by itself: until both have imported and loaded what
they need and done something tiny. What one process loads is not in the figures.

Two processes of lac-small that share nothing, side by side, each take 1.02 to 1.23 times as long as
one that is alone on the two cores of the page: a second gives 1.6 to 2 times there, whatever the
engine does. So its goal, and that of CRFs, is 1.6.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from builders.morphseg.sampling import Setting
from dataset_scripts.registry import split_table
from research.benchmarks.timing import Goal, at_most, scaled, wall
from research.engine import engines
from research.engine.loop import Loop, Stage, Task
from research.engine.store import Store, make_key
from research.engine.work import ONE_THREAD, Engine, Workers
from research.studies.answer_batches import ITEMS_AT_ONCE
from research.studies.eras.segmentation import BATCHES
from research.studies.morphseg.generalizability import STUDY, stage
from research.studies.morphseg.plan import RELEASED, Plan, read_pool
from research.studies.morphseg.results import StoredRun
from research.studies.study import Run
from research.systems.registry import load

N_SECONDS = 10  # tasks of one second


class MeasuredWork(NamedTuple):
    """Work for some workers, and the least work of its kind, which takes as long as they start."""

    whole: Callable[[Workers], None]
    tiny: Callable[[Workers], None]


def segment(name: str, n: int, times: int, batch_size: int | None = None) -> MeasuredWork:
    """Segments sentences of ERAS as the study does, the first n of each side, several times."""
    segmenter = load("segmenter", name, batch_size=batch_size)
    segmenter.predict(["他喜欢上海。"])  # what is made once is made
    table = split_table("eras", "simplified", "test").slice(0, n)
    once = BATCHES.tasks(segmenter, table)
    tasks = [repeated(task, time) for time in range(times) for task in once]
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


def work_of(share: float) -> Iterator[tuple[str, MeasuredWork]]:
    """The suite's sentences five times, half of them by a neural segmenter, trainings of CRFs."""
    n = scaled(203_944, share)
    yield f"jieba, {10 * n:,} sentences", segment("jieba", n, 5)
    n = scaled(101_972, share)
    yield f"lac-small, {2 * n:,} sentences", segment("lac-small", n, 1, 500)
    n, size = scaled(12, share), scaled(2000, share, 50)
    crfs = MeasuredWork(partial(train_crfs, n, size), partial(train_crfs, 1, 50))
    yield f"{5 * n} CRF trainings", crfs


def speed_up(what: str, work: MeasuredWork) -> list[Goal]:
    """Seconds of one worker over those of two, which need some to start."""
    goal = 1.8 if what.startswith("jieba") else 1.6
    one, two = (wall(partial(work.whole, Workers(n))) for n in (1, 2))
    start = wall(partial(work.tiny, Workers(2)))
    return [
        Goal(f"{what}: two workers, start included", one / two, goal, peer="one worker"),
        at_most(f"{what}: until both have begun", start, None),
    ]


def wait_a_second(task: Any) -> bool:
    """A task of a second that needs no processor."""
    time.sleep(1)
    return bool(task)


def overhead(engine: Engine, n_seconds: int) -> Goal:
    """What one worker adds to tasks of a second, from the moment that it has done the first."""
    tasks = [(f"{i}", True) for i in range(n_seconds + 1)]
    outcomes = engines.run(tasks, Workers(1, engine), wait_a_second)
    next(outcomes)
    start = time.perf_counter()
    n = sum(1 for outcome in outcomes if not outcome.error)
    added = (time.perf_counter() - start) / n - 1
    return at_most(f"{engine} engine: added to a task of a second", added, 0.1)


def run(share: float) -> list[Goal]:
    """Measures a second worker on three kinds of work, and what the local engine adds."""
    os.environ.update(ONE_THREAD)
    goals = [goal for what, work in work_of(share) for goal in speed_up(what, work)]
    return [*goals, overhead("local", scaled(N_SECONDS, share))]
