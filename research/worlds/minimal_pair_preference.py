"""Worlds of `minimal_pair_preference`: language models whose preference differs between clusters.

A pair's effect is normal around its cluster's, and a cluster's around the model's; the sizes are
those of the suites' pairs. The truth follows from the normal distribution.
"""

import functools
from statistics import NormalDist
from typing import Any

import numpy as np

from metrics.minimal_pair_preference.scoring import score
from research.worlds.world import World

# pairs of the lite suites: clusters, and pairs in each
SIZES = {"100 clusters of 12 pairs": (100, 12), "19 clusters of 100 pairs": (19, 100)}
# mean effect in nats, standard deviations between and within clusters
EFFECTS = {
    "no preference, clusters alike": (0.0, 0.0, 3.0),
    "no preference, clusters differ": (0.0, 2.0, 3.0),
    "two thirds preferred": (1.5, 2.0, 3.0),
    "nearly all preferred": (8.0, 2.0, 3.0),
}


def worlds() -> list[World]:
    """Four models on suites with many and with few clusters."""
    return [
        World(name, n, truth_of(name), functools.partial(draw_study, name, *size))
        for n, size in SIZES.items()
        for name in EFFECTS
    ]


UNLIKELY = 1000.0  # nats below 0, where every log-probability of these worlds lies


def truth_of(name: str) -> dict[str, float]:
    """Share of pairs that are preferred, and mean effect in nats."""
    effect, between, within = EFFECTS[name]
    spread = float(np.hypot(between, within))
    return {"accuracy": NormalDist(0, spread).cdf(effect), "effect": effect}


def draw_study(
    name: str, n_clusters: int, n_pairs: int, generator: np.random.Generator
) -> dict[str, Any]:
    """Result of the metric for one model on one suite."""
    effect, between, within = EFFECTS[name]
    centres = np.repeat(generator.normal(effect, between, n_clusters), n_pairs)
    effects = generator.normal(centres, within)
    clusters = np.repeat(np.arange(n_clusters), n_pairs).astype(str).tolist()
    rows = {"construction": ["pair"] * len(effects), "cluster": clusters}
    predictions = np.column_stack([effects, np.zeros_like(effects)]) - UNLIKELY
    return score({"predictions": predictions, "references": rows})
