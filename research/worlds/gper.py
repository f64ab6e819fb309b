"""Worlds of `gper` and its occlusion effect: sentiment models with and without a garden path.

A world says how a model rates the sentences of 39 paradigms, 50 pairs each: how different the
wording of test and control is, what a mask leaves of that, and by how much the canary word pulls.
The truth of the occlusion effect is what the world says; that of GPER and its companions follows
from no formula and is the mean over many studies.
"""

import functools
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from metrics._shared.columns import FloatArray, IntArray
from metrics._shared.paradigms import N_PARADIGMS, cluster_index
from metrics._shared.uncertainty import sign_flip_test
from metrics.gper.inputs import read_pairs
from metrics.gper.occlusion import SIGNS, Effects, effect_fields, mean_effect, paradigm_effects
from metrics.gper.options import read_options
from metrics.gper.rates import count_outcomes, score_outcomes
from research.worlds.world import World

PAIRS_PER_PARADIGM = 50
LEVEL = 0.05
STREAM = 21  # draws of which none was looked at before the weights of the sign flips were chosen


@dataclass(frozen=True)
class OcclusionWorld:
    """How a model rates the sentences, in log-odds."""

    name: str
    effect: float = 0.0  # how strongly the canary word pulls; the truth
    wording: float = 1.0  # deviation, over paradigms, of control minus test for other reasons
    shared: float = 0.5  # share of its variance that paradigms of one family have in common
    polarity: float = 0.0  # by how much control words are more polar than the true words
    kept: float = 1.0  # what a mask leaves of a difference
    shift: float = 0.0  # what a mask adds to any sentence's rating
    noise: float = 0.6  # standard deviation of one sentence's rating around all this


WORLDS = (
    OcclusionWorld("no effect, masks change nothing"),
    OcclusionWorld("no effect, masks shift every rating", shift=-1.5),
    OcclusionWorld("no effect, masks keep .8 of a difference", kept=0.8),
    OcclusionWorld("no effect, masks keep .5 of a difference", kept=0.5),
    OcclusionWorld("no effect, wording shared by families", kept=0.5, shared=0.9),
    OcclusionWorld("no effect, masks keep .8, control words more polar", kept=0.8, polarity=0.3),
    OcclusionWorld("no effect, masks keep .5, control words more polar", kept=0.5, polarity=0.3),
    OcclusionWorld("effect .1, masks keep .8", effect=0.1, kept=0.8),
    OcclusionWorld("effect .3, masks change nothing", effect=0.3),
    OcclusionWorld("effect .3, masks keep .8", effect=0.3, kept=0.8),
    OcclusionWorld("effect .3, masks keep .5", effect=0.3, kept=0.5),
)


