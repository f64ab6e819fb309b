"""From the probabilities of sentence pairs to counts of outcomes per paradigm.

GPER and its rates are computed from these counts.

In: P(positive) of test, control, occluded test and occluded control sentence, and the pair's
paradigm.
Out: for every paradigm, how often each sign of the difference meets each sign of its shrinking
under occlusion.

    difference  P(positive) of the control minus that of the test sentence
    shrinking   by how much occlusion brings the two closer; positive: a garden path is detected

A pair is classified incorrectly where the difference has the sign of the paradigm's true sentiment;
counts are oriented so that this is the positive end of the axis.

Source: Li & Hao (2025), section 4.1.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..columns import BoolArray, FloatArray, IntArray
from ..paradigms import EVERY_PARADIGM
from .pairs import RatedPairs

SignArray = npt.NDArray[np.int8]

EQUAL_WITHIN = 1e-12
"""Far above the rounding of decimal fractions, far below what a float32 probability resolves."""
SATURATION_MARGIN = 0.001
BLOCK = 8_192
"""Pairs at a time: their arrays of 64 kB stay in the cache, and no memory is mapped for them."""
ZERO, POSITIVE = 1, 2  # places on the axes of a table of outcomes; 0 is negative

IS_NEGATIVE = np.array(
    [False] + [paradigm.true_sentiment == "-" for paradigm in EVERY_PARADIGM]
)  # index: paradigm id


class Outcomes(NamedTuple):
    """Counts for the c paradigms that occur.

    Attributes:
        paradigm_ids: Their ids, ascending, shape (c,).
        table: Pairs by oriented sign of the difference and sign of the shrinking, shape (c, 3, 3);
            axes: negative, zero, positive.
        differences: Sum over pairs of P(positive) of the control minus that of the test sentence,
            shape (c,); not oriented.
        has_occlusion: Whether the second axis of the table means anything.
    """

    paradigm_ids: IntArray
    table: FloatArray
    differences: FloatArray
    has_occlusion: bool

    def select(self, is_selected: BoolArray) -> "Outcomes":
        """Outcomes of some of the paradigms; `is_selected` has shape (c,)."""
        return Outcomes(
            self.paradigm_ids[is_selected],
            self.table[is_selected],
            self.differences[is_selected],
            self.has_occlusion,
        )


def count_outcomes(pairs: RatedPairs, similarity: str | None = "absolute") -> Outcomes:
    """Outcomes per paradigm: joint histograms of blocks of pairs, oriented afterwards."""
    n_ids = len(IS_NEGATIVE)
    counts, sums = np.zeros(9 * n_ids), np.zeros(n_ids)
    for start in range(0, len(pairs.paradigm_ids), BLOCK):
        ids = pairs.paradigm_ids[start : start + BLOCK]
        differences, shrinking = compare_pairs(
            pairs.probabilities[start : start + BLOCK], ids, similarity
        )
        cells = 9 * ids + (3 * signs(differences) + signs(shrinking) + 4)
        counts += np.bincount(cells, minlength=9 * n_ids)
        sums += np.bincount(ids, weights=differences, minlength=n_ids)
    table = counts.reshape(-1, 3, 3)
    table[IS_NEGATIVE] = table[IS_NEGATIVE, ::-1]
    present = np.flatnonzero(table.any(axis=(1, 2)))
    return Outcomes(present, table[present], sums[present], pairs.has_occlusion)


def compare_pairs(
    probabilities: FloatArray, paradigm_ids: IntArray, similarity: str | None = "absolute"
) -> tuple[FloatArray, FloatArray]:
    """Difference of each pair and how it shrinks under occlusion.

    Args:
        probabilities: P(positive) of n pairs, shape (n, 2), (n, 4) or (n, 6).
        paradigm_ids: Shape (n,).
        similarity: "absolute": |difference| minus |occluded difference|; "signed": difference minus
            occluded difference, both oriented.

    Returns:
        Differences, not oriented, and shrinkings (zeros where no occluded sentences were scored),
        each in [-1, 1], shape (n,).
    """
    differences = probabilities[:, 1] - probabilities[:, 0]
    if probabilities.shape[1] == 2:
        return differences, np.zeros_like(differences)
    occluded = probabilities[:, 3] - probabilities[:, 2]
    if similarity == "signed":
        return differences, orient(differences - occluded, paradigm_ids)
    return differences, np.abs(differences) - np.abs(occluded)


def orient(differences: FloatArray, paradigm_ids: IntArray) -> FloatArray:
    """Differences with the sign that makes an incorrect classification positive."""
    return np.where(IS_NEGATIVE[paradigm_ids], -differences, differences)


def saturated_share(probabilities: FloatArray) -> float:
    """Share of probabilities within 0.001 of 0 or 1, where differences are squeezed to zero."""
    n_low = np.count_nonzero(probabilities < SATURATION_MARGIN)
    return int(n_low + np.count_nonzero(probabilities > 1 - SATURATION_MARGIN)) / probabilities.size


def signs(values: FloatArray) -> SignArray:
    """-1, 0 or 1 for each value; values within 1e-12 of zero count as zero."""
    return (values > EQUAL_WITHIN).view(np.int8) - (values < -EQUAL_WITHIN).view(np.int8)
