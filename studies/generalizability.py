"""Does the best system on one data set stay the best on the next? The study of Liu & Prud'hommeaux (2022), at any size.

    python -m studies.generalizability --languages rus fin --sizes 500 1000 --models 0-crf 1-crf
    --data-sets 10 python -m studies.generalizability --languages rus:500,2000 synthetic --methods
    with without --models paper --write

Plan, jobs, store, report: every result is stored under the hash of all it depends on, so that a run
that was stopped goes on where it was, and a larger plan reuses a smaller one. A job that fails is
recorded and left alone until `--retry-failed`. `--engine ray` shares the work over a Ray cluster
whose nodes can read the data folder. seq2seq networks can be trained elsewhere: `--export-stacks
FILE`, then `python -m systems.seq2seq_stacks FILE --out FOLDER --device cuda` there, then
`--import-stacks FOLDER`.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from builders.morphseg.sampling import METHODS, N_DATA_SETS, N_NEW_TEST_SETS, PROTOCOLS, Setting
from ground.paths import ROOT
from ground.store import Store
from studies import generalizability_report as report
from studies.command_line import run_study, shown_command
from studies.engines import ENGINES, run_tasks
from studies.generalizability_results import planned_new_tests
from studies.segmentation_jobs import (
    FAILURES,
    SCHEMAS,
    Finished,
    TrainedStack,
    as_columns,
    make_stack,
    run_jobs,
    run_task,
    score_stack,
)
from studies.segmentation_plan import (
    MODELS,
    PAPER_MODELS,
    SEQ2SEQ,
    Kind,
    Plan,
    Task,
    characteristics_tasks,
    expected_seconds,
    read_pool,
    score_tasks,
    setting_name,
    stack_tasks,
    without_jobs,
)
from systems.seq2seq_stacks import prediction_path, read_predictions, write_stacks

DEFAULT_DATA = (
    Path(os.environ.get("GARDENPATH_RELEASED", ROOT.parent / "shared" / "data")) / "segmentation"
)
TasksOf = Callable[[Setting], Iterator[Task]]


class Run:
    """A plan with its store, and how its work is shared out.

    Args:
        plan: The plan.
        folder: Folder of the store: one folder per setting, in it one store per kind of result and
            one for failures.
        n_processes, engine, address: See `run_tasks`.
        retries_failed: Whether jobs that failed before are tried again.
    """

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        n_processes: int = 1,
        engine: str = "local",
        address: str | None = None,
        *,
        retries_failed: bool = False,
    ) -> None:
        self.plan, self.folder, self.retries_failed = plan, folder, retries_failed
        self.workers = {"n_processes": n_processes, "engine": engine, "address": address}

    def store(self, setting: Setting, kind: Kind) -> Store:
        """Gives the results of one kind in one setting."""
        return Store(self.folder / setting_name(setting) / kind, SCHEMAS[kind])

    def failures(self, setting: Setting) -> Store:
        """Gives the errors of a setting."""
        return Store(self.folder / setting_name(setting) / "failures", FAILURES)

    def do(self, title: str, tasks_of: TasksOf) -> None:
        """Does what is not done yet of the tasks of every setting; stopped at any time, it loses only what is under way."""
        n_jobs, seconds = 0, 0.0
        for task in self.unfinished(tasks_of):
            n_jobs += len(task.jobs)
            seconds += expected_seconds(task)
        if not n_jobs:
            return
        print(
            f"{title}: {n_jobs:,} jobs, about {seconds / 3600:.2g} hours of one core",
            file=sys.stderr,
        )
        with tqdm(total=n_jobs, desc=title, unit="job") as bar:
            for outcome in run_tasks(run_task, self.unfinished(tasks_of), **self.workers):  # type: ignore[arg-type]
                self.record(
                    outcome.task,
                    outcome.result
                    or Finished({}, {job.key: outcome.error for job in outcome.task.jobs}),
                )
                bar.update(len(outcome.task.jobs))

    def unfinished(self, tasks_of: TasksOf) -> Iterator[Task]:
        """Yields the tasks that have jobs left, with only those."""
        for setting in self.plan.settings:
            done: dict[Kind, set[str]] = {}
            failed = set() if self.retries_failed else self.failures(setting).keys()
            for task in tasks_of(setting):
                if task.kind not in done:
                    done[task.kind] = self.store(setting, task.kind).keys() | failed
                left = without_jobs(task, done[task.kind])
                if left.jobs:
                    yield left

    def record(self, task: Task, finished: Finished) -> None:
        """Adds what became of a task's jobs to the stores."""
        self.store(task.setting, task.kind).append(
            list(finished.rows), as_columns(SCHEMAS[task.kind], list(finished.rows.values()))
        )
        jobs = {job.key: job for job in task.jobs}
        rows = [
            {**jobs[key]._asdict(), "model": task.model, "error": error}
            for key, error in finished.errors.items()
        ]
        self.failures(task.setting).append(list(finished.errors), as_columns(FAILURES, rows))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the study; gives the exit code, 1 where jobs failed."""
    options = _parser().parse_args(arguments)
    plan = make_plan(options)
    run = Run(
        plan,
        options.store,
        options.processes,
        options.engine,
        options.address,
        retries_failed=options.retry_failed,
    )
    if options.export_stacks:
        return export_stacks(run, options.export_stacks)
    if options.import_stacks:
        import_stacks(run, options.import_stacks)
    if not options.report_only:
        work(run)
    command = shown_command(
        "studies.generalizability", sys.argv[1:] if arguments is None else arguments
    )
    text = report.make_report(run, options.report, write=options.write, command=command)
    print(text)
    return 1 if report.n_failures(run) else 0


def work(run: Run) -> None:
    """Does everything of the plan that is not done: scores, data characteristics, and new test sets, which wait for the best model."""
    run.do("scores", lambda setting: score_tasks(run.plan, setting))
    run.do("data characteristics", lambda setting: characteristics_tasks(run.plan, setting))
    run.do("new test sets", lambda setting: planned_new_tests(run, setting))


def make_plan(options: argparse.Namespace) -> Plan:
    """Gives the plan that the options ask for; settings that a pool cannot fill are left out and named.

    Raises:
        ValueError: Sizes behind a language are no numbers.
    """
    folder, settings = str(options.released), []
    for language, sizes in (_own_sizes(given) for given in options.languages):
        n = len(read_pool(language, folder))
        for size in sizes or options.sizes:
            for method in options.methods:
                if size > n:
                    print(f"{language}: {size} words left out, the pool has {n}", file=sys.stderr)
                else:
                    settings.append(
                        Setting(language, n, size, method, options.protocol, options.seed)
                    )
    models = tuple(
        dict.fromkeys(
            m for model in options.models for m in (PAPER_MODELS if model == "paper" else [model])
        )
    )
    return Plan(
        tuple(settings),
        models,
        options.data_sets,
        folder,
        new_tests=tuple(options.new_tests),
        n_new_tests=options.n_new_tests,
        n_steps=options.steps,
        stack_size=options.stack_size,
        device=options.device,
        checkpoints=str(options.store / "checkpoints"),
    )


def export_stacks(run: Run, path: Path) -> int:
    """Writes the unfinished stacks of networks for training elsewhere."""
    tasks = run.unfinished(
        lambda setting: (
            t for m in run.plan.models if m in SEQ2SEQ for t in stack_tasks(run.plan, setting, m)
        )
    )
    n = write_stacks(path, (make_stack(task) for task in tasks))
    print(
        f"{n} stacks written to {path}; train them by: python -m systems.seq2seq_stacks {path} --out FOLDER --device cuda"
    )
    return 0


def import_stacks(run: Run, folder: Path) -> None:
    """Scores the predictions of stacks that were trained elsewhere and stores them."""
    for task in run.unfinished(
        lambda setting: (
            t for m in run.plan.models if m in SEQ2SEQ for t in stack_tasks(run.plan, setting, m)
        )
    ):
        key = task.jobs[0].key
        if prediction_path(folder, key).exists():
            trained = TrainedStack(read_predictions(folder, key), float("nan"))
            run.record(task, run_jobs(task, score_stack(task, trained)))


def _own_sizes(given: str) -> tuple[str, list[int]]:
    """Reads a language with sizes of its own, if it has any, such as rus:500,2000."""
    language, _, sizes = given.partition(":")
    try:
        return language, [int(size) for size in sizes.split(",") if sizes]
    except ValueError:
        raise ValueError(
            f"--languages {given}: sizes, got {sizes!r}; expected numbers with commas between, such as rus:500,2000"
        ) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m studies.generalizability", description=(__doc__ or "").split("\n")[0]
    )
    plan = parser.add_argument_group("plan")
    languages = "codes, such as rus fin eng, or synthetic (default); rus:500,2000 gives one sizes of its own"
    plan.add_argument("--languages", nargs="+", default=["synthetic"], help=languages)
    plan.add_argument(
        "--sizes", nargs="+", type=int, default=[500], help="words per data set (default 500)"
    )
    plan.add_argument(
        "--methods",
        nargs="+",
        choices=METHODS,
        default=["without"],
        help="sampling with or without replacement",
    )
    plan.add_argument(
        "--data-sets",
        type=int,
        default=N_DATA_SETS,
        help=f"data sets per setting (default {N_DATA_SETS})",
    )
    plan.add_argument(
        "--models", nargs="+", default=["paper"], help=f"'paper' or any of {', '.join(MODELS)}"
    )
    plan.add_argument(
        "--protocol", choices=sorted(PROTOCOLS), default="paper", help="as published, or sound"
    )
    plan.add_argument(
        "--new-tests",
        nargs="*",
        default=["best"],
        help="models for new test sets: best (default), names, or nothing",
    )
    plan.add_argument(
        "--n-new-tests",
        type=int,
        default=N_NEW_TEST_SETS,
        help=f"of each size (default {N_NEW_TEST_SETS})",
    )
    plan.add_argument(
        "--seed", type=int, default=0, help="another seed is another study of the same design"
    )
    plan.add_argument(
        "--released",
        type=Path,
        default=DEFAULT_DATA,
        metavar="DIR",
        help="folder of the languages' files",
    )
    _add_network_options(parser)
    work = parser.add_argument_group("work")
    work.add_argument(
        "--engine", choices=ENGINES, default="local", help="local processes (default) or ray"
    )
    work.add_argument(
        "--processes",
        type=int,
        default=os.cpu_count() or 1,
        help="workers on this machine (default: its cores)",
    )
    work.add_argument("--address", help="address of a running Ray cluster")
    work.add_argument(
        "--store",
        type=Path,
        default=ROOT / "store" / "generalizability",
        help="folder of the results",
    )
    work.add_argument(
        "--retry-failed", action="store_true", help="try jobs again that failed before"
    )
    work.add_argument("--report-only", action="store_true", help="report what is stored")
    work.add_argument("--report", type=Path, help="folder for report.md and its plots")
    work.add_argument("--write", action="store_true", help="write the report into the cards")
    return parser


def _add_network_options(parser: argparse.ArgumentParser) -> None:
    networks = parser.add_argument_group("seq2seq networks")
    networks.add_argument(
        "--steps", type=int, default=10_000, help="training steps (default 10000)"
    )
    networks.add_argument(
        "--stack-size",
        type=int,
        default=25,
        help="networks trained together (default 25); part of the plan",
    )
    networks.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    networks.add_argument(
        "--export-stacks",
        type=Path,
        help="only write what is to be trained elsewhere into this file",
    )
    networks.add_argument(
        "--import-stacks",
        type=Path,
        help="first take in predictions made elsewhere from this folder",
    )


if __name__ == "__main__":
    sys.exit(run_study(main))
