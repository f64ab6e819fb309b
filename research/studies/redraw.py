"""Does the ranking hold on another draw of the suite? The generalizability study of any suite.

Every draw is scored by every system; the draws are compared by `ranking_generalizability`, as the
data sets of the morphological study are. A suite says in `studies/<suite>/redraw.py` how it is
drawn again and scored; `redraw_study` makes the study of it. Where it says to which groups an item
belongs, such as paradigms and their families, the report splits the variance between these levels
and asks for the ranking once more with the groups drawn too.
"""

import functools
import importlib
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from dataset_scripts.headlines import HEADLINES, NOT_ABOVE, Headline
from ground.markdown import markdown_table, percent
from metrics.ranking_generalizability import scoring as ranking
from metrics.ranking_generalizability.options import read_options
from research.engine.loop import Row, Stage, Task
from research.engine.store import make_key
from research.studies import levels as variation
from research.studies.morphseg.report import first_data_set_row, percent_verdict, table_2_row
from research.studies.options import flag
from research.studies.report import Shown, metric_versions, score_plot
from research.studies.study import Options, Run, Study
from research.systems.registry import load

SCHEMA = pa.schema(
    [
        ("seed", pa.int32()),
        ("system", pa.string()),
        ("scores", pa.list_(pa.float64())),  # of every metric, then the null of the first
        ("errors", pa.list_(pa.float64())),  # of every metric, as its interval implies; nan: none
        ("items", pa.list_(pa.string())),
        ("groups", pa.list_(pa.list_(pa.string()))),  # labels of each, the coarsest level first
        ("weights", pa.list_(pa.float64())),
        ("group_scores", pa.list_(pa.float64())),
    ]
)
ABOVE_IN = 0.95  # share of draws
ITEMS = ""  # stands for a system where a draw's items are kept


@dataclass(frozen=True)
class Redrawable:
    """A suite as the study of its draws sees it.

    Attributes:
        draw: Gives draw number `seed` of `size`.
        items: Gives the items of a draw, to tell how much two draws overlap.
        score: Scores a system on a draw: each metric's score by name.
        size: The default size, and what it counts.
        metrics: Scores that are compared, and whether higher is better; the headline first.
        speaks_of: What differs between draws, so what the answer is about.
        levels: Names of the levels of its groups, the coarsest first.
        drawn: The level whose groups are drawn too, for the ranking.
        groups: Gives a system's groups on a draw, from the result of `score` and the draw: their
            weighted mean is the headline.
        variant: Its name where a suite is drawn again in several ways, "" for the first of them.
        units: In what a score is given, by name; by default in percent.
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
    levels: tuple[str, ...] = ()
    drawn: str = ""
    groups: Callable[[Mapping[str, Any], Any], variation.GroupScores] | None = None
    headline: Headline | None = None
    variant: str = ""
    about: str = ""
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def leads(self) -> Headline:
        """What leads the report."""
        return self.headline or HEADLINES[self.suite]

    def unit(self, metric: str) -> str:
        """In what a score is shown."""
        return self.units.get(metric, "percent")


def redraw_study(suite: Redrawable, *variants: Redrawable) -> Study:
    """The study of a suite's draws, and as its variants those of other ways to draw it."""
    return _study(suite).having(**{one.variant: _study(one) for one in variants})


def _study(suite: Redrawable) -> Study:
    asked = f"Does the ranking hold on another draw of {suite.suite}? Many draws, the same systems."
    chosen = f" --variant {suite.variant}" if suite.variant else ""
    line = f"    python -m research {suite.suite} redraw{chosen}"
    first, _, rest = (suite.about or asked).partition("\n\n")
    n, unit = suite.size
    return Study(
        f"research.studies.{suite.suite}.redraw",
        f"{first}\n\n{line}\n{line} --draws 10 --systems {suite.systems[0]}\n\n{rest}".strip(),
        lambda options: range(options.draws),
        functools.partial(scores_of, suite),
        functools.partial(show, suite),
        work=lambda seeds, run: run.fill(stage(suite, seeds, run)),
        options=(
            flag("draws", "number of draws", suite.n_draws, low=1),
            flag("size", f"of a draw: {unit}", n, low=1),
        ),
        metrics=(suite.leads.metric, "ranking_generalizability"),
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
        **({"variant": suite.variant} if suite.variant else {}),
        version=suite.version(),
        size=run.options.size,
        metrics=[*suite.metrics, "null"],
        scored_by=metric_versions([suite.leads.metric]),
    )
    tasks = []
    for seed in seeds:
        keys = tuple(
            make_key(common=common, seed=seed, system=name, version=versions[name])
            for name in systems
        )
        settings = tuple(run.settings().items())
        given = ((suite.suite, suite.variant), seed, run.options.size, settings)
        tasks.append(Task(keys, tuple(systems), given))
    store = run.store("scores", SCHEMA)
    return Stage(f"draws of {suite.suite}", store, lambda: tasks, score_draw, in_workers=True)


