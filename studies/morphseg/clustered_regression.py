"""Least squares with errors that allow for clusters, over data that need not fit into memory.

Blocks are read twice, one after the other.

The coefficients are those of R's `lm`, columns that others determine left out as there. Beside the
plain standard errors, which take every row for independent, stand the cluster-robust ones (CR2),
which take only clusters for independent.

Source: Bell & McCaffrey (2002) and Pustejovsky & Tipton (2018) on CR2; the sums are kept as a QR
decomposition, since products of nearly constant columns lose half the digits.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
# R's tolerance: a column is determined by those before it if less than this part of it is left
ALIASED = 1e-7


class Block(NamedTuple):
    """Rows of some clusters; a cluster lies in one block.

    Attributes:
        x: Shape (n, p), all columns including the intercept.
        y: Shape (n,).
        cluster: A number per row, shape (n,).
    """

    x: FloatArray
    y: FloatArray
    cluster: npt.NDArray[np.int64]


class Coefficient(NamedTuple):
    """A coefficient with both kinds of error; errors and p values are nan where they are undefined.

    Attributes:
        name: Name of the column.
        value: The coefficient; nan where the column is determined by those before it.
        plain_error, plain_p: Standard error and two-sided p value as if rows were independent.
        error, p: The same with clusters as the independent units, with one degree of freedom less
            than clusters.
    """

    name: str
    value: float
    plain_error: float
    plain_p: float
    error: float
    p: float


class Fit(NamedTuple):
    """The coefficients in the order of the columns, and how many rows and clusters they rest on."""

    coefficients: list[Coefficient]
    n: int
    n_clusters: int

    def of(self, name: str) -> Coefficient:
        """The coefficient of a column."""
        return next(c for c in self.coefficients if c.name == name)


def fit_clustered(names: Sequence[str], blocks: Callable[[], Iterable[Block]]) -> Fit:
    """Fits y = x b by least squares.

    Args:
        names: Name of each column of x.
        blocks: Gives the blocks; called twice.

    Raises:
        ValueError: There are fewer rows than columns that are not determined by others.
    """
    triangle, n = _triangle(names, blocks())
    kept = _independent(triangle[:-1, :-1])
    columns = [*np.flatnonzero(kept), len(names)]
    triangle = _upper(triangle[:, columns])
    rank = len(columns) - 1
    if n <= rank:
        raise ValueError(
            f"fit_clustered: rows, got {n}; expected more than the {rank} independent columns"
        )
    inverse = np.asarray(np.linalg.inv(triangle[:rank, :rank]), dtype=np.float64)
    values = inverse @ triangle[:rank, rank]
    variance = float(triangle[rank, rank]) ** 2 / (n - rank)
    meat, n_clusters = _meat(blocks(), kept, inverse, values)
    plain = np.sqrt(variance * np.square(inverse).sum(1))
    robust = (
        np.sqrt(np.diag(inverse @ meat @ inverse.T)) if n_clusters > 1 else np.full(rank, math.nan)
    )
    rows = dict(
        zip(np.flatnonzero(kept).tolist(), zip(values, plain, robust, strict=True), strict=True)
    )
    nothing = (math.nan, math.nan, math.nan)
    return Fit(
        [
            _coefficient(name, *rows.get(i, nothing), n - rank, n_clusters - 1)
            for i, name in enumerate(names)
        ],
        n,
        n_clusters,
    )


def _triangle(names: Sequence[str], blocks: Iterable[Block]) -> tuple[FloatArray, int]:
    """The triangular factor of [x y] of all rows, and their number."""
    triangle, n = np.zeros((0, len(names) + 1)), 0
    for block in blocks:
        triangle = _upper(np.vstack([triangle, np.column_stack([block.x, block.y])]))
        n += len(block.y)
    missing = len(names) + 1 - len(triangle)
    return np.vstack([triangle, np.zeros((missing, len(names) + 1))]) if missing else triangle, n


def _upper(rows: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.qr(rows, mode="r"), dtype=np.float64)


def _independent(triangle: FloatArray) -> npt.NDArray[np.bool_]:
    """Which columns are not determined by those before them.

    What an aliased one leaves over is of no later column's making.
    """
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


def _meat(
    blocks: Iterable[Block], kept: npt.NDArray[np.bool_], inverse: FloatArray, values: FloatArray
) -> tuple[FloatArray, int]:
    """The sum over clusters of the outer products of their CR2 scores.

    In the coordinates in which x is orthonormal.
    """
    meat, n_clusters = np.zeros((len(values), len(values))), 0
    for block in blocks:
        x = block.x[:, kept]
        residuals = block.y - x @ values
        order = np.argsort(block.cluster, kind="stable")
        ends = np.flatnonzero(np.diff(block.cluster[order])) + 1
        for rows in np.split(order, ends):
            score = _cluster_score(x[rows] @ inverse, residuals[rows])
            meat += np.outer(score, score)
            n_clusters += 1
    return meat, n_clusters


def _cluster_score(x: FloatArray, residuals: FloatArray) -> FloatArray:
    """The product x' (I - x x')^(-1/2) residuals by the eigenvectors of x' x.

    Directions that the cluster alone determines have no residual.
    """
    leverage, directions = np.linalg.eigh(x.T @ x)
    left = 1 - leverage
    weights = np.where(left > 1e-10, 1 / np.sqrt(np.maximum(left, 1e-10)), 0.0)
    return np.asarray(directions @ (weights * (directions.T @ (x.T @ residuals))))


def _coefficient(
    name: str, value: float, plain: float, robust: float, plain_df: int, robust_df: int
) -> Coefficient:
    return Coefficient(
        name,
        float(value),
        float(plain),
        _p_value(value, plain, plain_df),
        float(robust),
        _p_value(value, robust, robust_df),
    )


def _p_value(value: float, error: float, degrees: int) -> float:
    from scipy.stats import t

    return float(2 * t.sf(abs(value / error), degrees)) if error > 0 and degrees > 0 else math.nan
