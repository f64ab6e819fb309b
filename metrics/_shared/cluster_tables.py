"""Scores as ratios of sums over a metric's units, in rows and tables, with their intervals.

All intervals of a result come from the same resamples: rows are filled first, then every ratio asks
once for its interval. Units are divided into named groups; nothing is guessed of a reference that
does not say. Post-strata are what a design fixes of the units of clusters, such as how many clauses
of a word order a stratum has: which of its triples came to stand there is chance, how many is not.
From each unit the mean of its kind is taken, and the cluster gets an equal part of its stratum's
sum instead.

    # clauses of two triples, right or wrong: a in SVO and OVS, b in SVO, c in OVS
    # a 1 0   b 1   c 0      all of SVO are right, none of OVS: no triple differs from another

Source: Holt & Smith (1979); Särndal, Swensson & Wretman (1992), section 7.6, on the variance of
post-stratified estimates by residuals from the means of the post-strata; MacKinnon & White (1985)
on the factor for residuals from a mean of few (their HC2).
"""

import functools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .columns import BoolArray, FloatArray, IntArray
from .stratified import stratified_intervals
from .uncertainty import Interval, undefined_interval


class Grouping(NamedTuple):
    """A division of n units into named groups; a unit may be in several, or in none.

    Each of m memberships has a unit, and a group as an index into `names`.
    """

    names: tuple[str, ...]
    units: IntArray
    groups: IntArray


NO_GROUPING = Grouping((), np.zeros(0, np.int64), np.zeros(0, np.int64))


def open_grouping(names: Sequence[str | None] | None) -> Grouping:
    """Units by name, shape (n,) with None for none, in the order in which names occur first."""
    if names is None:
        return NO_GROUPING
    values = pa.array(names, pa.string())
    has_value = values.is_valid().to_numpy(zero_copy_only=False)
    return encoded_grouping(np.flatnonzero(has_value), values.drop_null())


def closed_grouping(
    where: str, columns: Mapping[str, Any], field: str, names: Sequence[str]
) -> Grouping:
    """Units by a field whose values are a closed set, in its order; a ValueError for others."""
    grouping = open_grouping(columns.get(field))
    check_closed(where, field, grouping, names, "one of")
    return in_order(grouping, names)


def encoded_grouping(units: IntArray, values: pa.Array) -> Grouping:
    """Grouping of memberships: unit and name of each, shape (m,)."""
    encoded = values.dictionary_encode()
    names = tuple(str(name) for name in encoded.dictionary.to_pylist())
    return Grouping(names, units, encoded.indices.to_numpy().astype(np.int64))


def check_closed(
    where: str, field: str, grouping: Grouping, names: Sequence[str], expected: str
) -> None:
    """Raises a ValueError that names the first unit of a group that is not among `names`."""
    for group, name in enumerate(grouping.names):
        if name not in names:
            i = grouping.units[grouping.groups == group][0]
            raise ValueError(
                f"{where}[{i}]: {field}, got {name!r}; expected {expected} {', '.join(names)}"
            )


def in_order(grouping: Grouping, names: Sequence[str]) -> Grouping:
    """Same grouping with its groups in the order of `names`."""
    ranks = np.argsort([names.index(name) for name in grouping.names])
    groups = np.argsort(ranks)[grouping.groups]
    return Grouping(tuple(grouping.names[i] for i in ranks), grouping.units, groups)


def group_of_unit(grouping: Grouping, n: int) -> IntArray:
    """Group of each of n units that are in one group at most, -1 for none; shape (n,)."""
    groups = np.full(n, -1)
    groups[grouping.units] = grouping.groups
    return groups


def is_named(grouping: Grouping, n: int, names: Sequence[str]) -> BoolArray:
    """Whether each of n units, in one group at most, is in one of some groups; shape (n,)."""
    groups = [group for group, name in enumerate(grouping.names) if name in names]
    return np.isin(group_of_unit(grouping, n), groups)


