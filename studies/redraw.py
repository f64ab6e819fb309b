"""Does the ranking hold on another draw of the suite? The question of the generalizability study, asked of the other suites.

    python -m studies.redraw --suite eras --draws 50
    python -m studies.redraw --suite eras --systems jieba thulac --draws 10 --size 50 --write

Every draw is scored by every system; finished scores are stored, so that a run that was stopped
goes on where it was. The draws are compared by `ranking_generalizability`, as the data sets of the
morphological study are.
"""

import argparse
import functools
import os
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from tqdm import tqdm

from ground.markdown import markdown_table, percent
from ground.store import Store, make_key
from studies.command_line import run_study, shown_command
from studies.engines import run_tasks
from studies.generalizability_advice import verdict
from studies.generalizability_plots import score_plot
from studies.generalizability_report import first_data_set_row, table_2_row
from studies.generalizability_results import comparison
from studies.redraw_suites import SUITES, redrawable
from studies.report import write_result

SCORES = pa.schema(
    [
        ("seed", pa.int32()),
        ("system", pa.string()),
        ("metric", pa.string()),
        ("score", pa.float64()),
    ]
)
ITEMS = pa.schema([("seed", pa.int32()), ("items", pa.list_(pa.string()))])


class Task(NamedTuple):
    """One draw and the systems that are still to score it."""

    suite: str
    seed: int
    size: int
    systems: tuple[str, ...]


