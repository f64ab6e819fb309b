"""Is the regret of one unit's winner right on average, and does certainty mean what it says?

    python -m studies coverage ranking_bias

Regret: two systems whose true means are a gap apart, in standard deviations of the noise, which is
normal. Certainty: the mean of what `certainty` says against the share of studies in which the
system that is best on average is truly the best, in studies drawn from the stated prior and in
studies whose true means have a fixed spread. Beside both stands what the plug-in value and a flat
prior would have said.
"""

import functools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pyarrow as pa

from ground.markdown import markdown_table
from ground.store import make_key
from metrics.columns import FloatArray
from metrics.ranking_generalizability.agreement import winner_weights
from metrics.ranking_generalizability.prior import (
    LARGEST_RATIO,
    SMALLEST_RATIO,
    flat_posterior,
)
from metrics.ranking_generalizability.regret import expected_regret
from metrics.ranking_generalizability.scoring import VERSION
from metrics.ranking_generalizability.settlement import LEAST_CERTAINTY, p_best_on_average
from studies.loop import Row, Stage, Task
from studies.study import Options, Run, Shown, Study

BLOCK = 250
GAPS, UNITS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0), (5, 10, 50)
ALLOWED = {5: 0.14, 10: 0.10, 50: 0.04}  # besides a tenth of the true regret
SPREADS = (0.1, 0.5, 2.0)
SUMS = pa.schema([("sums", pa.string())])


@dataclass(frozen=True)
class Cell:
    """One line of a table.

    Attributes:
        about: "regret" or "certainty".
        n_systems: Number of systems.
        n_units: Number of units.
        spread: Gap of the two systems, or standard deviation of the true means, in units of the
            noise; nan for one drawn from the prior.
        n_studies: Simulated studies.
    """

    about: str
    n_systems: int
    n_units: int
    spread: float
    n_studies: int


def cells(options: Options) -> list[Cell]:
    """All lines."""
    regret = [Cell("regret", 2, u, gap, 2000) for u in UNITS for gap in GAPS]
    prior = [Cell("certainty", 5, 10, math.nan, 5000)]
    fixed = [
        Cell("certainty", s, u, spread, 250)
        for s in (2, 5, 20)
        for u in (5, 10)
        for spread in SPREADS
    ]
    return regret + prior + fixed


def study_of(cell: Cell, number: int) -> dict[str, float]:
    """What one simulated study adds to the sums of its line."""
    generator = np.random.default_rng([number, cell.n_systems, cell.n_units])
    if cell.about == "regret":
        means = np.array([cell.spread, 0.0])
        scores = means + generator.standard_normal((cell.n_units, 2))
        found = expected_regret(scores, 0.95, number)
        held = found.interval.low - 1e-12 <= true_regret(cell.spread) <= found.interval.high
        return {"shrunken": found.value, "plug_in": found.plug_in} | {
            "cross_fitted": found.cross_fitted,
            "held": float(held),
        }
    ratio = cell.spread
    if math.isnan(ratio):
        ratio = SMALLEST_RATIO * (LARGEST_RATIO / SMALLEST_RATIO) ** generator.random()
    means = ratio * generator.standard_normal(cell.n_systems)
    scores = means + generator.standard_normal((cell.n_units, cell.n_systems))
    best = int(scores.mean(axis=0).argmax())
    certainty = float(p_best_on_average(scores, number)[best])
    flat: FloatArray = winner_weights(flat_posterior(scores, number).means).mean(axis=0)
    return {"certainty": certainty, "right": float(best == means.argmax())} | {
        "flat": float(flat[best]),
        "undecided": float(certainty < LEAST_CERTAINTY),
    }


def true_regret(gap: float) -> float:
    """Regret of two systems under normal noise: the gap times how often a unit names the worse."""
    return gap * NormalDist().cdf(-gap / math.sqrt(2))


