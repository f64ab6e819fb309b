"""GPER, the garden path error rate: how often a sentiment model is misled by a word that is not in the sentence.

In: P(positive) for the test, control, occluded test and occluded control sentence of each pair, and
the pair's paradigm.
Out: the published quantities (overall accuracy, necessity, sufficiency, GPER, control minus test
sentiment), the same error rate in the direction in which no garden path can lead (`gper_reverse`),
their difference (`gper_excess`), tables and intervals over paradigms.

    w   weights of clusters, shape (r, k): one row per resample; ones give the score itself
    c   number of paradigms that occur

Source: Li & Hao (2025), "ERAS", section 4.1 and Table 2; the authors' code for what the paper
leaves open.
"""

import math
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..paradigms import PARADIGMS, cluster_index
from ..uncertainty import Statistic, cluster_intervals, undefined_interval
from .options import Options, read_options
from .outcomes import (
    POSITIVE,
    ZERO,
    Outcomes,
    Pairs,
    compare_pairs,
    count_outcomes,
    orient,
    read_pairs,
    saturated_share,
    signs,
)

FloatArray = npt.NDArray[np.float64]
Rate = TypeVar("Rate", float, FloatArray)

VERSION = "1.0.0"
SENTIMENTS = ("+/-", "+/0", "-/0", "-/+")
NEEDS_OCCLUSION = (
    "necessity",
    "sufficiency",
    "gper",
    "gper_reverse",
    "gper_excess",
    "gper_joint",
    "gper_without_degenerate",
)


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
    """Gives the garden path error rate, (1 - overall accuracy) x necessity.

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


def score_pairs(
    predictions: Any, references: Any, options: Options | None = None, *, per_item: bool = False
) -> dict[str, Any]:
    """Scores sentence pairs; every field of the result is described in the metric's card.

    Args:
        predictions: n rows of P(positive): test, control, occluded test, occluded control; or test
            and control only.
        references: n paradigm ids, 1 to 39.
        options: What `read_options` gives; its defaults if None.
        per_item: Whether to add a row for every pair.

    Returns:
        Scores in [0, 1] (`gper_excess` and `control_minus_test` in [-1, 1]); nan where undefined.

    Raises:
        ValueError: An input is not what it should be.

    Example:
        >>> result = score_pairs([[0.2, 0.6, 0.5, 0.6], [0.7, 0.6, 0.5, 0.5]], [1, 1])  # paradigm 1 is positive: only the first is wrong
        >>> result["overall_accuracy"], result["necessity"], result["gper"], result["gper_reverse"]
        (0.5, 1.0, 0.5, 0.5)
    """
    options = options or read_options()
    pairs = read_pairs(predictions, references, scale=options.scale, exclude=options.exclude)
    outcomes = count_outcomes(pairs, options.similarity)
    result = score_outcomes(outcomes, options, is_whole=True)
    result |= _tie_counts(outcomes) | {"saturated_share": saturated_share(pairs.probabilities)}
    result["by_paradigm"] = _paradigm_rows(outcomes, options)
    result["by_branching"] = _group_rows(outcomes, options, "branching", ("left", "right"))
    result["by_sentiment"] = _group_rows(outcomes, options, "sentiment", SENTIMENTS)
    result |= {
        "version": VERSION,
        "options": options._asdict() | {"exclude": list(options.exclude)},
    }
    return result | ({"per_item": _item_rows(pairs, options)} if per_item else {})


def score_outcomes(
    outcomes: Outcomes, options: Options, *, is_whole: bool = False, is_one_class: bool = False
) -> dict[str, Any]:
    """Gives the scores of a set of paradigms with their intervals.

    Args:
        outcomes: Counts of the c paradigms.
        options: How to count.
        is_whole: Whether to add the two variants of GPER that are given for the whole suite only.
        is_one_class: Whether all paradigms have one pair of sentiments, so that control minus test
            sentiment means something.

    Returns:
        `n`, `n_clusters`, each score and, where a confidence level is set, its `<score>_low`,
        `<score>_high`, `<score>_interval`.
    """
    clusters = cluster_index(outcomes.paradigm_ids, options.cluster)
    n_clusters = int(clusters.max()) + 1
    names = ["overall_accuracy", "necessity", "sufficiency", "gper", "gper_reverse", "gper_excess"]
    names += ["gper_joint", "gper_without_degenerate"] * is_whole + [
        "control_minus_test"
    ] * is_one_class
    forward, reverse = (
        count_errors(outcomes, options),
        count_errors(outcomes, options, is_reverse=True),
    )

    def statistics(w: FloatArray) -> FloatArray:
        scores = _scores(outcomes, forward, reverse, w[:, clusters], options.pooling)
        return np.stack([scores[name] for name in names], axis=1)

    values = statistics(np.ones((1, n_clusters)))[0].tolist()
    result: dict[str, Any] = {"n": int(forward.pairs.sum()), "n_clusters": n_clusters} | dict(
        zip(names, values, strict=True)
    )
    return result | _interval_fields(statistics, names, n_clusters, outcomes.has_occlusion, options)


def count_errors(outcomes: Outcomes, options: Options, *, is_reverse: bool = False) -> Errors:
    """Reads the errors and detections of one direction off the table of outcomes.

    Args:
        outcomes: Counts of c paradigms by sign of the difference and of its shrinking.
        options: `ties` and `similarity` matter.
        is_reverse: Whether to count the mirror image: what would be counted if every difference had
            the opposite sign.

    Returns:
        Counts of shape (c,).
    """
    table = outcomes.table
    if is_reverse:  # the size of a difference shrinks alike in both directions, a signed difference in the opposite one
        table = table[:, ::-1, ::-1] if options.similarity == "signed" else table[:, ::-1, :]
    is_error = is_detected = [POSITIVE] if options.ties == "strict" else [ZERO, POSITIVE]
    detected = table[:, :, is_detected].sum(axis=2)
    if not outcomes.has_occlusion:
        detected = np.full_like(detected, math.nan)
    by_difference = table.sum(axis=2)
    return Errors(
        by_difference.sum(axis=1),
        by_difference[:, POSITIVE],
        by_difference[:, is_error].sum(axis=1),
        detected.sum(axis=1),
        detected[:, is_error].sum(axis=1),
    )


def overall_accuracy(counts: Errors, w: FloatArray) -> FloatArray:
    """Gives the share of correctly classified pairs, averaged over paradigms with equal weight, in [0, 1]; 0.5 is ideal, ties are correct.

    Args:
        counts: Counts of c paradigms.
        w: Weights of the paradigms, shape (r, c).

    Returns:
        r values.

    Source: Li & Hao (2025), section 4.1, Evaluation.
    """
    return _mean(1 - counts.wrong / counts.pairs, w)


def necessity(counts: Errors, w: FloatArray, pooling: str = "micro") -> FloatArray:
    """Gives the share of errors in which occlusion detects a garden path, in [0, 1], lower is better; nan where there is no error.

    Args:
        counts: Counts of c paradigms.
        w: Weights of the paradigms, shape (r, c).
        pooling: "micro": over all pairs; "macro": mean over the paradigms that have errors.

    Returns:
        r values.

    Source: Li & Hao (2025), section 4.1, Causal Analysis; pooled as in the authors' code.
    """
    return _share(counts.detected_errors, counts.errors, w, pooling)


def sufficiency(counts: Errors, w: FloatArray, pooling: str = "micro") -> FloatArray:
    """Gives the share of detected garden paths that end in an error, in [0, 1], lower is better; nan where none is detected.

    Arguments, pooling and source as in `necessity`.
    """
    return _share(counts.detected_errors, counts.detected, w, pooling)


def garden_path_error_rate(counts: Errors, w: FloatArray, pooling: str = "micro") -> FloatArray:
    """Gives `gper` of r weightings of the paradigms, in [0, 1]; 0 where no pair is wrong, although necessity is undefined there.

    Arguments as in `necessity`; nan without occlusion.
    """
    rate = gper(overall_accuracy(counts, w), necessity(counts, w, pooling))
    return np.where(w @ counts.errors > 0, rate, joint_error_rate(counts, w))


def joint_error_rate(counts: Errors, w: FloatArray) -> FloatArray:
    """Gives the share of pairs that are an error and detected, averaged over paradigms: what GPER is said to measure, in [0, 1].

    On paradigms of equal size it is GPER; on others GPER's factors weight the paradigms
    differently. Arguments as in `necessity`.
    """
    return _mean(counts.detected_errors / counts.pairs, w)


def control_minus_test(outcomes: Outcomes, w: FloatArray, pooling: str = "micro") -> FloatArray:
    """Gives the mean of P(positive) of the control minus that of the test sentence, in [-1, 1]; 0 is ideal.

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


