"""How often does `opening_level` find the level at which a gap opens, and its interval hold it?

    python -m research coverage opening_level

Simulated answerers without a gap, and with one of 10 or 20 points from some level on, read more and
more sentence pairs a level. The level that is found is `matched_pair_accuracy`'s, over core
questions, with its simultaneous intervals.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ground.markdown import markdown_table, percent
from metrics._shared.columns import FloatArray
from metrics.matched_pair_accuracy.scoring import gap_intervals, opening_ends, opening_level
from research.engine.loop import Row
from research.studies.report import Shown
from research.studies.simulation import table_study
from research.studies.study import Options
from research.worlds.matched_pair_accuracy import LEVELS, draw_sums

N_STUDIES = 1000
SIZES = (30, 60, 90, 120)
DELTA = 0.05  # the least gap that counts
NOWHERE = len(LEVELS) + 1.0
# World -> the level at which its gap opens; 0 for nowhere.
OPENS_AT = {
    "no gap": 0,
    "gap of about 10 points from level 3": 3,
    "gap of about 20 points from level 4": 4,
}


@dataclass(frozen=True)
class OpeningCell:
    """One line of the table: a world of `matched_pair_accuracy` with so many pairs a level."""

    name: str
    n_pairs: int
    n_studies: int = N_STUDIES


def cells() -> list[OpeningCell]:
    """All lines."""
    return [OpeningCell(name, n_pairs) for name in OPENS_AT for n_pairs in SIZES]


def study_of(cell: OpeningCell, number: int) -> dict[str, float]:
    """Where the gap is said to open in one simulated study, with the ends of its interval.

    A level of 0 is nowhere, an end of `NOWHERE` "none", which is deeper than every level.
    """
    generator = np.random.default_rng([number, cell.n_pairs, *cell.name.encode()])
    rights, asked, strata = draw_sums(cell.name, cell.n_pairs, generator)
    is_level = strata[:, None] == np.arange(len(LEVELS))
    tops, bottoms = (rights[:, :1] - rights[:, 1:]) * is_level, asked[:, :1] * is_level
    how = {"confidence": 0.95, "n_resamples": 2000, "seed": 0}
    intervals = gap_intervals(tops, bottoms, strata, how)
    gaps = (tops.sum(axis=0) / bottoms.sum(axis=0)).tolist()
    level = opening_level(LEVELS, gaps, [interval.low for interval in intervals])
    ends = [(interval.low, interval.high) for interval in intervals]
    found = opening_ends("opening", LEVELS, ends, DELTA).values()
    first, last = (NOWHERE if end == "none" else float(end) for end in found)
    return {"level": float(level or 0), "earliest": first, "latest": last}


DEMANDED = 0.8


def power_row(cell: OpeningCell, found: Mapping[str, FloatArray]) -> Row:
    """Shares of the studies, in percent, by what is found; the interval's mean width in levels."""
    truth, levels = OPENS_AT[cell.name], found["level"]
    holds = (found["earliest"] <= (truth or NOWHERE)) & (found["latest"] >= (truth or NOWHERE))
    right = float(np.mean(levels == truth)) if truth else math.nan
    row: Row = {"world": cell.name, "sentence pairs a level": cell.n_pairs}
    row |= {"opens somewhere": percent(float(np.mean(levels > 0)))}
    row |= {"at the right level": percent(right)}
    is_near = (levels > 0) & (np.abs(levels - truth) <= 1)
    row |= {"within one level": percent(float(np.mean(is_near)) if truth else math.nan)}
    row |= {"interval holds it": percent(float(np.mean(holds)))}
    row |= {"levels within": float(np.mean(found["latest"] - found["earliest"] + 1))}
    return row | {"studies": cell.n_studies}


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
    return [Shown(text, {"power": rows})]


STUDY = table_study(__name__, "matched_pair_accuracy", study_of)