class Scored(NamedTuple):
    """A draw's items, and the scores of each system under each metric."""

    items: list[str]
    scores: dict[str, dict[str, float]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the study; gives the exit code, 1 where draws failed."""
    options = _parser().parse_args(arguments)
    suite = redrawable(options.suite)
    options.size = options.size or suite.size[0]
    options.systems = tuple(options.systems or suite.systems)
    if score_draws(options):
        return 1
    report(
        options, shown_command("studies.redraw", sys.argv[1:] if arguments is None else arguments)
    )
    return 0


def score_draw(task: Task) -> Scored:
    """Draws a suite and scores the systems on it."""
    suite = redrawable(task.suite)
    drawn = suite.draw(task.seed, task.size)
    scores = {system: suite.score(system, drawn) for system in task.systems}
    kept = {
        system: {metric: float(found[metric]) for metric in suite.metrics}
        for system, found in scores.items()
    }
    return Scored(list(suite.items(drawn)), kept)


def score_draws(options: argparse.Namespace) -> int:
    """Scores what is not stored yet; gives the number of draws that failed."""
    scores, items = _stores(options)
    tasks = list(_unfinished(options))
    n_failed = 0
    with tqdm(
        total=len(tasks), desc=f"draws of {options.suite}", unit="draw", disable=not tasks
    ) as bar:
        for outcome in run_tasks(score_draw, tasks, options.processes, options.engine):
            if outcome.result is None:
                print(f"draw {outcome.task.seed}: {outcome.error}", file=sys.stderr)
                n_failed += 1
            else:
                _record(options, outcome.task, outcome.result, scores, items)
            bar.update(1)
    return n_failed


def read_scores(options: argparse.Namespace) -> dict[str, dict[str, list[float]]]:
    """Gives the score of every draw under each metric by system."""
    found = {row["key"]: row["score"] for row in _stores(options)[0].read().to_pylist()}
    return {
        metric: {
            system: [found[_key(options, seed, system, metric)] for seed in range(options.draws)]
            for system in options.systems
        }
        for metric in redrawable(options.suite).metrics
    }


def read_items(options: argparse.Namespace) -> dict[int, list[str]]:
    """Gives the items of every draw."""
    drawn = {row["key"]: row["items"] for row in _stores(options)[1].read().to_pylist()}
    return {seed: drawn[_key(options, seed)] for seed in range(options.draws)}


def compare(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Compares the systems over the draws under each metric of the suite; nothing for a single system or draw."""
    if len(options.systems) < 2 or options.draws < 2:
        return {}
    results, items = {}, read_items(options)
    for metric, by_system in read_scores(options).items():
        rows = [
            (system, seed, score)
            for system, scores in by_system.items()
            for seed, score in enumerate(scores)
        ]
        system, unit, score = zip(*rows, strict=True)
        higher_is_better = redrawable(options.suite).metrics[metric]
        results[metric] = comparison().compute(
            system=system,
            unit=unit,
            score=score,
            items=items,
            first=0,
            higher_is_better=higher_is_better,
        )
    return results


def report(options: argparse.Namespace, command: str) -> str:
    """Prints the comparison, and with `--write` adds it to the results of the suite."""
    suite, scores, results = redrawable(options.suite), read_scores(options), compare(options)
    parts = [
        f"{options.draws} draws of `{options.suite}`, {options.size} {suite.size[1]} each. {suite.speaks_of}\n"
    ]
    if results:
        overlap = next(iter(results.values()))["overlap"]
        parts.append(f"Two draws share {percent(overlap):.1f} % of their items on average.\n")
    for metric, by_system in scores.items():
        rows = [spread_row(system, values) for system, values in by_system.items()]
        if metric in results:
            rows = [table_2_row(row, None) for row in results[metric]["by_system"]]
        parts += [f"**{metric}**, in percent:\n", markdown_table(rows, digits=2)]
        parts += [verdict(results[metric], "draw", metric), ""] if metric in results else []
    rows = [first_data_set_row("", metric, result, "draw") for metric, result in results.items()]
    shown = [
        {name: value for name, value in row.items() if name not in ("setting", "noise only")}
        for row in rows
    ]
    text = "\n".join([*parts, markdown_table(shown, digits=2) if shown else ""])
    print(text)
    if options.write:
        _write(options, text, scores, command)
    return text


def spread_row(system: str, scores: Sequence[float]) -> dict[str, object]:
    """Gives how far a system's score spreads over draws, in percent; a single draw has no spread."""
    sd = statistics.stdev(scores) if len(scores) > 1 else float("nan")
    values = {
        "first": scores[0],
        "mean": statistics.fmean(scores),
        "min": min(scores),
        "max": max(scores),
        "sd": sd,
    }
    return {"model": system, **{name: percent(value) for name, value in values.items()}}


def _write(
    options: argparse.Namespace, text: str, scores: dict[str, dict[str, list[float]]], command: str
) -> None:
    from dataset_scripts.registry import suite_stamp

    metric, by_system = next(iter(scores.items()))
    shown = {system: [percent(score) for score in values] for system, values in by_system.items()}
    figures = {system: round(statistics.fmean(values), 2) for system, values in shown.items()}
    plot = score_plot(
        {f"{options.suite}, {metric}": shown}, f"{metric} in percent; red: first draw, bar: mean"
    )
    write_result(
        options.suite,
        "redraw",
        text,
        command=command,
        figures=figures,
        plot=plot,
        **suite_stamp(options.suite),
    )


def _unfinished(options: argparse.Namespace) -> Iterator[Task]:
    scores, items = _stores(options)
    done, drawn = scores.keys(), items.keys()
    for seed in range(options.draws):
        left = tuple(
            system
            for system in options.systems
            if not done.issuperset(
                _key(options, seed, system, metric) for metric in redrawable(options.suite).metrics
            )
        )
        if left or _key(options, seed) not in drawn:
            yield Task(options.suite, seed, options.size, left)


def _record(
    options: argparse.Namespace, task: Task, scored: Scored, scores: Store, items: Store
) -> None:
    rows = [
        (system, metric, score)
        for system, found in scored.scores.items()
        for metric, score in found.items()
    ]
    keys = [_key(options, task.seed, system, metric) for system, metric, _ in rows]
    columns = {
        "system": [r[0] for r in rows],
        "metric": [r[1] for r in rows],
        "score": [r[2] for r in rows],
    }
    scores.append(keys, {"seed": [task.seed] * len(rows), **columns})
    items.append([_key(options, task.seed)], {"seed": [task.seed], "items": [scored.items]})


def _stores(options: argparse.Namespace) -> tuple[Store, Store]:
    folder = Path(options.store) / options.suite
    return Store(folder / "scores", SCORES), Store(folder / "items", ITEMS)


def _key(options: argparse.Namespace, seed: int, system: str = "", metric: str = "") -> str:
    version = redrawable(options.suite).version
    return make_key(
        suite=options.suite,
        version=version,
        seed=seed,
        size=options.size,
        system=_identity(options.suite, system),
        metric=metric,
    )


@functools.cache
def _identity(suite: str, system: str) -> list[str]:
    return [system, redrawable(suite).identity(system)] if system else []


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m studies.redraw", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--suite", required=True, choices=sorted(SUITES))
    parser.add_argument("--systems", nargs="+", metavar="NAME", help="by default a few cheap ones")
    parser.add_argument("--draws", type=int, default=50, help="number of draws (default 50)")
    parser.add_argument(
        "--size",
        type=int,
        help="of a draw; default: ERAS 200 pairs per paradigm, CenterBench 10 pairs per level, SORTS 1 (a multiplier)",
    )
    parser.add_argument(
        "--processes",
        type=int,
        default=os.cpu_count() or 1,
        help="workers (default: the cores of this machine)",
    )
    parser.add_argument("--engine", choices=("local", "ray"), default="local")
    parser.add_argument(
        "--store",
        type=Path,
        default=Path("store") / "redraw",
        metavar="DIR",
        help="where finished scores lie",
    )
    parser.add_argument(
        "--write", action="store_true", help="write tables and plot to cards/results/<suite>/"
    )
    return parser


if __name__ == "__main__":
    sys.exit(run_study(main))
