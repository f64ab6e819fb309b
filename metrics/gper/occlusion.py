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
from typing import Any, NamedTuple

import numpy as np

from .._shared.columns import BoolArray, FloatArray, IntArray, rows_of
from .._shared.paradigms import EVERY_PARADIGM, cluster_index, groups_of
from .._shared.uncertainty import (
    Interval,
    cluster_interval,
    cluster_intervals,
    cluster_ratio_interval,
    holm,
    sign_flip_test,
    undefined_interval,
)
from .inputs import PARTS, RatedPairs
from .options import Options

SIGNS = np.array([0.0] + [1.0 if p.true_sentiment == "+" else -1.0 for p in EVERY_PARADIGM])
IS_DEGENERATE = np.array([False] + [p.is_occlusion_degenerate for p in EVERY_PARADIGM])


def effect_tables(
    pairs: RatedPairs, other: RatedPairs | None, options: Options
) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """Effects of the suite, with differences if another model rated the pairs too, and tables."""
    effects = paradigm_effects(pairs, options.cluster)
    result = effect_fields(pairs, effects, options)
    if other is not None:
        result |= compare_models(effects, paradigm_effects(other, options.cluster), options)
    return result, {
        "by_paradigm": _paradigm_rows(effects),
        "by_branching": _group_rows(effects, options, "branching"),
        "by_sentiment": _group_rows(effects, options, "sentiment"),
        "by_family": _family_rows(effects),
    }


class Effects(NamedTuple):
    """Means of the c paradigms that occur, each of shape (c,); nan where nothing was scored.

    Clusters are numbers from 0, effects are in log-odds but for `effect_in_probability`;
    `minus_placebo` is less that of a mask outside the site, `control` is not oriented.
    """

    paradigm_ids: IntArray
    clusters: IntArray
    n: IntArray
    effect: FloatArray
    effect_in_probability: FloatArray
    minus_placebo: FloatArray
    control: FloatArray

    @property
    def is_usable(self) -> BoolArray:
        """Which paradigms have two different occluded sentences."""
        return ~IS_DEGENERATE[self.paradigm_ids]

    @property
    def n_clusters(self) -> int:
        """How many clusters the paradigms are of."""
        return int(self.clusters.max()) + 1


class Effect(NamedTuple):
    """A mean over paradigms, its interval (None where none is asked for) and its p value."""

    value: float
    interval: Interval | None
    p: float

    def as_fields(self, name: str, *, has_p: bool = True) -> dict[str, float | str]:
        """Result fields of the score `name`: itself, `_p`, and `_low`, `_high`, `_interval`."""
        fields = {name: self.value} | ({f"{name}_p": self.p} if has_p else {})
        return fields | (self.interval.as_fields(name) if self.interval else {})


def paradigm_effects(pairs: RatedPairs, cluster: str | None = "family") -> Effects:
    """Occlusion effect of every paradigm, and what stands beside it."""
    present, places = np.unique(pairs.paradigm_ids, return_inverse=True)
    n = np.bincount(places)

    def means(values: FloatArray) -> FloatArray:
        return np.divide(np.bincount(places, weights=values), n)

    signs = SIGNS[present]
    nothing = np.full(len(present), math.nan)
    effect = in_probability = minus_placebo = nothing
    if pairs.has_occlusion:
        effect = signs * means(_shrinking(pairs.logits))
        in_probability = signs * means(_shrinking(pairs.probabilities))
    if pairs.has_placebo:
        placebo = pairs.logits[:, [0, 1, 4, 5]]
        minus_placebo = effect - signs * means(_shrinking(placebo))
    known = (present.astype(np.int64), cluster_index(present, cluster), n)
    return Effects(*known, effect, in_probability, minus_placebo, means(pairs.logits[:, 1]))


def _shrinking(values: FloatArray) -> FloatArray:
    return np.subtract(values[:, 1] - values[:, 0], values[:, 3] - values[:, 2])


def effect_fields(pairs: RatedPairs, effects: Effects, options: Options) -> dict[str, Any]:
    """Occlusion effect of the whole suite and everything that stands beside it."""
    usable = effects.is_usable
    scale, polarity = gated(effects, options)
    main = mean_effect(effects, effects.effect, usable, options)
    fields: dict[str, Any] = main.as_fields("occlusion_effect")
    shown = scale if pairs.has_occlusion else main  # its p is that of the effect
    fields |= shown.as_fields("occlusion_effect_standardised", has_p=False)
    variants = [("all", effects.effect, np.ones(len(usable), bool))]
    variants.append(("probability", effects.effect_in_probability, usable))
    if pairs.has_placebo:
        variants.append(("minus_placebo", effects.minus_placebo, usable))
    for name, values, chosen in variants:
        found = mean_effect(effects, values, chosen, options)
        fields |= found.as_fields(f"occlusion_effect_{name}")
    fields |= polarity.as_fields("sensitivity", has_p=False)  # its interval decides
    return fields | {
        "n_effect_paradigms": int(usable.sum()) if pairs.has_occlusion else 0,
        "clipped_share": pairs.clipped_share,
    }


