"""Does the ranking hold on another draw of the suite?

The question of the generalizability study, asked of any suite.

Every draw is scored by every system; the draws are compared by `ranking_generalizability`, as the
data sets of the morphological study are. A suite says in `studies/<suite>/redraw.py` how it is
drawn again and scored; `redraw_study` makes the study of it.
"""

import functools
import importlib
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import pyarrow as pa

from dataset_scripts.headlines import HEADLINES, NOT_ABOVE
from ground.loop import Row, Stage, Task
from ground.markdown import markdown_table, percent
from ground.store import make_key
from studies.advice import percent_verdict
from studies.morphseg.report import first_data_set_row, table_2_row
from studies.morphseg.results import comparison
from studies.options import Option, positive
from studies.report import metric_versions
from studies.score_plots import score_plot
from studies.study import Options, Run, Shown, Study
from systems.registry import load

SCHEMA = pa.schema(
    [
        ("seed", pa.int32()),
        ("system", pa.string()),
        ("scores", pa.list_(pa.float64())),  # of every metric, then the null of the first
        ("errors", pa.list_(pa.float64())),  # of every metric, as its interval implies; nan: none
        ("items", pa.list_(pa.string())),
    ]
)
ABOVE_IN = 0.95  # share of draws
REACH = NormalDist().inv_cdf(0.975)  # errors from the middle of a 95 % interval to its end
ITEMS = ""  # stands for a system where a draw's items are kept


@dataclass(frozen=True)
class Redrawable:
    """A suite as the study of its draws sees it.

    Attributes:
        suite: Its name.
        version: Gives VERSION of the suite.
        draw: Gives draw number `seed` of `size`.
        items: Gives the items of a draw, to tell how much two draws overlap.
        score: Scores a system on a draw: each metric's score by name.
        kind: Kind of its systems.
        systems: Names of the default ones, cheap enough for many draws.
        size: The default size, and what it counts.
        metrics: Scores that are compared, and whether higher is better; the headline first.
        speaks_of: What differs between draws, so what the answer is about.
        n_draws: How many by default.
    """

    suite: str
    version: Callable[[], str]
    draw: Callable[[int, int], Any]
    items: Callable[[Any], Sequence[str]]
    score: Callable[[Any, Any], Mapping[str, Any]]
    kind: str
    systems: tuple[str, ...]
    size: tuple[int, str]
    metrics: Mapping[str, bool]
    speaks_of: str
    n_draws: int = 20


def redraw_study(suite: Redrawable) -> Study:
    """The study of a suite's draws."""
    about = (
        f"Does the ranking hold on another draw of {suite.suite}? Many draws, the same systems.\n\n"
        f"    python -m studies {suite.suite} redraw\n"
        f"    python -m studies {suite.suite} redraw --draws 10 --systems {suite.systems[0]}\n"
    )
    n, unit = suite.size
    return Study(
        f"studies.{suite.suite}.redraw",
        about,
        lambda options: range(options.draws),
        functools.partial(scores_of, suite),
        functools.partial(show, suite),
        work=lambda seeds, run: run.fill(stage(suite, seeds, run)),
        options=(
            Option("draws", "number of draws", suite.n_draws, type=positive),
            Option("size", f"of a draw: {unit}", n, type=positive),
        ),
        metrics=(HEADLINES[suite.suite].metric, "ranking_generalizability"),
        kind=suite.kind,
        systems=suite.systems,
        has_workers=True,
    )


def stage(suite: Redrawable, seeds: Sequence[int], run: Run) -> Stage:
    """A task per draw: its items, and a row per system."""
    systems = [ITEMS, *run.options.systems]
    versions = {name: run.system(name).version if name else "" for name in systems}
    common = make_key(
        suite=suite.suite,
        version=suite.version(),
        size=run.options.size,
        metrics=[*suite.metrics, "null"],
        scored_by=metric_versions([HEADLINES[suite.suite].metric]),
    )
    tasks = [
        Task(
            tuple(
                make_key(common=common, seed=seed, system=name, version=versions[name])
                for name in systems
            ),
            tuple(systems),
            (suite.suite, seed, run.options.size, tuple(run.settings().items())),
        )
        for seed in seeds
    ]
    store = run.store("scores", SCHEMA)
    title = f"draws of {suite.suite}"
    return Stage(title, store, lambda: tasks, score_draw, in_workers=True)


