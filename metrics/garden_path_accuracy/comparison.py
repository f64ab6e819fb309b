"""Two segmenters on the same pairs: differences with the interval and p value of paired data."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..columns import BoolArray, IntArray
from ..paradigms import cluster_index
from ..significance import sign_flip_test
from ..uncertainty import cluster_ratio_interval
from .options import Options
from .patterns import PATTERN_FLAGS, branching_places
from .sites import Sites


def compare(first: Sites, second: Sites, options: Options) -> dict[str, Any]:
    """First segmenter minus second, over the pairs where the question can be asked of both.

    Args:
        first: Pairs as the one segmenter cut them.
        second: The same pairs as the other cut them.
        options: `cluster`, `confidence`, `n_resamples` and `seed` matter.

    Returns:
        `pair_accuracy_difference` over all pairs and `resolution_difference` over the pairs where
        both commit themselves to the true or the canary word in the test sentence, each a mean over
        paradigms in [-1, 1] (nan where there is no pair), with `_low`, `_high`, `_interval` and
        `_p` (sign flips over clusters); `n_both_commit`, the number of those pairs.
    """
    true, other_true = _test_flags(first, "true_word"), _test_flags(second, "true_word")
    commits = true | _test_flags(first, "canary")
    commits &= other_true | _test_flags(second, "canary")
    right, other_right = true & _control_words(first), other_true & _control_words(second)
    everywhere = np.ones(len(true), bool)
    ids = first.paradigm_ids
    return {
        **_difference("pair_accuracy", right, other_right, everywhere, ids, options),
        **_difference("resolution", true, other_true, commits, ids, options),
        "n_both_commit": int(commits.sum()),
    }


def _test_flags(sites: Sites, outcome: str) -> BoolArray:
    return PATTERN_FLAGS[outcome][branching_places(sites.paradigm_ids), sites.test_patterns]


def _control_words(sites: Sites) -> BoolArray:
    places = branching_places(sites.paradigm_ids)
    return PATTERN_FLAGS["true_word"][places, sites.control_patterns]


def _difference(
    name: str,
    first: BoolArray,
    second: BoolArray,
    is_asked: BoolArray,
    paradigm_ids: IntArray,
    options: Options,
) -> dict[str, Any]:
    present, places = np.unique(paradigm_ids, return_inverse=True)
    n = np.bincount(places, weights=is_asked, minlength=len(present))
    sums = np.bincount(places, weights=is_asked * (first.astype(float) - second))
    means = np.divide(sums, n, out=np.zeros_like(sums), where=n > 0)
    clusters = cluster_index(present, options.cluster)
    top = np.bincount(clusters, weights=means)
    bottom = np.bincount(clusters, weights=n > 0)
    difference = float(top.sum() / bottom.sum()) if bottom.sum() else float("nan")
    fields: dict[str, Any] = {f"{name}_difference": difference}
    fields[f"{name}_difference_p"] = _p_value(top[bottom > 0], options.seed)
    if options.confidence is None:
        return fields
    interval = cluster_ratio_interval(
        top[bottom > 0],
        bottom[bottom > 0],
        confidence=options.confidence,
        n_resamples=options.n_resamples,
        seed=options.seed,
    )
    return fields | interval.clipped(-1, 1).as_fields(f"{name}_difference")


def _p_value(sums: npt.ArrayLike, seed: int) -> float:
    return sign_flip_test(sums, seed=seed) if np.size(sums) > 1 else float("nan")
