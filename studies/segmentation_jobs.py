"""What a worker does with a task of the generalizability study: train, segment, score; one row per job, errors beside them."""

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from builders.morphseg.sampling import PROTOCOLS, IntArray, Setting, Split, new_test_indices, split_indices
from builders.morphseg.sources import Word
from metrics.morpheme_segmentation.scoring import PRESETS, Convention, WordCounts, count_best_matches, score
from studies.engines import describe_error
from studies.segmentation_characteristics import FEATURES, PoolDescription
from studies.segmentation_plan import SEQ2SEQ, Job, Kind, Task, job_seed, read_pool
from systems.morphological_segmenters import Segmenter, train_segmenter
from systems.seq2seq_examples import Architecture
from systems.seq2seq_stacks import Stack, run_stack

METRICS = ("accuracy", "precision", "recall", "f1", "distance")
_JOB = [("data_set", pa.int32()), ("split", pa.string()), ("model", pa.string())]
SCHEMAS: Mapping[Kind, pa.Schema] = {
    "scores": pa.schema([*_JOB, *((name, pa.float64()) for name in METRICS), ("seconds", pa.float64())]),
    "characteristics": pa.schema([*_JOB, *((name, pa.float64()) for name in FEATURES)]),
    "new_tests": pa.schema([*_JOB, ("sizes", pa.list_(pa.int32())), *((n, pa.list_(pa.float32())) for n in (*METRICS, *FEATURES))]),
}
FAILURES = pa.schema([*_JOB, ("error", pa.string())])
Row = dict[str, Any]


class Finished(NamedTuple):
    """What became of the jobs of a task: rows by key, and errors by key."""

    rows: dict[str, Row]
    errors: dict[str, str]


def run_task(task: Task) -> Finished:
    """Does the jobs of a task; an error ends its own job and is recorded."""
    if task.model in SEQ2SEQ:
        return run_jobs(task, score_stack(task, train_stack(task)))
    return run_jobs(task, functools.partial(_WORK[task.kind], task))


def run_jobs(task: Task, work: Callable[[Job], Row]) -> Finished:
    """Gives the row or the error of every job."""
    rows, errors = {}, {}
    for job in task.jobs:
        try:
            rows[job.key] = {"data_set": job.data_set, "split": job.split, "model": task.model, **work(job)}
        except Exception as error:  # whatever it is, it must not stop the other jobs, and it is kept
            errors[job.key] = describe_error(error)
    return Finished(rows, errors)


def score_job(task: Task, job: Job) -> Row:
    """Trains a model on a split and scores it on the split's test part."""
    pool, start = read_pool(task.setting.language, task.folder), time.perf_counter()
    split = split_indices(task.setting, job.data_set, job.split)
    segmenter = _train(task, job, split)
    predicted = segmenter.segment([pool[i].word for i in split.test])
    return _scores(task.setting, pool, split.test, predicted) | {"seconds": time.perf_counter() - start}


def describe_job(task: Task, job: Job) -> Row:
    """Gives the data characteristics of a split."""
    split = split_indices(task.setting, job.data_set, job.split)
    described = describe_pool(task.setting.language, task.folder).characteristics(split.train, split.test[None])
    return {name: float(values[0]) for name, values in described.items()}


def score_new_tests(task: Task, job: Job) -> Row:
    """Trains a model on a split, segments every word that any new test set has once, and looks all new test sets up."""
    pool = read_pool(task.setting.language, task.folder)
    split = split_indices(task.setting, job.data_set, job.split)
    tests = _new_tests(task.setting, job.data_set, task.options["test_sizes"], task.options["n_new_tests"])
    words = np.unique(np.concatenate([t.ravel() for t in tests]))
    predicted = _train(task, job, split).segment([pool[i].word for i in words])
    counts, convention = _counts(task.setting, pool, words, predicted)
    scored = [score(counts.take(np.searchsorted(words, t)), convention) for size in tests for t in size]
    description = describe_pool(task.setting.language, task.folder)
    described = [description.characteristics(split.train, size) for size in tests]
    row: Row = {"sizes": [size.shape[1] for size in tests for _ in size]}
    row |= {name: [getattr(s, name) for s in scored] for name in METRICS}
    return row | {name: np.concatenate([d[name] for d in described]) for name in FEATURES}


