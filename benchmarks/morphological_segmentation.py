"""Morphological segmentation: the study's engine, and the k-order CRF against CRFsuite."""

import dataclasses
import os
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any
from unittest import mock

from benchmarks.timing import Goal, measure, report
from builders.morphseg.sampling import Setting, split_indices
from builders.morphseg.sources import has_files
from ground.engines import ONE_THREAD, Workers, run_tasks
from ground.loop import Failed, Loop, Row
from studies.morphseg.data import RELEASED
from studies.morphseg.generalizability import STUDY, stage
from studies.morphseg.jobs import do_jobs
from studies.morphseg.plan import Bundle, Plan, read_pool, score_tasks
from studies.morphseg.results import StoredRun
from studies.study import Run
from systems import morphological_segmenters
from systems.crf_features import segmentation_labels
from systems.crf_orders import train_ordered_crf

SIZE = 2000
DEFAULT_DATA = RELEASED.default
FEW, MANY = 4, 40  # data sets of the memory measurement


def main() -> int:
    """Runs the benchmark; gives the exit code."""
    language = "rus" if has_files("rus", DEFAULT_DATA) else "synthetic"
    setting = Setting(language, len(read_pool(language, str(DEFAULT_DATA))), SIZE, "without")
    tasks = list(score_tasks(Plan((setting,), ("1-crf",), 8, str(DEFAULT_DATA)), setting))
    train, append, job = seconds_of_jobs(tasks[:3])
    crfsuite = train + append
    goals = [
        Goal("2 processes against 1, 8 tasks of 5 first-order CRFs", speed_up(tasks), 1.8),
        Goal(
            "1-CRF job: what it takes beyond CRFsuite's append and train, as a share",
            job / crfsuite - 1,
            0.1,
            larger_is_better=False,
        ),
        Goal("the same beyond CRFsuite's train alone", job / train - 1, float("inf"), False),
    ]
    for order in (1, 2, 3, 4):
        ratio = seconds_of_training(tasks[0], order) / crfsuite
        goals.append(
            Goal(
                f"exact {order}-CRF training against CRFsuite's 1-CRF",
                ratio,
                4 if order <= 2 else float("inf"),
                False,
            )
        )
    goals.append(
        Goal(
            f"peak memory, {MANY * 5} jobs against {FEW * 5}",
            memory_growth(setting),
            1.1,
            larger_is_better=False,
        )
    )
    return report(f"Morphological segmentation, {language}, {SIZE:,} words", goals)


def speed_up(tasks: list[Bundle]) -> float:
    """Seconds of one process over those of two, the best of three runs each, taken in turn."""
    seconds = [(seconds_of(tasks, 1), seconds_of(tasks, 2)) for _ in range(3)]
    return min(one for one, _ in seconds) / min(two for _, two in seconds)


def seconds_of(tasks: list[Bundle], n_processes: int) -> float:
    """Seconds that workers need for the tasks, from the moment each has done its first."""
    named = ((f"{i}", task) for i, task in enumerate([*tasks[:n_processes], *tasks]))
    outcomes = run_tasks(run_task, named, Workers(n_processes))
    for _ in range(n_processes):
        next(outcomes)
    start = time.perf_counter()
    for outcome in outcomes:
        if outcome.error:
            raise RuntimeError(outcome.error)
    return time.perf_counter() - start


def run_task(task: Bundle) -> list[tuple[int, Row | Failed]]:
    """Does all jobs of a bundle."""
    return do_jobs(task, task.jobs)


def seconds_of_jobs(tasks: list[Bundle]) -> tuple[float, float, float]:
    """Seconds per job in python-crfsuite's `train`, in its `append`, and in all."""
    import pycrfsuite

    trained: list[float] = []
    appended: list[float] = []
    train = morphological_segmenters._train_crfsuite

    class Trainer(pycrfsuite.Trainer):
        def append(self, *given: Any) -> None:
            start = time.process_time()
            super().append(*given)
            appended.append(time.process_time() - start)

    def timed(trainer: Any) -> bytes:
        start = time.process_time()
        model = train(trainer)
        trained.append(time.process_time() - start)
        return model

    run_task(tasks[0])
    plain = mock.patch.object(morphological_segmenters, "quiet_trainer", return_value=Trainer)
    total = 0.0
    for task in tasks:
        with mock.patch.object(morphological_segmenters, "_train_crfsuite", timed), plain:
            run_task(task)
        morphological_segmenters._items.cache_clear()
        start = time.process_time()
        run_task(task)
        total += time.process_time() - start
    n = len(trained)
    return sum(trained) / n, sum(appended) / n, total / n


def seconds_of_training(task: Bundle, order: int) -> float:
    """Seconds of the exact engine on the task's first split."""
    pool = read_pool(task.setting.language, task.folder)
    training = [pool[i] for i in split_indices(task.setting, 1, "A").train]
    words, labels = (
        [word.word for word in training],
        [segmentation_labels(word.morphemes) for word in training],
    )
    return measure(lambda: train_ordered_crf(words, labels, order), 3)


def memory_growth(setting: Setting) -> float:
    """Peak memory of a run with many jobs over that of one with few, each in its own process."""
    peaks = []
    for n_data_sets in (FEW, MANY):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            peaks.append(process.submit(peak_memory, setting, n_data_sets).result())
    return peaks[1] / peaks[0]


def peak_memory(setting: Setting, n_data_sets: int) -> int:
    """Peak memory of this process after a run of small jobs."""
    plan = Plan(
        (dataclasses.replace(setting, size=100),), ("1-crf",), n_data_sets, str(DEFAULT_DATA)
    )
    with tempfile.TemporaryDirectory() as folder:
        options = STUDY.parser().parse_args(["--store", folder])
        stored = StoredRun(plan, Run(STUDY, options))
        Loop().fill(stage(stored, plan.settings[0], "scores"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    os.environ.update(ONE_THREAD)
    sys.exit(main())
