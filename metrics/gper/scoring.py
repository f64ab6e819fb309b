"""GPER, the garden path error rate: how often a word that is not there misleads a sentiment model.

Source: Li & Hao (2025), "ERAS", section 4.1 and Table 2; the authors' code for what the paper
leaves open; the occlusion effect is ours.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._shared.columns import BoolArray, FloatArray, IntArray
from .._shared.paradigms import cluster_index
from .._shared.uncertainty import cluster_interval
from .inputs import SIDES, read_pairs
from .occlusion import effect_tables
from .options import Options
from .rates import item_rows, rate_tables

VERSION = "2.1.0"
VIEWS = ("eras", "sentiment", "sentiment_rows")


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
    """
    options = options or Options()
    references, rules = inputs["references"], (options.scale, options.exclude)
    pairs = read_pairs(inputs["predictions"], references, *rules)
    other = None
    if options.compared_with is not None:
        other = read_pairs(options.compared_with, references, *rules)
    effects, tables = effect_tables(pairs, other, options)
    rates, more = rate_tables(pairs, options)
    for name, rows in more.items():
        tables[name] = [row | added for row, added in zip(tables[name], rows, strict=True)]
    result = effects | rates | tables | options.provenance(VERSION)
    return result | ({"per_item": item_rows(pairs, options)} if options.per_item else {})


# --- Scores of a classifier's labels alone, where no probabilities are at hand
#
# A script such as `run_classification.py` gives a metric the likeliest class and the label of each
# sentence. Of these there is no GPER, since nearly every pair would be a tie. There is the share of
# sentences, and of pairs, that are labelled rightly.


def score_labels(
    is_right: BoolArray, rows: Sequence[Mapping[str, Any]], options: Options
) -> dict[str, float]:
    """Scores of n labelled sentences, the rows of a view `sentiment_rows_*`, means over paradigms.

    `is_right` says whether each has its label, shape (n,).

    Returns:
        `pair_accuracy` (the headline; share of pairs with both sentences right), `accuracy`,
        `test_accuracy` and `control_accuracy` in [0, 1], `difference` (control minus test of the
        pairs) in [-1, 1], higher is a garden path; each with `_low` and `_high`. nan where nothing
        is counted, such as pairs where the script took a few rows.
    """
    ids: IntArray = np.array([row["paradigm_id"] for row in rows], np.int64)
    places = {
        (row["pair_id"], row["condition"]): i
        for i, row in enumerate(rows)
        if row["paradigm_id"] not in options.exclude
    }
    tests = [pair for pair, name in places if name == "test" and (pair, "control") in places]
    both = [[places[pair, side] for side in SIDES] for pair in tests]
    pairs = np.array(both, np.int64).reshape(-1, 2)
    kept = np.array(sorted(places.values()), np.int64)
    right = is_right.astype(float)
    hits = right[pairs]
    counted = {
        "pair_accuracy": (hits.min(axis=1, initial=1.0), ids[pairs[:, 0]], 0.0),
        "difference": (hits[:, 1] - hits[:, 0], ids[pairs[:, 0]], -1.0),
        "accuracy": (right[kept], ids[kept], 0.0),
    }
    for name in SIDES:
        own = np.array([i for (_, one), i in places.items() if one == name], np.int64)
        counted[f"{name}_accuracy"] = (right[own], ids[own], 0.0)
    found: dict[str, float] = {"n": len(kept), "n_pairs": len(pairs)}
    for name, (values, paradigms, least) in counted.items():
        found |= _mean_over_paradigms(name, values, paradigms, least, options)
    return found


def _mean_over_paradigms(
    name: str, values: FloatArray, ids: IntArray, least: float, options: Options
) -> dict[str, float]:
    """A score with the ends of its interval over clusters."""
    present, places = np.unique(ids, return_inverse=True)
    if not len(present):
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"), float("nan"))
    means = np.bincount(places, values) / np.bincount(places)
    if options.confidence is None:
        return {name: float(means.mean())}
    clusters = cluster_index(present, options.cluster)

    def weighted(w: FloatArray) -> FloatArray:
        return np.asarray((w[:, clusters] @ means) / w[:, clusters].sum(axis=1))

    interval = cluster_interval(weighted, int(clusters.max()) + 1, **options.resampling())
    interval = interval.clipped(least, 1.0)
    return {name: float(means.mean()), f"{name}_low": interval.low, f"{name}_high": interval.high}
