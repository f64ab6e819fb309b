"""Bootstrap samples of clusters, many of which are alike.

A resample is as well described by how often it has each kind of cluster as by how often it has each
cluster; of thousands of words there are some dozen kinds. The draws are the same ones either way.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .columns import FloatArray, IntArray

CHUNK_CELLS = 4_000_000  # weights held at once: 32 MB
CELLS_AT_ONCE = 250_000  # picks that a processor's cache holds


class Kinds(NamedTuple):
    """Clusters by kind.

    Attributes:
        first: A cluster of each kind, shape (k,).
        of_cluster: Kind of each cluster, shape (c,).
    """

    first: IntArray
    of_cluster: IntArray

    def counted(self, pick: Callable[[int], IntArray], n_resamples: int) -> FloatArray:
        """How often each resample has each kind, shape (r, k).

        Args:
            pick: Clusters of so many resamples, the next ones at each call, shape (n, c).
            n_resamples: How many resamples there are.
        """
        n_kinds, step = len(self.first), max(1, CELLS_AT_ONCE // len(self.of_cluster))
        counts = np.empty((n_resamples, n_kinds))
        for start in range(0, n_resamples, step):
            rows = counts[start : start + step]
            kinds = self.of_cluster[pick(len(rows))]
            kinds += np.arange(0, rows.size, n_kinds)[:, None]
            rows[:] = np.bincount(kinds.ravel(), minlength=rows.size).reshape(rows.shape)
        return counts


def kinds_of(*columns: FloatArray) -> Kinds | None:
    """Kinds of clusters that have the same values; None where few clusters are alike.

    Args:
        columns: Of shape (c, k) each.
    """
    values = np.concatenate(columns, axis=1)
    first, of_cluster = np.unique(values, axis=0, return_index=True, return_inverse=True)[1:]
    return Kinds(first, of_cluster.reshape(-1)) if 4 * len(first) <= len(values) else None


@functools.lru_cache(maxsize=2)  # all scores of a result ask for the same ones
def all_resamples(sizes: tuple[int, ...], n: int, seed: int) -> FloatArray:
    """`resamples` of a seed, kept; not to be written to."""
    weights = resamples(sizes, n, np.random.default_rng(seed))
    weights.setflags(write=False)
    return weights


def resamples(sizes: tuple[int, ...], n: int, generator: np.random.Generator) -> FloatArray:
    """How often n resamples have each cluster, shape (n, c); groups of these sizes lie in a row."""
    picks = picked(sizes, n, generator)
    picks += np.arange(n)[:, None] * picks.shape[1]
    counts = np.bincount(picks.ravel(), minlength=picks.size).reshape(picks.shape)
    return counts.astype(float)


def picked(sizes: tuple[int, ...], n: int, generator: np.random.Generator) -> IntArray:
    """Clusters that n resamples pick, each from its own group, shape (n, c)."""
    size, first = (
        np.repeat(values, sizes) for values in (sizes, np.cumsum((0, *sizes[:-1]), dtype=np.int64))
    )
    picks: IntArray = (generator.random((n, len(size))) * size).astype(np.int64)
    picks += first
    return picks


def in_chunks(
    call: Callable[[int, int], npt.NDArray[np.generic]], n: int, width: int
) -> FloatArray:
    """Rows start to stop of `call(start, stop)` for 0 to n, so many at once as memory allows."""
    step = max(1, CHUNK_CELLS // max(1, width))
    return np.concatenate(
        [call(start, min(n, start + step)) for start in range(0, n, step)]
    ).astype(float)


def check_n_resamples(n_resamples: int) -> None:
    """Raises a ValueError where there are fewer than 100 resamples."""
    if n_resamples < 100:
        raise ValueError(f"n_resamples, got {n_resamples}; expected at least 100")
