"""The occlusion effect: by how much the completed canary word pulls a model from the true word.

Paradigm by paradigm, in log-odds of P(positive), oriented by the true sentiment s (1 or -1):

    effect = s x [(control - test) - (occluded control - occluded test)]

What test and control differ in beside the canary word is in both brackets and cancels. Positive:
the canary word pulls the test sentence away from the true word's sentiment. Paradigms whose two
occluded sentences are the same string are left out, since nothing can cancel there.

    w   weights of clusters, shape (r, k): one row per resample; ones give the score itself
    c   number of paradigms that occur

Source: a difference in differences by paradigm; ours, after Li & Hao (2025), section 4.1.
"""

import math
from typing import NamedTuple

import numpy as np

from ..columns import BoolArray, FloatArray, IntArray
from ..paradigms import EVERY_PARADIGM, cluster_index
from ..significance import sign_flip_test
from ..uncertainty import (
    Interval,
    cluster_intervals,
    cluster_ratio_interval,
    undefined_interval,
)
from .options import Options
from .pairs import RatedPairs
from .weights import sign_flip_weights

SIGNS = np.array([0.0] + [1.0 if p.true_sentiment == "+" else -1.0 for p in EVERY_PARADIGM])
IS_DEGENERATE = np.array([False] + [p.is_occlusion_degenerate for p in EVERY_PARADIGM])


class Effects(NamedTuple):
    """Means of the c paradigms that occur, each of shape (c,); nan where nothing was scored.

    Attributes:
        paradigm_ids: Their ids, ascending.
        effect: Occlusion effect in log-odds.
        effect_in_probability: The same of P(positive).
        minus_placebo: Effect minus that of a mask outside the site.
        control: Log-odds of the control sentences, not oriented.
    """

    paradigm_ids: IntArray
    effect: FloatArray
    effect_in_probability: FloatArray
    minus_placebo: FloatArray
    control: FloatArray

    @property
    def is_usable(self) -> BoolArray:
        """Which paradigms have two different occluded sentences."""
        return ~IS_DEGENERATE[self.paradigm_ids]


class Effect(NamedTuple):
    """A mean over paradigms, its interval (None where none is asked for) and its p value."""

    value: float
    interval: Interval | None
    p: float

    def as_fields(self, name: str) -> dict[str, float | str]:
        """Result fields of the score `name`: itself, `_p`, and `_low`, `_high`, `_interval`."""
        fields: dict[str, float | str] = {name: self.value, f"{name}_p": self.p}
        return fields | (self.interval.as_fields(name) if self.interval else {})


def paradigm_effects(pairs: RatedPairs) -> Effects:
    """Occlusion effect of every paradigm, and what stands beside it."""
    present, places = np.unique(pairs.paradigm_ids, return_inverse=True)
    n = np.bincount(places)

    def means(values: FloatArray) -> FloatArray:
        mean: FloatArray = np.bincount(places, weights=values) / n
        return mean

    signs = SIGNS[present]
    nothing = np.full(len(present), math.nan)
    effect = in_probability = minus_placebo = nothing
    if pairs.has_occlusion:
        effect = signs * means(_shrinking(pairs.logits))
        in_probability = signs * means(_shrinking(pairs.probabilities))
    if pairs.has_placebo:
        placebo = pairs.logits[:, [0, 1, 4, 5]]
        minus_placebo = effect - signs * means(_shrinking(placebo))
    control = means(pairs.logits[:, 1])
    return Effects(present.astype(np.int64), effect, in_probability, minus_placebo, control)


