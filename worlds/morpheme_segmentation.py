"""Worlds of `morpheme_segmentation`: words of the synthetic language, segmented with errors.

The pool is the population: its scores are the truth, and a study is a sample of its words with
replacement, so that a word may come twice, as in the data sets of the study of generalizability.
"""

import functools
import random
from typing import Any

import numpy as np

from builders.morphseg.generator import generate
from metrics.morpheme_segmentation.options import read_options
from metrics.morpheme_segmentation.scoring import score
from worlds.world import World

N_POOL = 3000
QUANTITIES = ("accuracy", "precision", "recall", "f1", "distance")
Segmentation = list[str]


def worlds() -> list[World]:
    """A good and a weak system, both ways of averaging, small and large test sets."""
    return [
        World(
            f"{share_wrong:.0%} of words wrong, {average} average",
            f"{n} words",
            functools.partial(true_scores, share_wrong, average),
            functools.partial(draw, share_wrong, average, n),
            n_simulations=400,
        )
        for share_wrong in (0.05, 0.4)
        for average in ("word", "corpus")
        for n in (50, 400)
    ]


@functools.cache
def pool(share_wrong: float) -> tuple[list[Segmentation], list[Segmentation]]:
    """Predictions and golds of the population."""
    rng = random.Random(1)
    gold = [list(word.morphemes) for word in generate("synthetic", N_POOL)]
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


def true_scores(share_wrong: float, average: str) -> dict[str, float]:
    """Scores of the whole population."""
    predicted, gold = pool(share_wrong)
    result = score(
        {"predictions": predicted, "references": gold},
        read_options(average=average, confidence=None),
    )
    return {name: result[name] for name in QUANTITIES}


def draw(share_wrong: float, average: str, n: int, generator: np.random.Generator) -> Any:
    """Scores of n words drawn with replacement."""
    predicted, gold = pool(share_wrong)
    chosen = generator.integers(0, N_POOL, n).tolist()
    inputs = {
        "predictions": [predicted[i] for i in chosen],
        "references": [gold[i] for i in chosen],
    }
    return score(inputs, read_options(average=average))
