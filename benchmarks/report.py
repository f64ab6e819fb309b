"""Time and memory of the published study's report: `python -m benchmarks.report`.

82 settings (11 languages, their sizes, with and without replacement), 7 models, 50 data sets of 5
splits: 143,500 invented scores in a store, and the data characteristics of every split. Reported by
a process of its own: planning, reading, comparing the models under five metrics, regressions, text.
The invented words of `benchmarks.planning` stand for the languages' files.
"""

import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.planning import MODELS, N_JOBS, read_words, settings
from benchmarks.timing import Goal, report
from builders.morphseg.sampling import N_DATA_SETS
from studies.morphseg import generalizability, plan
from studies.morphseg.plan import characteristics_tasks, score_tasks
from studies.morphseg.report import make_report
from studies.morphseg.results import StoredRun
from studies.study import Run

MOST_SECONDS, MOST_MEGABYTES = 60, 1024
MODEL_GAP, NOISE = 0.004, 0.01  # scores differ as the published ones do


class Cost(NamedTuple):
    """Seconds of one core for a report, its letters, and the process's largest memory."""

    seconds: float
    n_letters: int
    megabytes: float


def main() -> int:
    n_settings = int(sys.argv[1]) if len(sys.argv) > 1 else len(settings())
    with tempfile.TemporaryDirectory() as folder:
        n_jobs = fill(Path(folder), n_settings)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            cost = process.submit(make, Path(folder), n_settings).result()
    if n_settings == len(settings()) and n_jobs != N_JOBS:
        raise ValueError(f"report: scores, got {n_jobs:,}; expected {N_JOBS:,}")
    print(f"{cost.n_letters:,} letters")
    goals = [
        Goal("seconds of one core", cost.seconds, MOST_SECONDS, larger_is_better=False),
        Goal("MB at most", cost.megabytes, MOST_MEGABYTES, larger_is_better=False),
    ]
    return report(f"The report of {n_jobs:,} scores in {n_settings} settings", goals)


def stored_run(folder: Path, n_settings: int) -> StoredRun:
    """The study's first settings in a store; the languages' words are invented."""
    plan.read_pool = read_words  # type: ignore[assignment]
    options = generalizability.STUDY.parser().parse_args(["--store", str(folder), "--report-only"])
    planned = plan.Plan(settings()[:n_settings], MODELS, N_DATA_SETS, "")
    return StoredRun(planned, Run(generalizability.STUDY, options))


def fill(folder: Path, n_settings: int) -> int:
    """Stores invented results of every job; gives the number of scores."""
    stored, generator, n_scores = stored_run(folder, n_settings), np.random.default_rng(0), 0
    tasks = {"scores": score_tasks, "characteristics": characteristics_tasks}
    for setting in stored.plan.settings:
        for kind, tasks_of in tasks.items():
            store = stored.store(setting, kind)  # type: ignore[arg-type]
            found = [
                (job.key, job.data_set, job.split, bundle.model)
                for bundle in tasks_of(stored.plan, setting)
                for job in bundle.jobs
            ]
            keys, data_sets, splits, models = zip(*found, strict=True)
            gaps = [MODEL_GAP * (MODELS.index(m) if m in MODELS else 0) for m in models]
            columns: dict[str, Any] = {"data_set": data_sets, "split": splits, "model": models}
            for name in store.schema.names[4:]:
                columns[name] = 0.6 + np.array(gaps) + NOISE * generator.normal(size=len(keys))
            store.append(keys, columns)
            n_scores += len(keys) if kind == "scores" else 0
    return n_scores


def make(folder: Path, n_settings: int) -> Cost:
    """Makes the report; to be called in a process that has done nothing else."""
    start = time.process_time()
    stored = stored_run(folder, n_settings)
    text = make_report(*generalizability.score(stored.plan, stored.run))
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Cost(seconds, len(text), peak)


if __name__ == "__main__":
    sys.exit(main())
