"""What a worker does with jobs of the generalizability study: train, segment, score."""

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from builders.columns import IntArray
from builders.morphseg.columns import FEATURES
from builders.morphseg.sampling import PROTOCOLS, Setting, Split, new_test_indices, split_indices
from builders.morphseg.sources import Word
from metrics.morpheme_segmentation.matching import (
    PRESETS,
    Convention,
    WordCounts,
    count_best_matches,
)
from metrics.morpheme_segmentation.scoring import mean_scores
from metrics.split_characteristics.scoring import published_characteristics
from research.engine.loop import Failed, Row
from research.engine.work import describe_error, is_of_the_machine
from research.studies.morphseg.plan import SEQ2SEQ, Bundle, Job, Kind, job_seed, read_pool
from research.systems.morphology.morphological_segmenters import (
    CACHED_WORDS,
    TrainedSegmenter,
    train_segmenter,
)
from research.systems.morphology.seq2seq_examples import Architecture, Stack, run_stack

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


def do_jobs(bundle: Bundle, jobs: Sequence[Job]) -> list[tuple[int, Row | Failed]]:
    """The place of each job with its row, or with the error of its model.

    An error ends its own job, or all jobs that share the work.
    """
    bundle = bundle._replace(jobs=tuple(jobs))
    try:
        if bundle.kind == "new_tests":
            work = score_new_tests(bundle)
        elif bundle.model in SEQ2SEQ:
            work = score_stack(bundle)
        else:
            alone = score_job if bundle.kind == "scores" else describe_job
            work = functools.partial(alone, bundle)
    except Exception as error:
        return [(place, _failed(error)) for place in range(len(jobs))]
    done: list[tuple[int, Row | Failed]] = []
    for place, job in enumerate(bundle.jobs):
        try:
            row = work(job)
        except Exception as error:  # whatever it is, it must not stop the other jobs
            done.append((place, _failed(error)))
        else:
            of = {"data_set": job.data_set, "split": job.split, "model": bundle.model}
            done.append((place, {**of, **row}))
    return done


def _failed(error: Exception) -> Failed:
    """An error as the row of a job; raised where it is the machine's."""
    if is_of_the_machine(error):
        raise error
    return Failed(describe_error(error))


def score_job(bundle: Bundle, job: Job) -> Row:
    """Trains a model on a split and scores it on the split's test part."""
    pool, start = read_pool(bundle.setting.language, bundle.folder), time.perf_counter()
    split = split_indices(bundle.setting, job.data_set, job.split)
    segmenter = _train(bundle, job, split)
    predicted = segmenter.segment([pool[i].word for i in split.test])
    return _scores(bundle.setting, pool, split.test, predicted) | {
        "seconds": time.perf_counter() - start
    }


def describe_job(bundle: Bundle, job: Job) -> Row:
    """The data characteristics of a split."""
    pool = read_pool(bundle.setting.language, bundle.folder)
    split = split_indices(bundle.setting, job.data_set, job.split)
    return _characteristics(pool, split.train, split.test)


def _characteristics(pool: Sequence[Word], *parts: IntArray) -> Row:
    """How training and test words differ, by FEATURES."""
    train, test = ([pool[i].morphemes for i in part] for part in parts)
    return dict(zip(FEATURES, published_characteristics(train, test), strict=True))


