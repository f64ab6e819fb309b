"""How often do the intervals hold the true value? Every metric, in worlds where the truth is known.

    python -m studies coverage
    python -m studies coverage --metrics ranking_generalizability --processes 1

Each world draws studies at random, of which each metric states its intervals. An interval that the
metric leaves undefined (nan) counts as a miss, and the share of these is shown. The worlds of a
metric are in `studies/coverage/<metric>.py`.
"""

import importlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ground.markdown import markdown_table, percent
from ground.store import make_key
from studies.coverage.world import World
from studies.loop import Row, Stage, Task
from studies.options import Option
from studies.study import Options, Run, Shown, Study

BLOCK = 50  # simulations that are stored together
OUTCOMES = ("held", "below", "above", "undefined")
COUNTS = pa.schema([("counts", pa.string())])  # JSON: quantity -> how often each outcome


@dataclass
class Tally:
    """What became of the intervals of one quantity in one world.

    Attributes:
        held: Intervals that hold the true value.
        below: Intervals that lie below it.
        above: Intervals that lie above it.
        undefined: Studies without an interval.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))

    def add(self, counts: Mapping[str, int]) -> None:
        """Adds further intervals."""
        for outcome in OUTCOMES:
            self.counts[outcome] += counts[outcome]

    @property
    def n(self) -> int:
        """Number of simulated studies."""
        return sum(self.counts.values())

    def share(self, outcome: str) -> float:
        """Share of the studies with an outcome; nan for none."""
        return self.counts[outcome] / self.n if self.n else math.nan


def metric_names() -> list[str]:
    """Metrics whose worlds are in this folder."""
    return sorted(
        path.stem
        for path in Path(__file__).parent.glob("*.py")
        if "\ndef worlds(" in path.read_text(encoding="utf-8")
    )


def worlds_of(metric: str) -> dict[str, World]:
    """Worlds of a metric by name and size."""
    if metric not in metric_names():
        raise ValueError(f"metrics, got {metric!r}; expected any of {', '.join(metric_names())}")
    found: list[World] = importlib.import_module(f"studies.coverage.{metric}").worlds()
    by_name = {f"{world.name}, {world.n}": world for world in found}
    if len(by_name) < len(found):
        raise ValueError(f"studies.coverage.{metric}: worlds, got a name and size twice")
    return by_name


def version_of(metric: str) -> str:
    """The VERSION whose intervals are checked."""
    return str(importlib.import_module(f"metrics.{metric}.scoring").VERSION)


def outcome_of(result: Mapping[str, Any], quantity: str, truth: float) -> str:
    """Whether the interval of a quantity holds the truth, or on which side of it it lies."""
    low, high = result[f"{quantity}_low"], result[f"{quantity}_high"]
    if math.isnan(low) or math.isnan(high):
        return "undefined"
    margin = 1e-9 * max(1.0, abs(truth))
    if low - margin <= truth <= high + margin:
        return "held"
    return "below" if high < truth else "above"


def simulate(given: tuple[str, str], blocks: Sequence[int]) -> Iterator[tuple[int, Row]]:
    """Draws blocks of studies in a world; one row of counts per block."""
    metric, name = given
    world = worlds_of(metric)[name]
    truth = world.true_values()
    for place, block in enumerate(blocks):
        counts = {quantity: dict.fromkeys(OUTCOMES, 0) for quantity in truth}
        for number in range(block * BLOCK, min(world.n_simulations, (block + 1) * BLOCK)):
            generator = np.random.default_rng([number, *name.encode()])
            result = world.simulate(generator)
            for quantity, value in truth.items():
                counts[quantity][outcome_of(result, quantity, value)] += 1
        yield place, {"counts": json.dumps(counts, sort_keys=True)}


def tasks(metric: str) -> list[Task]:
    """A task per block of every world."""
    worlds, made = worlds_of(metric), []
    version = version_of(metric)
    for name, world in worlds.items():
        settings = {"metric": metric, "version": version, "world": name, "block_size": BLOCK}
        settings |= {"n_simulations": world.n_simulations}
        for block in range(math.ceil(world.n_simulations / BLOCK)):
            made.append(Task((make_key(**settings, block=block),), (block,), (metric, name)))
    return made


def chosen(options: Options) -> list[str]:
    """The metrics that the command line names; all by default."""
    return list(options.metrics or metric_names())


def stage(metrics: Sequence[str], run: Run) -> Stage:
    """All blocks of all worlds of the metrics."""
    todo = [task for metric in metrics for task in tasks(metric)]
    store = run.store("counts", COUNTS)
    return Stage("simulated studies", store, lambda: todo, simulate, in_workers=True)


def work(metrics: Sequence[str], run: Run) -> None:
    """Simulates what is not stored yet."""
    if not run.options.stored:
        run.fill(stage(metrics, run))


def score(metrics: Sequence[str], run: Run) -> dict[str, dict[str, dict[str, Tally]]]:
    """Tallies by metric, world and quantity, of the blocks that are stored."""
    found = run.store("counts", COUNTS).rows([k for m in metrics for t in tasks(m) for k in t.keys])
    tallies: dict[str, dict[str, dict[str, Tally]]] = {}
    for metric in metrics:
        by_world = tallies.setdefault(metric, {name: {} for name in worlds_of(metric)})
        for task in tasks(metric):
            for key in task.keys:
                if key not in found:
                    continue
                for quantity, counts in json.loads(found[key]["counts"]).items():
                    by_world[task.given[1]].setdefault(quantity, Tally()).add(counts)
    return tallies


def coverage_rows(
    worlds: Mapping[str, World], tallies: Mapping[str, Mapping[str, Tally]]
) -> list[Row]:
    """One row per world and quantity, in percent; the quantities in the order of the world."""
    rows: list[Row] = []
    for name, world in worlds.items():
        for quantity, tally in tallies[name].items():
            row: Row = {"world": world.name, "each study has": world.n, "interval of": quantity}
            row |= {"nominal": percent(world.nominal), "actual": percent(tally.share("held"))}
            row |= {"too low": percent(tally.share("below"))}
            row |= {"too high": percent(tally.share("above"))}
            row |= {"undefined": percent(tally.share("undefined")), "simulations": tally.n}
            rows.append(row)
    return rows


def show(tallies: Mapping[str, Mapping[str, Mapping[str, Tally]]], options: Options) -> list[Shown]:
    """A table per metric, which its card inserts."""
    return [
        Shown(metric, coverage_text(metric, by_world), coverage_figures(metric, by_world))
        for metric, by_world in tallies.items()
    ]


def coverage_text(metric: str, tallies: Mapping[str, Mapping[str, Tally]]) -> str:
    """The table and how to read it."""
    table = markdown_table(coverage_rows(worlds_of(metric), tallies), digits=1)
    return f"""{table}
