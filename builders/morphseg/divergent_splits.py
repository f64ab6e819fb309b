"""The split whose parts differ most in their morphemes: what adversarial splits are meant to be.

Source: Søgaard et al. (2021).
"""

from collections.abc import Sequence

import numpy as np

from builders.columns import FloatArray, IntArray
from metrics.morpheme_segmentation.matching import Segmentation

BLURS = (0.9, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001)
LARGEST_N_ROUNDS = 60  # of one blur; a dozen are usual
TINY = 1e-12  # stands for the zero probability of a morpheme that one part lacks


def divergent_split(segmentations: Sequence[Segmentation], n_test: int, seed: int) -> IntArray:
    """Sorted test positions for which both parts differ most in WHICH morphemes they have.

    Maximises the Jensen-Shannon divergence of the two parts' mean morpheme distributions (each word
    has weight 1, shared by its morphemes). The objective is convex in the assignment, so the n_test
    words of the steepest ascent are chosen again and again until nothing changes; the parts are
    first blurred into each other, then less and less, so that frequent morphemes are settled before
    rare ones. A seed is a random direction over morphemes to start in.
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
            before, is_test = is_test, np.zeros(n, bool)
            values = np.bincount(words, weights * gain[morphemes], n).astype(float)
            is_test[np.argsort(-values, kind="stable")[:n_test]] = True
            inside = is_test[words]
            test, train = (
                np.bincount(morphemes, weights * of_part, len(n_words_of)) / n_part
                for of_part, n_part in ((inside, n_test), (~inside, n - n_test))
            )
            middle = (test + train) / 2  # the divergence is that of Jensen and Shannon
            logs = ((part, np.log2(np.maximum(part, TINY) / middle)) for part in (test, train))
            if (divergence := float(sum((part * log).sum() for part, log in logs) / 2)) > best:
                best, chosen = divergence, is_test
            gain = _ascent(test, train, blur, n_test / n)
            if np.array_equal(before, is_test):
                break
    return np.flatnonzero(chosen)


def _shared_morphemes(
    segmentations: Sequence[Segmentation],
) -> tuple[IntArray, IntArray, FloatArray]:
    lengths = np.array([len(s) for s in segmentations])
    _, morphemes = np.unique([m for s in segmentations for m in s], return_inverse=True)
    words, weights = np.repeat(np.arange(len(lengths)), lengths), np.repeat(1 / lengths, lengths)
    is_shared = np.bincount(morphemes)[morphemes] > 1
    _, numbers = np.unique(morphemes[is_shared], return_inverse=True)
    return words[is_shared], numbers, weights[is_shared]


def _ascent(test: FloatArray, train: FloatArray, blur: float, test_share: float) -> FloatArray:
    middle = (test + train) / 2
    log_test, log_train = (
        np.log2(np.maximum((1 - blur) * part + blur * middle, TINY) / middle)
        for part in (test, train)
    )
    return log_test / test_share - log_train / (1 - test_share)
