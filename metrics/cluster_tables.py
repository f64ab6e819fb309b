"""Scores as ratios of sums over a metric's units, in rows and tables, with their intervals.

All intervals of a result come from the same resamples: rows are filled first, then every ratio asks
once for its interval.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .columns import BoolArray, FloatArray, IntArray
from .groupings import Grouping, group_of_unit
from .stratified import stratified_intervals
from .uncertainty import Interval, undefined_interval


class Ratio(NamedTuple):
    """A score of n units: sum of `hits` over sum of `counts`, both of shape (n,)."""

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
        clusters: Grouping of n units by what was drawn together, such as base triples; where one is
            in none there are no intervals.
        n: Number of units.
        strata: Stratum of each cluster, shape (c,), of which the design fixes how many it has.
        reason: Why there are no intervals then.
        has_intervals: Whether intervals will be filled in.
        table_intervals: The scores that have an interval in tables.
        is_unequal: Whether clusters differ much in size, as in `stratified_intervals`.
    """

    def __init__(
        self,
        clusters: Grouping,
        n: int,
        strata: IntArray,
        reason: str,
        *,
        has_intervals: bool,
        table_intervals: Collection[str] = (),
        is_unequal: bool = False,
    ) -> None:
        self.clusters = group_of_unit(clusters, n)
        self.n_clusters = len(clusters.names)
        self.strata = strata
        self.reason = reason
        self.has_intervals = has_intervals
        self.table_intervals = table_intervals
        self.is_unequal = is_unequal
        self._asked: list[_Asked] = []

    def add(
        self,
        row: dict[str, Any],
        scores: Mapping[str, Ratio],
        units: IntArray,
        with_interval: Collection[str] = (),
    ) -> None:
        """Adds scores to a row; nan where nothing is counted.

        Args:
            row: The row to extend.
            scores: Ratios over k units, or over k groups of them.
            units: The unit, or one of each group, shape (k,), which tells the cluster.
            with_interval: The scores that get an interval.
        """
        for name, ratio in scores.items():
            row[name] = _divide(ratio.hits.sum(), ratio.counts.sum())
            if self.has_intervals and name in with_interval:
                hits, counts = (
                    np.bincount(self.clusters[units] + 1, sums, self.n_clusters + 1).astype(float)
                    for sums in ratio
                )
                self._asked.append(_Asked(row, name, hits, counts))

    def table(
        self,
        key: str,
        grouping: Grouping,
        scores: Mapping[str, Ratio],
        *,
        has_intervals: bool = True,
    ) -> list[dict[str, Any]]:
        """One row per group: its name under `key`, counts, scores, and intervals of some.

        Tables of very many groups may go without.
        """
        n_groups, clusters = len(grouping.names), self.clusters[grouping.units] + 1
        cells = grouping.groups * (self.n_clusters + 1) + clusters
        sizes = np.bincount(grouping.groups, minlength=n_groups).tolist()
        rows: list[dict[str, Any]] = [
            {key: name, "n": n} for name, n in zip(grouping.names, sizes, strict=True)
        ]
        for row, members in zip(
            rows, self._sums(cells, np.ones(len(cells)), n_groups), strict=True
        ):
            row["n_clusters"] = 0 if members[0] else int((members > 0).sum())
        for name, ratio in scores.items():
            sums = [
                np.bincount(grouping.groups, values[grouping.units], n_groups).tolist()
                for values in ratio
            ]
            for row, hits, count in zip(rows, *sums, strict=True):
                row[name] = _divide(hits, count)
        for name in self.table_intervals if self.has_intervals and has_intervals else ():
            by_cluster = [
                self._sums(cells, values[grouping.units], n_groups) for values in scores[name]
            ]
            self._asked += [
                _Asked(row, name, *sums) for row, *sums in zip(rows, *by_cluster, strict=True)
            ]
        return rows

    def _sums(self, cells: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
        """Sums by group and cluster, (n_groups, n_clusters + 1); column 0: no cluster."""
        width = self.n_clusters + 1
        return np.bincount(cells, values, n_groups * width).reshape(n_groups, width).astype(float)

    def count_clusters(self, units: IntArray) -> int:
        """Number of clusters that the units are of; 0 where that is not known."""
        found = np.unique(self.clusters[units])
        return 0 if -1 in found else len(found)

    def fill_intervals(self, confidence: float, n_resamples: int, seed: int) -> None:
        """Adds `<score>_low`, `_high` and `_interval` to the rows, for the scores that get one."""
        for asked, interval in zip(
            self._asked, self._intervals(confidence, n_resamples, seed), strict=True
        ):
            asked.row.update(interval.as_fields(asked.name))

    def _intervals(self, confidence: float, n_resamples: int, seed: int) -> list[Interval]:
        hits, counts = (
            np.stack([getattr(asked, name) for asked in self._asked], axis=1)
            for name in ("hits", "counts")
        )
        if (counts[0] > 0).any() or not self.n_clusters:
            return [undefined_interval(self.reason)] * len(self._asked)
        return stratified_intervals(
            hits[1:],
            counts[1:],
            self.strata,
            is_unequal=self.is_unequal,
            confidence=confidence,
            n_resamples=n_resamples,
            seed=seed,
        )


def families_of(clusters: Sequence[str]) -> IntArray:
    """Family of each cluster as a number, shape (k,).

    The design fixes how many clusters a family has. It is what stands before the last slash of a
    cluster's name, "psy" of the triple "psy/66"; names without one are of one family.
    """
    names = [name.rpartition("/")[0] for name in clusters]
    codes: IntArray = np.unique(names, return_inverse=True)[1].astype(np.int64)
    return codes


def select(ratio: Ratio, units: IntArray | BoolArray) -> Ratio:
    """Ratio over some of its units only."""
    return Ratio(ratio.hits[units], ratio.counts[units])


def _divide(hits: float, count: float) -> float:
    return float(hits / count) if count else float("nan")