def make_stack(task: Task) -> Stack:
    """Gives the networks of a task with the words that each is to segment."""
    pool = read_pool(task.setting.language, task.folder)
    splits = [split_indices(task.setting, job.data_set, job.split) for job in task.jobs]
    return Stack(
        key=task.jobs[0].key,
        architecture=Architecture(cell=SEQ2SEQ[task.model], n_steps=task.options["n_steps"]),
        seeds=[job_seed(task.setting, task.model, job) % 2**63 for job in task.jobs],
        trainings=[[list(pool[i].morphemes) for i in split.train] for split in splits],
        words=[[pool[i].word for i in split.test] for split in splits],
    )


class TrainedStack(NamedTuple):
    """What the networks of a stack predict, and the seconds that each took on average."""

    predictions: Sequence[Sequence[Sequence[str]]]
    seconds: float


def train_stack(task: Task) -> TrainedStack:
    """Trains the networks of a task together."""
    start = time.perf_counter()
    predictions = run_stack(make_stack(task), task.options["device"])
    return TrainedStack(predictions, (time.perf_counter() - start) / len(task.jobs))


def score_stack(task: Task, trained: TrainedStack) -> Callable[[Job], Row]:
    """Gives the function that scores each network of a stack, trained here or elsewhere."""
    pool, by_job = read_pool(task.setting.language, task.folder), dict(zip(task.jobs, trained.predictions, strict=True))

    def work(job: Job) -> Row:
        test = split_indices(task.setting, job.data_set, job.split).test
        return _scores(task.setting, pool, test, by_job[job]) | {"seconds": trained.seconds}

    return work


@functools.lru_cache(maxsize=2)
def describe_pool(language: str, folder: str) -> PoolDescription:
    """Describes the words of a language, once per process."""
    return PoolDescription.of(read_pool(language, folder))


def convention_of(setting: Setting) -> Convention:
    """Gives the convention of a setting's scores: the published one, or under the protocol `sound` multisets and all golds."""
    return PRESETS["paper"] if PROTOCOLS[setting.protocol].references == "first" else Convention()


def as_columns(schema: pa.Schema, rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Gives rows as the columns of a schema."""
    return {name: [row[name] for row in rows] for name in schema.names}


def _train(task: Task, job: Job, split: Split) -> Segmenter:
    pool = read_pool(task.setting.language, task.folder)
    return train_segmenter(task.model, [pool[i].morphemes for i in split.train], job_seed(task.setting, task.model, job))


def _scores(setting: Setting, pool: Sequence[Word], words: IntArray, predicted: Sequence[Sequence[str]]) -> Row:
    counts, convention = _counts(setting, pool, words, predicted)
    return dict(score(counts, convention)._asdict())


def _counts(setting: Setting, pool: Sequence[Word], words: IntArray, predicted: Sequence[Sequence[str]]) -> tuple[WordCounts, Convention]:
    convention = convention_of(setting)
    return count_best_matches(predicted, [pool[i].alternatives for i in words], convention)[0], convention


def _new_tests(setting: Setting, data_set: int, test_sizes: Sequence[int], n: int) -> list[IntArray]:
    return list(_draw_new_tests(setting, data_set, tuple(test_sizes), n))


@functools.lru_cache(maxsize=1)
def _draw_new_tests(setting: Setting, data_set: int, test_sizes: tuple[int, ...], n: int) -> tuple[IntArray, ...]:
    return tuple(new_test_indices(setting, data_set, size, n) for size in test_sizes)


_WORK: Mapping[Kind, Callable[[Task, Job], Row]] = {
    "scores": score_job,
    "characteristics": describe_job,
    "new_tests": score_new_tests,
}
