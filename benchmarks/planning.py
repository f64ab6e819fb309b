"""Seconds of one core to plan the published study of morphseg: `python -m benchmarks.planning`.

82 settings (11 languages, their sizes, with and without replacement), 7 models, 50 data sets of 5
splits: 143,500 jobs with the keys of all that they depend on, in an empty store. The languages'
files are not needed: invented words stand for theirs, as many as the language has.
"""

import functools
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import Goal, report
from builders.morphseg.draw import draw
from builders.morphseg.sampling import METHODS, N_DATA_SETS, Setting
from builders.morphseg.sources import Word, languages
from ground.loop import Loop, Stage
from ground.store import Store
from studies.morphseg import plan
from studies.morphseg.jobs import SCHEMAS, do_jobs

MODELS = (*plan.PAPER_MODELS, "seq2seq-lstm")
N_JOBS, MOST_SECONDS = 143_500, 10


@functools.cache
def invented_words() -> list[Word]:
    """Words of an invented language; not timed, since those of the study are read, not made."""
    return draw(pool="synthetic")


def read_words(code: str, folder: str) -> list[Word]:
    """As many invented words as a language has."""
    words, n = invented_words(), languages()[code].n_types
    return (words * (n // len(words) + 1))[:n]


def settings() -> tuple[Setting, ...]:
    """The settings of the paper."""
    return tuple(
        Setting(code, language.n_types, size, method)
        for code, language in languages().items()
        for size in language.sizes
        for method in METHODS
    )


def jobs_left(planned: plan.Plan, setting: Setting, folder: Path) -> int:
    """Jobs of a setting that a run finds undone, as its loop counts them."""
    store = Store(folder / plan.setting_name(setting), SCHEMAS["scores"])
    stage = Stage("", store, lambda: map(plan.as_task, plan.score_tasks(planned, setting)), do_jobs)
    own, _ = Loop()._left(stage)
    return sum(len(task.keys) for task in own)


def main() -> int:
    plan.read_pool = read_words  # type: ignore[assignment]
    planned = plan.Plan(settings(), MODELS, N_DATA_SETS, "")
    invented_words()
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        found = [jobs_left(planned, setting, Path(folder)) for setting in planned.settings]
    seconds = time.process_time() - start
    if sum(found) != N_JOBS:
        raise ValueError(f"planning: jobs, got {sum(found):,}; expected {N_JOBS:,}")
    words = sum(language.n_types for language in languages().values())
    title = f"Planning {N_JOBS:,} jobs in {len(found)} settings, {words:,} words hashed"
    return report(
        title, [Goal("seconds of one core", seconds, MOST_SECONDS, larger_is_better=False)]
    )


if __name__ == "__main__":
    sys.exit(main())
