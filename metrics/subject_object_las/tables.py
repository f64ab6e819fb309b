"""Scores as ratios of sums over clauses or items, laid out in rows and tables, with intervals over base triples.

All intervals of a result come from the same resamples: rows are filled first, then every ratio asks once for its interval.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .clauses import Grouping
from .uncertainty import FloatArray, Interval, cluster_intervals, undefined_interval

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

TABLE_INTERVALS = ("las", "las_merged")


class Ratio(NamedTuple):
    """A score of n units, each a clause or an item: the sum of `hits` divided by the sum of `counts`, both of shape (n,)."""

    hits: FloatArray
    counts: FloatArray


class _Asked(NamedTuple):
    row: dict[str, Any]
    name: str
    hits: FloatArray
    counts: FloatArray


class Tables:
    """Collects rows of scores and fills in their intervals.

    Args:
        clusters: Base triple of each clause, shape (n,); -1 for none, and then there are no intervals.
        n_clusters: Number of base triples.
    """

    def __init__(self, clusters: IntArray, n_clusters: int) -> None:
        self.clusters = clusters
        self.n_clusters = n_clusters
        self._asked: list[_Asked] = []

    def add(self, row: dict[str, Any], scores: Mapping[str, Ratio], clauses: IntArray, with_interval: Collection[str] = ()) -> None:
        """Adds scores to a row; nan where nothing is counted.

        Args:
            row: The row to extend.
            scores: Ratios over k units.
            clauses: A clause of each unit, shape (k,), which tells the unit's cluster.
            with_interval: The scores that get an interval.
        """
        for name, ratio in scores.items():
            row[name] = _divide(ratio.hits.sum(), ratio.counts.sum())
            if name in with_interval:
                hits, counts = (np.bincount(self.clusters[clauses] + 1, sums, self.n_clusters + 1).astype(float) for sums in ratio)
                self._asked.append(_Asked(row, name, hits, counts))

    def table(self, key: str, grouping: Grouping, scores: Mapping[str, Ratio]) -> list[dict[str, Any]]:
        """Gives one row per group: its name under `key`, its number of clauses and of clusters, its scores; LAS has an interval."""
        rows = []
        for group, name in enumerate(grouping.names):
            clauses = grouping.clauses[grouping.groups == group]
            row = {key: name, "n": len(clauses), "n_clusters": self.count_clusters(clauses)}
            self.add(row, {score: select(ratio, clauses) for score, ratio in scores.items()}, clauses, TABLE_INTERVALS)
            rows.append(row)
        return rows

    def count_clusters(self, clauses: IntArray) -> int:
        """Gives the number of base triples that the clauses are made of; 0 where that is not known."""
        found = np.unique(self.clusters[clauses])
        return 0 if -1 in found else len(found)

    def fill_intervals(self, confidence: float, n_resamples: int, seed: int) -> None:
        """Adds `<score>_low`, `<score>_high` and `<score>_interval` to the rows, for the scores that get one."""
        for asked, interval in zip(self._asked, self._intervals(confidence, n_resamples, seed), strict=True):
            asked.row.update(interval.as_fields(asked.name))

    def _intervals(self, confidence: float, n_resamples: int, seed: int) -> Iterable[Interval]:
        hits, counts = (np.stack([getattr(asked, name) for asked in self._asked], axis=1) for name in ("hits", "counts"))
        if (counts[0] > 0).any() or not self.n_clusters:
            return [undefined_interval("not every clause has a triple_id")] * len(self._asked)

        def ratios(weights: FloatArray) -> FloatArray:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray((weights @ hits[1:]) / (weights @ counts[1:]))

        return cluster_intervals(ratios, self.n_clusters, confidence=confidence, n_resamples=n_resamples, seed=seed)


def select(ratio: Ratio, units: IntArray | BoolArray) -> Ratio:
    """Gives the ratio over some of its units only."""
    return Ratio(ratio.hits[units], ratio.counts[units])


def _divide(hits: float, count: float) -> float:
    return float(hits / count) if count else float("nan")
