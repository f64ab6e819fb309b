"""GPER, the garden path error rate: how often a word that is not there misleads a sentiment model.

In: P(positive) for the test, control, occluded test and occluded control sentence of each pair, and
the pair's paradigm.
Out: the occlusion effect, by how much the completed canary word pulls the model from the true word;
the published quantities (overall accuracy, necessity, sufficiency, GPER, control minus test
sentiment), the same error rate in the direction in which no garden path can lead (`gper_reverse`),
their difference (`gper_excess`), tables and intervals.

    w   weights of clusters, shape (r, k): one row per resample; ones give the score itself
    c   number of paradigms that occur

Source: Li & Hao (2025), "ERAS", section 4.1 and Table 2; the authors' code for what the paper
leaves open; the occlusion effect is ours.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..columns import FloatArray
from ..paradigms import EVERY_PARADIGM, cluster_index
from ..uncertainty import Statistic, cluster_intervals, undefined_interval
from .effects import compare_models, effect_fields, family_rows, group_effects
from .occlusion import Effects, paradigm_effects
from .options import Options
from .outcomes import (
    ZERO,
    Outcomes,
    compare_pairs,
    count_outcomes,
    orient,
    saturated_share,
    signs,
)
from .pairs import RatedPairs, read_pairs
from .rates import (
    Errors,
    control_minus_test,
    count_errors,
    garden_path_error_rate,
    joint_error_rate,
    necessity,
    overall_accuracy,
    sufficiency,
)

VERSION = "2.1.0"
BRANCHINGS = ("left", "right")
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


def score(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """Scores of sentence pairs; every field of the result is described in the metric's card.

    Args:
        inputs: `predictions`, n rows of P(positive) for test, control, occluded test, occluded
            control, for test and control only, or with two placebo sentences more; `references`, n
            paradigm ids, or rows of the data set; those without a sentiment are left out.
        options: What `read_options` returns; its defaults if None.

    Returns:
        Scores in [0, 1] (`gper_excess` and `control_minus_test` in [-1, 1]), occlusion effects in
        log-odds, positive where the canary word pulls; nan where undefined.

    Raises:
        ValueError: An input is not what it should be.

    Example:
        Paradigm 1 is positive: only the first pair is wrong.

        >>> rows = [[0.2, 0.6, 0.5, 0.6], [0.7, 0.6, 0.5, 0.5]]
        >>> result = score({"predictions": rows, "references": [1, 1]})
        >>> result["overall_accuracy"], result["necessity"], result["gper"], result["gper_reverse"]
        (0.5, 1.0, 0.5, 0.5)
    """
    options = options or Options()
    pairs = read_pairs(inputs["predictions"], inputs["references"], options)
    effects, outcomes = paradigm_effects(pairs), count_outcomes(pairs, options.similarity)
    result = effect_fields(pairs, effects, options)
    if options.compared_with is not None:
        other = read_pairs(options.compared_with, inputs["references"], options)
        result |= compare_models(effects, other, options)
    result |= score_outcomes(outcomes, options, is_whole=True)
    result |= _tie_counts(outcomes) | {"saturated_share": saturated_share(pairs.probabilities)}
    result["by_paradigm"] = _paradigm_rows(outcomes, effects, options)
    result["by_branching"] = _group_rows(outcomes, effects, options, "branching", BRANCHINGS)
    result["by_sentiment"] = _group_rows(outcomes, effects, options, "sentiment", SENTIMENTS)
    result["by_family"] = family_rows(effects)
    result |= options.provenance(VERSION)
    return result | ({"per_item": _item_rows(pairs, options)} if options.per_item else {})


def score_outcomes(
    outcomes: Outcomes, options: Options, *, is_whole: bool = False, is_one_class: bool = False
) -> dict[str, Any]:
    """Scores of a set of paradigms with their intervals.

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
    if is_whole:
        names += ["gper_joint", "gper_without_degenerate"]
    if is_one_class:
        names.append("control_minus_test")
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


def _scores(
    outcomes: Outcomes, forward: Errors, reverse: Errors, w: FloatArray, pooling: str | None
) -> dict[str, FloatArray]:
    is_degenerate = np.array(
        [EVERY_PARADIGM[i - 1].is_occlusion_degenerate for i in outcomes.paradigm_ids]
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
    outcomes: Outcomes,
    effects: Effects,
    options: Options,
    attribute: str,
    values: tuple[str, ...],
) -> list[dict[str, Any]]:
    labels = np.array([getattr(EVERY_PARADIGM[i - 1], attribute) for i in outcomes.paradigm_ids])
    groups = {
        value: outcomes.select(labels == value) for value in values if (labels == value).any()
    }
    found = group_effects(effects, options, attribute)
    return [
        {attribute: value}
        | found[value]
        | score_outcomes(group, options, is_one_class=attribute == "sentiment")
        for value, group in groups.items()
    ]


def _paradigm_rows(outcomes: Outcomes, effects: Effects, options: Options) -> list[dict[str, Any]]:
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
        paradigm = EVERY_PARADIGM[paradigm_id - 1]
        row = {
            "paradigm_id": paradigm_id,
            "branching": paradigm.branching,
            "sentiment": paradigm.sentiment,
        }
        row |= {
            "is_occlusion_degenerate": paradigm.is_occlusion_degenerate,
            "n": int(forward.pairs[i]),
            "occlusion_effect": float(effects.effect[i]),
            "control_logit": float(effects.control[i]),
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


def _item_rows(pairs: RatedPairs, options: Options) -> list[dict[str, Any]]:
    smallest = 0 if options.ties == "code" else 1
    differences, shrinking = compare_pairs(
        pairs.probabilities, pairs.paradigm_ids, options.similarity
    )
    sign = signs(orient(differences, pairs.paradigm_ids))
    columns = {
        "paradigm_id": pairs.paradigm_ids.tolist(),
        "control_minus_test": differences.tolist(),
        "is_correct": (sign <= 0).tolist(),
        "is_error": (sign >= smallest).tolist(),
    }
    if pairs.has_occlusion:
        columns |= {
            "shrinking": shrinking.tolist(),
            "is_detected": (signs(shrinking) >= smallest).tolist(),
        }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
