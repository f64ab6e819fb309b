"""Splits of data sets that are not random: by a threshold of morphemes per word, adversarial.

The published adversarial split (the study's reading of Søgaard et al. 2021) compares count vectors
by the one-dimensional Wasserstein distance of their VALUES, which is blind to which morphemes
differ: for 0/1 counts it is the difference in their number over the vocabulary size. Its "five"
splits are therefore near-copies of one split by length. `divergent_split` of the builder maximises
what was meant.

Source: Liu & Prud'hommeaux (2022), 7.4; Søgaard et al. (2021).
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from builders.columns import IntArray
from builders.morphseg.divergent_splits import divergent_split
from builders.morphseg.sampling import TEST_SHARE, Setting, Split, data_set_indices, derive_seed
from builders.morphseg.sources import Word
from metrics.morpheme_segmentation.matching import Segmentation

Strategy = Literal["adversarial", "divergent"]
TOLERANCE = 0.02  # of the test share of a heuristic split
TOKEN = re.compile(r"\b\w\w+\b")  # what scikit-learn's CountVectorizer calls a token by default


class HeuristicSplit(NamedTuple):
    """Test positions by threshold: words of `threshold` morphemes or more, `test_share` of all."""

    threshold: int
    test_share: float
    is_splittable: bool
    test: IntArray


def alternative_split_indices(
    setting: Setting, data_set: int, split: str, strategy: Strategy, pool: Sequence[Word]
) -> Split:
    """Divides a data set by another strategy than chance, unlike `sampling.split_indices`.

    Args:
        setting: The setting; its parts are those of the published protocol.
        data_set: Number of the data set, from 1.
        split: A to E: the seed of the strategy.
        strategy: `adversarial` (as published) or `divergent`.
        pool: The word types that the indices point to.

    Returns:
        Pool indices of the parts, no development part.
    """
    drawn = data_set_indices(setting, data_set)
    keys = (setting.seed, setting.language, setting.pool_size, setting.size, setting.method)
    test = STRATEGIES[strategy](
        [pool[i].morphemes for i in drawn],
        int(TEST_SHARE * len(drawn)),
        derive_seed("morphseg", *keys, strategy, data_set, split),
    )
    is_test = np.isin(np.arange(len(drawn)), test)
    return Split(drawn[~is_test], drawn[:0], drawn[is_test])


def heuristic_split(n_morphemes: Sequence[int]) -> HeuristicSplit:
    """Threshold of morphemes per word that puts about 40 % of the words into the test part.

    Args:
        n_morphemes: Morphemes of each word.

    Returns:
        The largest threshold that more than 40 % of the words reach; splittable if their share is
        within 0.40 +- 0.02.

    Source: Liu & Prud'hommeaux (2022), 7.4. Their script writes only the last word of each part;
        the rule is theirs.
    """
    counts = np.asarray(n_morphemes)
    for threshold in range(int(counts.max()), 0, -1):
        n_test = int((counts >= threshold).sum())
        if n_test > TEST_SHARE * len(counts):
            break
    share = n_test / len(counts)
    is_splittable = TEST_SHARE - TOLERANCE <= share <= TEST_SHARE + TOLERANCE
    return HeuristicSplit(threshold, share, is_splittable, np.flatnonzero(counts >= threshold))


def adversarial_split(segmentations: Sequence[Segmentation], n_test: int, seed: int) -> IntArray:
    """Test positions of the published adversarial split, in its closed form.

    The neighbours of a random vector of counts are sought by the Wasserstein distance of values.
    For vectors u and v over V morphemes that is the sum over t >= 1 of |#(u >= t) - #(v >= t)| / V,
    so no vector is ever built. As published, morphemes are lower-cased and those of one character
    are dropped.

    Args:
        segmentations: Morphemes of each word.
        n_test: Number of words to choose.
        seed: Seed of the random centroid.

    Returns:
        Positions, sorted; ties go to the earlier word (the published ball tree leaves them open).
    """
    counts = [Counter(TOKEN.findall(" ".join(s).lower())) for s in segmentations]
    n_types = len(set().union(*counts))
    largest = max((n for c in counts for n in c.values()), default=0)
    centroid = np.random.PCG64(seed).random_raw(n_types) % np.uint64(largest + 1)
    distance = np.zeros(len(counts), np.int64)
    for level in range(1, largest + 1):
        distance += np.abs(
            np.array([sum(n >= level for n in c.values()) for c in counts])
            - int((centroid >= level).sum())
        )
    return np.sort(np.argsort(distance, kind="stable")[:n_test])


STRATEGIES = {"adversarial": adversarial_split, "divergent": divergent_split}
