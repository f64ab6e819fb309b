"""Least squares with errors that allow for clusters, over data that need not fit into memory.

The coefficients are those of R's `lm`, columns that others determine left out as there. Beside the
plain standard errors, which take every row for independent, stand the cluster-robust ones (CR2),
which take only clusters for independent. The fit and its plain errors are statsmodels'; CR2 is
written here, since statsmodels has CR1 and CR3 only, which differ for some tens of clusters.

Source: Bell & McCaffrey (2002) and Pustejovsky & Tipton (2018) on CR2.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from metrics._shared.columns import BoolArray, FloatArray, IntArray

# R's tolerance: a column is determined by those before it if less than this part of it is left
ALIASED = 1e-7


class ClusteredRows(NamedTuple):
    """Rows of some clusters, shapes (n, p), (n,) and (n,); a cluster lies in one of them."""

    x: FloatArray
    y: FloatArray
    cluster: IntArray


class Coefficient(NamedTuple):
    """A coefficient, nan where the column is determined by those before it.

    Standard error and two-sided p value as if rows were independent, then with clusters as the
    independent units, with one degree of freedom less than clusters; nan where undefined.
    """

    value: float = math.nan
    plain_error: float = math.nan
    plain_p: float = math.nan
    error: float = math.nan
    p: float = math.nan


class ClusteredFit(NamedTuple):
    """The coefficients by column, and how many rows and clusters they rest on."""

    coefficients: dict[str, Coefficient]
    n: int
    n_clusters: int


def fit_clustered(names: Sequence[str], rows: Iterable[ClusteredRows]) -> ClusteredFit:
    """Fits y = x b by least squares.

    Of each cluster only the triangular factor of its [x y] is kept: it has the same products, and
    so the same fit, in few rows. (The products themselves would lose half the digits.)
    """
    from scipy.stats import t
    from statsmodels.api import OLS

    factors, n = [], 0
    for part in rows:
        n += len(part.y)
        whole = np.column_stack([part.x, part.y])
        factors += [_triangle(whole[part.cluster == own]) for own in np.unique(part.cluster)]
    stacked = np.vstack(factors)
    kept = _independent(_triangle(stacked[:, :-1]))
    x, rank, n_clusters = stacked[:, :-1][:, kept], int(kept.sum()), len(factors)
    if n <= rank:
        raise ValueError(
            f"fit_clustered: rows, got {n}; expected more than the {rank} independent columns"
        )
    model = OLS(stacked[:, -1], x)
    model.df_resid = n - rank
    fit = model.fit(method="qr")
    robust = np.full(rank, math.nan)
    if n_clusters > 1:
        ends = np.cumsum([len(factor) for factor in factors])[:-1]
        robust = _cr2_errors(x, fit.resid, ends)
    p_values = 2 * t.sf(np.abs(fit.params / robust), n_clusters - 1)
    found = np.transpose([fit.params, fit.bse, fit.pvalues, robust, p_values]).tolist()
    kept_names = [name for name, is_kept in zip(names, kept, strict=True) if is_kept]
    known = {name: Coefficient(*row) for name, row in zip(kept_names, found, strict=True)}
    return ClusteredFit({name: known.get(name, Coefficient()) for name in names}, n, n_clusters)


def _triangle(rows: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.qr(rows, mode="r"))


def _independent(triangle: FloatArray) -> BoolArray:
    """Which columns are not determined by those before them."""
    basis: list[FloatArray] = []
    kept = []
    for column in triangle.T:
        left = column.copy()
        for _ in range(2):  # twice is enough for orthogonality in floating point
            for direction in basis:
                left -= direction * (direction @ left)
        size = float(np.linalg.norm(left))
        kept.append(size > ALIASED * max(float(np.linalg.norm(column)), 1e-300))
        if kept[-1]:
            basis.append(left / size)
    return np.array(kept)


def _cr2_errors(x: FloatArray, residuals: FloatArray, ends: IntArray) -> FloatArray:
    """Standard errors from the clusters' adjusted scores, x' (I - x x')^(-1/2) residuals.

    In the coordinates in which x is orthonormal; what a cluster alone determines has no residual.
    """
    orthonormal, triangle = np.linalg.qr(x)
    scores = []
    for own, left_over in zip(np.split(orthonormal, ends), np.split(residuals, ends), strict=True):
        leverage, directions = np.linalg.eigh(own.T @ own)
        left = 1 - leverage
        weights = np.where(left > 1e-10, 1 / np.sqrt(np.maximum(left, 1e-10)), 0.0)
        scores.append(directions @ (weights * (directions.T @ (own.T @ left_over))))
    return np.asarray(np.linalg.norm(np.linalg.solve(triangle, np.transpose(scores)), axis=1))