def draw_ratings(
    world: OcclusionWorld, generator: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """Log-odds of the six sentences of every pair of a draw, and the pairs' paradigms.

    Shapes (n, 6), columns as `metrics.gper.inputs.SENTENCES`, and (n,).
    """
    ids = np.arange(1, N_PARADIGMS + 1)
    family = cluster_index(ids, "family")
    common = generator.normal(size=family.max() + 1)[family]
    own = generator.normal(size=N_PARADIGMS)
    weights = np.sqrt([world.shared, 1 - world.shared])
    signs = SIGNS[ids]
    wording = world.wording * (weights[0] * common + weights[1] * own) + world.polarity * signs
    pull = world.effect * signs
    paradigm = np.repeat(ids, PAIRS_PER_PARADIGM)
    ratings = generator.normal(0, world.noise, (len(paradigm), 6))
    ratings += generator.normal(size=(len(paradigm), 1))  # a sentence pair's own polarity
    ratings += SIGNS[paradigm][:, None]  # and what its true word adds
    differences = [wording + pull, world.kept * wording, world.kept * (wording + pull)]
    for place, difference in enumerate(differences):
        ratings[:, 2 * place] -= difference[paradigm - 1]
    ratings[:, 2:] += world.shift
    return ratings, paradigm


def score_draw(world: OcclusionWorld, seed: int) -> dict[str, float]:
    """What the metric says of one draw: 1 where p is below .05, and where the interval holds."""
    generator = np.random.default_rng([seed, WORLDS.index(world), STREAM])
    ratings, ids = draw_ratings(world, generator)
    by_family = read_options(scale="logit", n_resamples=1000, seed=seed)
    pairs = read_pairs(ratings, ids, "logit")
    effects = paradigm_effects(pairs)
    apart = paradigm_effects(pairs, "paradigm")
    usable, present = effects.is_usable, effects.paradigm_ids

    def alarm(values: FloatArray, chosen: Any, effects: Effects = effects) -> float:
        return float(mean_effect(effects, values, chosen, plain).p < LEVEL)

    plain = read_options(scale="logit", confidence=None, seed=seed)
    main = mean_effect(effects, effects.effect, usable, by_family)
    interval = main.interval
    families = cluster_index(present[usable], "family")
    sums = np.bincount(families, weights=effects.effect[usable])
    everything, excess = np.ones(len(present), bool), np.nan
    if seed % 10 == 0:
        scores = score_outcomes(count_outcomes(pairs, by_family.similarity), by_family)
        excess = float(not scores["gper_excess_low"] <= 0 <= scores["gper_excess_high"])
    return {
        "family": float(main.p < LEVEL),
        "unweighted": float(sign_flip_test(sums, seed=seed) < LEVEL),
        "paradigm": alarm(effects.effect, usable, apart),
        "probability": alarm(effects.effect_in_probability, usable),
        "all": alarm(effects.effect, everything),
        "minus_placebo": alarm(effects.minus_placebo, usable),
        "excess": excess,
        "covers": float(interval is not None and interval.low <= world.effect <= interval.high),
    }


N_STUDIES = 2000
N_TRUTH = 2000  # studies whose mean is the truth: its standard error is under .1 points
AVERAGED = ("overall_accuracy", "gper", "gper_reverse", "gper_excess")
MODELS = (
    OcclusionWorld("no effect, masks change nothing"),
    OcclusionWorld("no effect, masks keep .5 of a difference", kept=0.5),
    OcclusionWorld("no effect, wording shared by families", kept=0.5, shared=0.9),
    OcclusionWorld("effect .3, masks keep .8", effect=0.3, kept=0.8),
    OcclusionWorld("effect 1, masks keep .5", effect=1.0, kept=0.5),
)


def worlds() -> list[World]:
    """Models on the 39 paradigms."""
    n = f"{N_PARADIGMS} paradigms of {PAIRS_PER_PARADIGM} pairs, 19 families"
    return [
        World(one.name, n, partial(true_values, one), partial(draw_study, one), N_STUDIES)
        for one in MODELS
    ]


def draw_study(one: OcclusionWorld, generator: np.random.Generator) -> dict[str, Any]:
    """Scores and intervals of one model on the whole suite, without the tables of the metric."""
    options = read_options(scale="logit", seed=int(generator.integers(2**31)))
    ratings, ids = draw_ratings(one, generator)
    pairs = read_pairs(ratings[:, :4], ids, options.scale)
    found = effect_fields(pairs, paradigm_effects(pairs), options)
    return found | score_outcomes(count_outcomes(pairs, options.similarity), options, is_whole=True)


@functools.cache
def true_values(one: OcclusionWorld) -> dict[str, float]:
    """The effect that the world has, and the mean of each rate over many studies."""
    generator, options = np.random.default_rng(1), read_options(scale="logit", confidence=None)
    drawn = []
    for _ in range(N_TRUTH):
        ratings, ids = draw_ratings(one, generator)
        pairs = read_pairs(ratings[:, :4], ids, options.scale)
        scores = score_outcomes(count_outcomes(pairs, options.similarity), options)
        drawn.append([scores[name] for name in AVERAGED])
    means: FloatArray = np.mean(drawn, axis=0)
    return {"occlusion_effect": one.effect} | dict(zip(AVERAGED, means.tolist(), strict=True))