def score_draw(
    given: tuple[str, int, int, tuple[tuple[str, Any], ...]], systems: Sequence[str]
) -> Iterator[tuple[int, Row]]:
    """Draws a suite and scores systems on it; for ITEMS gives what was drawn.

    Args:
        given: Suite, seed, size, and settings of the systems.
        systems: Names of systems, or ITEMS.
    """
    name, seed, size, settings = given
    suite = redrawable(name)
    drawn = suite.draw(seed, size)
    for place, system in enumerate(systems):
        row: Row = {"seed": seed, "system": system, "scores": [], "errors": [], "items": []}
        if system == ITEMS:
            row["items"] = list(suite.items(drawn))
        else:
            found = suite.score(_loaded(suite.kind, system, settings), drawn)
            null = HEADLINES[suite.suite].null(found)
            row["scores"] = [*(float(found[metric]) for metric in suite.metrics), null]
            row["errors"] = [implied_error(found, metric) for metric in suite.metrics]
        yield place, row


def implied_error(found: Mapping[str, Any], metric: str) -> float:
    """Standard deviation that a score's 95 % interval implies; nan where it has none."""
    low, high = (found.get(f"{metric}_{end}", math.nan) for end in ("low", "high"))
    return float(high - low) / (2 * REACH)


def redrawable(name: str) -> Redrawable:
    """A suite by its name, as its own module says it."""
    suite: Redrawable = importlib.import_module(f"studies.{name}.redraw").SUITE
    return suite


def scores_of(suite: Redrawable, seeds: Sequence[int], run: Run) -> dict[str, Any]:
    """Scores of every draw by metric and system, and the comparison under each metric.

    The comparison is empty for a single system or draw.
    """
    done = stage(suite, seeds, run)
    tasks = list(done.tasks())
    found = done.store.rows([key for task in tasks for key in task.keys])
    items = {seed: found[task.keys[0]]["items"] for seed, task in zip(seeds, tasks, strict=True)}
    scores, errors = (
        {
            metric: {
                system: [found[task.keys[1 + k]][column][m] for task in tasks]
                for k, system in enumerate(run.options.systems)
            }
            for m, metric in enumerate(suite.metrics)
        }
        for column in ("scores", "errors")
    )
    nulls = {
        system: [found[task.keys[1 + k]]["scores"][-1] for task in tasks]
        for k, system in enumerate(run.options.systems)
    }
    is_comparable = len(run.options.systems) > 1 and len(seeds) > 1
    compared = {
        metric: _compare(by_system, items, higher_is_better=suite.metrics[metric])
        for metric, by_system in scores.items()
        if is_comparable
    }
    return {"scores": scores, "errors": errors, "nulls": nulls, "compared": compared}


def _compare(
    by_system: Mapping[str, Sequence[float]],
    items: Mapping[int, Sequence[str]],
    *,
    higher_is_better: bool,
) -> dict[str, Any]:
    rows = [
        (system, seed, score)
        for system, scores in by_system.items()
        for seed, score in zip(items, scores, strict=True)
    ]
    system, unit, score = zip(*rows, strict=True)
    result: dict[str, Any] = comparison().compute(
        system=system,
        unit=unit,
        score=score,
        items=items,
        first=0,
        higher_is_better=higher_is_better,
    )
    return result


def show(suite: Redrawable, scored: Mapping[str, Any], options: Options) -> list[Shown]:
    """The comparison, mean scores and a plot of every draw."""
    metric, by_system = next(iter(scored["scores"].items()))
    shown = {system: [percent(score) for score in values] for system, values in by_system.items()}
    figures = {
        system: spread(values) | {"null": statistics.fmean(map(percent, scored["nulls"][system]))}
        for system, values in shown.items()
    }
    label = f"{metric} in percent; red: first draw, bar: mean"
    return [
        Shown(
            "redraw",
            result_text(suite, scored, options),
            figures,
            lambda: score_plot({f"{suite.suite}, {metric}": shown}, label),
        )
    ]


