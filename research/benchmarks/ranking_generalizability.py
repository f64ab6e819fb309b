"""Ranking: a million score rows of several shapes, and up to five million.

Rows come as four columns of Python lists, as a table that was read has them. With a million units
they are objects for most of the time: kinds are checked, names are told apart and numbered in .9 of
3.3 s, sorting has .6, turning arrays into names .5. With 100 systems each of 4,950 pairs has an
exact interval and a test, .3 ms a pair. So the goals are 4 s for shapes of a million rows, and 12 s
for five million.
"""

from typing import Any

import numpy as np

from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import score
from research.benchmarks.timing import Goal, at_most, growth, scaled, used

SHAPES = ((7, 28_572, 5), (7, 142_858, 1), (20, 1000, 50), (100, 2000, 5))
SIZES = (200_000, 1_000_000, 5_000_000)


def run(share: float) -> list[Goal]:
    """Ranks systems from rows of each shape, then from more and more."""
    goals = []
    for systems, units, repeats in SHAPES:
        shape = (scaled(systems, share, 5), scaled(units, share, 10), repeats)
        what = f"{shape[0]} systems x {shape[1]:,} units x {shape[2]} repeats"
        goals.append(at_most(what, min(seconds_of(shape) for _ in range(2)), 4.0))
    sizes = [scaled(n, share, 700) for n in SIZES]
    return goals + growth("rows ranked", rank_many, sizes, (None, 2.5, 12.0))


def rank_many(n: int) -> float:
    """Seconds to rank seven systems from n rows with five repeats."""
    return seconds_of((7, n // 35, 5))


def seconds_of(shape: tuple[int, int, int]) -> float:
    """Seconds to rank from scores of systems, units and repeats."""
    columns = invented(shape)
    return used(lambda: score(columns, read_options()))


def invented(shape: tuple[int, int, int]) -> dict[str, Any]:
    """Columns of scores with effects of system and unit."""
    generator = np.random.default_rng(0)
    systems, units, _ = shape
    scores = generator.normal(size=(systems, 1, 1)) + generator.normal(size=(systems, units, 1))
    scores = scores + generator.normal(size=shape)
    s, u, r = (axis.reshape(-1).tolist() for axis in np.indices(shape))
    names = [f"s{i}" for i in s]
    return {"system": names, "unit": u, "repeat": r, "score": scores.reshape(-1)}
