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

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist, fmean
from typing import Any

import numpy as np

from garden_path.models.arrays import FloatArray, IntArray
from ground.markdown import markdown_table, percent

LEAST_SPREAD = 0.005  # points: what stays below it does not vary
REACH = NormalDist().inv_cdf(0.975)  # errors from the middle of a 95 % interval to its end


def implied_error(found: Mapping[str, Any], metric: str) -> float:
    """Standard deviation that a score's 95 % interval implies; nan where it has none."""
    low, high = (found.get(f"{metric}_{end}", math.nan) for end in ("low", "high"))
    return float(high - low) / (2 * REACH)


def implied_text(scored: Mapping[str, Any]) -> str:
    """Standard deviations that the intervals imply beside those observed; "" without intervals."""
    systems = next(iter(scored["scores"].values()))
    ratios = {system: _ratios(scored, system) for system in systems}
    if all(math.isnan(ratio) for of_system in ratios.values() for ratio in of_system.values()):
        return ""
    rows = [{"model": system, **of_system} for system, of_system in ratios.items()]
    return (
        "\nStandard deviation that a draw's 95 % interval implies (its width over 2 x 1.96, mean of"
        " all draws), as a multiple of the one observed between the draws; – where the score does"
        f" not vary:\n\n{markdown_table(rows, digits=2)}"
    )


def implied_figures(scored: Mapping[str, Any], system: str) -> dict[str, float]:
    """The same of a system as figures: `implied_<metric>`, where there is a ratio."""
    ratios = _ratios(scored, system)
    return {f"implied_{metric}": r for metric, r in ratios.items() if math.isfinite(r)}


def _ratios(scored: Mapping[str, Any], system: str) -> dict[str, float]:
    return {
        metric: implied_ratio(scored["errors"][metric][system], by_system[system])
        for metric, by_system in scored["scores"].items()
    }


def implied_ratio(errors: Sequence[float], scores: Sequence[float]) -> float:
    """How many times the observed standard deviation the implied one is; nan without variation."""
    observed = spread(scores)["sd"]
    return statistics.fmean(errors) / observed if observed > 1e-12 else math.nan


def spread_row(system: str, scores: Sequence[float]) -> dict[str, object]:
    """How far a system's score spreads over draws, in percent; a single draw has no spread."""
    return {"model": system, **spread([percent(score) for score in scores])}


def spread(values: Sequence[float]) -> dict[str, float]:
    """The first of the values, and of those that are defined mean, least, largest and sd."""
    defined = [value for value in values if math.isfinite(value)]
    return {
        "first": values[0],
        "mean": statistics.fmean(defined) if defined else math.nan,
        "min": min(defined, default=math.nan),
        "max": max(defined, default=math.nan),
        "sd": statistics.stdev(defined) if len(defined) > 1 else math.nan,
    }


def is_constant(scores: Sequence[float]) -> bool:
    """Whether at least two scores are defined and all are the same to two decimals of a percent."""
    return spread([percent(score) for score in scores])["sd"] < LEAST_SPREAD


def constant_text(by_system: Mapping[str, Sequence[float]]) -> str:
    """Names the systems whose score no draw changes, which a table of spreads leaves out; or ""."""
    same = [
        f"{system} {percent(values[0]):.2f}"
        for system, values in by_system.items()
        if is_constant(values)
    ]
    return f"\nThe same in every draw, so not in the table: {', '.join(same)}.\n" if same else ""


DRAWS = "draw"
REST = "rest"


