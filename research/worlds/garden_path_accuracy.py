"""Worlds of `garden_path_accuracy`: segmenters that differ between paradigms, and between families.

A paradigm has three probabilities: that the segmenter commits itself in the test sentence, that it
then cuts the true word, and that the true word comes out in the control sentence. Each is drawn on
the scale of log-odds, anew in each study, part of it shared by the paradigms of a family. Real
segmenters are near 0 or 1 in nearly every paradigm: with a spread of 4 they are here too.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics._shared.columns import FloatArray
from metrics._shared.paradigms import N_PARADIGMS, cluster_index
from metrics.garden_path_accuracy.inputs import N_PATTERNS, SiteCounts, branching_places
from metrics.garden_path_accuracy.options import Options
from metrics.garden_path_accuracy.scoring import score_counts
from research.worlds.world import World

PAIRS_PER_PARADIGM = 50
# site x1x2x3 cut as x1x2|x3, as x1|x2x3, not at all inside: bit k says that a word ends at Bk
FIRST_TWO, LAST_TWO, NEITHER = 0b1101, 0b1011, 0b1001
# patterns of the true word, of the canary word, of neither: left-branching, right-branching
PATTERNS = np.array([[FIRST_TWO, LAST_TWO, NEITHER], [LAST_TWO, FIRST_TWO, NEITHER]])
# Gauss-Hermite nodes of the standard normal, for the mean of a logistic of it
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)


@dataclass(frozen=True)
class SegmenterWorld:
    """How a segmenter does on a paradigm, in log-odds."""

    name: str
    commits: float  # mean of committing itself to one of the two words
    resolves: float  # mean of cutting the true word where it commits itself
    control: float  # mean of cutting the true word in the control sentence
    spread: float  # standard deviation of each over paradigms
    shared: float  # share of that variance that the paradigms of a family have in common


SEGMENTERS = (
    SegmenterWorld("near 0 or 1, families alike", 4.0, 1.5, 4.0, 4.0, 0.0),
    SegmenterWorld("near 0 or 1, half shared by families", 4.0, 1.5, 4.0, 4.0, 0.5),
    SegmenterWorld("near 0 or 1, nearly all shared by families", 4.0, 1.5, 4.0, 4.0, 0.9),
    SegmenterWorld("graded, half shared by families", 2.0, 0.5, 2.0, 1.0, 0.5),
    SegmenterWorld("commits itself in half of the sentences", 0.0, 1.5, 2.0, 4.0, 0.5),
    SegmenterWorld("near the ceiling", 6.0, 6.0, 6.0, 3.0, 0.5),
)


def worlds() -> list[World]:
    """Segmenters on the 39 paradigms."""
    n = f"{N_PARADIGMS} paradigms of {PAIRS_PER_PARADIGM} pairs, 19 families"
    return [
        World(one.name, n, true_values(one), functools.partial(draw_study, one), 2000)
        for one in SEGMENTERS
    ]


def mean_share(centre: float, spread: float) -> float:
    """Mean of a logistic of a normal variable."""
    shares = 1 / (1 + np.exp(-(centre + spread * NODES)))
    return float(WEIGHTS @ shares / WEIGHTS.sum())


def true_values(one: SegmenterWorld) -> dict[str, float]:
    """The scores that the metric's intervals must hold: means over all such paradigms."""
    commits, resolves, control = (
        mean_share(centre, one.spread) for centre in (one.commits, one.resolves, one.control)
    )
    word = commits * resolves
    test = 1 - commits * (1 - resolves)
    return {
        "pair_accuracy": word * control,
        "word_accuracy": word,
        "commitment": commits,
        "resolution": resolves,
        "test_accuracy": test,
        "difference": control - test,
    }


def draw_study(one: SegmenterWorld, generator: np.random.Generator) -> dict[str, Any]:
    """Scores of one segmenter on one draw; a control without the true word has the canary word."""
    commits, resolves, control = draw_shares(one, generator)
    test = np.stack([commits * resolves, commits * (1 - resolves), 1 - commits], axis=1)
    other = np.stack([control, 1 - control], axis=1)
    joint = (test[:, :, None] * other[:, None, :]).reshape(N_PARADIGMS, -1)
    drawn = generator.multinomial(PAIRS_PER_PARADIGM, joint).reshape(N_PARADIGMS, 3, 2)
    ids = np.arange(1, N_PARADIGMS + 1)
    patterns = PATTERNS[branching_places(ids)]
    table = np.zeros((N_PARADIGMS, N_PATTERNS, N_PATTERNS))
    table[ids[:, None, None] - 1, patterns[:, :, None], patterns[:, None, :2]] = drawn
    seed = int(generator.integers(2**31))
    return score_counts(SiteCounts(ids, table), Options(seed=seed))


def draw_shares(one: SegmenterWorld, generator: np.random.Generator) -> FloatArray:
    """Probabilities of each paradigm, shape (3, 39): commits, resolves, control."""
    family = cluster_index(np.arange(1, N_PARADIGMS + 1), "family")
    common = generator.normal(size=(3, family.max() + 1))[:, family]
    own = generator.normal(size=(3, N_PARADIGMS))
    mixed = np.sqrt(one.shared) * common + np.sqrt(1 - one.shared) * own
    centres = np.array([[one.commits], [one.resolves], [one.control]])
    return np.asarray(1 / (1 + np.exp(-(centres + one.spread * mixed))))
