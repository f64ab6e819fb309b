"""Result fields of the occlusion effect: overall, by group of paradigms, and between two models."""

import math
from typing import Any

import numpy as np

from ..paradigms import EVERY_PARADIGM, cluster_index
from ..significance import holm
from ..uncertainty import cluster_interval, undefined_interval
from .occlusion import (
    Effect,
    Effects,
    gated,
    mean_effect,
    paradigm_effects,
    standardised,
)
from .options import Options
from .pairs import RatedPairs


def effect_fields(pairs: RatedPairs, effects: Effects, options: Options) -> dict[str, Any]:
    """Occlusion effect of the whole suite and everything that stands beside it.

    Returns:
        `occlusion_effect` and its variants with `_low`, `_high`, `_interval`, `_p`;
        `occlusion_effect_standardised`; `sensitivity`; `n_effect_paradigms`; `clipped_share`.
    """
    usable, ids = effects.is_usable, effects.paradigm_ids
    scale, polarity = gated(effects, options)
    main = mean_effect(effects.effect[usable], ids[usable], options)
    fields: dict[str, Any] = main.as_fields("occlusion_effect")
    if not pairs.has_occlusion:
        scale = Effect(main.value, main.interval, main.p)
    fields |= scale._replace(p=main.p).as_fields("occlusion_effect_standardised")
    del fields["occlusion_effect_standardised_p"]  # it is that of the effect
    fields |= mean_effect(effects.effect, ids, options).as_fields("occlusion_effect_all")
    in_probability = effects.effect_in_probability[usable]
    fields |= mean_effect(in_probability, ids[usable], options).as_fields(
        "occlusion_effect_probability"
    )
    if pairs.has_placebo:
        fields |= mean_effect(effects.minus_placebo[usable], ids[usable], options).as_fields(
            "occlusion_effect_minus_placebo"
        )
    fields |= polarity.as_fields("sensitivity")
    del fields["sensitivity_p"]  # its interval decides
    return fields | {
        "n_effect_paradigms": int(usable.sum()) if pairs.has_occlusion else 0,
        "clipped_share": pairs.clipped_share,
    }


def group_effects(effects: Effects, options: Options, attribute: str) -> dict[str, dict[str, Any]]:
    """Occlusion effect of each group of paradigms, by the value of an attribute.

    Returns:
        `occlusion_effect` with its interval and p, and `occlusion_effect_p_holm`, the p value
        corrected for the number of groups that have one.
    """
    labels = np.array([getattr(EVERY_PARADIGM[i - 1], attribute) for i in effects.paradigm_ids])
    found = {}
    for value in sorted(set(labels.tolist())):
        chosen = (labels == value) & effects.is_usable
        found[value] = mean_effect(effects.effect[chosen], effects.paradigm_ids[chosen], options)
    corrected = holm([effect.p for effect in found.values()])
    return {
        value: effect.as_fields("occlusion_effect") | {"occlusion_effect_p_holm": p}
        for (value, effect), p in zip(found.items(), corrected, strict=True)
    }


def family_rows(effects: Effects) -> list[dict[str, Any]]:
    """Mean occlusion effect of each family of paradigms; a family is what the intervals rest on."""
    labels = np.array([EVERY_PARADIGM[i - 1].family for i in effects.paradigm_ids])
    rows = []
    for family in sorted(set(labels.tolist())):
        chosen = (labels == family) & effects.is_usable
        rows.append(
            {
                "family": family,
                "n_effect_paradigms": int(chosen.sum()),
                "occlusion_effect": float(effects.effect[chosen].mean())
                if chosen.any()
                else math.nan,
            }
        )
    return rows


def compare_models(first: Effects, other: RatedPairs, options: Options) -> dict[str, Any]:
    """First model minus the other on the same pairs.

    Args:
        first: Effects of the first model.
        other: The pairs as the other model rated them.
        options: `cluster`, `confidence`, `n_resamples` and `seed` matter.

    Returns:
        `occlusion_effect_difference` and `occlusion_effect_standardised_difference` with `_low`,
        `_high`, `_interval` and `_p` (signs of the clusters' differences flipped); the latter is
        nan where one of the two has no standardised effect.
    """
    second, ids, usable = paradigm_effects(other), first.paradigm_ids, first.is_usable
    difference = mean_effect((first.effect - second.effect)[usable], ids[usable], options)
    fields: dict[str, Any] = difference.as_fields("occlusion_effect_difference")
    name = "occlusion_effect_standardised_difference"
    values = [gated(effects, options)[0].value for effects in (first, second)]
    if not np.isfinite(values).all():
        reason = undefined_interval("a model has no standardised effect")
        missing = Effect(math.nan, reason if options.confidence else None, math.nan)
        return fields | missing.as_fields(name)
    clusters = cluster_index(ids, options.cluster)
    n_clusters = int(clusters.max()) + 1
    spreads = [_spread(effects) for effects in (first, second)]
    scaled = first.effect / spreads[0] - second.effect / spreads[1]
    p = mean_effect(scaled[usable], ids[usable], options).p
    interval = None
    if options.confidence is not None:
        interval = cluster_interval(
            lambda w: standardised(first, w[:, clusters]) - standardised(second, w[:, clusters]),
            n_clusters,
            confidence=options.confidence,
            n_resamples=options.n_resamples,
            seed=options.seed,
        )
    return fields | Effect(values[0] - values[1], interval, p).as_fields(name)


def _spread(effects: Effects) -> float:
    return float(np.std(effects.control, ddof=1))
