"""Worlds of `gper`: sentiment models with and without a garden path.

The truth of the occlusion effect is what the world says; that of GPER and its companions follows
from no formula and is the mean over many studies.
"""

import functools
from functools import partial
from typing import Any

import numpy as np

from metrics._shared.columns import FloatArray
from metrics._shared.paradigms import N_PARADIGMS
from metrics.gper.inputs import read_pairs
from metrics.gper.occlusion import effect_fields, paradigm_effects
from metrics.gper.options import read_options
from metrics.gper.rates import count_outcomes, score_outcomes
from research.worlds.occlusion_effect import PAIRS_PER_PARADIGM, OcclusionWorld, draw_ratings
from research.worlds.world import World

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
