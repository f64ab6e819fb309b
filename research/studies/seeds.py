"""Parsers of several seeds: scores as means over seeds, with intervals over clusters and seeds.

A parser that is trained here is named trained:KIND/TREEBANKS/SEED; those that differ in nothing but
the seed are one recipe. Every seed parsed the same sentences, so that seeds and what sentences were
drawn by are crossed (`research.studies.seed_intervals`).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from garden_path.models.arrays import FloatArray
from ground.markdown import interval, percent
from research.studies.seed_intervals import CrossedMean, crossed_estimate, undefined
from research.systems.parsers.trained_parsers import read_recipe

Cells = Mapping[tuple[str, str], CrossedMean]
"""Means by table and row."""
PREFIX = "trained:"
N_SEEDS = 3
SEEDS_NOTE = (
    "Means over seeds, with 95 % intervals over {clusters} and seeds, which are crossed; of three"
    " seeds an interval is wide where they differ."
)


class Hits(NamedTuple):
    """What a score counts, of the same units for every seed.

    Attributes:
        hits: Shape (seeds, units).
        counts: What there is to be hit, shape (units,).
        clusters: What each unit was drawn with, by name.
    """

    hits: FloatArray
    counts: FloatArray
    clusters: Sequence[str]


def seeds_of(*recipes: str) -> tuple[str, ...]:
    """The names of the parsers of some recipes, `N_SEEDS` of each.

    Example:
        >>> seeds_of("spacy/dutch")[-1]
        'trained:spacy/dutch/2'
    """
    return tuple(f"{PREFIX}{recipe}/{seed}" for recipe in recipes for seed in range(N_SEEDS))


def by_recipe(systems: Sequence[str]) -> dict[str, list[str]]:
    """The systems of each recipe, in the order given.

    Raises:
        ValueError: One is no parser that is trained here, or comes twice.
    """
    found: dict[str, list[str]] = {}
    for name in systems:
        if not name.startswith(PREFIX) or systems.count(name) > 1:
            raise ValueError(
                f"--systems, got {name!r}; expected parsers named {PREFIX}KIND/TREEBANKS/SEED, each"
                " once"
            )
        recipe = read_recipe(name.removeprefix(PREFIX))
        found.setdefault(f"{recipe.kind}/{recipe.treebanks}", []).append(name)
    return found


def crossed_score(found: Hits) -> CrossedMean:
    """Mean over seeds of hits by counts, in [0, 1]; nan without units."""
    if not len(found.counts):
        return undefined(math.nan, "nothing is counted")
    names, codes = np.unique(np.asarray(found.clusters, dtype=str), return_inverse=True)
    hits = np.array([np.bincount(codes, row, len(names)) for row in found.hits])
    counts = np.bincount(codes, found.counts, len(names))

    def measure(weights: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios: FloatArray = (weights @ hits.T) / (weights @ counts)[:, None]
        return ratios

    return crossed_estimate(measure, len(names))


def in_cell(mean: CrossedMean, least: float = 0.0) -> str:
    """A score in percent with its interval, whose ends stay within `least` and 100."""
    low, high = (percent(min(max(end, least), 1.0)) for end in (mean.low, mean.high))
    return f"{percent(mean.value):z.1f}{'' if mean.low != mean.low else interval(low, high)}"


def as_numbers(scored: Mapping[str, Cells]) -> dict[str, dict[str, dict[str, Any]]]:
    """What a result keeps: each mean with its interval by recipe, table and row."""
    figures: dict[str, dict[str, dict[str, Any]]] = {}
    for recipe, found in scored.items():
        tables = figures.setdefault(recipe, {})
        for (table, name), mean in found.items():
            kept = {"value": mean.value, "low": mean.low, "high": mean.high, "note": mean.note}
            tables.setdefault(table, {})[name] = kept
    return figures
