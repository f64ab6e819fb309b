"""Worlds of `subject_object_las`: parsers whose skill differs between base triples.

The triples of a split, their clauses, items and families are the suite's own; triples without a
decided clause are resampled like the others, as in `score`. Each triple has a skill, the
probability that a word of its clauses is right, each on its own; a study draws the skills anew. The
truth of `las` is the mean skill and that of `svo_ovs_score` the mean of its fourth power (two words
of two clauses), since the design fixes how many clauses and items a triple has.
"""

import functools
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from dataset_scripts.registry import split_table
from metrics.cluster_tables import families_of
from metrics.columns import FloatArray, IntArray
from metrics.stratified import stratified_intervals
from metrics.subject_object_las.inventory import OVS, SVO, UNDECIDED
from worlds.world import World

# Beta distributions of a triple's skill: most triples easy, some hard; nearly all easy.
BETAS = {"Beta(1.6, 0.4)": (1.6, 0.4), "Beta(19, 1)": (19.0, 1.0)}
WEAK = 0.05  # share of triples near the ceiling that the parser gets wrong half of the time
WORDS = 4  # of an item that must be right: subject and object in both word orders
SCORES = ("las", "svo_ovs_score")
N_SIMULATIONS = 4000  # of each world


def worlds() -> list[World]:
    """Three distributions of skill on both splits, whole and lite."""
    found = []
    for config in ("conll", "conll_lite"):
        for split in ("part_amb", "amb"):
            draw = functools.partial(draw_study, config, split)
            n = f"{split}, {'lite' if config == 'conll_lite' else 'full'}"
            for name, (a, b) in BETAS.items():
                truth = {"las": a / (a + b), "svo_ovs_score": _fourth_moment(a, b)}
                simulate = functools.partial(draw, a, b)
                found.append(World(f"skill {name}", n, truth, simulate, N_SIMULATIONS))
            truth = {"las": 1 - 0.5 * WEAK, "svo_ovs_score": 1 - (1 - 0.5**WORDS) * WEAK}
            weak = functools.partial(draw, 0.0, 0.0)
            found.append(World("near the ceiling, 5 % weak triples", n, truth, weak, N_SIMULATIONS))
    return found


def _fourth_moment(a: float, b: float) -> float:
    """Mean of the fourth power of a Beta variable."""
    return float(np.prod([(a + k) / (a + b + k) for k in range(WORDS)]))


def draw_study(
    config: str, split: str, a: float, b: float, generator: np.random.Generator
) -> dict[str, Any]:
    """Both scores of one parser with their intervals; `a` = 0 draws the world near the ceiling."""
    counts, families = triples(config, split)
    if a:
        skills = generator.beta(a, b, len(counts))
    else:
        skills = np.where(generator.random(len(counts)) < WEAK, 0.5, 1.0)
    shares = np.stack([skills, skills**WORDS], axis=1)
    hits = generator.binomial(counts.astype(int), shares).astype(float)
    found: dict[str, Any] = {}
    intervals = stratified_intervals(hits, counts, families, is_unequal=True)
    for name, interval, ratio in zip(SCORES, intervals, _ratios(hits, counts), strict=True):
        found |= {name: ratio} | interval.as_fields(name)
    return found


def _ratios(hits: FloatArray, counts: FloatArray) -> list[float]:
    ratios: list[float] = (hits.sum(axis=0) / counts.sum(axis=0)).tolist()
    return ratios


@functools.cache
def triples(config: str, split: str) -> tuple[FloatArray, IntArray]:
    """Scored words and items of each base triple of a split, shape (c, 2), and its family."""
    table = split_table("sorts", config, split)
    names = ("triple_id", "item_id", "word_order", "resolved_by")
    rows = list(zip(*(table[name].to_pylist() for name in names), strict=True))
    n_words = Counter({triple: 0 for triple, *_ in rows})
    n_words.update(triple for triple, *_, status in rows if status not in UNDECIDED)
    n_items = Counter(_scored_items(rows))
    counts = np.array([(2 * n, n_items[triple]) for triple, n in n_words.items()], float)
    return counts, families_of(list(n_words))


def _scored_items(rows: Sequence[tuple[str, str, str, str]]) -> list[str]:
    """The triple of each item that the headline counts: all decided, in both word orders."""
    items: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for triple, item, order, status in rows:
        items[triple, item].append((order, status))
    return [
        triple
        for (triple, _), clauses in items.items()
        if {order for order, _ in clauses} >= {SVO, OVS}
        and all(status not in UNDECIDED for _, status in clauses)
    ]
