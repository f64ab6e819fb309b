"""At which level a suite's scores vary: its families, their members, or the words that fill them.

A score is the weighted mean of the scores of groups, such as paradigms, each on the fillers of each
draw:

    y[g, d] = mean + level_1[g] + ... + level_k[g] + draw[d] + rest[g, d]

with levels nested from the coarsest to the finest. Henderson's first method gives the components
of variance of such a table, whatever cells are missing: unbiased for random effects, and a negative
estimate is shown as 0. Drawing a level anew means another sample of its groups, with replacement,
with all that belongs to them.

Source: Henderson (1953), method 1; Searle, Casella & McCulloch (1992), chapter 5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from garden_path.models.arrays import FloatArray, IntArray

DRAWS = "draw"
REST = "rest"


@dataclass(frozen=True)
class GroupScores:
    """Scores of a system's groups in one draw.

    Attributes:
        labels: Of each group one label a level, the coarsest level first, shape (g, k).
        weights: What each counts for in the score, shape (g,).
        scores: In [0, 1] or in logits, shape (g,).
    """

    labels: Sequence[Sequence[str]]
    weights: FloatArray
    scores: FloatArray

    @property
    def mean(self) -> float:
        """The score of the draw."""
        return float(np.average(self.scores, weights=self.weights))

    def at(self, level: int) -> list[str]:
        """Each group's label at a level, told apart from the same label in another group above."""
        return ["/".join(labels[: level + 1]) for labels in self.labels]

    def redrawn(self, level: int, seed: int) -> float:
        """The score of another sample of a level's groups: as many, with replacement, by seed."""
        names, place = np.unique(self.at(level), return_inverse=True)
        picks = np.random.default_rng(seed).integers(0, len(names), len(names))
        weights = self.weights * np.bincount(picks, minlength=len(names))[place]
        return float(np.average(self.scores, weights=weights))


def difference(one: Sequence[GroupScores], other: Sequence[GroupScores]) -> list[GroupScores]:
    """How far one system is above another, group by group; both on the same draws."""
    return [
        GroupScores(a.labels, a.weights, a.scores - b.scores)
        for a, b in zip(one, other, strict=True)
    ]


def spread_by_level(draws: Sequence[GroupScores], levels: Sequence[str]) -> dict[str, float]:
    """Standard deviations of the score if a level were drawn anew, and nothing else.

    Args:
        draws: The groups of every draw.
        levels: Names of the levels, the coarsest first.

    Returns:
        One for every level, in the score's unit, and one for `draw`: other words in the same
        groups. nan for a level with one group, and for `draw` where there is one draw; all nan
        where the cells cannot tell the levels apart.
    """
    score = np.concatenate([draw.scores for draw in draws])
    weight = np.concatenate([draw.weights / draw.weights.sum() for draw in draws])
    number = np.repeat(np.arange(len(draws)), [len(draw.scores) for draw in draws])
    factors = {
        name: np.unique([label for draw in draws for label in draw.at(i)], return_inverse=True)[1]
        for i, name in enumerate(levels)
    } | {DRAWS: number}
    components = variance_components(factors, score)
    parts = {
        name: components[name] * _squares(number, factor, weight)
        for name, factor in factors.items()
    }
    parts[DRAWS] += components[REST] * float((weight**2).sum()) / len(draws)
    return {name: float(np.sqrt(part)) for name, part in parts.items()}


def variance_components(factors: Mapping[str, IntArray], score: FloatArray) -> dict[str, float]:
    """Components of variance of every factor and of the rest, none below 0.

    Args:
        factors: Number of each cell's class, from 0, shape (n,); nested or crossed.
        score: Of each cell, shape (n,).

    Returns:
        One for every factor and `rest`; nan for a factor of one class, and for what the cells
        cannot tell apart. A factor that has as many classes as there are cells leaves no rest.
    """
    known = {name: factor for name, factor in factors.items() if len(np.unique(factor)) > 1}
    n = len(score)
    everything = np.zeros(n, int)
    columns = [*known.values(), np.arange(n)]
    centred = score - score.mean()
    sums = np.array([_sum_of_squares(factor, centred) for factor in columns])
    loads = np.array(
        [
            [_load(factor, other) - _load(everything, other) for other in columns]
            for factor in columns
        ]
    )
    found = dict.fromkeys((*factors, REST), np.nan)
    if np.linalg.matrix_rank(loads) == len(columns):
        values = np.maximum(np.linalg.solve(loads, sums), 0.0)
        found |= dict(zip((*known, REST), values.tolist(), strict=True))
    return found


def _sum_of_squares(factor: IntArray, centred: FloatArray) -> float:
    totals, counts = np.bincount(factor, weights=centred), np.bincount(factor)
    return float((totals[counts > 0] ** 2 / counts[counts > 0]).sum())


def _load(factor: IntArray, other: IntArray) -> float:
    """What a unit of variance of `other` adds to the sum of squares between classes of `factor`."""
    pairs, counts = np.unique(np.stack([factor, other]), axis=1, return_counts=True)
    return float((counts**2 / np.bincount(factor)[pairs[0]]).sum())


def _squares(number: IntArray, factor: IntArray, weight: FloatArray) -> float:
    """Sum of the squared weights of the classes within a draw, mean of all draws."""
    pairs, place = np.unique(np.stack([number, factor]), axis=1, return_inverse=True)
    within = np.bincount(np.ravel(place), weights=weight, minlength=pairs.shape[1])
    return float((within**2).sum()) / (int(number.max()) + 1)
