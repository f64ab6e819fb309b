"""Whether one set of items ranks systems as another does: Spearman, Pearson, a line, intervals.

Both sets of items are drawn again, cluster by cluster; the systems stay the same, so that an
interval says nothing of other systems.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from metrics._shared.columns import FloatArray

N_RESAMPLES = 2000


class Sums(NamedTuple):
    """A score of s systems over c clusters: sums of shape (s, c) whose ratio is the score."""

    top: FloatArray
    bottom: FloatArray

    def scores(self, weights: FloatArray) -> FloatArray:
        """Scores for r weightings of the clusters, shape (r, s); nan where nothing is left."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found: FloatArray = (weights @ self.top.T) / (weights @ self.bottom.T)
        return found


def agreement(first: Sums, second: Sums, seed: int = 0) -> dict[str, float]:
    """How scores on the second set go with those on the first.

    `spearman`, `pearson` and `slope` (points of the second for a point of the first), each with
    `_low` and `_high`, percentiles of resamples of both sets' clusters; `intercept`, and
    `residual_sd`, the spread of systems about the line, in the unit of the scores; nan under three
    systems.
    """
    rng, sets = np.random.default_rng(seed), (first, second)
    estimate = _relations(*(part.scores(np.ones((1, part.top.shape[1]))) for part in sets))
    draws = _relations(*(part.scores(_weights(part, rng)) for part in sets))
    result = {name: float(values[0]) for name, values in estimate.items()}
    for name in ("spearman", "pearson", "slope"):
        values, ends = draws[name], [np.nan, np.nan]
        if np.isfinite(values).any():
            ends = np.nanquantile(values, [0.025, 0.975]).tolist()
        result |= {f"{name}_low": ends[0], f"{name}_high": ends[1]}
    return result


def stack_sums(parts: Sequence[Mapping[int, tuple[float, float]]]) -> Sums:
    """Numerators and denominators by cluster, over the clusters that any of the systems has."""
    keys = sorted({key for part in parts for key in part})
    table = np.array([[part.get(key, (0.0, 0.0)) for key in keys] for part in parts])
    return Sums(table[:, :, 0], table[:, :, 1])


def _weights(part: Sums, rng: np.random.Generator) -> FloatArray:
    n = part.top.shape[1]
    return rng.multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES).astype(float)


def _relations(x: FloatArray, y: FloatArray) -> dict[str, Any]:
    """The relations of scores of shape (r, s), each of shape (r,)."""
    from scipy.stats import rankdata

    with np.errstate(divide="ignore", invalid="ignore"):
        pearson = _correlation(x, y)
        slope = pearson * y.std(axis=1) / x.std(axis=1)
        intercept = y.mean(axis=1) - slope * x.mean(axis=1)
        rest = y - slope[:, None] * x - intercept[:, None]
        n = x.shape[1]
        spread = np.sqrt((rest**2).sum(axis=1) / (n - 2)) if n > 2 else np.full(len(x), np.nan)
    ranks = (rankdata(x, axis=1), rankdata(y, axis=1))
    return {
        "spearman": _correlation(*ranks),
        "pearson": pearson,
        "slope": slope,
        "intercept": intercept,
        "residual_sd": spread,
    }


def _correlation(x: FloatArray, y: FloatArray) -> FloatArray:
    a, b = (values - values.mean(axis=1, keepdims=True) for values in (x, y))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = (a * b).sum(axis=1) / np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    return found