def result_text(suite: Redrawable, scored: Mapping[str, Any], options: Options) -> str:
    """How far scores spread over draws, and whether the ranking holds."""
    compared = scored["compared"]
    size = f"{options.size} {suite.size[1]}"
    parts = [f"{options.draws} draws of `{suite.suite}`, {size} each. {suite.speaks_of}\n"]
    if compared:
        overlap = percent(next(iter(compared.values()))["overlap"])
        parts.append(f"Two draws share {overlap:.1f} % of their items on average.\n")
    parts += [null_sentence(suite, scored), ""]
    for metric, by_system in scored["scores"].items():
        rows = [spread_row(system, values) for system, values in by_system.items()]
        if metric in compared:
            rows = [table_2_row(row, None) for row in compared[metric]["by_system"]]
        parts += [f"**{metric}**, in percent:\n", markdown_table(rows, digits=2)]
        parts += (
            [percent_verdict(compared[metric], "draw", metric), ""] if metric in compared else []
        )
    rows = [first_data_set_row("", metric, result, "draw") for metric, result in compared.items()]
    kept = [
        {name: value for name, value in row.items() if name not in ("setting", "noise only")}
        for row in rows
    ]
    parts.append(markdown_table(kept, digits=2) if kept else "")
    return "\n".join(parts) + implied_text(scored)


def implied_text(scored: Mapping[str, Any]) -> str:
    """Standard deviations that the intervals imply beside those observed; "" without intervals."""
    rows: list[dict[str, object]] = []
    for system in next(iter(scored["scores"].values())):
        row: dict[str, object] = {"model": system}
        for metric, by_system in scored["scores"].items():
            row[metric] = implied_ratio(scored["errors"][metric][system], by_system[system])
        rows.append(row)
    if all(math.isnan(float(str(row[m]))) for row in rows for m in scored["scores"]):
        return ""
    return (
        "\nStandard deviation that a draw's 95 % interval implies (its width over 2 x 1.96, mean of"
        " all draws), as a multiple of the one observed between the draws; – where the score does"
        f" not vary:\n\n{markdown_table(rows, digits=2)}"
    )


def implied_ratio(errors: Sequence[float], scores: Sequence[float]) -> float:
    """How many times the observed standard deviation the implied one is; nan without variation."""
    observed = statistics.stdev(scores) if len(scores) > 1 else 0.0
    return statistics.fmean(errors) / observed if observed > 1e-12 else math.nan


def null_sentence(suite: Redrawable, scored: Mapping[str, Any]) -> str:
    """What the headline is worth to a system that knows nothing, and which systems are not above.

    Above is a system whose score is larger than its null in 95 % of the draws or more.
    """
    headline, by_system = HEADLINES[suite.suite], next(iter(scored["scores"].values()))
    shown = []
    for system, scores in by_system.items():
        nulls = scored["nulls"][system]
        n_above = sum(score > null for score, null in zip(scores, nulls, strict=True))
        is_above = n_above >= ABOVE_IN * len(scores)
        worth = f"{percent(statistics.fmean(nulls)):.1f}"
        shown.append(f"{system} {worth}{'' if is_above else f' ({NOT_ABOVE})'}")
    return (
        f"The headline is `{headline.score}`; NULL, {headline.null_is}, is on average"
        f" {', '.join(shown)} percent."
    )


def spread_row(system: str, scores: Sequence[float]) -> dict[str, object]:
    """How far a system's score spreads over draws, in percent; a single draw has no spread."""
    return {"model": system, **spread([percent(score) for score in scores])}


def spread(values: Sequence[float]) -> dict[str, float]:
    """The first of the values, their mean, smallest, largest and standard deviation."""
    return {
        "first": values[0],
        "mean": statistics.fmean(values),
        "min": min(values),
        "max": max(values),
        "sd": statistics.stdev(values) if len(values) > 1 else float("nan"),
    }


@functools.lru_cache(maxsize=8)
def _loaded(kind: str, name: str, settings: tuple[tuple[str, Any], ...]) -> Any:
    return load(kind, name, **dict(settings))