def mean_effect(
    effects: Effects, values: FloatArray, chosen: BoolArray, options: Options
) -> Effect:
    """Mean of chosen values of paradigms, shape (c,), its interval over clusters and its p value.

    Paradigms have equal weight. p is that of random signs of the clusters' weighted sums, nan for
    fewer than two clusters: whether the effects are symmetric about 0. It can be small where the
    studentised interval holds 0, since weights find what a plain mean overlooks.
    """
    values = values[chosen]
    if not len(values) or not np.isfinite(values).all():
        return _undefined("nothing to compare", options)
    clusters = np.unique(effects.clusters[chosen], return_inverse=True)[1]
    sums, sizes = np.bincount(clusters, weights=values), np.bincount(clusters)
    weights = sign_flip_weights(values, SIGNS[effects.paradigm_ids[chosen]], clusters)
    weighted = np.bincount(clusters, weights=weights * values)
    p = sign_flip_test(weighted, seed=options.seed) if len(sums) > 1 else math.nan
    is_asked = options.confidence is not None
    interval = cluster_ratio_interval(sums, sizes, **options.resampling()) if is_asked else None
    return Effect(float(values.mean()), interval, p)


def _undefined(reason: str, options: Options) -> Effect:
    return Effect(math.nan, undefined_interval(reason) if options.confidence else None, math.nan)


def sign_flip_weights(effects: FloatArray, signs: FloatArray, families: IntArray) -> FloatArray:
    """Weights of the paradigms' effects whose sums over families have the most power.

    They are V^-1 1, the best linear weights of a mean where the effects of a family have covariance
    V = (1 - r) I + r s s': what a mask leaves of the wording of test and control goes into an
    effect with the sign s, and paradigms of a family, which share a word, have part of it in
    common. r is half its moment estimate, in [0, 1], and a quarter: of 16 families the estimate is
    too uncertain to be taken whole. The weights are functions of products of two effects of one
    family, so that they are the same for every pattern of signs, and the test is exact wherever
    each family's effects are as likely with all signs turned.

    Args:
        effects: Occlusion effect of each paradigm, oriented by s, shape (c,).
        signs: s of each, shape (c,).
        families: Number of each one's family, from 0, shape (c,).

    Returns:
        Above 0, at most 1, shape (c,); all 1 where every family has one paradigm.

    Source: generalised least squares, Aitken (1935); sign flips of clusters' scores, Hagemann
        (2019) and Canay, Romano & Shaikh (2017).

    Example:
        A family of both sentiments counts whole, one of two alike counts less:

        >>> ones = np.ones(4)
        >>> sign_flip_weights(ones, np.array([1.0, -1, 1, 1]), np.array([0, 0, 1, 1]))
        array([1. , 1. , 0.6, 0.6])
    """
    m = np.bincount(families)
    if m.max() == 1:
        return np.ones(len(effects))
    r = 0.25 + 0.5 * shared_variance(signs * effects, families)
    surplus = np.bincount(families, weights=signs)[families]
    return np.subtract(1, r * signs * surplus / (1 - r + r * m[families]))


def shared_variance(values: FloatArray, families: IntArray) -> float:
    """Share of the mean square that values of one family have in common, in [0, 1]; 0 for all 0."""
    m, sums = np.bincount(families), np.bincount(families, weights=values)
    square = float(values @ values)
    if square == 0:
        return 0.0
    products = float(sums @ sums) - square
    return min(1.0, max(0.0, products / float(m @ (m - 1)) / (square / len(values))))


def sensitivity(effects: Effects, w: FloatArray) -> FloatArray:
    """Mean control log-odds of positive minus that of negative paradigms, shape (r,)."""
    is_positive = SIGNS[effects.paradigm_ids] > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        positive, negative = (
            (w[:, kind] @ effects.control[kind]) / w[:, kind].sum(axis=1)
            for kind in (is_positive, ~is_positive)
        )
    return np.asarray(positive - negative)


def standardised(effects: Effects, w: FloatArray) -> FloatArray:
    """Mean effect in standard deviations of the control log-odds over paradigms, shape (r,)."""
    usable = w * effects.is_usable
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (usable @ np.nan_to_num(effects.effect)) / usable.sum(axis=1)
        return np.asarray(mean / control_spread(effects, w))


