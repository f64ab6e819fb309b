"""Splits that are not random: by a threshold of morphemes per word, adversarial, most divergent.

The published adversarial split (the study's reading of Søgaard et al. 2021) compares count vectors
by the one-dimensional Wasserstein
distance of their VALUES, which is blind to which morphemes differ: for 0/1 counts it is the
difference in their number over the vocabulary size. Its "five" splits are therefore near-copies of
one split by length. `divergent_split` maximises what was meant.

Source: Liu & Prud'hommeaux (2022), 7.4; Søgaard et al. (2021).
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from builders.columns import BoolArray, FloatArray, IntArray
from builders.morphseg.sampling import (
    PROTOCOLS,
    TEST_SHARE,
    Setting,
    Split,
    cut,
    data_set_indices,
    derive_seed,
    shuffled_indices,
)
from builders.morphseg.sources import Word
from metrics.morpheme_segmentation.matching import Segmentation

Strategy = Literal["heuristic", "adversarial", "divergent"]
TOLERANCE = 0.02  # of the test share of a heuristic split
TOKEN = re.compile(r"\b\w\w+\b")  # what scikit-learn's CountVectorizer calls a token by default
BLURS = (0.9, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001)
LARGEST_N_ROUNDS = 60  # of one blur; a dozen are usual
TINY = 1e-12  # stands for the zero probability of a morpheme that one part lacks


class HeuristicSplit(NamedTuple):
    """Test positions by threshold: words of `threshold` morphemes or more, `test_share` of all."""

    threshold: int
    test_share: float
    is_splittable: bool
    test: IntArray


def alternative_split_indices(
    setting: Setting, data_set: int, split: str, strategy: Strategy, pool: Sequence[Word]
) -> Split | None:
    """Divides a data set by another strategy than chance, unlike `sampling.split_indices`.

    Args:
        setting: The setting; its protocol decides on the development part, which is taken at random
            from what is not test.
        data_set: Number of the data set, from 1.
        split: A to E: the seed of the strategy, which `heuristic` does not need.
        strategy: `heuristic`, `adversarial` (as published) or `divergent`.
        pool: The word types that the indices point to.

    Returns:
        Pool indices of the parts; None where no threshold gives a heuristic split.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy, got {strategy!r}; expected {', '.join(STRATEGIES)}")
    drawn = data_set_indices(setting, data_set)
    rows = shuffled_indices(setting, data_set, split)
    keys = (setting.seed, setting.language, setting.pool_size, setting.size, setting.method)
    test = STRATEGIES[strategy](
        [pool[i].morphemes for i in drawn],
        derive_seed("morphseg", *keys, strategy, data_set, split),
    )
    if test is None:
        return None
    is_test = np.isin(np.arange(len(drawn)), test)
    protocol = PROTOCOLS[setting.protocol]
    if not protocol.is_type_disjoint:
        return Split(drawn[~is_test], drawn[:0], drawn[is_test])
    is_test = np.isin(drawn, drawn[is_test])  # the copies of a test word are test words
    train, dev = cut(
        rows[~np.isin(rows, drawn[is_test])], int(protocol.dev_share * len(rows)), protocol
    )
    return Split(train, dev, drawn[is_test])


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


def divergent_split(segmentations: Sequence[Segmentation], n_test: int, seed: int) -> IntArray:
    """Test positions for which training and test part differ most in WHICH morphemes they have.

    Maximises the Jensen-Shannon divergence of the two parts' mean morpheme distributions (each word
    has weight 1, shared by its morphemes, so long words count no more than short ones). The
    objective is convex in the assignment, so the n_test words of the steepest ascent are chosen
    again and again until nothing changes; the parts are first blurred into each other, then less
    and less, so that frequent morphemes are settled before rare ones. Morphemes of one word say
    nothing about where it belongs and are left out.

    Args:
        segmentations: Morphemes of each word.
        n_test: Number of words to choose, of fewer than all.
        seed: Seed of the start, a random direction over morphemes; different seeds end in different
            local maxima.

    Returns:
        Positions, sorted.
    """
    n = len(segmentations)
    words, morphemes, weights = _shared_morphemes(segmentations)
    n_words_of = np.bincount(morphemes)
    gain: FloatArray = (np.random.PCG64(seed).random_raw(len(n_words_of)) / 2**63 - 1) * np.sqrt(
        n_words_of
    )
    best, chosen, is_test = -1.0, np.zeros(n, bool), np.zeros(n, bool)
    for blur in BLURS:
        for _ in range(LARGEST_N_ROUNDS):
            before, is_test = (
                is_test,
                _largest(np.bincount(words, weights * gain[morphemes], n).astype(float), n_test),
            )
            test, train = _mean_distributions(
                is_test[words], morphemes, weights, n_test, n - n_test
            )
            if (divergence := _jensen_shannon(test, train)) > best:
                best, chosen = divergence, is_test
            gain = _ascent(test, train, blur, n_test / n)
            if np.array_equal(before, is_test):
                break
    return np.flatnonzero(chosen)


def _incidence(segmentations: Sequence[Segmentation]) -> tuple[IntArray, IntArray, FloatArray]:
    lengths = np.array([len(s) for s in segmentations])
    _, morphemes = np.unique([m for s in segmentations for m in s], return_inverse=True)
    return np.repeat(np.arange(len(lengths)), lengths), morphemes, np.repeat(1 / lengths, lengths)


def _shared_morphemes(
    segmentations: Sequence[Segmentation],
) -> tuple[IntArray, IntArray, FloatArray]:
    words, morphemes, weights = _incidence(segmentations)
    is_shared = np.bincount(morphemes)[morphemes] > 1
    _, numbers = np.unique(morphemes[is_shared], return_inverse=True)
    return words[is_shared], numbers, weights[is_shared]


def _largest(values: FloatArray, n: int) -> BoolArray:
    is_large = np.zeros(len(values), bool)
    is_large[np.argsort(-values, kind="stable")[:n]] = True
    return is_large


def _mean_distributions(
    is_test: BoolArray, morphemes: IntArray, weights: FloatArray, n_test: int, n_train: int
) -> tuple[FloatArray, FloatArray]:
    n_types = len(np.bincount(morphemes))
    return np.bincount(morphemes, weights * is_test, n_types) / n_test, np.bincount(
        morphemes, weights * ~is_test, n_types
    ) / n_train


def _jensen_shannon(first: FloatArray, second: FloatArray) -> float:
    middle = (first + second) / 2
    return float(
        sum((part * np.log2(np.maximum(part, TINY) / middle)).sum() for part in (first, second)) / 2
    )


def _ascent(test: FloatArray, train: FloatArray, blur: float, test_share: float) -> FloatArray:
    middle = (test + train) / 2
    log_test, log_train = (
        np.log2(np.maximum((1 - blur) * part + blur * middle, TINY) / middle)
        for part in (test, train)
    )
    return log_test / test_share - log_train / (1 - test_share)


def _heuristic_test(segmentations: Sequence[Segmentation], seed: int) -> IntArray | None:
    split = heuristic_split([len(s) for s in segmentations])
    return split.test if split.is_splittable else None


def _adversarial_test(segmentations: Sequence[Segmentation], seed: int) -> IntArray | None:
    return adversarial_split(segmentations, int(TEST_SHARE * len(segmentations)), seed)


def _divergent_test(segmentations: Sequence[Segmentation], seed: int) -> IntArray | None:
    return divergent_split(segmentations, int(TEST_SHARE * len(segmentations)), seed)


STRATEGIES = {
    "heuristic": _heuristic_test,
    "adversarial": _adversarial_test,
    "divergent": _divergent_test,
}
