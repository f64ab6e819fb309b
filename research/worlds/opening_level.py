"""Worlds of `opening_level`: answerers whose gap opens at a level of CenterBench, or nowhere.

The sentence pairs are those of `research.worlds.matched_pair_accuracy`; only how many a level has
differs.
"""

from dataclasses import dataclass

import numpy as np

from metrics.matched_pair_accuracy.scoring import (
    Resampling,
    gap_intervals,
    opening_ends,
    opening_level,
)
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
    """One line of the table.

    Attributes:
        name: A world of `research.worlds.matched_pair_accuracy`.
        n_pairs: Sentence pairs of each level.
        n_studies: Simulated studies.
    """

    name: str
    n_pairs: int
    n_studies: int = N_STUDIES


def cells() -> list[OpeningCell]:
    """All lines."""
    return [OpeningCell(name, n_pairs) for name in OPENS_AT for n_pairs in SIZES]


def study_of(cell: OpeningCell, number: int) -> dict[str, float]:
    """Where the gap is said to open in one simulated study.

    Returns:
        `level`, 0 for nowhere; `earliest` and `latest`, the ends of its interval, `NOWHERE` for
        "none", which is deeper than every level.
    """
    generator = np.random.default_rng([number, cell.n_pairs, *cell.name.encode()])
    rights, asked, strata = draw_sums(cell.name, cell.n_pairs, generator)
    is_level = strata[:, None] == np.arange(len(LEVELS))
    tops, bottoms = (rights[:, :1] - rights[:, 1:]) * is_level, asked[:, :1] * is_level
    intervals = gap_intervals(tops, bottoms, strata, Resampling(0.95, 2000, 0))
    gaps = (tops.sum(axis=0) / bottoms.sum(axis=0)).tolist()
    level = opening_level(LEVELS, gaps, [interval.low for interval in intervals])
    ends = [(interval.low, interval.high) for interval in intervals]
    found = opening_ends("opening", LEVELS, ends, DELTA).values()
    first, last = (NOWHERE if end == "none" else float(end) for end in found)
    return {"level": float(level or 0), "earliest": first, "latest": last}
