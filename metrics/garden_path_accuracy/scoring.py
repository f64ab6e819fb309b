"""Garden path accuracy: does a segmenter cut the sentence at the word that is there?

A segmenter that cuts everywhere or nowhere has a published accuracy of 1: it never cuts as the
canary word wants it. Its pair accuracy and its commitment are 0.

Source: Li & Hao (2025), "ERAS", section 3.1 and Table 1.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._shared.columns import FloatArray, IntArray
from .._shared.paradigms import EVERY_PARADIGM, N_PARADIGMS, cluster_index, groups_of, kept_of
from .._shared.uncertainty import (
    cluster_intervals,
    cluster_ratio_interval,
    undefined_interval,
    wilson_interval,
)
from .comparison import compare, difference_interval
from .inputs import METRIC, SiteCounts, Sites, count_patterns, describe_pattern, read_sites
from .options import Options
from .rates import chance_parts, pair_accuracy_and_chance, paradigm_rates, ratio_parts

VERSION = "2.0.0"
HEADLINE = "pair_accuracy"


def score(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """Scores of segmented pairs; every field of the result is described in the metric's card.

    Args:
        inputs: `predictions`, n pairs [words of the test sentence, words of the control sentence],
            and `references`, n rows with `paradigm_id`, `site_start`, `test` and `control`; `id` is
            checked if there, further fields are ignored.
        options: What `read_options` returns; its defaults if None.

    Returns:
        Scores in [0, 1], differences in [-1, 1]; nan where undefined.

    Raises:
        ValueError: An input is not what it should be; or mode="paper" and a paradigm does not
            occur.
    """
    options = options or Options()
    references = inputs["references"]
    sites = read_sites(inputs["predictions"], references, options.lexicon)
    other = options.compared_with
    return score_sites(sites, options, None if other is None else read_sites(other, references))


def score_sites(sites: Sites, options: Options, other: Sites | None = None) -> dict[str, Any]:
    """`score` of pairs that were read, so that they can be read in parts; `other` cuts the same."""
    is_kept = kept_of(METRIC, sites.paradigm_ids, options.exclude)
    kept = sites.select(is_kept)
    counts = count_patterns(kept)
    missing = sorted(set(range(1, N_PARADIGMS + 1)) - set(counts.paradigm_ids.tolist()))
    if options.mode == "paper" and missing:
        got = f"no pair of paradigms {missing} with mode='paper'; expected all {N_PARADIGMS}"
        raise ValueError(f"{METRIC}: references: got {got}")
    result = score_counts(counts, options)
    if other is not None:
        result |= compare(kept, other.select(is_kept), options)
    result["by_paradigm"] = _paradigm_rows(counts)
    result["by_branching"] = _group_rows(counts, options, "branching")
    result["by_family"] = _group_rows(counts, replace(options, confidence=None), "family")
    if (is_known := kept.is_canary_in_lexicon) is not None:
        result["by_is_canary_in_lexicon"] = [
            {"is_canary_in_lexicon": value}
            | score_counts(count_patterns(kept.select(is_known == value)), options)
            for value in (True, False)
            if (is_known == value).any()
        ]
    result |= options.provenance(VERSION)
    return result | ({"per_item": _item_rows(kept)} if options.per_item else {})


def score_counts(counts: SiteCounts, options: Options) -> dict[str, Any]:
    """Scores of a set of paradigms, means with equal weight, `n`, `n_clusters` and intervals."""
    clusters = cluster_index(counts.paradigm_ids, options.cluster)
    n_clusters = int(clusters.max()) + 1
    rates = paradigm_rates(counts)
    ratios = ratio_parts(counts, rates)
    result: dict[str, Any] = {"n": int(counts.table.sum()), "n_clusters": n_clusters}
    scores = {name: float(values.mean()) for name, values in rates.items()}
    scores |= {name: _ratio(top.sum(), bottom.sum()) for name, (top, bottom) in ratios.items()}
    result |= scores
    result["n_paradigms_given_control"] = int(ratios["garden_path_rate_given_control"][1].sum())
    result |= _chance_fields(chance_parts(counts), clusters, options)
    if options.confidence is None:
        return result
    for name, value in scores.items():
        if name == "difference":
            interval = difference_interval(rates[name], clusters, options)
        elif name in ratios:
            sums = [np.bincount(clusters, weights=values) for values in ratios[name]]
            interval = cluster_ratio_interval(*sums, **options.resampling()).clipped(0, 1)
        else:
            successes = min(value * n_clusters, n_clusters)
            interval = wilson_interval(successes, n_clusters, options.confidence)
        result |= interval.as_fields(name)
    return result


def _ratio(top: float, bottom: float) -> float:
    return float(top / bottom) if bottom > 0 else math.nan


def _chance_fields(parts: FloatArray, clusters: IntArray, options: Options) -> dict[str, Any]:
    names = ("pair_accuracy_chance", "pair_accuracy_above_chance")

    def both(weights: FloatArray) -> FloatArray:
        return pair_accuracy_and_chance(parts, weights[:, clusters])[:, 1:]

    n_clusters, values = int(clusters.max()) + 1, [math.nan] * 2
    intervals = [undefined_interval("paradigms of one branching only")] * 2
    if len(set(parts[:, 3].tolist())) == 2:  # else every cut depends on the branching
        values = both(np.ones((1, n_clusters)))[0].tolist()
        if options.confidence is not None:
            intervals = cluster_intervals(both, n_clusters, **options.resampling())
    fields: dict[str, Any] = dict(zip(names, values, strict=True))
    for name, interval in zip(names, intervals, strict=True):
        fields |= {} if options.confidence is None else interval.as_fields(name)
    return fields


def _paradigm_rows(counts: SiteCounts) -> list[dict[str, Any]]:
    rates, n = paradigm_rates(counts), counts.table.sum(axis=(1, 2))
    ratios = ratio_parts(counts, rates)
    rows = []
    for i, paradigm_id in enumerate(counts.paradigm_ids.tolist()):
        paradigm = EVERY_PARADIGM[paradigm_id - 1]
        row = {name: getattr(paradigm, name) for name in ("paradigm_id", "branching", "family")}
        row |= {"n": int(n[i])} | {name: float(values[i]) for name, values in rates.items()}
        rows.append(row | {name: _ratio(top[i], low[i]) for name, (top, low) in ratios.items()})
    return rows


def _group_rows(counts: SiteCounts, options: Options, attribute: str) -> list[dict[str, Any]]:
    return [
        {attribute: value} | score_counts(counts.select(is_in), options)
        for value, is_in in groups_of(counts.paradigm_ids, attribute)
    ]


def _item_rows(sites: Sites) -> list[dict[str, Any]]:
    rows = []
    for paradigm_id, test, control in zip(*(column.tolist() for column in sites[:3]), strict=True):
        branching = EVERY_PARADIGM[paradigm_id - 1].branching
        flags, other = describe_pattern(test, branching), describe_pattern(control, branching)
        wrong = flags.pop("wrong")
        row = {
            "paradigm_id": paradigm_id,
            "is_pair_correct": flags["true_word"] and other["true_word"],
            "is_control_word": other["true_word"],
            "is_committed": flags["true_word"] or flags["canary"],
            "is_test_correct": not wrong,
            "is_control_correct": not other["wrong"],
            "is_garden_path": wrong and not other["wrong"],
        }
        rows.append(row | {f"is_{name}": holds for name, holds in flags.items()})
    return rows
