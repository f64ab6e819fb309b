"""The plan of the generalizability study: settings, and jobs with all that they depend on.

A job is one model trained on one split of one data set. A bundle holds the jobs of one data set and
model, so that what they share is made once; for the seq2seq networks it holds a stack, whose
members are part of its jobs' keys.
"""

import dataclasses
import functools
import hashlib
import importlib.util
import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from builders.morphseg.draw import draw
from builders.morphseg.sampling import METHODS, SPLITS, Method, Setting, derive_seed
from builders.morphseg.sources import Word, languages
from ground.command_line import folder
from ground.sources import released_folder
from research.engine.loop import Task
from research.engine.store import make_key
from research.studies.options import of_machine
from research.systems.morphology.morphological_segmenters import SEGMENTERS, describe_segmenter
from research.systems.morphology.seq2seq_examples import Architecture, Cell

FILES = "folder of the studied languages' files"
RELEASED = of_machine("released", FILES, released_folder() / "segmentation", parse=folder)


REVISION = 1  # of everything between a plan and a score; another revision makes stored scores stale
SEQ2SEQ: dict[str, Cell] = {"seq2seq-gru": "gru", "seq2seq-lstm": "lstm"}
MODELS = (*SEGMENTERS, *SEQ2SEQ)
FAST_MODELS = ("morfessor-annotations", "0-crf-published", "1-crf", "2-crf", "3-crf", "4-crf")
PAPER_MODELS = (*FAST_MODELS, "seq2seq-gru")  # the paper's seven
PAPER = "paper"  # stands for the models of the paper
CHARACTERISTICS = "characteristics"
BEST = "best"
Kind = Literal["scores", "characteristics", "new_tests"]


class Job(NamedTuple):
    """One piece of work with the key of its result."""

    key: str
    data_set: int
    split: str


class Bundle(NamedTuple):
    """Jobs of one setting that one worker does together.

    `model` is "characteristics" where a split is described; `options` are of new test sets or
    networks.
    """

    kind: Kind
    setting: Setting
    model: str
    jobs: tuple[Job, ...]
    folder: str
    options: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a run of the study is asked to do.

    The first data sets of more are the same. `new_tests` are models that are scored on new test
    sets, "best" the best of each setting; `stack_size` networks are trained together, the state of
    unfinished stacks is kept in the folder `checkpoints`, if any.
    """

    settings: tuple[Setting, ...]
    models: tuple[str, ...]
    n_data_sets: int
    folder: str
    new_tests: tuple[str, ...] = ("best",)
    n_new_tests: int = 100
    n_steps: int = 10_000
    stack_size: int = 25
    device: str = "cpu"
    checkpoints: str | None = None

    def __len__(self) -> int:
        return len(self.settings)

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages that train its models."""
        methods = [SEGMENTERS[model] for model in self.models if model in SEGMENTERS]
        networks = ("torch",) if set(self.models) - set(SEGMENTERS) else ()
        return (*{method.library: None for method in methods if method.learns}, *networks)

    def __post_init__(self) -> None:
        for model in self.models:
            if model not in MODELS:
                raise ValueError(f"plan: model, got {model!r}; expected one of {', '.join(MODELS)}")
        for model in self.new_tests:
            if model not in (BEST, *SEGMENTERS):
                raise ValueError(
                    f"plan: model for new test sets, got {model!r}; expected best or one of"
                    f" {', '.join(SEGMENTERS)}"
                )
        for name in ("n_data_sets", "n_new_tests", "n_steps", "stack_size"):
            if getattr(self, name) < 1:
                raise ValueError(f"plan: {name}, got {getattr(self, name)}; expected at least 1")


def chosen_models(names: Iterable[str]) -> tuple[str, ...]:
    """The models that names stand for, each once; PAPER are all seven, without torch six."""
    of_paper: tuple[str, ...] = PAPER_MODELS
    if PAPER in (names := list(names)) and importlib.util.find_spec("torch") is None:
        of_paper, missing = FAST_MODELS, ", ".join(set(PAPER_MODELS) - set(FAST_MODELS))
        print(f"--models {PAPER}: {missing} left out, torch is not installed", file=sys.stderr)
    chosen = (of_paper if name == PAPER else (name,) for name in names)
    return tuple(dict.fromkeys(itertools.chain.from_iterable(chosen)))


def published_settings() -> Iterator[tuple[str, int, Method]]:
    """The 82 settings of Table 1: language, words of a data set, sampling method."""
    for code, language in languages().items():
        for size in language.sizes:
            for method in METHODS:
                yield code, size, method


def settings_with_new_tests() -> list[tuple[str, int, Method]]:
    """Those for which Table 1 has sizes of new test sets: all but Yorem Nokki and Nahuatl."""
    known = languages()
    return [keys for keys in published_settings() if known[keys[0]].new_test_sizes]


