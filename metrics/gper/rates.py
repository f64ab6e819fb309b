"""The published quantities: accuracy, necessity, sufficiency and GPER, the garden path error rate.

    difference  P(positive) of the control minus that of the test sentence
    shrinking   by how much occlusion brings the two closer; positive: a garden path is detected
    w           weights of paradigms, shape (r, c): one row per resample; ones give the rate itself
    pooling     "micro": over all pairs; "macro": mean over the paradigms where it is defined

A pair is classified incorrectly where the difference has the sign of the paradigm's true sentiment;
counts are oriented so that this is the positive end of the axis. Rates of counts have shape (r,).

Source: Li & Hao (2025), "ERAS", section 4.1; the authors' code for what the paper leaves open.
"""

import math
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from .._shared.columns import BoolArray, FloatArray, IntArray, rows_of
from .._shared.paradigms import EVERY_PARADIGM, cluster_index, groups_of
from .._shared.uncertainty import cluster_intervals, undefined_interval
from .inputs import PARTS, RatedPairs
from .occlusion import IS_DEGENERATE
from .options import Options

Rate = TypeVar("Rate", float, FloatArray)
SignArray = npt.NDArray[np.int8]

EQUAL_WITHIN = 1e-12
"""Far above the rounding of decimal fractions, far below what a float32 probability resolves."""
SATURATION_MARGIN = 0.001
BLOCK = 8_192
"""Pairs at a time: their arrays of 64 kB stay in the cache, and no memory is mapped for them."""
ZERO, POSITIVE = 1, 2  # places on the axes of a table of outcomes; 0 is negative
RATES = ("overall_accuracy", "necessity", "sufficiency", "gper", "gper_reverse", "gper_excess")
ROW_RATES = (*RATES, "control_minus_test")
NEEDS_OCCLUSION = (*RATES[1:], "gper_joint", "gper_without_degenerate")
IS_NEGATIVE = np.array([False] + [p.true_sentiment == "-" for p in EVERY_PARADIGM])


def gper(overall_accuracy: Rate, necessity: Rate) -> Rate:
    """Garden path error rate, (1 - overall accuracy) x necessity, of two shares in [0, 1].

    A rate in [0, 1], lower is better; nan where either is nan. It has no zero: models without any
    garden-path effect score 0.2 to 0.5. Source: Li & Hao (2025), the equation of section 4.1.

    Example:
        The paper's WWM row, 32.6:

        >>> round(gper(0.508, 0.662), 3)
        0.326
    """
    return (1 - overall_accuracy) * necessity


class Errors(NamedTuple):
    """Counts per paradigm in one direction, each of shape (c,).

    All pairs; those classified incorrectly, which accuracy counts; those whose cause is asked for,
    with ties="code" also the ties; those in which occlusion detects a garden path, nan without
    occlusion; those that are both.
    """

    pairs: FloatArray
    wrong: FloatArray
    errors: FloatArray
    detected: FloatArray
    detected_errors: FloatArray


def overall_accuracy(counts: Errors, w: FloatArray) -> FloatArray:
    """Share of correctly classified pairs, averaged over paradigms with equal weight.

    In [0, 1]; 0.5 is ideal, ties are correct. Source: Li & Hao (2025), section 4.1, Evaluation.
    """
    return _mean(1 - counts.wrong / counts.pairs, w)


def necessity(counts: Errors, w: FloatArray, pooling: str | None = "micro") -> FloatArray:
    """Share of errors in which occlusion detects a garden path, in [0, 1]; nan without errors.

    Source: Li & Hao (2025), section 4.1, Causal Analysis; pooled as in the authors' code.
    """
    return _share(counts.detected_errors, counts.errors, w, pooling)


def sufficiency(counts: Errors, w: FloatArray, pooling: str | None = "micro") -> FloatArray:
    """Share of detected garden paths that end in an error, in [0, 1]; nan for none detected."""
    return _share(counts.detected_errors, counts.detected, w, pooling)


def garden_path_error_rate(
    counts: Errors, w: FloatArray, pooling: str | None = "micro"
) -> FloatArray:
    """`gper` of r weightings of the paradigms, in [0, 1].

    0 where no pair is wrong, although necessity is undefined there; nan without occlusion.
    """
    rate = gper(overall_accuracy(counts, w), necessity(counts, w, pooling))
    return np.where(w @ counts.errors > 0, rate, joint_error_rate(counts, w))


def joint_error_rate(counts: Errors, w: FloatArray) -> FloatArray:
    """Share of pairs that are an error and detected, averaged over paradigms, in [0, 1].

    It is what GPER is said to measure, and is GPER on paradigms of equal size.
    """
    return _mean(counts.detected_errors / counts.pairs, w)


