"""Worlds of `subject_object_las`: parsers whose skill differs between base triples.

The triples of a split, their clauses and families are the suite's own. Each triple has a skill, the
probability that a word of its clauses is right; a study draws the skills anew. The truth is the
mean skill, since the design fixes how many clauses a triple has.
"""

import functools
from collections import Counter
from typing import Any

import numpy as np

from dataset_scripts.registry import split_table
from metrics.cluster_tables import families_of
from metrics.columns import FloatArray, IntArray
from metrics.stratified import stratified_interval
from worlds.world import World

# Beta distributions of a triple's skill: most triples easy, some hard; nearly all easy.
BETAS = {"Beta(1.6, 0.4)": (1.6, 0.4), "Beta(19, 1)": (19.0, 1.0)}
WEAK = 0.05  # share of triples near the ceiling that the parser gets wrong half of the time


def worlds() -> list[World]:
    """Three distributions of skill on both splits, whole and lite."""
    found = []
    for config in ("conll", "conll_lite"):
        for split in ("part_amb", "amb"):
            draw = functools.partial(draw_study, config, split)
            n = f"{split}, {'lite' if config == 'conll_lite' else 'full'}"
            for name, (a, b) in BETAS.items():
                simulate = functools.partial(draw, a, b)
                found.append(World(f"skill {name}", n, {"las": a / (a + b)}, simulate))
            truth = {"las": 1 - 0.5 * WEAK}
            weak = functools.partial(draw, 0.0, 0.0)
            found.append(World("near the ceiling, 5 % weak triples", n, truth, weak))
    return found


def draw_study(
    config: str, split: str, a: float, b: float, generator: np.random.Generator
) -> dict[str, Any]:
    """LAS of one parser and its interval; `a` = 0 draws the world near the ceiling."""
    n_words, families = triples(config, split)
    if a:
        skills = generator.beta(a, b, len(n_words))
    else:
        skills = np.where(generator.random(len(n_words)) < WEAK, 0.5, 1.0)
    hits = generator.binomial(n_words.astype(int), skills).astype(float)
    seed = int(generator.integers(2**31))
    interval = stratified_interval(hits, n_words, families, seed=seed)
    return {"las": hits.sum() / n_words.sum()} | interval.as_fields("las")


@functools.cache
def triples(config: str, split: str) -> tuple[FloatArray, IntArray]:
    """Scored words and family of each base triple of a split."""
    table = split_table("sorts", config, split)
    undecided = ("none", "plausibility")
    counts = Counter(
        triple
        for triple, status in zip(
            table["triple_id"].to_pylist(), table["resolved_by"].to_pylist(), strict=True
        )
        if status not in undecided
    )
    return 2.0 * np.array(list(counts.values()), float), families_of(list(counts))
