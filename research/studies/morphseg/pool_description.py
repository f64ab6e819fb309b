"""Data characteristics of many splits at once.

Each word of the pool is described once, a split or new test set is a look-up. The five published
characteristics; `metrics.split_characteristics` defines each, and tests compare every figure with
it.

Source: Liu & Prud'hommeaux (2022), 7.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from builders.columns import FloatArray, IntArray
from builders.morphseg.columns import FEATURES
from builders.morphseg.sources import Word

DECIMALS = 2


@dataclass(frozen=True)
class PoolDescription:
    """What the characteristics need of each of n words.

    Attributes:
        n_morphs: Morphemes per word, shape (n,).
        morph_length: Mean length of a word's morphemes, rounded as published, shape (n,).
        morphs: Numbers of the morphemes of all words, one word after the other; equal morphemes
            have equal numbers.
        ends: End of each word's morphemes in `morphs`, shape (n,).
    """

    n_morphs: IntArray
    morph_length: FloatArray
    morphs: IntArray
    ends: IntArray

    @classmethod
    def of(cls, pool: Sequence[Word]) -> "PoolDescription":
        """Describes the words of a pool."""
        numbers: dict[str, int] = {}
        morphs = [
            numbers.setdefault(morph, len(numbers)) for word in pool for morph in word.morphemes
        ]
        n_morphs = np.array([len(word.morphemes) for word in pool], dtype=np.int64)
        lengths = [round(len(word.word) / len(word.morphemes), DECIMALS) for word in pool]
        return cls(
            n_morphs, np.array(lengths), np.array(morphs, dtype=np.int64), np.cumsum(n_morphs)
        )

    def characteristics(self, train: IntArray, tests: IntArray) -> dict[str, FloatArray]:
        """Compares training words with test sets.

        Args:
            train: Pool indices of the training words.
            tests: Pool indices of n test sets, shape (n, size).

        Returns:
            For each of FEATURES n values, as `published_characteristics` of the metric gives them
            for one test set.
        """
        n_seen = self._n_seen_morphs(train)
        in_train = np.isin(np.arange(len(self.n_morphs)), train)
        n_test_morphs = self.n_morphs[tests].sum(1)
        values = (
            100 * in_train[tests].mean(1),
            100 * n_seen[tests].sum(1) / n_test_morphs,
            self.n_morphs[train].mean() / self.n_morphs[tests].mean(1),
            self._count_distances(train, tests),
            self.morph_length[train].mean() / self.morph_length[tests].mean(1),
        )
        rounded = (
            [round(one, DECIMALS) for one in value.tolist()] for value in values
        )  # not numpy's rounding, which multiplies first
        return {name: np.array(value) for name, value in zip(FEATURES, rounded, strict=True)}

    def _n_seen_morphs(self, train: IntArray) -> IntArray:
        """For each word of the pool, how many of its morphemes occur in training words."""
        is_train = np.zeros(len(self.n_morphs), dtype=bool)
        is_train[train] = True
        is_seen = np.zeros(int(self.morphs.max()) + 1, dtype=np.int64)
        is_seen[self.morphs[np.repeat(is_train, self.n_morphs)]] = 1
        return np.asarray(np.add.reduceat(is_seen[self.morphs], self.ends - self.n_morphs))

    def _count_distances(self, train: IntArray, tests: IntArray) -> FloatArray:
        """Wasserstein distances of morphemes per word.

        The area between the cumulative distributions.
        """
        counts = np.arange(int(self.n_morphs.max()))
        below_train = (self.n_morphs[train][:, None] <= counts).mean(0)
        below_test = np.stack([(self.n_morphs[tests] <= count).mean(1) for count in counts], axis=1)
        return np.asarray(np.abs(below_train - below_test).sum(1))