def simulate(cell: Cell, blocks: Sequence[int]) -> Iterator[tuple[int, Row]]:
    """Sums over blocks of studies."""
    for place, block in enumerate(blocks):
        numbers = range(block * BLOCK, min(cell.n_studies, (block + 1) * BLOCK))
        studies = [study_of(cell, number) for number in numbers]
        sums = {name: math.fsum(study[name] for study in studies) for name in studies[0]}
        yield place, {"sums": json.dumps(sums | {"n": len(studies)}, sort_keys=True)}


@functools.cache
def key_of(cell: Cell, block: int) -> str:
    """Key of a block."""
    return make_key(version=VERSION, block=block, block_size=BLOCK, **asdict(cell))


def stage(found: Sequence[Cell], run: Run) -> Stage:
    """All blocks of all lines."""
    todo = [
        Task((key_of(cell, block),), (block,), cell)
        for cell in found
        for block in range(math.ceil(cell.n_studies / BLOCK))
    ]
    store = run.store("sums", SUMS)
    return Stage("simulated studies", store, lambda: todo, simulate, in_workers=True)


def work(found: Sequence[Cell], run: Run) -> None:
    """Simulates what is not stored yet."""
    run.fill(stage(found, run))


def score(found: Sequence[Cell], run: Run) -> list[tuple[Cell, dict[str, float]]]:
    """Means over the studies of each line."""
    scored, store = [], run.store("sums", SUMS)
    for cell in found:
        keys = [key_of(cell, block) for block in range(math.ceil(cell.n_studies / BLOCK))]
        sums = [json.loads(row["sums"]) for row in store.rows(keys).values()]
        n = sum(part["n"] for part in sums)
        names = [name for name in sums[0] if name != "n"]
        scored.append((cell, {name: sum(part[name] for part in sums) / n for name in names}))
    return scored


def regret_row(cell: Cell, means: Mapping[str, float]) -> Row:
    """Bias of the estimates of regret, and what may be demanded of the headline's."""
    truth = true_regret(cell.spread)
    row: Row = {"units": cell.n_units, "gap": cell.spread, "true regret": truth}
    for name in ("shrunken", "plug_in", "cross_fitted"):
        row[f"bias, {name.replace('_', '-')}"] = means[name] - truth
    row |= {"allowed": 0.1 * truth + ALLOWED[cell.n_units]}
    return row | {"interval holds it": means["held"]}


def certainty_row(cell: Cell, means: Mapping[str, float]) -> Row:
    """What certainty says, and how often it is right."""
    spread = "from the prior" if math.isnan(cell.spread) else f"{cell.spread:g}"
    row: Row = {"systems": cell.n_systems, "units": cell.n_units, "spread of means": spread}
    row |= {"certainty": means["certainty"], "right": means["right"]}
    row |= {"error": means["certainty"] - means["right"]}
    row |= {"error, flat prior": means["flat"] - means["right"]}
    return row | {"undecided": means["undecided"], "studies": cell.n_studies}


def show(scored: Sequence[tuple[Cell, Mapping[str, float]]], options: Options) -> list[Shown]:
    """Both tables."""
    regret = [regret_row(*pair) for pair in scored if pair[0].about == "regret"]
    certainty = [certainty_row(*pair) for pair in scored if pair[0].about == "certainty"]
    n = next(cell.n_studies for cell, _ in scored)
    text = f"""Regret of two systems, in standard deviations of the noise; {n:,} studies a line:

{markdown_table(regret, digits=3)}
Certainty, as a share of 1; *undecided* is the share of studies in which it is below
{LEAST_CERTAINTY:.2f}:

{markdown_table(certainty, digits=3)}"""
    return [Shown("ranking_bias", text, {"regret": regret, "certainty": certainty})]


def stamp() -> dict[str, Any]:
    """The VERSION that was simulated."""
    return {"versions": {"ranking_generalizability": VERSION}}


STUDY = Study(
    suite="coverage",
    name="ranking_bias",
    about=__doc__,
    rows=cells,
    work=work,
    score=score,
    show=show,
    has_workers=True,
    stamp=stamp,
)