def setting_name(setting: Setting) -> str:
    """The folder name of a setting in the store."""
    return f"{setting.language}-{setting.size}-{setting.method}-{setting.protocol}-{setting.seed}"


@functools.lru_cache(maxsize=2)
def read_pool(language: str, folder: str) -> list[Word]:
    """The words of a language, read or, for an invented one, generated once per process."""
    return draw(pool=language, folder=Path(folder))


@functools.lru_cache(maxsize=32)
def pool_hash(language: str, folder: str) -> str:
    """The content hash of a language's words and analyses."""
    return hashlib.sha256(repr(read_pool(language, folder)).encode()).hexdigest()


def score_tasks(plan: Plan, setting: Setting) -> Iterator[Bundle]:
    """Yields the tasks that score all models in a setting by data set, stacks of networks last."""
    for data_set in range(1, plan.n_data_sets + 1):
        for model in plan.models:
            if model in SEGMENTERS:
                members = [(data_set, split) for split in SPLITS]
                yield _task("scores", plan, setting, model, members, _described(model))
    for model in plan.models:
        if model in SEQ2SEQ:
            yield from stack_tasks(plan, setting, model)


def stack_tasks(plan: Plan, setting: Setting, model: str) -> Iterator[Bundle]:
    """Yields the stacks of a kind of network; the members of a stack are part of its jobs' keys."""
    members = [(data_set, split) for data_set in range(1, plan.n_data_sets + 1) for split in SPLITS]
    for start in range(0, len(members), plan.stack_size):
        stack = members[start : start + plan.stack_size]
        network = Architecture(cell=SEQ2SEQ[model], n_steps=plan.n_steps)
        description = dataclasses.asdict(network) | {"stack": stack}
        yield _task("scores", plan, setting, model, stack, description)


def characteristics_tasks(plan: Plan, setting: Setting) -> Iterator[Bundle]:
    """Yields the tasks that describe the splits of every data set."""
    for data_set in range(1, plan.n_data_sets + 1):
        members = [(data_set, split) for split in SPLITS]
        yield _task("characteristics", plan, setting, CHARACTERISTICS, members, {})


def new_test_sizes(setting: Setting) -> tuple[int, ...]:
    """The published sizes of new test sets that the pool can fill; for other pools 50 and 100."""
    known = languages().get(setting.language)
    sizes = known.new_test_sizes if known else (50, 100)
    return tuple(size for size in sizes if size <= setting.pool_size - setting.size)


def new_test_tasks(plan: Plan, setting: Setting, model: str) -> Iterator[Bundle]:
    """Yields the tasks that train a model again and score it on new test sets of all sizes."""
    options = {"test_sizes": new_test_sizes(setting), "n_new_tests": plan.n_new_tests}
    if not options["test_sizes"]:
        return
    described = _described(model) | options
    for data_set in range(1, plan.n_data_sets + 1):
        members = [(data_set, split) for split in SPLITS]
        yield _task("new_tests", plan, setting, model, members, described, options)


def as_task(bundle: Bundle) -> Task:
    """A bundle as the loop takes it; a stack is whole, since its members are trained together."""
    keys = tuple(job.key for job in bundle.jobs)
    return Task(keys, bundle.jobs, bundle, is_whole=bundle.model in SEQ2SEQ)


def job_seed(setting: Setting, model: str, job: Job) -> int:
    """The seed of a job's random numbers, the same whatever else is in the plan."""
    return derive_seed(
        "model", model, setting_name(setting), setting.pool_size, job.data_set, job.split
    )


@functools.cache
def _described(model: str) -> dict[str, str]:
    """What a segmenter's results depend on, kept since packages are slow to say their version."""
    return describe_segmenter(model)


@functools.lru_cache(maxsize=256)
def _setting_key(setting: Setting, folder: str) -> str:
    return make_key(setting=dataclasses.asdict(setting), pool=pool_hash(setting.language, folder))


def _task(
    kind: Kind,
    plan: Plan,
    setting: Setting,
    model: str,
    members: Sequence[tuple[int, str]],
    description: dict[str, Any],
    options: dict[str, Any] | None = None,
) -> Bundle:
    common = make_key(  # hashed once: a plan has more than a hundred thousand jobs
        revision=REVISION,
        kind=kind,
        setting=_setting_key(setting, plan.folder),
        model=[model, description],
    )
    jobs = tuple(
        Job(make_key(data_set=data_set, split=split, common=common), data_set, split)
        for data_set, split in members
    )
    of_networks = {name: getattr(plan, name) for name in ("n_steps", "device", "checkpoints")}
    return Bundle(kind, setting, model, jobs, plan.folder, options or of_networks)
