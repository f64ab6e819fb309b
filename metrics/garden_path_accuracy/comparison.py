"""Two segmenters on the same pairs, and the interval of the published difference.

Near the ceiling of both accuracies most families have a difference of 0: a bootstrap of these knows
nothing of the families that a study happened to miss, and its intervals hold the truth in 85 of 100
studies instead of 95. Half a paradigm of each sign stands for them.

Source: Agresti & Min (2005), who add half a pair to each cell of a table of matched pairs.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._shared.columns import BoolArray, FloatArray, IntArray
from .._shared.paradigms import cluster_index
from .._shared.uncertainty import (
    Interval,
    cluster_interval,
    cluster_ratio_interval,
    ratio_and_error,
    sign_flip_test,
    student_quantile,
    undefined_interval,
)
from .inputs import PATTERN_FLAGS, Sites, branching_places
from .options import Options

ADDED = 0.5  # paradigms of each sign


def compare(first: Sites, second: Sites, options: Options) -> dict[str, Any]:
    """First segmenter minus second, over the pairs where the question can be asked of both.

    Returns:
        `pair_accuracy_difference` over all pairs and `resolution_difference` over the pairs where
        both commit themselves to the true or the canary word in the test sentence, each a mean over
        paradigms in [-1, 1] (nan where there is no pair), with `_low`, `_high`, `_interval` and
        `_p` (sign flips over clusters); `n_both_commit`, the number of those pairs.
    """
    places, trues, rights = branching_places(first.paradigm_ids), [], []
    commits = everywhere = np.ones(len(places), bool)
    for sites in (first, second):
        test, control = ((places, found) for found in (sites.test_patterns, sites.control_patterns))
        trues.append(PATTERN_FLAGS["true_word"][test])
        rights.append(trues[-1] & PATTERN_FLAGS["true_word"][control])
        commits = commits & (trues[-1] | PATTERN_FLAGS["canary"][test])
    ids = first.paradigm_ids
    return {
        **_difference("pair_accuracy", rights, everywhere, ids, options),
        **_difference("resolution", trues, commits, ids, options),
        "n_both_commit": int(commits.sum()),
    }


def _difference(
    name: str,
    both: Sequence[BoolArray],
    is_asked: BoolArray,
    paradigm_ids: IntArray,
    options: Options,
) -> dict[str, Any]:
    present, places = np.unique(paradigm_ids, return_inverse=True)
    n = np.bincount(places, weights=is_asked, minlength=len(present))
    sums = np.bincount(places, weights=is_asked * (both[0].astype(float) - both[1]))
    means = np.divide(sums, n, out=np.zeros_like(sums), where=n > 0)
    clusters = cluster_index(present, options.cluster)
    top, bottom = (np.bincount(clusters, weights=values) for values in (means, n > 0))
    difference = float(top.sum() / bottom.sum()) if bottom.sum() else float("nan")
    top, bottom = top[bottom > 0], bottom[bottom > 0]
    p = sign_flip_test(top, seed=options.seed) if len(top) > 1 else float("nan")
    fields: dict[str, Any] = {f"{name}_difference": difference, f"{name}_difference_p": p}
    if options.confidence is None:
        return fields
    interval = cluster_ratio_interval(top, bottom, **options.resampling())
    return fields | interval.clipped(-1, 1).as_fields(f"{name}_difference")


def difference_interval(differences: FloatArray, clusters: IntArray, options: Options) -> Interval:
    """Interval of a mean over paradigms of clusters (c,), in [-1, 1]; BCa in mode="paper"."""
    sums = np.bincount(clusters, weights=differences).astype(float)
    sizes = np.bincount(clusters).astype(float)
    if options.mode == "paper":
        return cluster_interval(
            lambda weights: (weights @ sums) / (weights @ sizes), len(sizes), **options.resampling()
        )
    return with_added_signs(sums, sizes, options.confidence or 0.95)


def with_added_signs(sums: FloatArray, sizes: FloatArray, confidence: float) -> Interval:
    """Student's t around the mean that half an item of each sign is added to, in [-1, 1].

    From the sum of the differences of each cluster's items and their number, shape (k,) each;
    undefined for fewer than two clusters.
    """
    n_clusters = len(sums)
    if n_clusters < 2:
        return undefined_interval(f"{n_clusters} cluster(s)")
    top, bottom = np.append(sums, [ADDED, -ADDED]), np.append(sizes, [ADDED, ADDED])
    (centre,), (error,) = ratio_and_error(np.ones((1, len(top))), top, bottom)
    half = student_quantile(0.5 + confidence / 2, n_clusters - 1) * float(error)
    mean = float(sums.sum() / sizes.sum())
    low, high = min(float(centre) - half, mean), max(float(centre) + half, mean)
    return Interval(low, high, f"Agresti & Min over {n_clusters} clusters").clipped(-1.0, 1.0)