def score_draw(
    given: tuple[tuple[str, str], int, int, tuple[tuple[str, Any], ...]], systems: Sequence[str]
) -> Iterator[tuple[int, Row]]:
    """Draws a suite and scores systems on it; for ITEMS gives what was drawn.

    `given` holds suite and variant, seed, size, and settings of the systems.
    """
    which, seed, size, settings = given
    suite = redrawable(*which)
    drawn = suite.draw(seed, size)
    for place, system in enumerate(systems):
        row: Row = {"seed": seed, "system": system, **{name: [] for name in SCHEMA.names[2:]}}
        if system == ITEMS:
            row["items"] = list(suite.items(drawn))
        else:
            found = suite.score(_loaded(suite.kind, system, settings), drawn)
            null = suite.leads.null(found)
            row["scores"] = [*(float(found[metric]) for metric in suite.metrics), null]
            row["errors"] = [variation.implied_error(found, metric) for metric in suite.metrics]
            if suite.groups is not None:
                groups = suite.groups(found, drawn)
                row["groups"] = [list(labels) for labels in groups.labels]
                row["weights"] = groups.weights.tolist()
                row["group_scores"] = groups.scores.tolist()
        yield place, row


def redrawable(suite: str, variant: str = "") -> Redrawable:
    """How a suite is drawn again, as `studies/<suite>/redraw.py` says it."""
    module = importlib.import_module(f"research.studies.{suite}.redraw")
    found = [one for one in vars(module).values() if isinstance(one, Redrawable)]
    return next(one for one in found if one.variant == variant)


def scores_of(suite: Redrawable, seeds: Sequence[int], run: Run) -> dict[str, Any]:
    """Scores of every draw by metric and system, compared where there are two of both."""
    done = stage(suite, seeds, run)
    tasks = list(done.tasks())
    found = done.store.rows([key for task in tasks for key in task.keys])
    names = [ITEMS, *run.options.systems]
    rows = {name: [found[task.keys[k]] for task in tasks] for k, name in enumerate(names)}
    items = {row["seed"]: row["items"] for row in rows.pop(ITEMS)}
    scores, errors = (
        {
            metric: {system: [row[column][m] for row in own] for system, own in rows.items()}
            for m, metric in enumerate(suite.metrics)
        }
        for column in ("scores", "errors")
    )
    nulls = {system: [row["scores"][-1] for row in own] for system, own in rows.items()}
    columns = ("weights", "group_scores")
    groups = {
        system: [
            variation.GroupScores(row["groups"], *(np.array(row[one]) for one in columns))
            for row in own
        ]
        for system, own in rows.items()
        if suite.groups is not None
    }
    is_comparable = len(rows) > 1 and len(seeds) > 1
    compared = {
        metric: _compare(by_system, items, higher_is_better=suite.metrics[metric])
        for metric, by_system in scores.items()
        if is_comparable and all(math.isfinite(x) for values in by_system.values() for x in values)
    }
    scored = {"scores": scores, "errors": errors, "nulls": nulls, "compared": compared}
    return scored | {"groups": groups, "redrawn": _redrawn(suite, groups) if is_comparable else {}}


def _redrawn(suite: Redrawable, groups: variation.By) -> dict[str, Any]:
    """The comparison on the headline where the groups of a level are drawn too."""
    if not groups:
        return {}
    by_system = variation.redrawn_scores(groups, suite.levels.index(suite.drawn))
    seeds: dict[int, list[str]] = {seed: [] for seed in range(len(next(iter(by_system.values()))))}
    is_better = next(iter(suite.metrics.values()))
    return _compare(by_system, seeds, higher_is_better=is_better)


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
    columns = dict(zip(("system", "unit", "score"), zip(*rows, strict=True), strict=True))
    given = items if any(items.values()) else None
    return ranking.score(
        columns, read_options(items=given, first=0, higher_is_better=higher_is_better)
    )


def show(suite: Redrawable, scored: Mapping[str, Any], options: Options) -> list[Shown]:
    """The comparison, mean scores and a plot of every draw."""
    metric, by_system = next(iter(scored["scores"].items()))
    shown = {system: [percent(score) for score in values] for system, values in by_system.items()}
    figures = {
        system: variation.spread(values)
        | {"null": statistics.fmean(map(percent, scored["nulls"][system]))}
        | variation.implied_figures(scored, system)
        for system, values in shown.items()
    }
    label = f"{metric} in {suite.unit(metric)}; red: first draw, bar: mean"
    plot = functools.partial(score_plot, {f"{suite.suite}, {metric}": shown}, label)
    return [Shown(result_text(suite, scored, options), figures, plot)]


