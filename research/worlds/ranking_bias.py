"""Worlds of regret and certainty of `ranking_generalizability`: systems of known means.

Regret: two systems whose true means are a gap apart, in standard deviations of the noise, which is
normal. Certainty: systems whose true means come from the stated prior or have a fixed spread.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from metrics._shared.columns import FloatArray
from metrics.ranking_generalizability.agreement import expected_regret, flat_draws, winner_weights
from metrics.ranking_generalizability.components import LARGEST_RATIO, SMALLEST_RATIO
from metrics.ranking_generalizability.scoring import LEAST_CERTAINTY, joint_posterior

GAPS, UNITS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0), (5, 10, 50)
SPREADS = (0.1, 0.5, 2.0)
N_FLAT = 2000  # draws under a flat prior


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


def cells() -> list[Cell]:
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
        joint = joint_posterior(scores, None, number)
        found = expected_regret(scores, joint.shrinkage, 0.95, number)
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
    certainty = float(joint_posterior(scores, None, number).p_best[best])
    drawn = flat_draws(scores, np.arange(cell.n_units), number, N_FLAT)[0]
    flat: FloatArray = winner_weights(drawn).mean(axis=0)
    return {"certainty": certainty, "right": float(best == means.argmax())} | {
        "flat": float(flat[best]),
        "undecided": float(certainty < LEAST_CERTAINTY),
    }


def true_regret(gap: float) -> float:
    """Regret of two systems under normal noise: the gap times how often a unit names the worse."""
    return gap * NormalDist().cdf(-gap / math.sqrt(2))
