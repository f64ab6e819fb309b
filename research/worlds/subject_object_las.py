"""Worlds of `subject_object_las`: parsers whose skill differs between base triples, or nouns.

Triples, clauses, items and families are the suite's own. Each triple has a skill, the probability
that a word of its clauses is right; a study draws the skills anew. The truth of `las` is the mean
skill and that of `informedness`, stated as a share x for 2 x - 1, the mean of its square (two words
of a clause). Where nouns vary, every noun has an effect on the logit of the words of its clauses.
"""

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dataset_scripts.registry import split_table
from metrics._shared.cluster_tables import Ratio, Tables, group_of_unit
from metrics._shared.columns import FloatArray, IntArray
from metrics.subject_object_las.inputs import INPUTS, OVS, SVO, UNDECIDED, Clauses, read_clauses
from metrics.subject_object_las.scoring import clause_tables
from research.worlds.world import World

# Beta distributions of a triple's skill: most triples easy, some hard; nearly all easy.
BETAS = {"Beta(1.6, 0.4)": (1.6, 0.4), "Beta(19, 1)": (19.0, 1.0)}
WEAK = 0.05  # share of triples near the ceiling that the parser gets wrong half of the time
SCORES = ("las", "informedness")
N_SIMULATIONS = 4000  # of each world
LEVEL = 1.0  # logit of a word without nouns; each noun adds a normal effect of sd 1
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
Skills = Callable[["Studied", np.random.Generator], FloatArray]
"""Probability that a word of each clause is right, shape (n,), in one study."""


class Studied(NamedTuple):
    """What is scored of a split."""

    tables: Tables  # the metric's of its clauses, which state the intervals
    decided: IntArray  # clauses that count for `las`, shape (d,)
    items: IntArray  # the subject-verb-object clause of each item that the headline counts
    triple: IntArray  # base triple of each clause, shape (n,)
    nouns: IntArray  # nouns of each clause as places among all, -1 for none, shape (n, 2)


def worlds() -> list[World]:
    """Four distributions of skill on both splits, whole and lite."""
    found = []
    for config in ("conll", "conll_lite"):
        for split in ("part_amb", "amb"):
            n = f"{split}, {'lite' if config == 'conll_lite' else 'full'}"
            draw = functools.partial(draw_study, config, split)
            for name, (a, b) in BETAS.items():
                truth = {"las": a / (a + b), "informedness": a * (a + 1) / ((a + b) * (a + b + 1))}
                simulate = functools.partial(draw, functools.partial(beta_skills, a, b))
                found.append(World(f"skill {name}", n, truth, simulate, N_SIMULATIONS))
            truth = {"las": 1 - 0.5 * WEAK, "informedness": 1 - 0.75 * WEAK}
            weak = functools.partial(draw, weak_skills)
            found.append(World("near the ceiling, 5 % weak triples", n, truth, weak, N_SIMULATIONS))
            nouns = functools.partial(draw, noun_skills)
            truth = noun_truth(config, split)
            found.append(World("nouns vary, sd 1 of the logit", n, truth, nouns, N_SIMULATIONS))
    return found


def beta_skills(a: float, b: float, given: Studied, generator: np.random.Generator) -> FloatArray:
    """Skills of triples from a Beta distribution."""
    return np.asarray(generator.beta(a, b, given.tables.n_clusters)[given.triple])


def weak_skills(given: Studied, generator: np.random.Generator) -> FloatArray:
    """All triples right but for a few, half of whose words are."""
    is_weak = generator.random(given.tables.n_clusters) < WEAK
    return np.asarray(np.where(is_weak, 0.5, 1.0)[given.triple])


def noun_skills(given: Studied, generator: np.random.Generator) -> FloatArray:
    """Skills of clauses from the effects of their nouns."""
    effects = np.append(generator.normal(size=int(given.nouns.max()) + 1), 0.0)  # -1: of no noun
    return np.asarray(_share(LEVEL + effects[given.nouns].sum(axis=1)))


def noun_truth(config: str, split: str) -> dict[str, float]:
    """Both scores over all nouns that could be drawn."""
    given = studied(config, split)
    n_nouns = (given.nouns >= 0).sum(axis=1)
    return {
        "las": float(_moment(n_nouns[given.decided], 1).mean()),
        "informedness": float(_moment(n_nouns[given.items], 2).mean()),
    }


def _moment(n_nouns: IntArray, power: int) -> FloatArray:
    """Mean of a power of the skill of clauses that have so many nouns."""
    logits = LEVEL + np.sqrt(n_nouns)[:, None] * NODES
    return np.asarray((_share(logits) ** power @ WEIGHTS) / WEIGHTS.sum())


def _share(logits: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-logits)))


def draw_study(
    config: str, split: str, skills: Skills, generator: np.random.Generator
) -> dict[str, Any]:
    """Both scores of one parser with their intervals."""
    given = studied(config, split)
    found = skills(given, generator)
    words = generator.binomial(2, found[given.decided])
    clauses = generator.binomial(2, found[given.items] ** 2)
    return stated(given, words, clauses)


def stated(given: Studied, words: IntArray, clauses: IntArray) -> dict[str, Any]:
    """Both scores with intervals, by right words (0 to 2) and right clauses (of two) of an item."""
    found: dict[str, Any] = {}
    hits = ((words, given.decided), (clauses, given.items))
    for name, (right, places) in zip(SCORES, hits, strict=True):
        ratio = Ratio(right.astype(float), np.full(len(places), 2.0))
        given.tables.add(found, {name: ratio}, places, (name,))
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
        _nouns(clauses),
    )


def _nouns(clauses: Clauses) -> IntArray:
    """The nouns of each clause, -1 for none; shape (n, 2)."""
    found = np.full((clauses.n, 2), -1)
    lexeme = clauses.lexeme
    for unit, group in zip(lexeme.units.tolist(), lexeme.groups.tolist(), strict=True):
        if lexeme.names[group].startswith("NOUN"):
            found[unit, int(found[unit, 0] >= 0)] = group
    return found


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
