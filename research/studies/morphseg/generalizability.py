"""Does the best system on one data set stay the best on the next? The published study, at any size.

    python -m research morphseg generalizability --languages synthetic --models 0-crf 1-crf
    python -m research morphseg generalizability --languages rus:500,2000 --methods with without

The default is what the card shows, some hours of one core. A larger plan reuses a smaller one. A
job that fails is recorded and left alone until `--retry-failed`. `--engine ray` shares the work
over a Ray cluster whose nodes can read the data folder. `--export-scores DIR` adds what is finished
to the tables that are committed in `builders/morphseg/data`, `--import-scores DIR` puts such tables
into a store.
"""

import functools
import itertools
import sys
from collections.abc import Callable, Iterator

from builders.morphseg.sampling import METHODS, N_DATA_SETS, N_NEW_TEST_SETS, PROTOCOLS, Setting
from ground.command_line import folder
from ground.extras import require
from research.engine.loop import Stage
from research.studies.morphseg import plan as plans
from research.studies.morphseg import report
from research.studies.morphseg.jobs import do_jobs
from research.studies.morphseg.results import StoredRun, planned_new_tests
from research.studies.morphseg.score_files import export_scores, import_scores
from research.studies.options import flag, of_machine
from research.studies.report import Shown, score_plot
from research.studies.study import Options, Run, Study

BundlesOf = Callable[[StoredRun, Setting], Iterator[plans.Bundle]]
STAGES: dict[plans.Kind, BundlesOf] = {
    "scores": lambda run, setting: plans.score_tasks(run.plan, setting),
    "characteristics": lambda run, setting: plans.characteristics_tasks(run.plan, setting),
    "new_tests": planned_new_tests,  # of the best model, so when the scores are there
}


def work(plan: plans.Plan, run: Run) -> bool:
    """Does everything of the plan that is not done; says whether there is nothing to report."""
    stored = StoredRun(plan, run)
    if run.options.import_scores:
        n = import_scores(stored, run.options.import_scores)
        print(f"{n:,} rows of {run.options.import_scores} taken in", file=sys.stderr)
    if run.options.export_scores:
        written = export_scores(stored, run.options.export_scores)
        print(f"{len(written.scores):,} scores, {len(written.splits):,} splits")
        return True
    if not run.options.report_only:
        require(*plan.packages, command=f"research {run.study.place}")
        for kind in STAGES:
            for setting in plan.settings if not run.loop.n_elsewhere else ():
                run.fill(stage(stored, setting, kind))
    return False


def stage(stored: StoredRun, setting: Setting, kind: plans.Kind) -> Stage:
    """Work of one kind in one setting."""
    return Stage(
        f"{plans.setting_name(setting)}, {kind.replace('_', ' ')}",
        stored.store(setting, kind),
        lambda: map(plans.as_task, STAGES[kind](stored, setting)),
        do_jobs,
        stored.failures(setting),
        stored.run.options.retry_failed,
        in_workers=True,
    )


def score(plan: plans.Plan, run: Run) -> tuple[StoredRun, list[report.Compared]]:
    """The models of every setting compared over its data sets."""
    stored = StoredRun(plan, run)
    return stored, [report.compare_setting(stored, setting) for setting in plan.settings]


def show(scored: tuple[StoredRun, list[report.Compared]], options: Options) -> list[Shown]:
    """Report, the part of it for the card, figures and plots."""
    stored, compared = scored
    lacking = {model for c in compared for model in c.scores.incomplete}
    if options.write and lacking:
        raise ValueError(f"--write, got {', '.join(sorted(lacking))} incomplete; expected all jobs")
    plot = functools.partial(score_plot, report.compared_scores(compared))
    text, figures = report.card_text(compared), report.figures(compared)
    whole = report.make_report(stored, compared)
    return [Shown(text, figures, plot, whole)]


def make_plan(options: Options) -> plans.Plan:
    """The plan that the options ask for; settings that a pool cannot fill are left out and named.

    Raises:
        ValueError: Sizes behind a language are no numbers.
    """
    folder, settings = str(options.released), []
    for language, sizes in (_own_sizes(given) for given in options.languages):
        n = len(plans.read_pool(language, folder))
        for size, method in itertools.product(sizes or options.sizes, options.methods):
            if size > n:
                print(f"{language}: {size} words left out, the pool has {n}", file=sys.stderr)
            else:
                own = (size, method, options.protocol, options.seed)
                settings.append(Setting(language, n, *own))
    return plans.Plan(
        tuple(settings),
        plans.chosen_models(options.models),
        options.data_sets,
        folder,
        new_tests=tuple(options.new_tests),
        n_new_tests=options.n_new_tests,
        n_steps=options.steps,
        stack_size=options.stack_size,
        device=options.device,
        checkpoints=str(options.store / "morphseg" / "generalizability" / "checkpoints"),
    )


def _own_sizes(given: str) -> tuple[str, list[int]]:
    """Reads a language with sizes of its own, if it has any, such as rus:500,2000."""
    language, _, sizes = given.partition(":")
    try:
        return language, [int(size) for size in sizes.split(",") if sizes]
    except ValueError:
        raise ValueError(
            f"--languages {given}: sizes, got {sizes!r}; expected numbers with commas between, such"
            " as rus:500,2000"
        ) from None


CODES = "codes, or an invented language; rus:500,2000 gives one sizes of its own"
LANGUAGES = ["rus:500,2000", "fin:500", "eng:500", "synthetic:500"]
SAMPLING = "sampling, with or without replacement"
ALL_MODELS = f"paper (all seven; six without torch), or any of {', '.join(plans.MODELS)}"
MODELS = ["0-crf", "0-crf-published", "1-crf", "2-crf", "3-crf", "4-crf", "morfessor-annotations"]
PLAN = (
    flag("languages", CODES, LANGUAGES, many="+", metavar="NAME"),
    flag("sizes", "words per data set", [500], many="+", kind=int, low=1),
    flag("methods", SAMPLING, ["without"], many="+", choices=METHODS),
    flag("data-sets", "data sets per setting", N_DATA_SETS, low=1),
    flag("models", ALL_MODELS, MODELS, many="+", metavar="NAME"),
    flag("protocol", "as published, or sound", "paper", choices=sorted(PROTOCOLS)),
    flag("new-tests", "models for new test sets: best, or names", [], many="*", metavar="NAME"),
    flag("n-new-tests", "new test sets of each size", N_NEW_TEST_SETS, low=1),
    flag("seed", "another is another study of the same design", 0, low=0),
    flag("steps", "training steps of the networks", 10_000, low=1),
    flag("stack-size", "networks trained together; part of the plan", 25, low=1),
)
EXPORT = "only add what is finished to the tables of scores in this folder"
IMPORT = "first take in the tables of scores of this folder, such as builders/morphseg/data"
MACHINE = (
    plans.RELEASED,
    of_machine("device", "where networks are trained", "cpu"),
    of_machine("export-scores", EXPORT, parse=folder),
    of_machine("import-scores", IMPORT, parse=folder),
    of_machine("retry-failed", "try again what failed before", kind=bool),
    of_machine("report-only", "report what is stored", kind=bool),
)

STUDY = Study.of(
    __name__,
    rows=make_plan,
    metrics=("morpheme_segmentation", "ranking_generalizability"),
    options=(*PLAN, *MACHINE),
    has_workers=True,
)