class Outcomes(NamedTuple):
    """Counts for the c paradigms that occur.

    Attributes:
        table: Pairs by oriented sign of the difference and sign of the shrinking, shape (c, 3, 3);
            axes: negative, zero, positive.
        differences: Sum over pairs of P(positive) of the control minus that of the test sentence,
            shape (c,); not oriented.
        has_occlusion: Whether the second axis of the table means anything.
    """

    paradigm_ids: IntArray
    clusters: IntArray
    table: FloatArray
    differences: FloatArray
    has_occlusion: bool

    def select(self, is_selected: BoolArray) -> "Outcomes":
        """Outcomes of some of the paradigms; `is_selected` has shape (c,)."""
        names = ("paradigm_ids", "clusters", "table", "differences")
        return self._replace(**{name: getattr(self, name)[is_selected] for name in names})


def control_minus_test(
    outcomes: Outcomes, w: FloatArray, pooling: str | None = "micro"
) -> FloatArray:
    """Mean of P(positive) of the control minus that of the test sentence, in [-1, 1]; 0 is ideal.

    For `+/-` and `+/0` a positive value is evidence of garden paths, for `-/+` and `-/0` a negative
    one. Source: Li & Hao (2025), section 4.2; how it is pooled is not said there.
    """
    return _share(outcomes.differences, outcomes.table.sum(axis=(1, 2)), w, pooling)


def _share(part: FloatArray, whole: FloatArray, w: FloatArray, pooling: str | None) -> FloatArray:
    if pooling == "macro":
        is_defined = whole > 0
        share = np.divide(part, whole, out=np.zeros_like(part), where=is_defined)
        return _mean(share, w * is_defined)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((w @ part) / (w @ whole))


