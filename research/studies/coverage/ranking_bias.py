"""Is the regret of one unit's winner right on average, and does certainty mean what it says?

    python -m research coverage ranking_bias

Regret: two systems whose true means are a gap apart, in standard deviations of the noise, which is
normal. Certainty: the mean of what `certainty` says against the share of studies in which the
system that is best on average is truly the best, in studies drawn from the stated prior and in
studies whose true means have a fixed spread. Beside both stands what the plug-in value and a flat
prior would have said.
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ground.markdown import markdown_table
from metrics._shared.columns import FloatArray
from metrics.ranking_generalizability.agreement import expected_regret, flat_draws, winner_weights
from metrics.ranking_generalizability.components import LARGEST_RATIO, SMALLEST_RATIO
from metrics.ranking_generalizability.options import LEAST_CERTAINTY
from metrics.ranking_generalizability.scoring import joint_posterior
from research.engine.loop import Row
from research.studies.report import Shown
from research.studies.simulation import table_study
from research.studies.study import Options

GAPS, UNITS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0), (5, 10, 50)
SPREADS = (0.1, 0.5, 2.0)
N_FLAT = 2000  # draws under a flat prior


@dataclass(frozen=True)
class Cell:
    """One line of a table, about "regret" or "certainty".

    The spread is the gap of two systems, or the standard deviation of the true means, in units of
    the noise; nan for one drawn from the prior.
    """

    about: str
    n_systems: int
    n_units: int
    spread: float
    n_studies: int


def cells() -> list[Cell]:
    """All lines."""
    regret = [Cell("regret", 2, u, gap, 2000) for u in UNITS for gap in GAPS]
    prior = [Cell("certainty", 5, 10, math.nan, 5000)]
    shapes = itertools.product((2, 5, 20), (5, 10), SPREADS)
    return regret + prior + [Cell("certainty", s, u, spread, 250) for s, u, spread in shapes]


def study_of(cell: Cell, number: int) -> dict[str, float]:
    """What one simulated study adds to the sums of its line."""
    generator = np.random.default_rng([number, cell.n_systems, cell.n_units])
    if cell.about == "regret":
        means = np.array([cell.spread, 0.0])
        scores = means + generator.standard_normal((cell.n_units, 2))
        joint = joint_posterior(scores, None, number)
        found = expected_regret(scores, joint.shrinkage, 0.95, number)
        held = found.interval.low - 1e-12 <= true_regret(cell.spread) <= found.interval.high
        numbers = {"shrunken": found.value, "plug_in": found.plug_in}
        return numbers | {"cross_fitted": found.cross_fitted, "held": float(held)}
    ratio = cell.spread
    if math.isnan(ratio):
        ratio = SMALLEST_RATIO * (LARGEST_RATIO / SMALLEST_RATIO) ** generator.random()
    means = ratio * generator.standard_normal(cell.n_systems)
    scores = means + generator.standard_normal((cell.n_units, cell.n_systems))
    best = int(scores.mean(axis=0).argmax())
    certainty = float(joint_posterior(scores, None, number).p_best[best])
    drawn = flat_draws(scores, np.arange(cell.n_units), number, N_FLAT)[0]
    flat: FloatArray = winner_weights(drawn).mean(axis=0)
    stated = {"certainty": certainty, "right": float(best == means.argmax())}
    undecided = float(certainty < LEAST_CERTAINTY)
    return stated | {"flat": float(flat[best]), "undecided": undecided}


def true_regret(gap: float) -> float:
    """Regret of two systems under normal noise: the gap times how often a unit names the worse."""
    return gap * NormalDist().cdf(-gap / math.sqrt(2))


BLOCK = 250  # studies that are added up first: the order of a sum is part of its last digit
ALLOWED = {5: 0.14, 10: 0.10, 50: 0.04}  # besides a tenth of the true regret


def means(draws: Mapping[str, FloatArray]) -> dict[str, float]:
    """Mean of each number over the studies of a line."""
    return {
        name: sum(math.fsum(values[i : i + BLOCK]) for i in range(0, len(values), BLOCK))
        / len(values)
        for name, values in draws.items()
    }


def regret_row(cell: Cell, found: Mapping[str, float]) -> Row:
    """Bias of the estimates of regret, and what may be demanded of the headline's."""
    truth = true_regret(cell.spread)
    row: Row = {"units": cell.n_units, "gap": cell.spread, "true regret": truth}
    for name in ("shrunken", "plug_in", "cross_fitted"):
        row[f"bias, {name.replace('_', '-')}"] = found[name] - truth
    row |= {"allowed": 0.1 * truth + ALLOWED[cell.n_units]}
    return row | {"interval holds it": found["held"]}


def certainty_row(cell: Cell, found: Mapping[str, float]) -> Row:
    """What certainty says, and how often it is right."""
    spread = "from the prior" if math.isnan(cell.spread) else f"{cell.spread:g}"
    row: Row = {"systems": cell.n_systems, "units": cell.n_units, "spread of means": spread}
    row |= {"certainty": found["certainty"], "right": found["right"]}
    row |= {"error": found["certainty"] - found["right"]}
    row |= {"error, flat prior": found["flat"] - found["right"]}
    return row | {"undecided": found["undecided"], "studies": cell.n_studies}


def show(scored: Mapping[str, Mapping[str, FloatArray]], options: Options) -> list[Shown]:
    """Both tables."""
    found = [(cell, means(scored[str(cell)])) for cell in cells()]
    regret = [regret_row(*pair) for pair in found if pair[0].about == "regret"]
    certainty = [certainty_row(*pair) for pair in found if pair[0].about == "certainty"]
    n = next(cell.n_studies for cell, _ in found)
    text = f"""Regret of two systems, in standard deviations of the noise; {n:,} studies a line:

{markdown_table(regret, digits=3)}
Certainty, as a share of 1; *undecided* is the share of studies in which it is below
{LEAST_CERTAINTY:.2f}:

{markdown_table(certainty, digits=3)}"""
    return [Shown(text, {"regret": regret, "certainty": certainty})]


STUDY = table_study(__name__, "ranking_generalizability", study_of)