def _share(part: FloatArray, whole: FloatArray, w: FloatArray, pooling: str) -> FloatArray:
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


def _scores(
    outcomes: Outcomes, forward: Errors, reverse: Errors, w: FloatArray, pooling: str
) -> dict[str, FloatArray]:
    is_degenerate = np.array(
        [PARADIGMS[i - 1].is_occlusion_degenerate for i in outcomes.paradigm_ids]
    )
    rate, reverse_rate = (
        garden_path_error_rate(forward, w, pooling),
        garden_path_error_rate(reverse, w, pooling),
    )
    return {
        "overall_accuracy": overall_accuracy(forward, w),
        "necessity": necessity(forward, w, pooling),
        "sufficiency": sufficiency(forward, w, pooling),
        "gper": rate,
        "gper_reverse": reverse_rate,
        "gper_excess": rate - reverse_rate,
        "gper_joint": joint_error_rate(forward, w),
        "gper_without_degenerate": garden_path_error_rate(forward, w * ~is_degenerate, pooling),
        "control_minus_test": control_minus_test(outcomes, w, pooling),
    }


def _interval_fields(
    statistics: Statistic, names: list[str], n_clusters: int, has_occlusion: bool, options: Options
) -> dict[str, float | str]:
    if options.confidence is None:
        return {}
    intervals = cluster_intervals(
        statistics,
        n_clusters,
        confidence=options.confidence,
        n_resamples=options.n_resamples,
        seed=options.seed,
    )
    fields: dict[str, float | str] = {}
    for name, interval in zip(names, intervals, strict=True):
        is_missing = not has_occlusion and name in NEEDS_OCCLUSION
        fields |= (
            undefined_interval("no occluded sentences were scored") if is_missing else interval
        ).as_fields(name)
    return fields


