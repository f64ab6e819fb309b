"""Interval of the published difference, control minus test, over clusters of paradigms.

Near the ceiling of both accuracies most families have a difference of 0 and a few do not: a
bootstrap of these knows nothing of the families that a study happened to miss, and its intervals
hold the truth in 85 of 100 studies instead of 95. Half a paradigm of each sign stands for them.

Source: Agresti & Min (2005), who add half a pair to each cell of a table of matched pairs.
"""

import numpy as np

from ..columns import FloatArray, IntArray
from ..distributions import student_quantile
from ..uncertainty import Interval, cluster_interval, ratio_and_error, undefined_interval
from .options import Options

ADDED = 0.5  # paradigms of each sign


def difference_interval(
    differences: FloatArray, clusters: IntArray, options: Options, confidence: float
) -> Interval:
    """Interval of the mean difference over paradigms.

    Args:
        differences: One in [-1, 1] per paradigm, shape (c,).
        clusters: Of each paradigm, shape (c,), whole numbers from 0.
        options: `mode`, `n_resamples` and `seed` matter.
        confidence: Two-sided level in (0, 1).

    Returns:
        Ends in [-1, 1] that hold the mean; undefined for fewer than two clusters. In mode="paper"
        the BCa bootstrap of version 1.0.
    """
    sums = np.bincount(clusters, weights=differences).astype(float)
    sizes = np.bincount(clusters).astype(float)
    if options.mode == "paper":
        return cluster_interval(
            lambda weights: (weights @ sums) / (weights @ sizes),
            len(sizes),
            confidence=confidence,
            n_resamples=options.n_resamples,
            seed=options.seed,
        )
    return with_added_signs(sums, sizes, confidence)


def with_added_signs(sums: FloatArray, sizes: FloatArray, confidence: float) -> Interval:
    """Student's t around the mean that half an item of each sign is added to.

    Args:
        sums: Sum of the differences of each cluster's items, shape (k,).
        sizes: Number of items of each cluster, shape (k,).
        confidence: Two-sided level in (0, 1).

    Returns:
        Ends in [-1, 1] that hold the mean; undefined for fewer than two clusters.
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