@dataclass(frozen=True)
class GroupScores:
    """Scores of a system's g groups in one draw, in [0, 1] or in logits, with their weights.

    Each group has one label a level, the coarsest level first.
    """

    labels: Sequence[Sequence[str]]
    weights: FloatArray
    scores: FloatArray

    @classmethod
    def of(cls, cells: Mapping[Any, Sequence[float]]) -> "GroupScores":
        """Means of the values under each group's labels; a group counts for as many as it has."""
        weights = np.array([len(values) for values in cells.values()], float)
        return cls(list(cells), weights, np.array([fmean(values) for values in cells.values()]))

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

    One for every level, the coarsest first, in the score's unit, and one for `draw`: other words in
    the same groups. nan for what is there once; all nan where the cells cannot tell the levels
    apart.
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

    Factors, nested or crossed, have the number of each cell's class, shape (n,) as the scores. nan
    for a factor of one class, and for what cells cannot tell apart; a class for every cell leaves
    no rest.
    """
    known = {name: factor for name, factor in factors.items() if len(np.unique(factor)) > 1}
    n = len(score)
    everything = np.zeros(n, int)
    columns = [*known.values(), np.arange(n)]
    centred = score - score.mean()
    totals = [np.bincount(factor, weights=centred) for factor in columns]
    counts = [np.maximum(np.bincount(factor), 1) for factor in columns]  # of classes that are not
    sums = np.array([(t**2 / n).sum() for t, n in zip(totals, counts, strict=True)])
    loads = np.array([[_load(a, b) - _load(everything, b) for b in columns] for a in columns])
    found = dict.fromkeys((*factors, REST), np.nan)
    if np.linalg.matrix_rank(loads) == len(columns):
        values = np.maximum(np.linalg.solve(loads, sums), 0.0)
        found |= dict(zip((*known, REST), values.tolist(), strict=True))
    return found


def _load(factor: IntArray, other: IntArray) -> float:
    """What a unit of variance of `other` adds to the sum of squares between classes of `factor`."""
    pairs, counts = np.unique(np.stack([factor, other]), axis=1, return_counts=True)
    return float((counts**2 / np.bincount(factor)[pairs[0]]).sum())


def _squares(number: IntArray, factor: IntArray, weight: FloatArray) -> float:
    """Sum of the squared weights of the classes within a draw, mean of all draws."""
    pairs, place = np.unique(np.stack([number, factor]), axis=1, return_inverse=True)
    within = np.bincount(np.ravel(place), weights=weight, minlength=pairs.shape[1])
    return float((within**2).sum()) / (int(number.max()) + 1)


By = Mapping[str, Sequence[GroupScores]]
"""The groups of every draw, by system."""


def in_order(groups: By) -> list[str]:
    """The systems, the one with the largest mean score first."""
    return sorted(groups, key=lambda name: -float(np.mean([one.mean for one in groups[name]])))


def level_rows(
    groups: By, levels: Sequence[str], *, higher_is_better: bool = True
) -> list[dict[str, object]]:
    """Standard deviations by level in points, of each system and of neighbours in the ranking.

    Each with its share of the whole variance in percent, in brackets. What varies at no level has
    no line, nor has the difference from a system that does not: it varies as its neighbour.
    """
    names = in_order(groups) if higher_is_better else in_order(groups)[::-1]
    spreads = {name: spread_by_level(groups[name], levels) for name in names}
    known = {name: [sd for sd in spreads[name].values() if not np.isnan(sd)] for name in names}
    varying = [n for n in names if not known[n] or percent(max(known[n])) >= LEAST_SPREAD]
    shown = {name: groups[name] for name in varying}
    for a, b in pairwise(names):
        if a in varying and b in varying:
            pair = difference(groups[a], groups[b])
            shown[f"{a} − {b}"], spreads[f"{a} − {b}"] = pair, spread_by_level(pair, levels)
    return [
        {"model": name, "score": percent(float(np.mean([one.mean for one in draws])))}
        | _cells(spreads[name])
        for name, draws in shown.items()
    ]


def _cells(spread: Mapping[str, float]) -> dict[str, object]:
    whole = float(np.nansum([sd**2 for sd in spread.values()]))
    cells: dict[str, object] = {}
    for name, sd in spread.items():
        share = f"{100 * sd**2 / whole:.0f} %" if whole > 0 else "–"
        shown = "–" if np.isnan(sd) else f"{percent(sd):.2f} ({share})"
        cells["other words" if name == DRAWS else f"other {name}"] = shown
    return cells


def level_text(
    groups: By, levels: Sequence[str], metric: str, *, higher_is_better: bool = True
) -> str:
    """The table of levels with what it says above it; "" where no system has groups that vary."""
    rows = level_rows(groups, levels, higher_is_better=higher_is_better) if levels else []
    if not rows:
        return ""
    shown = {row["model"] for row in rows}
    flat = [name for name in in_order(groups) if name not in shown]
    beneath = f"\nNothing of it varies, so not in the table: {', '.join(flat)}.\n" if flat else ""
    table = markdown_table(rows, digits=2) + beneath
    return (
        f"\n**What {metric} varies with**: standard deviation, in points, if {', '.join(levels)} or"
        " the words in them were drawn anew and nothing else, with its share of the whole variance;"
        " from a population without end, where draws from tables that end vary less."
        " A − B is the difference of neighbours in the ranking; a dash stands where there is"
        f" nothing to tell it by.\n\n{table}"
    )


def redrawn_scores(groups: By, level: int) -> dict[str, list[float]]:
    """Each system's score on every draw, in which the groups of a level are drawn too."""
    return {
        name: [one.redrawn(level, seed) for seed, one in enumerate(draws)]
        for name, draws in groups.items()
    }
