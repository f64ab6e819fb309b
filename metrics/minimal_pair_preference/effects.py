"""Effects of pairs under a rule, and what clusters of them say: shares, means, intervals, p values.

two members     log P(first) - log P(second)
four members    the same, minus log P(third) - log P(fourth): whatever is only likelier cancels
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._shared.columns import FloatArray, IntArray
from .._shared.stratified import stratified_interval
from .._shared.uncertainty import cluster_ratio_interval, sign_flip_test, undefined_interval
from .options import Options

SIGNS = {2: np.array([1.0, -1.0]), 4: np.array([1.0, -1.0, -1.0, 1.0])}
FEWEST_CLUSTERS = 5  # a studentised bootstrap of fewer has ends without meaning
SMALLEST = 1e-9  # of an effect in nats; below it is what adding in another order makes


def under_rule(sums: FloatArray, n_tokens: FloatArray | None, rule: str, exponent: float) -> Any:
    """Log-probabilities as a rule compares them, shape (n, members); None where it needs tokens."""
    if rule == "sum":
        return sums
    if n_tokens is None:
        return None
    return sums / n_tokens ** (1.0 if rule == "per_token" else exponent)


def effects(members: FloatArray) -> FloatArray:
    """Effect of each pair, shape (n,); positive where the first member is preferred."""
    found: FloatArray = members @ SIGNS[members.shape[1]]
    return np.where(np.abs(found) < SMALLEST, 0.0, found)


def wins(effect: FloatArray) -> FloatArray:
    """1 for a positive effect, 0 for a negative one, 1/2 for a tie."""
    return (np.sign(effect) + 1) / 2


def best_choices(
    sums: Sequence[Sequence[float]], lengths: Sequence[Sequence[float]], exponent: float
) -> FloatArray:
    """Whether the first of several choices, the right one, is the best, shape (n,).

    1, 0, or 1 / k where k choices tie for the best and the first is one of them. Log-probabilities
    are divided by the number of tokens to the exponent: 0.5 is the SLLN.
    """
    right = []
    for totals, numbers in zip(sums, lengths, strict=True):
        scores = np.asarray(totals) / np.maximum(numbers, 1) ** exponent
        best = scores >= scores.max() - SMALLEST
        right.append(best[0] / best.sum())
    return np.array(right)


def share(values: FloatArray, clusters: IntArray, options: Options, name: str) -> dict[str, Any]:
    """A mean of values in [0, 1] with its interval over clusters."""
    return mean(values, clusters, options, name, is_share=True)


def mean(
    values: FloatArray, clusters: IntArray, options: Options, name: str, *, is_share: bool = False
) -> dict[str, Any]:
    """A mean with its interval over clusters; of values without bounds if these are not few."""
    found = {name: float(values.mean())}
    if options.confidence is None:
        return found
    sums, counts = _sums(values, clusters)
    if is_share:
        strata = np.zeros(len(sums), dtype=int)
        interval = stratified_interval(sums, counts, strata, **options.resampling())
    elif len(sums) < FEWEST_CLUSTERS:
        interval = undefined_interval(f"{len(sums)} clusters, fewer than {FEWEST_CLUSTERS}")
    else:
        interval = cluster_ratio_interval(sums, counts, **options.resampling())
    return found | interval.as_fields(name)


def p_value(effect: FloatArray, clusters: IntArray, seed: int) -> float:
    """Two-sided p of the clusters' mean effects under random signs."""
    means = np.divide(*_sums(effect, clusters))
    means = np.where(np.abs(means) < SMALLEST, 0.0, means)
    return sign_flip_test(means, seed=seed)


def _sums(values: FloatArray, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Sum and number of the values of each cluster that has some."""
    counts = np.bincount(clusters).astype(float)
    is_there = counts > 0
    sums = np.bincount(clusters, weights=values).astype(float)
    return sums[is_there], counts[is_there]
