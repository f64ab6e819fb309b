"""Levenshtein distance of many pairs of strings at once, in numpy alone.

A metric may need no more than `datasets` and `evaluate` bring; a library of edit distances is not
among that.

Source: Levenshtein (1966); Wagner & Fischer (1974) for the table that is filled here row by row.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..columns import IntArray

PAIRS_AT_ONCE = 512  # a row of the table then stays in the processor's cache


def edit_distances(first: Sequence[str], second: Sequence[str]) -> IntArray:
    """Least number of characters to insert, delete or replace that makes `first` into `second`.

    Args:
        first: n strings.
        second: n strings, paired with `first` by position.

    Returns:
        Distances of shape (n,), from 0 (equal) to the length of the longer string.

    Example:
        >>> edit_distances(["kitten", ""], ["sitting", "ab"])
        array([3, 2])
    """
    first, second = _without_common_ends(list(first), list(second))
    n_first, n_second = _lengths(first), _lengths(second)
    distances = np.maximum(n_first, n_second)  # right where nothing is left of one of the two
    left = np.flatnonzero(np.minimum(n_first, n_second))
    left = left[np.argsort(distances[left], kind="stable")]  # pairs of a length go together
    for start in range(0, len(left), PAIRS_AT_ONCE):
        places = left[start : start + PAIRS_AT_ONCE]
        chosen = places.tolist()
        distances[places] = _distances([first[i] for i in chosen], [second[i] for i in chosen])
    return distances


def _without_common_ends(first: list[str], second: list[str]) -> tuple[list[str], list[str]]:
    """Both strings of each pair without the beginning and the end that they share.

    Two segmentations of a word differ in few places, so that this settles most pairs.
    """
    shortest = np.minimum(_lengths(first), _lengths(second))
    n_start = np.minimum(_n_equal(first, second), shortest)
    reversed_pairs = ([text[::-1] for text in texts] for texts in (first, second))
    n_end = np.minimum(_n_equal(*reversed_pairs), shortest - n_start)
    starts, ends = n_start.tolist(), n_end.tolist()
    cut = [
        [text[i : len(text) - j] for text, i, j in zip(texts, starts, ends, strict=True)]
        for texts in (first, second)
    ]
    return cut[0], cut[1]


def _n_equal(first: list[str], second: list[str]) -> IntArray:
    """Number of characters before the first that differs; more than there are where none does."""
    width = 1 + max(map(len, [*first, *second]), default=0)
    differs = _codes(first, width) != _codes(second, width)
    differs[-1] = True
    n_equal: IntArray = differs.argmax(axis=0)
    return n_equal


def _distances(first: list[str], second: list[str]) -> IntArray:
    """Distances by the table whose cell (i, j) is the distance of the first i and j characters.

    A row needs the one before (deletion, substitution) and its own cells to the left (insertion).
    An insertion adds 1 a step, so that with j taken off each cell the cheapest way from the left
    is a running minimum.
    """
    n_first, n_second = _lengths(first), _lengths(second)
    rows, columns = _codes(first, int(n_first.max())), _codes(second, int(n_second.max()))
    steps = np.arange(len(columns) + 1, dtype=np.int32)[:, None]
    above = np.repeat(steps, len(first), axis=1)
    distances = np.zeros(len(first), np.int64)
    for i, characters in enumerate(rows, 1):
        row = np.empty_like(above)
        row[0] = i
        np.minimum(above[:-1] + (columns != characters), above[1:] + 1, out=row[1:])
        row -= steps
        np.minimum.accumulate(row, axis=0, out=row)
        row += steps
        above = row
        ended = np.flatnonzero(n_first == i)
        distances[ended] = row[n_second[ended], ended]
    return distances


def _lengths(texts: list[str]) -> IntArray:
    return np.fromiter(map(len, texts), np.int64, len(texts))


def _codes(texts: list[str], width: int) -> npt.NDArray[np.uint32]:
    """Code points of shape (width, n), one column per text; shorter ones are filled up with 0."""
    codes = np.array(texts, dtype=f"U{width}").view(np.uint32)
    return np.ascontiguousarray(codes.reshape(len(texts), width).T)