def control_spread(effects: Effects, w: FloatArray) -> FloatArray:
    """Standard deviation over paradigms of the mean control log-odds, shape (r,)."""
    total = w.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (w @ effects.control) / total
        centred = effects.control - effects.control.mean()
        square = w @ centred**2 - total * (mean - effects.control.mean()) ** 2
        return np.asarray(np.sqrt(np.maximum(square, 0) / (total - 1)))


def gated(effects: Effects, options: Options) -> tuple[Effect, Effect]:
    """Standardised effect, and the sensitivity that it rests on.

    The standardised effect is nan where the interval of the sensitivity (at 95 % where
    `confidence` is None) is not above 0: a model that does not tell the controls' own polarity, or
    takes it the wrong way round, has no effect to be ranked by. Its p value is that of the effect.
    """

    def statistics(weights: FloatArray) -> FloatArray:
        w = weights[:, effects.clusters]
        return np.stack([standardised(effects, w), sensitivity(effects, w)], axis=1)

    n_clusters = effects.n_clusters
    values = statistics(np.ones((1, n_clusters)))[0].tolist()
    settings = options.resampling() | {"confidence": options.confidence or 0.95}
    intervals = cluster_intervals(statistics, n_clusters, **settings)
    if not intervals[1].low > 0:
        values[0] = math.nan
        reason = "the model does not tell positive from negative control sentences"
        if math.isnan(intervals[1].low):
            reason = intervals[1].note.removeprefix("undefined: ")
        elif intervals[1].high < 0:
            reason = "the model rates negative control sentences higher; are these P(positive)?"
        intervals[0] = undefined_interval(reason)
    shown = intervals if options.confidence else (None, None)
    return Effect(values[0], shown[0], math.nan), Effect(values[1], shown[1], math.nan)


def compare_models(first: Effects, second: Effects, options: Options) -> dict[str, Any]:
    """First model minus the other on the same pairs, p by signs of the clusters' differences."""
    usable = first.is_usable
    difference = mean_effect(first, first.effect - second.effect, usable, options)
    fields: dict[str, Any] = difference.as_fields("occlusion_effect_difference")
    name = "occlusion_effect_standardised_difference"
    values = [gated(effects, options)[0].value for effects in (first, second)]
    if not np.isfinite(values).all():
        missing = _undefined("a model has no standardised effect", options)
        return fields | missing.as_fields(name)
    spreads = [float(np.std(effects.control, ddof=1)) for effects in (first, second)]
    scaled = first.effect / spreads[0] - second.effect / spreads[1]
    p = mean_effect(first, scaled, usable, options).p

    def statistic(weights: FloatArray) -> FloatArray:
        w = weights[:, first.clusters]
        return standardised(first, w) - standardised(second, w)

    interval = None
    if options.confidence is not None:
        interval = cluster_interval(statistic, first.n_clusters, **options.resampling())
    return fields | Effect(values[0] - values[1], interval, p).as_fields(name)


def _group_rows(effects: Effects, options: Options, attribute: str) -> list[dict[str, Any]]:
    """Effect of each group of paradigms, with p values that are right for all groups at once."""
    groups = groups_of(effects.paradigm_ids, attribute, PARTS[attribute])
    usable, values = effects.is_usable, effects.effect
    found = [mean_effect(effects, values, is_in & usable, options) for _, is_in in groups]
    corrected = holm([effect.p for effect in found])
    return [
        {attribute: value} | effect.as_fields("occlusion_effect") | {"occlusion_effect_p_holm": p}
        for (value, _), effect, p in zip(groups, found, corrected, strict=True)
    ]


def _paradigm_rows(effects: Effects) -> list[dict[str, Any]]:
    names = ("paradigm_id", "branching", "sentiment", "is_occlusion_degenerate")
    paradigms = [EVERY_PARADIGM[i - 1] for i in effects.paradigm_ids.tolist()]
    known = {name: [getattr(one, name) for one in paradigms] for name in names}
    found = {"n": effects.n, "occlusion_effect": effects.effect, "control_logit": effects.control}
    return rows_of(known | {name: values.tolist() for name, values in found.items()})


def _family_rows(effects: Effects) -> list[dict[str, Any]]:
    """Mean effect of each family of paradigms; a family is what the intervals rest on."""
    rows = []
    for family, is_in in groups_of(effects.paradigm_ids, "family"):
        values = effects.effect[is_in & effects.is_usable]
        mean = float(values.mean()) if len(values) else math.nan
        rows.append({"family": family, "n_effect_paradigms": len(values), "occlusion_effect": mean})
    return rows