Simulated studies of `{metric}` {version_of(metric)}, in percent. *Too low* and *too high*:
intervals that lie below and above the true value. *Undefined*: studies in which the metric states
no interval, which count as misses.
"""


def coverage_figures(metric: str, tallies: Mapping[str, Mapping[str, Tally]]) -> dict[str, Any]:
    """Coverages by world and quantity, for tests and cards."""
    return {
        "version": version_of(metric),
        "coverage": {
            name: {quantity: tally.share("held") for quantity, tally in by_quantity.items()}
            for name, by_quantity in tallies.items()
        },
        "simulations": {
            name: max((tally.n for tally in by_quantity.values()), default=0)
            for name, by_quantity in tallies.items()
        },
    }


STUDY = Study(
    suite="coverage",
    name="coverage",
    about=__doc__,
    rows=chosen,
    work=work,
    score=score,
    show=show,
    options=(
        Option(
            "metrics",
            "the metrics to look at; all by default",
            None,
            "systems",
            {"nargs": "+", "metavar": "NAME"},
        ),
        Option(
            "stored",
            "show what is stored, without simulating more",
            None,
            "machine",
            {"action": "store_true"},
        ),
    ),
    has_workers=True,
    stamp=lambda: {"versions": {metric: version_of(metric) for metric in metric_names()}},
)
