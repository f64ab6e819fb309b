"""Substring attributes as integers: those of `crf_features`, for all words at once.

A substring of up to four characters is one 64-bit key (side, four character codes), so that 100,000
words are indexed in a second and no attribute exists as a string. Rows of the matrices are the
positions of all `[word]`, word after word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from garden_path.models.arrays import IntArray
from research.systems.morphology.crf_features import END, LONGEST_SUBSTRING, START


@dataclass(frozen=True)
class SubstringIndex:
    """The attributes seen in training words.

    Attributes:
        characters: Code points of the training words, sorted; a character's code is its place from
            1 on.
        keys: Keys of the attributes, sorted; an attribute's column is its place.
    """

    characters: IntArray
    keys: IntArray

    @classmethod
    def of(cls, words: Sequence[str]) -> "SubstringIndex":
        """Index of all attributes of `words`."""
        characters = np.unique(_code_points(words))
        keys = np.unique(_attribute_keys(words, characters))
        return cls(characters, keys[keys >= 0])

    def matrix(self, words: Sequence[str]) -> Any:
        """0/1 matrix (positions, attributes) of `words`, a scipy CSR array without unseen ones."""
        from scipy.sparse import csr_array

        keys = _attribute_keys(words, self.characters)
        columns = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        is_seen = self.keys[columns] == keys
        row_ends = np.concatenate([[0], np.cumsum(is_seen.sum(1))])
        matrix = csr_array(
            (np.ones(row_ends[-1]), columns[is_seen], row_ends), shape=(len(keys), len(self.keys))
        )
        matrix.sort_indices()
        return matrix


def _code_points(words: Sequence[str]) -> IntArray:
    text = "".join(f"{START}{word}{END}" for word in words)
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.int64)


def _attribute_keys(words: Sequence[str], characters: IntArray) -> IntArray:
    """Keys of shape (positions, 9): four substrings to the right, four to the left, the index.

    A key is -1 where a substring leaves the word.
    """
    points = _code_points(words)
    places = np.minimum(np.searchsorted(characters, points), len(characters) - 1)
    base = len(characters) + 2
    codes = np.where(
        characters[places] == points, places + 1, base - 1
    )  # an unseen character makes a substring unseen
    lengths = np.array([len(word) + 2 for word in words])
    index = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    room = np.repeat(lengths, lengths) - index
    right = _substring_keys(codes, room, base, step=1)
    left = _substring_keys(np.concatenate([[0], codes[:-1]]), index, base, step=-1)
    left[left >= 0] += base**LONGEST_SUBSTRING
    return np.column_stack([*right, *left, index + 2 * base**LONGEST_SUBSTRING])


def _substring_keys(codes: IntArray, room: IntArray, base: int, step: int) -> IntArray:
    """Keys of the substrings of 1, 2, ... characters that run by `step` from each position.

    A key is -1 where `room` is too small.
    """
    keys = np.full((LONGEST_SUBSTRING, len(codes)), -1)
    key = np.zeros(len(codes), dtype=np.int64)
    for n in range(LONGEST_SUBSTRING):
        key = key + np.roll(codes, -step * n) * base**n
        keys[n] = np.where(room > n, key, -1)
    return keys