def score_new_tests(bundle: Bundle) -> Callable[[Job], Row]:
    """Trains a model on all splits of a data set; scores new test sets, each word cut once."""
    pool, data_set = read_pool(bundle.setting.language, bundle.folder), bundle.jobs[0].data_set
    tests = [
        new_test_indices(bundle.setting, data_set, size, bundle.options["n_new_tests"])
        for size in bundle.options["test_sizes"]
    ]
    words = np.unique(np.concatenate([indices.ravel() for indices in tests]))
    segmenters = {
        job: _train(bundle, job, split_indices(bundle.setting, data_set, job.split))
        for job in bundle.jobs
    }
    predicted = _segment_in_turn(list(segmenters.values()), [pool[i].word for i in words])
    by_job = dict(zip(segmenters, predicted, strict=True))

    def work(job: Job) -> Row:
        counts, convention = _counts(bundle.setting, pool, words, by_job[job])
        train = split_indices(bundle.setting, data_set, job.split).train
        rows = [
            mean_scores(counts.take(np.searchsorted(words, test)), convention)._asdict()
            | _characteristics(pool, train, test)
            for indices in tests
            for test in indices
        ]
        row: Row = {"sizes": [indices.shape[1] for indices in tests for _ in indices]}
        return row | {name: [one[name] for one in rows] for name in (*METRICS, *FEATURES)}

    return work


def make_stack(bundle: Bundle) -> Stack:
    """The networks of a task with the words that each is to segment."""
    pool = read_pool(bundle.setting.language, bundle.folder)
    splits = [split_indices(bundle.setting, job.data_set, job.split) for job in bundle.jobs]
    return Stack(
        key=bundle.jobs[0].key,
        architecture=Architecture(cell=SEQ2SEQ[bundle.model], n_steps=bundle.options["n_steps"]),
        seeds=[job_seed(bundle.setting, bundle.model, job) % 2**63 for job in bundle.jobs],
        trainings=[[list(pool[i].morphemes) for i in split.train] for split in splits],
        words=[[pool[i].word for i in split.test] for split in splits],
    )


def score_stack(bundle: Bundle) -> Callable[[Job], Row]:
    """Trains a task's networks together, from a checkpoint if killed; what scores each of them."""
    start = time.perf_counter()
    folder = bundle.options.get("checkpoints")
    checkpoint = Path(folder) / bundle.jobs[0].key if folder else None
    predictions = run_stack(make_stack(bundle), bundle.options["device"], checkpoint=checkpoint)
    seconds = (time.perf_counter() - start) / len(bundle.jobs)
    pool = read_pool(bundle.setting.language, bundle.folder)
    by_job = dict(zip(bundle.jobs, predictions, strict=True))

    def work(job: Job) -> Row:
        test = split_indices(bundle.setting, job.data_set, job.split).test
        return _scores(bundle.setting, pool, test, by_job[job]) | {"seconds": seconds}

    return work


def convention_of(setting: Setting) -> Convention:
    """The convention of scores: as published, or multisets and all golds under `sound`."""
    return PRESETS["paper"] if PROTOCOLS[setting.protocol].references == "first" else Convention()


def _train(bundle: Bundle, job: Job, split: Split) -> TrainedSegmenter:
    pool = read_pool(bundle.setting.language, bundle.folder)
    return train_segmenter(
        bundle.model,
        [pool[i].morphemes for i in split.train],
        job_seed(bundle.setting, bundle.model, job),
    )


def _scores(
    setting: Setting, pool: Sequence[Word], words: IntArray, predicted: Sequence[Sequence[str]]
) -> Row:
    counts, convention = _counts(setting, pool, words, predicted)
    return dict(mean_scores(counts, convention)._asdict())


def _counts(
    setting: Setting, pool: Sequence[Word], words: IntArray, predicted: Sequence[Sequence[str]]
) -> tuple[WordCounts, Convention]:
    convention, golds = convention_of(setting), [pool[i].alternatives for i in words]
    return count_best_matches(predicted, golds, convention)[0], convention


def _segment_in_turn(
    segmenters: Sequence[TrainedSegmenter], words: Sequence[str]
) -> list[list[list[str]]]:
    """Segments some words with all models before the next, so that their features are at hand."""
    segmented: list[list[list[str]]] = [[] for _ in segmenters]
    for start in range(0, len(words), WORDS_AT_ONCE):
        for found, segmenter in zip(segmented, segmenters, strict=True):
            found += segmenter.segment(words[start : start + WORDS_AT_ONCE])
    return segmented