def result_text(suite: Redrawable, scored: Mapping[str, Any], options: Options) -> str:
    """How far scores spread over draws, and whether the ranking holds."""
    compared = scored["compared"]
    size = f"{options.size} {suite.size[1]}"
    parts = [f"{options.draws} draws of `{suite.suite}`, {size} each. {suite.speaks_of}\n"]
    if compared:
        overlap = percent(next(iter(compared.values()))["overlap"])
        parts.append(f"Two draws share {overlap:.1f} % of their items on average.\n")
    parts += [null_sentence(suite, scored), ""]
    parts += [text for metric in scored["scores"] for text in metric_parts(suite, scored, metric)]
    rows = [first_data_set_row("", metric, result, "draw") for metric, result in compared.items()]
    columns = [name for row in rows[:1] for name in row if name not in ("setting", "noise only")]
    parts.append(markdown_table(rows, columns, digits=2) if rows else "")
    return "\n".join(parts) + level_parts(suite, scored) + variation.implied_text(scored)


def metric_parts(suite: Redrawable, scored: Mapping[str, Any], metric: str) -> list[str]:
    """The table of a metric and its verdict; a line where no draw changes anything."""
    by_system, compared = scored["scores"][metric], scored["compared"]
    spreads = {
        system: variation.spread([percent(x) for x in by_system[system]]) for system in by_system
    }
    n_draws = min(map(len, by_system.values()))
    if n_draws > 1 and not any(found["sd"] >= variation.LEAST_SPREAD for found in spreads.values()):
        means = ", ".join(f"{system} {found['mean']:.2f}" for system, found in spreads.items())
        is_same = "is the same in all draws, or undefined in all but one"
        return [f"**{metric}** {is_same}: {means.replace('nan', '–')}. That is no finding.\n"]
    rows = [variation.spread_row(system, values) for system, values in by_system.items()]
    if metric in compared:
        rows = [table_2_row(row, None) for row in compared[metric]["by_system"]]
    parts = [f"**{metric}**, in {suite.unit(metric)}:\n", _spread_table(rows, by_system)]
    if metric in compared:
        parts += [percent_verdict(compared[metric], "draw", metric), ""]
    return parts


def _spread_table(
    rows: Sequence[Mapping[str, object]], by_system: Mapping[str, Sequence[float]]
) -> str:
    """Lines of systems; those that no draw changes are named beneath."""
    kept = [row for row in rows if not variation.is_constant(by_system[str(row["model"])])]
    return markdown_table(kept, digits=2) + variation.constant_text(by_system)


def level_parts(suite: Redrawable, scored: Mapping[str, Any]) -> str:
    """Where the headline varies, and its ranking where the groups of a level are drawn too."""
    groups, redrawn = scored.get("groups", {}), scored.get("redrawn", {})
    if not groups or len(next(iter(groups.values()))) < 2:
        return ""
    metric, is_better = next(iter(suite.metrics.items()))
    text = variation.level_text(groups, suite.levels, metric, higher_is_better=is_better)
    if not redrawn:
        return text
    scores = variation.redrawn_scores(groups, suite.levels.index(suite.drawn))
    table = _spread_table([table_2_row(row, None) for row in redrawn["by_system"]], scores)
    return (
        f"{text}\n**{metric}** where each draw also takes another sample of the level"
        f" {suite.drawn} (as many groups, with replacement, the same for all systems), in"
        f" {suite.unit(metric)}:\n\n{table}\n"
        f"{percent_verdict(redrawn, 'draw', metric)}\n"
    )


def null_sentence(suite: Redrawable, scored: Mapping[str, Any]) -> str:
    """What the headline is worth to a system that knows nothing, and which systems are not above.

    Above is a system whose score is larger than its null in 95 % of the draws or more.
    """
    headline, by_system = suite.leads, next(iter(scored["scores"].values()))
    shown = []
    for system, scores in by_system.items():
        nulls = scored["nulls"][system]
        n_above = sum(score > null for score, null in zip(scores, nulls, strict=True))
        is_above = n_above >= ABOVE_IN * len(scores)
        worth = f"{percent(statistics.fmean(nulls)):.1f}"
        shown.append(f"{system} {worth}{'' if is_above else f' ({NOT_ABOVE})'}")
    return (
        f"The headline is `{headline.score}`; NULL, {headline.null_is}, is on average"
        f" {', '.join(shown)} {suite.unit(next(iter(suite.metrics)))}."
    )


@functools.lru_cache(maxsize=8)
def _loaded(kind: str, name: str, settings: tuple[tuple[str, Any], ...]) -> Any:
    return load(kind, name, **dict(settings))
