"""Worlds of `subject_object_las`: parsers whose skill differs between base triples.

The triples of a split, their clauses, items and families are the suite's own; triples without a
decided clause are resampled like the others, as in `score`. Each triple has a skill, the
probability that a word of its clauses is right, each on its own; a study draws the skills anew. The
truth of `las` is the mean skill and that of `svo_ovs_score` the mean of its fourth power (two words
of two clauses), since the design fixes how many clauses and items a triple has.
"""

import functools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dataset_scripts.registry import split_table
from metrics.cluster_tables import Ratio, Tables
from metrics.columns import IntArray
from metrics.groupings import group_of_unit
from metrics.subject_object_las.clauses import read_clauses
from metrics.subject_object_las.inputs import INPUTS
from metrics.subject_object_las.inventory import OVS, SVO, UNDECIDED
from metrics.subject_object_las.scoring import clause_tables
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


class Studied(NamedTuple):
    """What is scored of a split.

    Attributes:
        tables: The metric's tables of its clauses, which state the intervals.
        decided: Clauses that count for `las`, shape (d,).
        items: The clause in subject-verb-object order of each item that the headline counts.
        triple: Base triple of each clause, shape (n,).
    """

    tables: Tables
    decided: IntArray
    items: IntArray
    triple: IntArray


def draw_study(
    config: str, split: str, a: float, b: float, generator: np.random.Generator
) -> dict[str, Any]:
    """Both scores of one parser with their intervals; `a` = 0 draws the world near the ceiling."""
    given = studied(config, split)
    n_triples = given.tables.n_clusters
    if a:
        skills = generator.beta(a, b, n_triples)
    else:
        skills = np.where(generator.random(n_triples) < WEAK, 0.5, 1.0)
    words = generator.binomial(2, skills[given.triple[given.decided]])
    items = generator.binomial(1, skills[given.triple[given.items]] ** WORDS)
    return stated(given, words, items)


def stated(given: Studied, words: IntArray, items: IntArray) -> dict[str, Any]:
    """Both scores with their intervals.

    Args:
        given: What is scored.
        words: Right words of each decided clause, 0 to 2.
        items: Whether each item is right, 0 or 1.
    """
    found: dict[str, Any] = {}
    hits = ((words, 2.0, given.decided), (items, 1.0, given.items))
    for name, (right, most, clauses) in zip(SCORES, hits, strict=True):
        ratio = Ratio(right.astype(float), np.full(len(clauses), most))
        given.tables.add(found, {name: ratio}, clauses, (name,))
    given.tables.fill_intervals(0.95, 2000, 0)
    return found


@functools.cache
def studied(config: str, split: str) -> Studied:
    """What is scored of a split of the suite."""
    table = split_table("sorts", config, split)
    inputs = INPUTS.read({"predictions": table, "references": table})
    clauses = read_clauses(split, inputs["references"])
    names = ("item_id", "word_order", "resolved_by")
    rows = list(zip(*(table[name].to_pylist() for name in names), strict=True))
    return Studied(
        clause_tables(clauses, has_intervals=True),
        np.array([i for i, row in enumerate(rows) if row[2] not in UNDECIDED]),
        _scored_items(rows),
        group_of_unit(clauses.triple, clauses.n),
    )


def _scored_items(rows: Sequence[tuple[str, str, str]]) -> IntArray:
    """The first clause of each item that the headline counts: all decided, in both orders."""
    items: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for i, (item, order, status) in enumerate(rows):
        items[item].append((i, order, status))
    found = []
    for clauses in items.values():
        places = {order: i for i, order, _ in clauses}
        if {SVO, OVS} <= set(places) and all(s not in UNDECIDED for *_, s in clauses):
            found.append(places[SVO])
    return np.array(found)
