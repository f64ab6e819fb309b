"""What a worker does with a task of the generalizability study: train, segment, score; one row per job, errors beside them."""

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from builders.morphseg.sampling import (
    PROTOCOLS,
    IntArray,
    Setting,
    Split,
    new_test_indices,
    split_indices,
)
from builders.morphseg.sources import Word
from metrics.morpheme_segmentation.averages import mean_scores
from metrics.morpheme_segmentation.matching import (
    PRESETS,
    Convention,
    WordCounts,
    count_best_matches,
)
from studies.engines import describe_error
from studies.segmentation_characteristics import FEATURES, PoolDescription
from studies.segmentation_plan import SEQ2SEQ, Job, Kind, Task, job_seed, read_pool
from systems.morphological_segmenters import CACHED_WORDS, Segmenter, train_segmenter
from systems.seq2seq_examples import Architecture
from systems.seq2seq_stacks import Stack, run_stack

METRICS = ("accuracy", "precision", "recall", "f1", "distance")
WORDS_AT_ONCE = CACHED_WORDS // 2
_JOB = [("data_set", pa.int32()), ("split", pa.string()), ("model", pa.string())]
SCHEMAS: Mapping[Kind, pa.Schema] = {
    "scores": pa.schema(
        [*_JOB, *((name, pa.float64()) for name in METRICS), ("seconds", pa.float64())]
    ),
    "characteristics": pa.schema([*_JOB, *((name, pa.float64()) for name in FEATURES)]),
    "new_tests": pa.schema(
        [
            *_JOB,
            ("sizes", pa.list_(pa.int32())),
            *((n, pa.list_(pa.float32())) for n in (*METRICS, *FEATURES)),
        ]
    ),
}
FAILURES = pa.schema([*_JOB, ("error", pa.string())])
Row = dict[str, Any]


class Finished(NamedTuple):
    """What became of the jobs of a task: rows by key, and errors by key."""

    rows: dict[str, Row]
    errors: dict[str, str]


def run_task(task: Task) -> Finished:
    """Does the jobs of a task; an error ends its own job, or where they share the work all of them, and is recorded."""
    try:
        if task.kind == "new_tests":
            return run_jobs(task, score_new_tests(task))
        if task.model in SEQ2SEQ:
            return run_jobs(task, score_stack(task, train_stack(task)))
    except Exception as error:  # as below
        return Finished({}, {job.key: describe_error(error) for job in task.jobs})
    return run_jobs(
        task, functools.partial(score_job if task.kind == "scores" else describe_job, task)
    )


def run_jobs(task: Task, work: Callable[[Job], Row]) -> Finished:
    """Gives the row or the error of every job."""
    rows, errors = {}, {}
    for job in task.jobs:
        try:
            rows[job.key] = {
                "data_set": job.data_set,
                "split": job.split,
                "model": task.model,
                **work(job),
            }
        except (
            Exception
        ) as error:  # whatever it is, it must not stop the other jobs, and it is kept
            errors[job.key] = describe_error(error)
    return Finished(rows, errors)


def score_job(task: Task, job: Job) -> Row:
    """Trains a model on a split and scores it on the split's test part."""
    pool, start = read_pool(task.setting.language, task.folder), time.perf_counter()
    split = split_indices(task.setting, job.data_set, job.split)
    segmenter = _train(task, job, split)
    predicted = segmenter.segment([pool[i].word for i in split.test])
    return _scores(task.setting, pool, split.test, predicted) | {
        "seconds": time.perf_counter() - start
    }


def describe_job(task: Task, job: Job) -> Row:
    """Gives the data characteristics of a split."""
    split = split_indices(task.setting, job.data_set, job.split)
    described = describe_pool(task.setting.language, task.folder).characteristics(
        split.train, split.test[None]
    )
    return {name: float(values[0]) for name, values in described.items()}


def score_new_tests(task: Task) -> Callable[[Job], Row]:
    """Trains a model on every split of a data set, segments each word of any new test set once per model, and looks all test sets up."""
    pool, data_set = read_pool(task.setting.language, task.folder), task.jobs[0].data_set
    tests = [
        new_test_indices(task.setting, data_set, size, task.options["n_new_tests"])
        for size in task.options["test_sizes"]
    ]
    words = np.unique(np.concatenate([indices.ravel() for indices in tests]))
    segmenters = {
        job: _train(task, job, split_indices(task.setting, data_set, job.split))
        for job in task.jobs
    }
    predicted = _segment_in_turn(list(segmenters.values()), [pool[i].word for i in words])
    by_job = dict(zip(segmenters, predicted, strict=True))
    description = describe_pool(task.setting.language, task.folder)

    def work(job: Job) -> Row:
        counts, convention = _counts(task.setting, pool, words, by_job[job])
        scored = [
            mean_scores(counts.take(np.searchsorted(words, test)), convention)
            for indices in tests
            for test in indices
        ]
        train = split_indices(task.setting, data_set, job.split).train
        described = [description.characteristics(train, indices) for indices in tests]
        row: Row = {"sizes": [indices.shape[1] for indices in tests for _ in indices]}
        row |= {name: [getattr(s, name) for s in scored] for name in METRICS}
        return row | {name: np.concatenate([d[name] for d in described]) for name in FEATURES}

    return work


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
    """Trains the networks of a task together; killed, it goes on from its last checkpoint."""
    start = time.perf_counter()
    folder = task.options.get("checkpoints")
    checkpoint = Path(folder) / task.jobs[0].key if folder else None
    predictions = run_stack(make_stack(task), task.options["device"], checkpoint=checkpoint)
    return TrainedStack(predictions, (time.perf_counter() - start) / len(task.jobs))


def score_stack(task: Task, trained: TrainedStack) -> Callable[[Job], Row]:
    """Gives the function that scores each network of a stack, trained here or elsewhere."""
    pool, by_job = (
        read_pool(task.setting.language, task.folder),
        dict(zip(task.jobs, trained.predictions, strict=True)),
    )

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
    return train_segmenter(
        task.model,
        [pool[i].morphemes for i in split.train],
        job_seed(task.setting, task.model, job),
    )


def _scores(
    setting: Setting, pool: Sequence[Word], words: IntArray, predicted: Sequence[Sequence[str]]
) -> Row:
    counts, convention = _counts(setting, pool, words, predicted)
    return dict(mean_scores(counts, convention)._asdict())


def _counts(
    setting: Setting, pool: Sequence[Word], words: IntArray, predicted: Sequence[Sequence[str]]
) -> tuple[WordCounts, Convention]:
    convention = convention_of(setting)
    return count_best_matches(predicted, [pool[i].alternatives for i in words], convention)[
        0
    ], convention


def _segment_in_turn(
    segmenters: Sequence[Segmenter], words: Sequence[str]
) -> list[list[list[str]]]:
    """Segments the same words with several models, a part at a time, so that what is computed from a word alone is still at hand."""
    segmented: list[list[list[str]]] = [[] for _ in segmenters]
    for start in range(0, len(words), WORDS_AT_ONCE):
        for found, segmenter in zip(segmented, segmenters, strict=True):
            found += segmenter.segment(words[start : start + WORDS_AT_ONCE])
    return segmented