def first_units(grouping: Grouping) -> IntArray:
    """First unit of each group, shape (number of groups,)."""
    return grouping.units[np.unique(grouping.groups, return_index=True)[1]]


def name_of_unit(grouping: Grouping, n: int) -> list[str | None]:
    """Name of the group of each of n units that are in one group at most, None for none."""
    groups = group_of_unit(grouping, n).tolist()
    return [grouping.names[group] if group >= 0 else None for group in groups]


def restrict(grouping: Grouping, units: IntArray) -> Grouping:
    """Grouping of some units, which keep their numbers; groups that lose all are dropped."""
    is_wanted = np.zeros(int(max(grouping.units.max(initial=-1), units.max(initial=-1))) + 1, bool)
    is_wanted[units] = True
    return keep(grouping, is_wanted[grouping.units])


def keep(grouping: Grouping, is_kept: Any) -> Grouping:
    """Grouping of some memberships, shape (m,); groups that lose all are dropped."""
    found, groups = _renumbered(grouping.groups[is_kept])
    return Grouping(tuple(grouping.names[i] for i in found), grouping.units[is_kept], groups)


def cross(first: Grouping, second: Grouping) -> tuple[Grouping, list[tuple[str, str]]]:
    """Groups of units that share a group of each, and the two names of each new group."""
    n = int(max(first.units.max(initial=-1), second.units.max(initial=-1))) + 1
    others = group_of_unit(second, n)[first.units]
    is_kept = others >= 0
    width = max(len(second.names), 1)
    found, groups = _renumbered(first.groups[is_kept] * width + others[is_kept])
    names = [(first.names[code // width], second.names[code % width]) for code in found]
    return Grouping(tuple(map(" ".join, names)), first.units[is_kept], groups), names


def _renumbered(groups: IntArray) -> tuple[list[int], IntArray]:
    """Groups that occur, in order, and the place in that list of each."""
    occurs = np.bincount(groups) > 0
    return np.flatnonzero(occurs).tolist(), (np.cumsum(occurs) - 1)[groups]


FEWEST = 5  # clusters that a post-stratum has, or it is not parted from its neighbours
ROUNDING = 1e-9  # sums of counts: what is smaller is the rounding of a 0


def divided(levels: Sequence[IntArray], clusters: IntArray, fewest: int = FEWEST) -> IntArray:
    """Post-stratum of each of n units, shape (n,), by levels of whole numbers, the coarsest first.

    A post-stratum is divided by the next one only if all its parts have the fewest clusters.
    """
    cells = levels[0]
    for level in levels[1:]:
        parts = _codes(cells * (int(level.max(initial=0)) + 1) + level)
        sizes = np.bincount(_pairs(parts, clusters + 1)[0])
        is_kept = np.ones(int(cells.max(initial=-1)) + 1, bool)
        is_kept[cells[sizes[parts] < fewest]] = False
        cells = _codes(np.where(is_kept[cells], parts, -1 - cells))
    return cells


class PostStrata:
    """Post-strata of n units, by cluster (-1: none) and post-stratum of each."""

    def __init__(self, clusters: IntArray, strata: IntArray, cells: IntArray) -> None:
        self.clusters, self.cells, self.strata = clusters, cells, strata
        is_in = clusters >= 0
        self._cell_of_pair, self._cluster_of_pair, n = _pairs(cells[is_in], clusters[is_in])
        n_cells = int(cells.max(initial=-1)) + 1
        sizes = np.bincount(cells[is_in], minlength=n_cells)
        # by what residuals from a mean of few clusters grow, where a stratum's do not yet
        members = np.bincount(self._cell_of_pair, minlength=n_cells)
        stratum = np.zeros(n_cells, np.int64)
        stratum[self._cell_of_pair] = self.strata[self._cluster_of_pair]
        whole = np.bincount(self.strata)[stratum]
        ratios = members * np.maximum(whole - 1, 1) / (np.maximum(members - 1, 1) * whole)
        self._factors = np.where(members > 1, np.sqrt(ratios), 1.0)
        self._weights = (n / sizes[self._cell_of_pair]) * self._factors[self._cell_of_pair]

    def adjusted(
        self, units: IntArray, groups: IntArray, values: FloatArray, n_groups: int
    ) -> FloatArray:
        """Sums by group and cluster without what the design fixes, shape (n_groups, c).

        Units that a group does not have count as 0 in it; a stratum's clusters keep their sum.
        """
        kept = self.clusters[units] >= 0
        units, groups, values = units[kept], groups[kept], values[kept]
        clusters, cells = self.clusters[units], self.cells[units]
        n_clusters, n_cells = len(self.strata), len(self._factors)
        own = _sums(clusters, groups, self._factors[cells] * values, (n_clusters, n_groups))
        by_cell = _sums(cells, groups, values, (n_cells, n_groups))
        n_strata = int(self.strata.max()) + 1
        by_stratum = _sums(self.strata[clusters], groups, values, (n_strata, n_groups))
        means = (by_stratum / np.maximum(1, np.bincount(self.strata))[:, None])[self.strata]
        expected = np.empty((n_clusters, n_groups))
        for group, of_cell in enumerate(by_cell.T):
            shares = self._weights * of_cell[self._cell_of_pair]
            expected[:, group] = np.bincount(self._cluster_of_pair, shares, n_clusters)
        found = means + own - expected
        return np.where(np.abs(found) < ROUNDING, 0.0, found).T


def _sums(
    rows: IntArray, columns: IntArray, values: FloatArray, shape: tuple[int, int]
) -> FloatArray:
    sums = np.bincount(rows * shape[1] + columns, values, shape[0] * shape[1])
    return sums.astype(float).reshape(shape)


def _pairs(cells: IntArray, clusters: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Cell and cluster of each pair of them that occurs, and how many units it has."""
    width = int(clusters.max(initial=0)) + 1
    found, n = np.unique(cells * width + clusters, return_counts=True)
    return found // width, found % width, n


def _codes(values: IntArray) -> IntArray:
    """The same division in whole numbers from 0."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


class Linked(NamedTuple):
    """Which clusters are linked, by kind: memory grows with kinds, not with pairs of clusters.

    The kind of each cluster, shape (c,), and whether two kinds are linked, shape (k, k).
    """

    kind: IntArray
    kinds: BoolArray

    def product(self, values: FloatArray) -> float:
        """Sum over all linked pairs, each with itself too, of the products of their values."""
        sums = np.bincount(self.kind, values, len(self.kinds))
        return float(sums @ (self.kinds @ sums))


def linked_by(labels: Sequence[frozenset[Any]]) -> Linked:
    """Clusters linked by a label that they share; one without labels is of a kind of its own."""
    kinds: dict[Any, int] = {}
    kind = [kinds.setdefault(own or i, len(kinds)) for i, own in enumerate(labels)]
    place = {label: i for i, label in enumerate(frozenset[Any]().union(*labels))}
    has = np.zeros((len(kinds), len(place)), np.float32)
    for row, own in zip(kind, labels, strict=True):
        has[row, [place[label] for label in own]] = 1
    linked: BoolArray = has @ has.T > 0
    np.fill_diagonal(linked, True)
    return Linked(np.array(kind), linked)


STUDENTISED = "studentised"  # how the note of a bootstrap interval begins


class Ratio(NamedTuple):
    """A score of n units: sum of `hits` over sum of `counts`, both of shape (n,)."""

    hits: FloatArray
    counts: FloatArray

    def select(self, units: IntArray | BoolArray) -> "Ratio":
        """The ratio over some of its units only."""
        return Ratio(self.hits[units], self.counts[units])


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
        cells: Post-stratum of each unit, shape (n,); None where the design fixes no more.
        linked: Which clusters share something that was drawn too, such as a noun; None for none.
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
        linked: Linked | None = None,
    ) -> None:
        self.clusters, self.n_clusters = group_of_unit(clusters, n), len(clusters.names)
        self.strata, self.linked, self.is_unequal = strata, linked, is_unequal
        self.reason, self.has_intervals = reason, has_intervals
        self.table_intervals = table_intervals
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
        """Adds scores to a row, ratios over k units or groups of them; nan where 0 are counted."""
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
        """One row per group: its name under `key`, counts, scores, and intervals of some."""
        n_groups = len(grouping.names)
        sizes = np.bincount(grouping.groups, minlength=n_groups).tolist()
        rows: list[dict[str, Any]] = [
            {key: name, "n": n} for name, n in zip(grouping.names, sizes, strict=True)
        ]
        members_of_row = self._sums(grouping.units, grouping.groups, None, n_groups)
        for row, members in zip(rows, members_of_row, strict=True):
            row["n_clusters"] = 0 if members[0] else int((members > 0).sum())
        for name, ratio in scores.items():
            own = ratio.select(grouping.units)
            sums = [np.bincount(grouping.groups, values, n_groups).tolist() for values in own]
            for row, hits, count in zip(rows, *sums, strict=True):
                row[name] = _divide(hits, count)
        for name in self.table_intervals if self.has_intervals and has_intervals else ():
            ratio = scores[name].select(grouping.units)
            self._ask(rows, name, ratio, grouping.units, grouping.groups)
        return rows

    def _ask(
        self, rows: list[dict[str, Any]], name: str, ratio: Ratio, units: IntArray, groups: IntArray
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
            if self.linked is not None and interval.note.startswith(STUDENTISED):
                interval = _widened(interval, one.adjusted, self.linked)
            one.row.update(interval.as_fields(one.name))

    def _intervals(
        self, sums: FloatArray, adjusted: FloatArray, settings: Mapping[str, Any]
    ) -> list[Interval]:
        """Intervals from adjusted sums; from the sums where few clusters, near an end, decide."""
        ask = functools.partial(
            stratified_intervals, strata=self.strata, is_unequal=self.is_unequal, **settings
        )
        found = ask(*adjusted)
        if self.post_strata is None:
            return found
        shares = [_divide(*totals) for totals in sums.sum(axis=1).T.tolist()]
        again = [
            k  # an interval that reaches half of the way from its score to 0 or 1, or no bootstrap
            for k, (one, share) in enumerate(zip(found, shares, strict=True))
            if not one.note.startswith(STUDENTISED)
            or one.low < share / 2
            or one.high > (1 + share) / 2
        ]
        for k, interval in zip(again, ask(*sums[..., again]) if again else (), strict=True):
            found[k] = interval
        return found


def _widened(interval: Interval, sums: FloatArray, linked: Linked) -> Interval:
    """An interval as much wider as the standard error that counts what linked clusters share.

    Two-way, and never narrower: Cameron, Gelbach & Miller (2011), on dyads Aronow, Samii &
    Assenova (2015).
    """
    share = _divide(*sums.sum(axis=1).tolist())
    residuals = sums[0] - share * sums[1]
    own, all_ = float(residuals @ residuals), linked.product(residuals)
    if not 0 < share < 1 or not 0 < own < all_:
        return interval
    middle, factor = math.log(share / (1 - share)), math.sqrt(all_ / own)
    low, high = (
        1 / (1 + math.exp(-middle - factor * (math.log(end / (1 - end)) - middle)))
        if 0 < end < 1
        else end
        for end in (interval.low, interval.high)
    )
    return interval._replace(low=low, high=high)


def families_of(clusters: Sequence[str]) -> IntArray:
    """Family of each cluster as a number, shape (k,): its name up to the last slash."""
    names = [name.rpartition("/")[0] for name in clusters]
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def _divide(hits: float, count: float) -> float:
    return float(hits / count) if count else float("nan")
