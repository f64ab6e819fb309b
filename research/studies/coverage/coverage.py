"""How often do the intervals hold the true value? Every metric, in worlds where the truth is known.

    python -m research coverage
    python -m research coverage --metrics ranking_generalizability --processes 1

Each world draws studies at random, of which each metric states its intervals. An interval that the
metric leaves undefined (nan) counts as a miss, and the share of these is shown. The worlds of a
metric are in `worlds/<metric>.py`.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ground.markdown import markdown_table, percent
from metrics._shared.columns import FloatArray
from research.engine.loop import Row
from research.studies.options import flag
from research.studies.report import Shown, metric_versions
from research.studies.simulation import DrawnWorld, Simulation
from research.studies.study import Options, Run, Study
from research.worlds.world import World, metric_names, worlds_of

MOST_ROWS = 60  # of a table that stands open
OUTCOMES = ("held", "below", "above", "undefined")
Tallies = Mapping[str, Mapping[str, FloatArray]]  # by world and quantity: places in OUTCOMES


def version_of(metric: str) -> str:
    """The VERSION whose intervals are checked."""
    return metric_versions([metric])[metric]


def outcome_of(result: Mapping[str, Any], quantity: str, truth: float) -> str:
    """Whether the interval of a quantity holds the truth, or on which side of it it lies."""
    low, high = result[f"{quantity}_low"], result[f"{quantity}_high"]
    if math.isnan(low) or math.isnan(high):
        return "undefined"
    margin = 1e-9 * max(1.0, abs(truth))
    if low - margin <= truth <= high + margin:
        return "held"
    return "below" if high < truth else "above"


def draw(world: World, number: int) -> dict[str, float]:
    """What became of every interval in one simulated study, as places in OUTCOMES."""
    result = world.simulate(np.random.default_rng([number, *f"{world.name}, {world.n}".encode()]))
    truth = world.true_values()
    return {name: OUTCOMES.index(outcome_of(result, name, truth[name])) for name in truth}


def share(outcomes: FloatArray, outcome: str) -> float:
    """Share of the studies with an outcome; nan for none."""
    return float(np.mean(outcomes == OUTCOMES.index(outcome))) if len(outcomes) else math.nan


def drawn_worlds(options: Options) -> list[tuple[str, list[DrawnWorld]]]:
    """The worlds of each metric that the command line names; of all by default."""
    found = []
    for metric in options.metrics or metric_names():
        worlds = worlds_of(metric)  # refuses an unknown one
        common = {"metric": metric, "version": version_of(metric)}
        drawn = [
            DrawnWorld(name, world, world.n_simulations, {**common, "world": name})
            for name, world in worlds.items()
        ]
        found.append((metric, drawn))
    return found


def work(metrics: Sequence[tuple[str, list[DrawnWorld]]], run: Run) -> None:
    """Simulates what is not stored yet."""
    SIMULATION.work([world for _, worlds in metrics for world in worlds], run)


def score(metrics: Sequence[tuple[str, list[DrawnWorld]]], run: Run) -> dict[str, Tallies]:
    """What became of the stored studies, by metric, world and quantity."""
    return {metric: SIMULATION.score(worlds, run) for metric, worlds in metrics}


def coverage_rows(worlds: Mapping[str, World], tallies: Tallies) -> list[Row]:
    """One row per world and quantity, in percent; the quantities in the order of the world."""
    rows: list[Row] = []
    titles = {"held": "actual", "below": "too low", "above": "too high", "undefined": "undefined"}
    for name, world in worlds.items():
        for quantity, found in tallies[name].items():
            row: Row = {"world": world.name, "each study has": world.n, "interval of": quantity}
            row["nominal"] = percent(world.nominal)
            row |= {title: percent(share(found, outcome)) for outcome, title in titles.items()}
            rows.append(row | {"simulations": len(found)})
    return rows


def show(tallies: Mapping[str, Tallies], options: Options) -> list[Shown]:
    """A table per metric, which its card inserts."""
    return [
        Shown(coverage_text(metric, found), coverage_figures(metric, found), name=metric)
        for metric, found in tallies.items()
    ]


def coverage_text(metric: str, tallies: Tallies) -> str:
    """The table and how to read it."""
    return f"""{coverage_table(coverage_rows(worlds_of(metric), tallies))}
Simulated studies of `{metric}` {version_of(metric)}, in percent. *Too low* and *too high*:
intervals that lie below and above the true value. *Undefined*: studies in which the metric states
no interval, which count as misses.
"""


def coverage_table(rows: Sequence[Row]) -> str:
    """The rows; behind a line for each interval where they are too many to read."""
    table = markdown_table(rows, digits=1)
    if len(rows) <= MOST_ROWS:
        return table
    every = f"<details><summary>All {len(rows):,} lines</summary>\n\n{table}\n</details>\n"
    return f"{markdown_table(extremes(rows), digits=1)}\n{every}"


def extremes(rows: Sequence[Row]) -> list[Row]:
    """Lowest, median and highest coverage of each interval over its worlds; where it is lowest."""
    found = []
    for quantity in dict.fromkeys(row["interval of"] for row in rows):
        mine = [row for row in rows if row["interval of"] == quantity]
        actual = [row["actual"] for row in mine]
        lowest = min(mine, key=lambda row: row["actual"])
        row: Row = {"interval of": quantity, "nominal": lowest["nominal"], "worlds": len(mine)}
        row |= {"lowest": min(actual), "median": statistics.median_low(actual)}
        where = f"{lowest['world']}; {lowest['each study has']}"
        found.append(row | {"highest": max(actual), "lowest in": where})
    return found


def coverage_figures(metric: str, tallies: Tallies) -> dict[str, Any]:
    """Coverages by world and quantity, for tests and cards."""
    return {
        "version": version_of(metric),
        "coverage": {
            name: {quantity: share(found, "held") for quantity, found in by_quantity.items()}
            for name, by_quantity in tallies.items()
        },
        "simulations": {
            name: max(map(len, by_quantity.values()), default=0)
            for name, by_quantity in tallies.items()
        },
    }


METRICS = flag(
    "metrics", "the metrics to look at; all by default", None, "systems", many="+", metavar="NAME"
)
SIMULATION = Simulation(draw, in_workers=True)
STUDY = Study.of(
    __name__,
    rows=drawn_worlds,
    options=(METRICS,),
    has_workers=True,
    stamp=lambda: {"versions": {metric: version_of(metric) for metric in metric_names()}},
)
