"""Scores as ratios of sums over a metric's units, in rows and tables, with their intervals.

All intervals of a result come from the same resamples: rows are filled first, then every ratio asks
once for its interval.
"""

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .columns import BoolArray, FloatArray, IntArray
from .groupings import Grouping, group_of_unit
from .post_strata import PostStrata
from .stratified import stratified_intervals
from .uncertainty import Interval, undefined_interval

STUDENTISED = "studentised"  # how the note of a bootstrap interval begins


class Ratio(NamedTuple):
    """A score of n units: sum of `hits` over sum of `counts`, both of shape (n,)."""

    hits: FloatArray
    counts: FloatArray


class _Asked(NamedTuple):
    row: dict[str, Any]
    name: str
    sums: FloatArray  # of hits and counts, by cluster; before the first those of units in none
    adjusted: FloatArray  # without what the design fixes


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
        cells: Post-stratum of each unit, shape (n,), of which the design fixes how many units it
            has; None where it fixes none.
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
        cells: IntArray | None = None,
    ) -> None:
        self.clusters = group_of_unit(clusters, n)
        self.n_clusters = len(clusters.names)
        self.strata = strata
        self.reason = reason
        self.has_intervals = has_intervals
        self.table_intervals = table_intervals
        self.is_unequal = is_unequal
        self.post_strata = None
        if cells is not None and self.n_clusters:
            self.post_strata = PostStrata(self.clusters, strata, cells)
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
                self._ask([row], name, ratio, units, np.zeros(len(units), np.int64))

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
        n_groups = len(grouping.names)
        sizes = np.bincount(grouping.groups, minlength=n_groups).tolist()
        rows: list[dict[str, Any]] = [
            {key: name, "n": n} for name, n in zip(grouping.names, sizes, strict=True)
        ]
        members_of_row = self._sums(grouping.units, grouping.groups, None, n_groups)
        for row, members in zip(rows, members_of_row, strict=True):
            row["n_clusters"] = 0 if members[0] else int((members > 0).sum())
        for name, ratio in scores.items():
            sums = [
                np.bincount(grouping.groups, values[grouping.units], n_groups).tolist()
                for values in ratio
            ]
            for row, hits, count in zip(rows, *sums, strict=True):
                row[name] = _divide(hits, count)
        for name in self.table_intervals if self.has_intervals and has_intervals else ():
            ratio = select(scores[name], grouping.units)
            self._ask(rows, name, ratio, grouping.units, grouping.groups)
        return rows

    def _ask(
        self,
        rows: Sequence[dict[str, Any]],
        name: str,
        ratio: Ratio,
        units: IntArray,
        groups: IntArray,
    ) -> None:
        """Notes that the score of each group is to have an interval in the group's row."""
        own = np.stack([self._sums(units, groups, values, len(rows)) for values in ratio], axis=1)
        adjusted = own[..., 1:]
        if self.post_strata is not None:
            found = (self.post_strata.adjusted(units, groups, v, len(rows)) for v in ratio)
            adjusted = np.stack(list(found), axis=1)
        self._asked += [
            _Asked(row, name, *sums) for row, *sums in zip(rows, own, adjusted, strict=True)
        ]

    def _sums(
        self, units: IntArray, groups: IntArray, values: FloatArray | None, n_groups: int
    ) -> FloatArray:
        """Sums by group and cluster, (n_groups, n_clusters + 1); column 0: no cluster."""
        width = self.n_clusters + 1
        cells = groups * width + self.clusters[units] + 1
        return np.bincount(cells, values, n_groups * width).reshape(n_groups, width).astype(float)

    def count_clusters(self, units: IntArray) -> int:
        """Number of clusters that the units are of; 0 where that is not known."""
        found = np.unique(self.clusters[units])
        return 0 if -1 in found else len(found)

    def fill_intervals(self, confidence: float, n_resamples: int, seed: int) -> None:
        """Adds `<score>_low`, `_high` and `_interval` to the rows, for the scores that get one."""
        asked, self._asked = self._asked, []
        if not asked:
            return
        settings = {"confidence": confidence, "n_resamples": n_resamples, "seed": seed}
        sums = np.stack([one.sums for one in asked], axis=2)  # hits or counts, cluster, score
        found = [undefined_interval(self.reason)] * len(asked)
        if not (sums[1, 0] > 0).any() and self.n_clusters:
            adjusted = np.stack([one.adjusted for one in asked], axis=2)
            found = self._intervals(sums[:, 1:], adjusted, settings)
        for one, interval in zip(asked, found, strict=True):
            one.row.update(interval.as_fields(one.name))

    def _intervals(
        self, sums: FloatArray, adjusted: FloatArray, settings: Mapping[str, Any]
    ) -> list[Interval]:
        """Intervals from adjusted sums; from the sums where few clusters decide on the score.

        Near an end of the range these are the ones that stand apart, on one side only, and what the
        post-strata say of the others would blur that.
        """
        ask = functools.partial(
            stratified_intervals, strata=self.strata, is_unequal=self.is_unequal, **settings
        )
        found = ask(*adjusted)
        if self.post_strata is None:
            return found
        shares = [_divide(*totals) for totals in sums.sum(axis=1).T.tolist()]
        pairs = enumerate(zip(found, shares, strict=True))
        again = [k for k, (one, share) in pairs if _is_near_an_end(one, share)]
        if again:
            for k, interval in zip(again, ask(*sums[..., again]), strict=True):
                found[k] = interval
        return found


def _is_near_an_end(interval: Interval, share: float) -> bool:
    """Whether an interval reaches half of the way from its score to 0 or 1, or has no bootstrap."""
    is_bootstrapped = interval.note.startswith(STUDENTISED)
    return not is_bootstrapped or interval.low < share / 2 or interval.high > (1 + share) / 2


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
