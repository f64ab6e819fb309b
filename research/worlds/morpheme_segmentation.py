"""Worlds of `morpheme_segmentation`: words of the synthetic language, segmented with errors.

The pool is the population: its scores are the truth, and a study is a sample of its words with
replacement, so that a word may come twice, as in the data sets of the study of generalizability.
Worlds with a class ask for the scores that `by_category` states of one word in ten.
"""

import functools
import math
import random
from typing import Any

import numpy as np

from builders.morphseg import draw as pools
from metrics.morpheme_segmentation.options import read_options
from metrics.morpheme_segmentation.scoring import score
from research.worlds.world import World

N_POOL = 3000
CLASS_STEP = 10  # every tenth word of the pool is of the class
QUANTITIES = ("accuracy", "precision", "recall", "f1", "distance")
Segmentation = list[str]


def worlds() -> list[World]:
    """A good and a weak system, both ways of averaging, small and large test sets and classes."""
    systems = [(share, average) for share in (0.05, 0.4) for average in ("word", "corpus")]
    in_class = {n: f"some {n // CLASS_STEP} words in the class" for n in (100, 300)}
    kinds = [
        ("", 1, draw, {n: f"{n} words" for n in (50, 400)}),
        (", by category", CLASS_STEP, draw_class, in_class),
    ]
    return [
        World(
            f"{system[0]:.0%} of words wrong, {system[1]} average{ending}",
            shown,
            functools.partial(true_scores, *system, step),
            functools.partial(simulate, *system, n),
            n_simulations=400,
        )
        for ending, step, simulate, sizes in kinds
        for system in systems
        for n, shown in sizes.items()
    ]


@functools.cache
def pool(share_wrong: float) -> tuple[list[Segmentation], list[Segmentation]]:
    """Predictions and golds of the population."""
    rng = random.Random(1)
    gold = [list(word.morphemes) for word in pools.draw(size=N_POOL)]
    predicted = [wrong(rng, g) if rng.random() < share_wrong else g for g in gold]
    return predicted, gold


def wrong(rng: random.Random, morphemes: Segmentation) -> Segmentation:
    """The same word with two morphemes joined, or its longest one divided."""
    if len(morphemes) > 1 and rng.random() < 0.7:
        i = rng.randrange(len(morphemes) - 1)
        return [*morphemes[:i], morphemes[i] + morphemes[i + 1], *morphemes[i + 2 :]]
    i = max(range(len(morphemes)), key=lambda k: len(morphemes[k]))
    cut = max(1, len(morphemes[i]) // 2)
    halves = [half for half in (morphemes[i][:cut], morphemes[i][cut:]) if half]
    return [*morphemes[:i], *halves, *morphemes[i + 1 :]]


def true_scores(share_wrong: float, average: str, step: int = 1) -> dict[str, float]:
    """Scores of the whole population, or of every so many words of it."""
    predicted, gold = pool(share_wrong)
    inputs = {"predictions": predicted[::step], "references": gold[::step]}
    result = score(inputs, read_options(average=average, confidence=None))
    return {name: result[name] for name in QUANTITIES}


def draw(share_wrong: float, average: str, n: int, generator: np.random.Generator) -> Any:
    """Scores of n words drawn with replacement."""
    return score(sample(share_wrong, n, generator), read_options(average=average))


def draw_class(share_wrong: float, average: str, n: int, generator: np.random.Generator) -> Any:
    """Scores of the words of the class among n words; without any, no interval."""
    inputs = sample(share_wrong, n, generator, has_category=True)
    rows = score(inputs, read_options(average=average))["by_category"]
    ends = (f"{name}_{end}" for name in QUANTITIES for end in ("low", "high"))
    return rows[0] if rows else dict.fromkeys(ends, math.nan)


def sample(
    share_wrong: float, n: int, generator: np.random.Generator, *, has_category: bool = False
) -> dict[str, Any]:
    """Columns of n words drawn with replacement."""
    predicted, gold = pool(share_wrong)
    chosen = generator.integers(0, N_POOL, n).tolist()
    words = {"predictions": [predicted[i] for i in chosen], "references": [gold[i] for i in chosen]}
    category = {"category": [None if i % CLASS_STEP else "class" for i in chosen]}
    return words | (category if has_category else {})