def _group_rows(
    outcomes: Outcomes, options: Options, attribute: str, values: tuple[str, ...]
) -> list[dict[str, Any]]:
    labels = np.array([getattr(PARADIGMS[i - 1], attribute) for i in outcomes.paradigm_ids])
    groups = {
        value: outcomes.select(labels == value) for value in values if (labels == value).any()
    }
    return [
        {attribute: value} | score_outcomes(group, options, is_one_class=attribute == "sentiment")
        for value, group in groups.items()
    ]


def _paradigm_rows(outcomes: Outcomes, options: Options) -> list[dict[str, Any]]:
    forward, reverse = (
        count_errors(outcomes, options),
        count_errors(outcomes, options, is_reverse=True),
    )
    scores = _scores(
        outcomes, forward, reverse, np.eye(len(outcomes.paradigm_ids)), options.pooling
    )
    names = (
        "overall_accuracy",
        "necessity",
        "sufficiency",
        "gper",
        "gper_reverse",
        "gper_excess",
        "control_minus_test",
    )
    rows = []
    for i, paradigm_id in enumerate(outcomes.paradigm_ids.tolist()):
        paradigm = PARADIGMS[paradigm_id - 1]
        row = {
            "paradigm_id": paradigm_id,
            "branching": paradigm.branching,
            "sentiment": paradigm.sentiment,
        }
        row |= {
            "is_occlusion_degenerate": paradigm.is_occlusion_degenerate,
            "n": int(forward.pairs[i]),
        }
        rows.append(
            row
            | {name.removeprefix("overall_"): float(scores[name][i]) for name in names}
            | _tie_counts(outcomes, i)
        )
    return rows


def _tie_counts(outcomes: Outcomes, place: int | slice = slice(None)) -> dict[str, int]:
    table = outcomes.table[place].reshape(-1, 3, 3).sum(axis=0)
    ties = {"n_ties": int(table[ZERO].sum())}
    return ties | (
        {"n_occlusion_ties": int(table[:, ZERO].sum())} if outcomes.has_occlusion else {}
    )


def _item_rows(pairs: Pairs, options: Options) -> list[dict[str, Any]]:
    smallest = 0 if options.ties == "code" else 1
    differences, shrinking = compare_pairs(pairs, options.similarity)
    sign = signs(orient(differences, pairs.paradigm_ids))
    columns = {
        "paradigm_id": pairs.paradigm_ids.tolist(),
        "control_minus_test": differences.tolist(),
        "is_correct": (sign <= 0).tolist(),
        "is_error": (sign >= smallest).tolist(),
    }
    if pairs.probabilities.shape[1] == 4:
        columns |= {
            "shrinking": shrinking.tolist(),
            "is_detected": (signs(shrinking) >= smallest).tolist(),
        }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
