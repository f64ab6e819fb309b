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

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..columns import (
    BoolArray,
    FloatArray,
    IntArray,
    check_lengths,
    to_float_matrix,
    to_int_array,
)
from ..paradigms import PARADIGMS, check_paradigm_ids

SignArray = npt.NDArray[np.int8]

EQUAL_WITHIN = 1e-12
"""Far above the rounding of decimal fractions, far below what a float32 probability resolves."""
SATURATION_MARGIN = 0.001
BLOCK = 8_192
"""Pairs at a time: their arrays of 64 kB stay in the cache, and no memory is mapped for them."""
ZERO, POSITIVE = 1, 2  # places on the axes of a table of outcomes; 0 is negative

IS_NEGATIVE = np.array(
    [False] + [paradigm.true_sentiment == "-" for paradigm in PARADIGMS]
)  # index: paradigm id


class Pairs(NamedTuple):
    """Sentence pairs: P(positive), shape (n, 4), or (n, 2) without occlusion, and paradigm ids."""

    probabilities: FloatArray
    paradigm_ids: IntArray


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


def read_pairs(
    predictions: Any, references: Any, *, scale: str = "probability", exclude: tuple[int, ...] = ()
) -> Pairs:
    """Reads and checks the inputs of GPER.

    Args:
        predictions: n rows of P(positive), or logits of it: test, control, occluded test, occluded
            control; or the first two only.
        references: n paradigm ids.
        scale: "probability", or "logit" for values of which the sigmoid is P(positive).
        exclude: Ids of paradigms whose pairs are left out.

    Returns:
        P(positive) of the pairs that remain, shape (n, 4) or (n, 2), and their paradigm ids, shape
        (n,).

    Raises:
        ValueError: Lengths differ, a row is not 2 or 4 wide, a value is nan or no probability, an
            id is unknown, or nothing is left.
    """
    values = to_float_matrix("gper: predictions", predictions, (4, 2))
    paradigm_ids = to_int_array("gper: references", references)
    check_lengths("gper", predictions=values, references=paradigm_ids)
    check_paradigm_ids("gper: references", paradigm_ids)
    probabilities = to_probabilities(values, scale)
    if exclude:
        is_kept = ~np.isin(paradigm_ids, exclude)
        probabilities, paradigm_ids = probabilities[is_kept], paradigm_ids[is_kept]
        if not len(paradigm_ids):
            raise ValueError(
                f"gper: exclude, got {list(exclude)}, which leaves no pair; "
                "expected at least one paradigm to remain"
            )
    return Pairs(probabilities, paradigm_ids)


def to_probabilities(values: FloatArray, scale: str) -> FloatArray:
    """P(positive) in [0, 1]: the sigmoid of logits; a ValueError for a probability outside."""
    if scale == "logit":
        return np.exp(-np.logaddexp(0.0, -values))
    if values.min() < 0 or values.max() > 1:
        row, column = np.argwhere((values < 0) | (values > 1))[0].tolist()
        raise ValueError(
            f"gper: predictions[{row}, {column}]: got {values[row, column]}; "
            "expected a probability in [0, 1]; logits need scale='logit'"
        )
    return values


def count_outcomes(pairs: Pairs, similarity: str | None = "absolute") -> Outcomes:
    """Outcomes per paradigm: joint histograms of blocks of pairs, oriented afterwards."""
    n_ids = len(IS_NEGATIVE)
    counts, sums = np.zeros(9 * n_ids), np.zeros(n_ids)
    for start in range(0, len(pairs.paradigm_ids), BLOCK):
        block = Pairs(
            pairs.probabilities[start : start + BLOCK], pairs.paradigm_ids[start : start + BLOCK]
        )
        differences, shrinking = compare_pairs(block, similarity)
        cells = 9 * block.paradigm_ids + (3 * signs(differences) + signs(shrinking) + 4)
        counts += np.bincount(cells, minlength=9 * n_ids)
        sums += np.bincount(block.paradigm_ids, weights=differences, minlength=n_ids)
    table = counts.reshape(-1, 3, 3)
    table[IS_NEGATIVE] = table[IS_NEGATIVE, ::-1]
    present = np.flatnonzero(table.any(axis=(1, 2)))
    return Outcomes(present, table[present], sums[present], pairs.probabilities.shape[1] == 4)


def compare_pairs(
    pairs: Pairs, similarity: str | None = "absolute"
) -> tuple[FloatArray, FloatArray]:
    """Measures the difference of each pair and how it shrinks under occlusion.

    Args:
        pairs: The n pairs.
        similarity: "absolute": |difference| minus |occluded difference|; "signed": difference minus
            occluded difference, both oriented.

    Returns:
        Differences, not oriented, and shrinkings (zeros where no occluded sentences were scored),
        each in [-1, 1], shape (n,).
    """
    probabilities = pairs.probabilities
    differences = probabilities[:, 1] - probabilities[:, 0]
    if probabilities.shape[1] == 2:
        return differences, np.zeros_like(differences)
    occluded = probabilities[:, 3] - probabilities[:, 2]
    if similarity == "signed":
        return differences, orient(differences - occluded, pairs.paradigm_ids)
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
