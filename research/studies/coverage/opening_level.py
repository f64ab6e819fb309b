"""How often does `opening_level` find the level at which a gap opens, and its interval hold it?

    python -m research coverage opening_level

Simulated answerers without a gap, and with one of 10 or 20 points from some level on, read more and
more sentence pairs a level. The level that is found is `matched_pair_accuracy`'s, over core
questions, with its simultaneous intervals.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ground.markdown import markdown_table, percent
from metrics._shared.columns import FloatArray
from metrics.matched_pair_accuracy.scoring import VERSION
from research.engine.loop import Row
from research.studies.report import Shown
from research.studies.simulation import DrawnWorld, Simulation
from research.studies.study import Options, Study
from research.worlds.opening_level import NOWHERE, OPENS_AT, OpeningCell, cells, study_of

DEMANDED = 0.8


def drawn_cells(options: Options) -> list[DrawnWorld]:
    """Every line with its number of studies."""
    return [
        DrawnWorld(
            str(cell),
            cell,
            cell.n_studies,
            {"version": VERSION, "world": cell.name, "n_pairs": cell.n_pairs, "of": "opening ends"},
        )
        for cell in cells()
    ]


def power_row(cell: OpeningCell, found: Mapping[str, FloatArray]) -> Row:
    """Shares of the studies, in percent, by what is found; the interval's mean width in levels."""
    truth, levels = OPENS_AT[cell.name], found["level"]
    holds = (found["earliest"] <= (truth or NOWHERE)) & (found["latest"] >= (truth or NOWHERE))
    right = float(np.mean(levels == truth)) if truth else math.nan
    row: Row = {"world": cell.name, "sentence pairs a level": cell.n_pairs}
    row |= {"opens somewhere": percent(float(np.mean(levels > 0)))}
    row |= {"at the right level": percent(right)}
    row |= {"within one level": percent(_near(levels, truth))}
    row |= {"interval holds it": percent(float(np.mean(holds)))}
    row |= {"levels within": float(np.mean(found["latest"] - found["earliest"] + 1))}
    return row | {"studies": cell.n_studies}


def _near(levels: FloatArray, truth: int) -> float:
    is_near = (levels > 0) & (np.abs(levels - truth) <= 1)
    return float(np.mean(is_near)) if truth else math.nan


def least_size(rows: Sequence[Row], world: str, column: str) -> str:
    """The smallest size at which a share reaches the demanded one, in words."""
    sizes = [
        f"{row['sentence pairs a level']}"
        for row in rows
        if row["world"] == world and float(str(row[column])) >= percent(DEMANDED)
    ]
    return f"{sizes[0]} sentence pairs a level" if sizes else "none of these sizes"


def show(scored: Mapping[str, Mapping[str, FloatArray]], options: Options) -> list[Shown]:
    """The table, and the size that is enough for a gap of 10 points."""
    rows = [power_row(cell, scored[str(cell)]) for cell in cells()]
    name = next(name for name in OPENS_AT if " 10 points" in name)
    some, right = (least_size(rows, name, k) for k in ("opens somewhere", "at the right level"))
    text = f"""{markdown_table(rows, digits=1)}
Percent of simulated studies. The default draw has 30 sentence pairs a level. A gap of 10 points is
said to open somewhere in {percent(DEMANDED):.0f} % of studies from {some}, and at the right level
from {right}.
`interval holds it`: the truth lies between `opening_level_core_earliest` and `_latest`. `levels
within` counts the levels of the interval, of 7 with "none".
"""
    return [Shown("opening_level", text, {"power": rows})]


SIMULATION = Simulation(study_of, in_workers=True)
STUDY = Study(
    __name__,
    __doc__,
    drawn_cells,
    SIMULATION.score,
    show,
    work=SIMULATION.work,
    has_workers=True,
    stamp=lambda: {"versions": {"matched_pair_accuracy": VERSION}},
)
