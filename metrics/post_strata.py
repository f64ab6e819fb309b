"""Post-strata: what a design fixes of the units of clusters, taken out of the clusters' sums.

A design may fix more than how many clusters a stratum has. Where it also fixes how many units of a
kind they have together, such as clauses of a word order, a difference between the kinds is no
difference between clusters: which of a stratum's triples came to stand where an order is asked for
is chance, how many stand there is not. From each unit the mean of its kind is taken, and the
cluster gets an equal part of its stratum's sum instead.

    # clauses of two triples, right or wrong: a in SVO and OVS, b in SVO, c in OVS
    # a 1 0   b 1   c 0      all of SVO are right, none of OVS: no triple differs from another

Source: Holt & Smith (1979); Särndal, Swensson & Wretman (1992), section 7.6, on the variance of
post-stratified estimates by residuals from the means of the post-strata; MacKinnon & White (1985)
on the factor for residuals from a mean of few (their HC2).
"""

from collections.abc import Sequence

import numpy as np

from .columns import FloatArray, IntArray

FEWEST = 5  # clusters that a post-stratum has, or it is not parted from its neighbours
ROUNDING = 1e-9  # sums of counts: what is smaller is the rounding of a 0


def divided(levels: Sequence[IntArray], clusters: IntArray, fewest: int = FEWEST) -> IntArray:
    """Post-stratum of each of n units, shape (n,).

    Args:
        levels: What divides the units, the coarsest first; shape (n,) each, whole numbers from 0.
            A post-stratum is divided by the next one only if all its parts are large enough.
        clusters: Cluster of each unit, shape (n,).
        fewest: Clusters that a part must have.
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
    """Post-strata of n units, each of which lies in one stratum of clusters.

    Args:
        clusters: Cluster of each unit, shape (n,); -1: in none, which is left out.
        strata: Stratum of each cluster, shape (c,).
        cells: Post-stratum of each unit, shape (n,), whole numbers from 0.
    """

    def __init__(self, clusters: IntArray, strata: IntArray, cells: IntArray) -> None:
        self.clusters, self.cells, self.strata = clusters, cells, strata
        is_in = clusters >= 0
        self._cell_of_pair, self._cluster_of_pair, n = _pairs(cells[is_in], clusters[is_in])
        n_cells = int(cells.max(initial=-1)) + 1
        sizes = np.bincount(cells[is_in], minlength=n_cells)
        self._factors = self._factors_of(n_cells)
        self._weights = (n / sizes[self._cell_of_pair]) * self._factors[self._cell_of_pair]

    def _factors_of(self, n_cells: int) -> FloatArray:
        """By what residuals from a mean of few clusters grow, where a stratum's do not yet."""
        members = np.bincount(self._cell_of_pair, minlength=n_cells)
        stratum = np.zeros(n_cells, np.int64)
        stratum[self._cell_of_pair] = self.strata[self._cluster_of_pair]
        whole = np.bincount(self.strata)[stratum]
        factors: FloatArray = np.sqrt(
            members * np.maximum(whole - 1, 1) / (np.maximum(members - 1, 1) * whole)
        )
        return np.where(members > 1, factors, 1.0)

    def adjusted(
        self, units: IntArray, groups: IntArray, values: FloatArray, n_groups: int
    ) -> FloatArray:
        """Sums by group and cluster without what the design fixes, shape (n_groups, c).

        Units that a group does not have count as 0 in it. Over a stratum's clusters the sums are
        those of the values.

        Args:
            units: Unit of each value, shape (m,).
            groups: Its group, shape (m,).
            values: Shape (m,).
            n_groups: How many groups there are.
        """
        kept = self.clusters[units] >= 0
        units, groups, values = units[kept], groups[kept], values[kept]
        clusters, cells = self.clusters[units], self.cells[units]
        n_clusters, n_cells = len(self.strata), len(self._factors)
        own = _sums(clusters, groups, self._factors[cells] * values, (n_clusters, n_groups))
        by_cell = _sums(cells, groups, values, (n_cells, n_groups))
        by_stratum = _sums(
            self.strata[clusters], groups, values, (int(self.strata.max()) + 1, n_groups)
        )
        means = (by_stratum / np.maximum(1, np.bincount(self.strata))[:, None])[self.strata]
        expected = np.zeros((n_clusters, n_groups))
        np.add.at(
            expected,
            self._cluster_of_pair,
            self._weights[:, None] * by_cell[self._cell_of_pair],
        )
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
    codes: IntArray = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return codes
