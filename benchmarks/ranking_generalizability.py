"""Seconds for a million score rows: `python -m benchmarks.ranking_generalizability`."""

import sys

import numpy as np

from benchmarks.timing import Goal, measure, report
from metrics.ranking_generalizability import ranking_generalizability as module

SHAPES = [
    (7, 28_572, 5),
    (7, 142_858, 1),
    (20, 1000, 50),
    (100, 2000, 5),
]  # systems, units, repeats


def main() -> int:
    comparison = module.RankingGeneralizability()
    goals = []
    for systems, units, repeats in SHAPES:
        generator = np.random.default_rng(0)
        shape = (systems, units, repeats)
        scores = (
            generator.normal(size=(systems, 1, 1))
            + generator.normal(size=(systems, units, 1))
            + generator.normal(size=shape)
        )
        s, u, r = (axis.reshape(-1).tolist() for axis in np.indices(shape))
        columns = {
            "system": [f"s{i}" for i in s],
            "unit": u,
            "repeat": r,
            "score": scores.reshape(-1),
        }
        seconds = measure(lambda columns=columns: comparison.compute(**columns), 3)  # type: ignore[misc]
        goals.append(
            Goal(
                f"seconds for {systems} systems x {units:,} units x {repeats} repeats",
                seconds,
                5,
                larger_is_better=False,
            )
        )
    return report(f"{len(columns['score']):,} score rows", goals)


if __name__ == "__main__":
    sys.exit(main())