def _mean(values: FloatArray, w: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((w @ values) / w.sum(axis=1))


def count_outcomes(
    pairs: RatedPairs, similarity: str | None = "absolute", cluster: str | None = "family"
) -> Outcomes:
    """Outcomes per paradigm: joint histograms of blocks of pairs, oriented afterwards."""
    n_ids = len(IS_NEGATIVE)
    counts, sums = np.zeros(9 * n_ids), np.zeros(n_ids)
    for start in range(0, len(pairs.paradigm_ids), BLOCK):
        ids = pairs.paradigm_ids[start : start + BLOCK]
        rated = pairs.probabilities[start : start + BLOCK]
        differences, shrinking = compare_pairs(rated, ids, similarity)
        cells = 9 * ids + (3 * signs(differences) + signs(shrinking) + 4)
        counts += np.bincount(cells, minlength=9 * n_ids)
        sums += np.bincount(ids, weights=differences, minlength=n_ids)
    table = counts.reshape(-1, 3, 3)
    table[IS_NEGATIVE] = table[IS_NEGATIVE, ::-1]
    present = np.flatnonzero(table.any(axis=(1, 2)))
    clusters = cluster_index(present, cluster)
    return Outcomes(present, clusters, table[present], sums[present], pairs.has_occlusion)


def compare_pairs(
    probabilities: FloatArray, paradigm_ids: IntArray, similarity: str | None = "absolute"
) -> tuple[FloatArray, FloatArray]:
    """Difference of each pair, not oriented, and how it shrinks, in [-1, 1], of shape (n,) each.

    "absolute": in size; "signed": oriented. Zeros where no occluded sentences were scored.
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
    is_low, is_high = probabilities < SATURATION_MARGIN, probabilities > 1 - SATURATION_MARGIN
    return int(np.count_nonzero(is_low) + np.count_nonzero(is_high)) / probabilities.size


def signs(values: FloatArray) -> SignArray:
    """-1, 0 or 1 for each value; values within 1e-12 of zero count as zero."""
    return (values > EQUAL_WITHIN).view(np.int8) - (values < -EQUAL_WITHIN).view(np.int8)


def count_errors(outcomes: Outcomes, options: Options, *, is_reverse: bool = False) -> Errors:
    """Errors and detections of one direction, or of the reverse: every difference negated."""
    table = outcomes.table
    if is_reverse:  # the size of a difference shrinks alike both ways, a signed one the other way
        table = table[:, ::-1, ::-1] if options.similarity == "signed" else table[:, ::-1, :]
    counted = [POSITIVE] if options.ties == "strict" else [ZERO, POSITIVE]
    detected = table[:, :, counted].sum(axis=2)
    if not outcomes.has_occlusion:
        detected = np.full_like(detected, math.nan)
    by_difference = table.sum(axis=2)
    n, wrong = by_difference.sum(axis=1), by_difference[:, POSITIVE]
    errors, both = (counts[:, counted].sum(axis=1) for counts in (by_difference, detected))
    return Errors(n, wrong, errors, detected.sum(axis=1), both)


def rate_tables(
    pairs: RatedPairs, options: Options
) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """Everything that is counted: rates of the suite, ties, and tables of its parts."""
    outcomes = count_outcomes(pairs, options.similarity, options.cluster)
    result = score_outcomes(outcomes, options, is_whole=True) | _tie_counts(outcomes)
    result["saturated_share"] = saturated_share(pairs.probabilities)
    return result, {
        "by_paradigm": _paradigm_rows(outcomes, options),
        "by_branching": _group_rows(outcomes, options, "branching"),
        "by_sentiment": _group_rows(outcomes, options, "sentiment"),
    }


def score_outcomes(
    outcomes: Outcomes, options: Options, *, is_whole: bool = False, is_one_class: bool = False
) -> dict[str, Any]:
    """Scores of a set of paradigms with their intervals, `n` and `n_clusters`."""
    clusters = np.unique(outcomes.clusters, return_inverse=True)[1]
    n_clusters = int(clusters.max()) + 1
    names = list(RATES)
    if is_whole:
        names += ["gper_joint", "gper_without_degenerate"]
    if is_one_class:
        names.append("control_minus_test")

    def statistics(w: FloatArray) -> FloatArray:
        found = weighted_rates(outcomes, options, w[:, clusters])
        return np.stack([found[name] for name in names], axis=1)

    values = statistics(np.ones((1, n_clusters)))[0].tolist()
    result: dict[str, Any] = {"n": int(outcomes.table.sum()), "n_clusters": n_clusters}
    result |= dict(zip(names, values, strict=True))
    if options.confidence is None:
        return result
    intervals = cluster_intervals(statistics, n_clusters, **options.resampling())
    for name, interval in zip(names, intervals, strict=True):
        if name in NEEDS_OCCLUSION and not outcomes.has_occlusion:
            interval = undefined_interval("no occluded sentences were scored")
        result |= interval.as_fields(name)
    return result


def weighted_rates(outcomes: Outcomes, options: Options, w: FloatArray) -> dict[str, FloatArray]:
    """Every rate of c paradigms by name, shape (r,), for weights of shape (r, c)."""
    pooling = options.pooling
    forward, reverse = (count_errors(outcomes, options, is_reverse=way) for way in (False, True))
    rate, reverse_rate = (garden_path_error_rate(one, w, pooling) for one in (forward, reverse))
    exact = w * ~IS_DEGENERATE[outcomes.paradigm_ids]
    return {
        "overall_accuracy": overall_accuracy(forward, w),
        "necessity": necessity(forward, w, pooling),
        "sufficiency": sufficiency(forward, w, pooling),
        "gper": rate,
        "gper_reverse": reverse_rate,
        "gper_excess": rate - reverse_rate,
        "gper_joint": joint_error_rate(forward, w),
        "gper_without_degenerate": garden_path_error_rate(forward, exact, pooling),
        "control_minus_test": control_minus_test(outcomes, w, pooling),
    }


def _group_rows(outcomes: Outcomes, options: Options, attribute: str) -> list[dict[str, Any]]:
    return [
        score_outcomes(outcomes.select(is_in), options, is_one_class=attribute == "sentiment")
        for _, is_in in groups_of(outcomes.paradigm_ids, attribute, PARTS[attribute])
    ]


def _paradigm_rows(outcomes: Outcomes, options: Options) -> list[dict[str, Any]]:
    found = weighted_rates(outcomes, options, np.eye(len(outcomes.paradigm_ids)))
    rates = {name.removeprefix("overall_"): found[name].tolist() for name in ROW_RATES}
    return [row | _tie_counts(outcomes, i) for i, row in enumerate(rows_of(rates))]


def _tie_counts(outcomes: Outcomes, place: int | slice = slice(None)) -> dict[str, int]:
    table = outcomes.table[place].reshape(-1, 3, 3).sum(axis=0)
    ties = {"n_ties": int(table[ZERO].sum())}
    occluded = {"n_occlusion_ties": int(table[:, ZERO].sum())}
    return ties | (occluded if outcomes.has_occlusion else {})


def item_rows(pairs: RatedPairs, options: Options) -> list[dict[str, Any]]:
    """One flat row per pair: its difference, its shrinking, and what they count as."""
    smallest, ids = 0 if options.ties == "code" else 1, pairs.paradigm_ids
    differences, shrinking = compare_pairs(pairs.probabilities, ids, options.similarity)
    sign = signs(orient(differences, ids))
    columns: dict[str, Any] = {"paradigm_id": ids, "control_minus_test": differences}
    columns |= {"is_correct": sign <= 0, "is_error": sign >= smallest}
    if pairs.has_occlusion:
        columns |= {"shrinking": shrinking, "is_detected": signs(shrinking) >= smallest}
    return rows_of({name: values.tolist() for name, values in columns.items()})