def mean_effect(values: FloatArray, paradigm_ids: IntArray, options: Options) -> Effect:
    """Mean over paradigms with equal weight, its interval over clusters and its p value.

    Args:
        values: One value per paradigm, shape (c,), c may be 0.
        paradigm_ids: Shape (c,).
        options: `cluster`, `confidence`, `n_resamples` and `seed` matter.

    Returns:
        Studentised bootstrap interval of the mean, and the p value of random signs of the clusters'
        weighted sums (`sign_flip_weights`); nan for fewer than two clusters. The p value says
        whether the effects are symmetric about 0; it can be small where the interval holds 0, since
        weights find what a plain mean overlooks.
    """
    if not len(values) or not np.isfinite(values).all():
        missing = undefined_interval("nothing to compare")
        return Effect(math.nan, missing if options.confidence else None, math.nan)
    clusters = cluster_index(paradigm_ids, options.cluster)
    sums, sizes = np.bincount(clusters, weights=values), np.bincount(clusters)
    weights = sign_flip_weights(values, SIGNS[paradigm_ids], clusters)
    weighted = np.bincount(clusters, weights=weights * values)
    p = sign_flip_test(weighted, seed=options.seed) if len(sums) > 1 else math.nan
    if options.confidence is None:
        return Effect(float(values.mean()), None, p)
    interval = cluster_ratio_interval(
        sums,
        sizes,
        confidence=options.confidence,
        n_resamples=options.n_resamples,
        seed=options.seed,
    )
    return Effect(float(values.mean()), interval, p)


def sensitivity(effects: Effects, w: FloatArray) -> FloatArray:
    """Mean control log-odds of positive minus that of negative paradigms, shape (r,).

    What a model makes of the polarity that the control sentences openly have; nan without
    paradigms of both kinds.
    """
    is_positive = SIGNS[effects.paradigm_ids] > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        means = [
            (w[:, kind] @ effects.control[kind]) / w[:, kind].sum(axis=1)
            for kind in (is_positive, ~is_positive)
        ]
        difference: FloatArray = means[0] - means[1]
    return difference


def standardised(effects: Effects, w: FloatArray) -> FloatArray:
    """Mean effect in standard deviations of the control log-odds over paradigms, shape (r,)."""
    usable = w * effects.is_usable
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (usable @ np.nan_to_num(effects.effect)) / usable.sum(axis=1)
        ratio: FloatArray = mean / control_spread(effects, w)
    return ratio


def control_spread(effects: Effects, w: FloatArray) -> FloatArray:
    """Standard deviation over paradigms of the mean control log-odds, shape (r,)."""
    total = w.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (w @ effects.control) / total
        centred = effects.control - effects.control.mean()
        square = w @ centred**2 - total * (mean - effects.control.mean()) ** 2
        spread: FloatArray = np.sqrt(np.maximum(square, 0) / (total - 1))
    return spread


def gated(effects: Effects, options: Options) -> tuple[Effect, Effect]:
    """Standardised effect, and the sensitivity that it rests on.

    The standardised effect is nan where the interval of the sensitivity (at 95 % where
    `confidence` is None) is not above 0: a model that does not tell the controls' own polarity, or
    takes it the wrong way round, has no effect to be ranked by. Its p value is that of the effect.
    """
    clusters = cluster_index(effects.paradigm_ids, options.cluster)

    def statistics(weights: FloatArray) -> FloatArray:
        w = weights[:, clusters]
        return np.stack([standardised(effects, w), sensitivity(effects, w)], axis=1)

    n_clusters = int(clusters.max()) + 1
    values = statistics(np.ones((1, n_clusters)))[0].tolist()
    intervals = cluster_intervals(
        statistics,
        n_clusters,
        confidence=options.confidence or 0.95,
        n_resamples=options.n_resamples,
        seed=options.seed,
    )
    if not intervals[1].low > 0:
        values[0] = math.nan
        reason = intervals[1].note if math.isnan(intervals[1].low) else _reason(intervals[1])
        intervals[0] = undefined_interval(reason.removeprefix("undefined: "))
    shown = [interval if options.confidence else None for interval in intervals]
    return (
        Effect(values[0], shown[0], math.nan),
        Effect(values[1], shown[1], math.nan),
    )


def _reason(interval: Interval) -> str:
    if interval.high < 0:
        return "the model rates negative control sentences higher; are these P(positive)?"
    return "the model does not tell positive from negative control sentences"


def _shrinking(values: FloatArray) -> FloatArray:
    difference: FloatArray = (values[:, 1] - values[:, 0]) - (values[:, 3] - values[:, 2])
    return difference
