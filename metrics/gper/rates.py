"""The rates of GPER: functions of counts per paradigm, for many weightings of them at once.

    w   weights of paradigms, shape (r, c): one row per resample; ones give the rate itself
    c   number of paradigms that occur

Source: Li & Hao (2025), "ERAS", section 4.1; the authors' code for what the paper leaves open.
"""

import math
from typing import NamedTuple, TypeVar

import numpy as np

from ..columns import FloatArray
from .options import Options
from .outcomes import POSITIVE, ZERO, Outcomes

Rate = TypeVar("Rate", float, FloatArray)


class Errors(NamedTuple):
    """Counts per paradigm in one direction, each of shape (c,).

    Attributes:
        pairs: All pairs.
        wrong: Pairs classified incorrectly; what accuracy counts.
        errors: Pairs whose cause is asked for; `wrong`, and under ties="code" also the ties.
        detected: Pairs in which occlusion detects a garden path; nan without occlusion.
        detected_errors: Pairs that are both.
    """

    pairs: FloatArray
    wrong: FloatArray
    errors: FloatArray
    detected: FloatArray
    detected_errors: FloatArray


def gper(overall_accuracy: Rate, necessity: Rate) -> Rate:
    """Garden path error rate, (1 - overall accuracy) x necessity.

    Args:
        overall_accuracy: Share of pairs classified correctly, averaged over paradigms, in [0, 1].
        necessity: Share of the misclassifications that occlusion attributes to garden paths, in [0,
            1].

    Returns:
        A rate in [0, 1], lower is better; nan where either is nan. It has no zero: models without
        any garden-path effect score 0.2 to 0.5.

    Source: Li & Hao (2025), the equation of section 4.1.

    Example:
        The paper's WWM row, 32.6:

        >>> round(gper(0.508, 0.662), 3)
        0.326
    """
    return (1 - overall_accuracy) * necessity


def count_errors(outcomes: Outcomes, options: Options, *, is_reverse: bool = False) -> Errors:
    """Errors and detections of one direction, read off the table of outcomes.

    Args:
        outcomes: Counts of c paradigms by sign of the difference and of its shrinking.
        options: `ties` and `similarity` matter.
        is_reverse: Whether to count the mirror image: what would be counted if every difference had
            the opposite sign.

    Returns:
        Counts of shape (c,).
    """
    table = outcomes.table
    if is_reverse:  # the size of a difference shrinks alike both ways, a signed one the other way
        table = table[:, ::-1, ::-1] if options.similarity == "signed" else table[:, ::-1, :]
    counted = [POSITIVE] if options.ties == "strict" else [ZERO, POSITIVE]
    detected = table[:, :, counted].sum(axis=2)
    if not outcomes.has_occlusion:
        detected = np.full_like(detected, math.nan)
    by_difference = table.sum(axis=2)
    return Errors(
        by_difference.sum(axis=1),
        by_difference[:, POSITIVE],
        by_difference[:, counted].sum(axis=1),
        detected.sum(axis=1),
        detected[:, counted].sum(axis=1),
    )


def overall_accuracy(counts: Errors, w: FloatArray) -> FloatArray:
    """Share of correctly classified pairs, averaged over paradigms with equal weight.

    In [0, 1]; 0.5 is ideal, ties are correct.

    Args:
        counts: Counts of c paradigms.
        w: Weights of the paradigms, shape (r, c).

    Returns:
        r values.

    Source: Li & Hao (2025), section 4.1, Evaluation.
    """
    return _mean(1 - counts.wrong / counts.pairs, w)


def necessity(counts: Errors, w: FloatArray, pooling: str | None = "micro") -> FloatArray:
    """Share of errors in which occlusion detects a garden path.

    In [0, 1], lower is better; nan where there is no error.

    Args:
        counts: Counts of c paradigms.
        w: Weights of the paradigms, shape (r, c).
        pooling: "micro": over all pairs; "macro": mean over the paradigms that have errors.

    Returns:
        r values.

    Source: Li & Hao (2025), section 4.1, Causal Analysis; pooled as in the authors' code.
    """
    return _share(counts.detected_errors, counts.errors, w, pooling)


def sufficiency(counts: Errors, w: FloatArray, pooling: str | None = "micro") -> FloatArray:
    """Share of detected garden paths that end in an error.

    In [0, 1], lower is better; nan where none is detected. Arguments, pooling
    and source as in `necessity`.
    """
    return _share(counts.detected_errors, counts.detected, w, pooling)


def garden_path_error_rate(
    counts: Errors, w: FloatArray, pooling: str | None = "micro"
) -> FloatArray:
    """`gper` of r weightings of the paradigms, in [0, 1].

    0 where no pair is wrong, although necessity is undefined there. Arguments as in `necessity`;
    nan without occlusion.
    """
    rate = gper(overall_accuracy(counts, w), necessity(counts, w, pooling))
    return np.where(w @ counts.errors > 0, rate, joint_error_rate(counts, w))


def joint_error_rate(counts: Errors, w: FloatArray) -> FloatArray:
    """Share of pairs that are an error and detected, averaged over paradigms, in [0, 1].

    It is what GPER is said to measure. On paradigms of equal size it is GPER; on others GPER's
    factors weight the paradigms differently. Arguments as in `necessity`.
    """
    return _mean(counts.detected_errors / counts.pairs, w)


def control_minus_test(
    outcomes: Outcomes, w: FloatArray, pooling: str | None = "micro"
) -> FloatArray:
    """Mean of P(positive) of the control minus that of the test sentence, in [-1, 1]; 0 is ideal.

    For `+/-` and `+/0` a positive value is evidence of garden paths, for `-/+` and `-/0` a negative
    one.

    Args:
        outcomes: Counts of c paradigms, meant to be those of one pair of sentiments.
        w: Weights of the paradigms, shape (r, c).
        pooling: "micro": mean over pairs; "macro": mean over paradigms. The paper does not say
            which; on equal sizes they agree.

    Returns:
        r values.

    Source: Li & Hao (2025), section 4.2, Error Analysis.
    """
    return _share(outcomes.differences, outcomes.table.sum(axis=(1, 2)), w, pooling)


def _share(part: FloatArray, whole: FloatArray, w: FloatArray, pooling: str | None) -> FloatArray:
    if pooling == "macro":
        is_defined = whole > 0
        return _mean(
            np.divide(part, whole, out=np.zeros_like(part), where=is_defined), w * is_defined
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        share: FloatArray = (w @ part) / (w @ whole)
    return share


def _mean(values: FloatArray, w: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: FloatArray = (w @ values) / w.sum(axis=1)
    return mean
