"""What a worker does with jobs of the generalizability study: train, segment, score."""

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from builders.columns import FloatArray, IntArray
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
from research.engine.loop import Failed, Row
from research.engine.work import describe_error, is_of_the_machine
from research.studies.morphseg.plan import SEQ2SEQ, Bundle, Job, Kind, job_seed, read_pool
from research.systems.morphology.morphological_segmenters import (
    CACHED_WORDS,
    TrainedSegmenter,
    train_segmenter,
)
from research.systems.morphology.seq2seq_examples import Architecture, Stack, run_stack

DECIMALS = 2


@dataclass(frozen=True)
class PoolDescription:
    """What the characteristics need of each of n words, so that a split is a look-up.

    They are the five of `metrics.split_characteristics`; tests compare every figure with it.

    Attributes:
        n_morphs: Morphemes per word, shape (n,).
        morph_length: Mean length of a word's morphemes, rounded as published, shape (n,).
        morphs: Numbers of the morphemes of all words, one word after the other; equal morphemes
            have equal numbers.
        ends: End of each word's morphemes in `morphs`, shape (n,).
    """

    n_morphs: IntArray
    morph_length: FloatArray
    morphs: IntArray
    ends: IntArray

    @classmethod
    def of(cls, pool: Sequence[Word]) -> "PoolDescription":
        """Describes the words of a pool."""
        numbers: dict[str, int] = {}
        morphs = [
            numbers.setdefault(morph, len(numbers)) for word in pool for morph in word.morphemes
        ]
        n_morphs = np.array([len(word.morphemes) for word in pool], dtype=np.int64)
        lengths = [round(len(word.word) / len(word.morphemes), DECIMALS) for word in pool]
        return cls(
            n_morphs, np.array(lengths), np.array(morphs, dtype=np.int64), np.cumsum(n_morphs)
        )

    def characteristics(self, train: IntArray, tests: IntArray) -> dict[str, FloatArray]:
        """Compares training words with n test sets, shape (n, size), by their indices in the pool.

        Returns:
            For each of FEATURES n values, as `published_characteristics` of the metric gives them
            for one test set.
        """
        n_seen = self._n_seen_morphs(train)
        in_train = np.isin(np.arange(len(self.n_morphs)), train)
        n_test_morphs = self.n_morphs[tests].sum(1)
        values = (
            100 * in_train[tests].mean(1),
            100 * n_seen[tests].sum(1) / n_test_morphs,
            self.n_morphs[train].mean() / self.n_morphs[tests].mean(1),
            self._count_distances(train, tests),
            self.morph_length[train].mean() / self.morph_length[tests].mean(1),
        )
        rounded = (
            [round(one, DECIMALS) for one in value.tolist()] for value in values
        )  # not numpy's rounding, which multiplies first
        return {name: np.array(value) for name, value in zip(FEATURES, rounded, strict=True)}

    def _n_seen_morphs(self, train: IntArray) -> IntArray:
        """For each word of the pool, how many of its morphemes occur in training words."""
        is_train = np.zeros(len(self.n_morphs), dtype=bool)
        is_train[train] = True
        is_seen = np.zeros(int(self.morphs.max()) + 1, dtype=np.int64)
        is_seen[self.morphs[np.repeat(is_train, self.n_morphs)]] = 1
        return np.asarray(np.add.reduceat(is_seen[self.morphs], self.ends - self.n_morphs))

    def _count_distances(self, train: IntArray, tests: IntArray) -> FloatArray:
        """Wasserstein distances of morphemes per word: area between cumulative distributions."""
        counts = np.arange(int(self.n_morphs.max()))
        below_train = (self.n_morphs[train][:, None] <= counts).mean(0)
        below_test = np.stack([(self.n_morphs[tests] <= count).mean(1) for count in counts], axis=1)
        return np.asarray(np.abs(below_train - below_test).sum(1))


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

    Raises:
        Exception: What the machine failed at, which says nothing of a model.
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
    split = split_indices(bundle.setting, job.data_set, job.split)
    described = describe_pool(bundle.setting.language, bundle.folder).characteristics(
        split.train, split.test[None]
    )
    return {name: float(values[0]) for name, values in described.items()}


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
    description = describe_pool(bundle.setting.language, bundle.folder)

    def work(job: Job) -> Row:
        counts, convention = _counts(bundle.setting, pool, words, by_job[job])
        scored = [
            mean_scores(counts.take(np.searchsorted(words, test)), convention)
            for indices in tests
            for test in indices
        ]
        train = split_indices(bundle.setting, data_set, job.split).train
        described = [description.characteristics(train, indices) for indices in tests]
        row: Row = {"sizes": [indices.shape[1] for indices in tests for _ in indices]}
        row |= {name: [getattr(s, name) for s in scored] for name in METRICS}
        return row | {name: np.concatenate([d[name] for d in described]) for name in FEATURES}

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


@functools.lru_cache(maxsize=2)
def describe_pool(language: str, folder: str) -> PoolDescription:
    """Describes the words of a language, once per process."""
    return PoolDescription.of(read_pool(language, folder))


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
    convention = convention_of(setting)
    return count_best_matches(predicted, [pool[i].alternatives for i in words], convention)[
        0
    ], convention


def _segment_in_turn(
    segmenters: Sequence[TrainedSegmenter], words: Sequence[str]
) -> list[list[list[str]]]:
    """Segments some words with all models before the next, so that their features are at hand."""
    segmented: list[list[list[str]]] = [[] for _ in segmenters]
    for start in range(0, len(words), WORDS_AT_ONCE):
        for found, segmenter in zip(segmented, segmenters, strict=True):
            found += segmenter.segment(words[start : start + WORDS_AT_ONCE])
    return segmented
