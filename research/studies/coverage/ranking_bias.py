"""Is the regret of one unit's winner right on average, and does certainty mean what it says?

    python -m research coverage ranking_bias

Regret: two systems whose true means are a gap apart, in standard deviations of the noise, which is
normal. Certainty: the mean of what `certainty` says against the share of studies in which the
system that is best on average is truly the best, in studies drawn from the stated prior and in
studies whose true means have a fixed spread. Beside both stands what the plug-in value and a flat
prior would have said.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict

from ground.markdown import markdown_table
from metrics._shared.columns import FloatArray
from metrics.ranking_generalizability.scoring import LEAST_CERTAINTY, VERSION
from research.engine.loop import Row
from research.studies.report import Shown
from research.studies.simulation import DrawnWorld, Simulation
from research.studies.study import Options, Study
from research.worlds.ranking_bias import Cell, cells, study_of, true_regret

BLOCK = 250  # studies that are added up first: the order of a sum is part of its last digit
ALLOWED = {5: 0.14, 10: 0.10, 50: 0.04}  # besides a tenth of the true regret


def drawn_cells(options: Options) -> list[DrawnWorld]:
    """Every line with its number of studies."""
    return [
        DrawnWorld(str(cell), cell, cell.n_studies, {"version": VERSION, **asdict(cell)})
        for cell in cells()
    ]


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
    return [Shown("ranking_bias", text, {"regret": regret, "certainty": certainty})]


SIMULATION = Simulation(study_of, in_workers=True)
STUDY = Study(
    __name__,
    __doc__,
    drawn_cells,
    SIMULATION.score,
    show,
    work=SIMULATION.work,
    has_workers=True,
    stamp=lambda: {"versions": {"ranking_generalizability": VERSION}},
)
