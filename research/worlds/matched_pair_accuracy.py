"""Worlds of `matched_pair_accuracy`: answerers on sentence pairs of six levels.

Thirty pairs a level, as in the default draw; a pair at level k has 3 (k + 1) core questions in
either condition. Ease varies between sentence pairs and between members, on the logit scale. The
truth is found by a large simulation of each level, since the logit does not average.
"""

import functools
from functools import partial
from typing import Any

import numpy as np

from metrics._shared.columns import FloatArray, IntArray
from metrics.matched_pair_accuracy.scoring import (
    gap_intervals,
    opening_level,
    share_interval,
    slope_weights,
    trend,
)
from research.worlds.world import World

LEVELS = (1, 2, 3, 4, 5, 6)
N_PAIRS = 30  # a level, in the default draw
N_SIMULATIONS = 10_000  # of each world
N_TRUTH = 200_000  # sentence pairs a level
CHANCE = 1 / 3
Logits = tuple[tuple[float, float], ...]

# Log-odds of the plausible and of the implausible member at each level, and their spreads.
WORLDS: dict[str, tuple[Logits, float, float]] = {
    "no gap": (((1.2, 1.2),) * 6, 0.8, 0.8),
    "no gap, declining": (tuple((2.2 - 0.3 * k, 2.2 - 0.3 * k) for k in range(6)), 0.8, 0.8),
    "no gap, sentences differ much": (((1.2, 1.2),) * 6, 1.5, 1.5),
    "gap of about 10 points from level 3": (((1.4, 1.4),) * 2 + ((1.4, 0.8),) * 4, 0.8, 0.8),
    "gap of about 20 points from level 4": (((1.4, 1.4),) * 3 + ((1.4, 0.3),) * 3, 0.8, 0.8),
    "near the ceiling, no gap": (((5.0, 5.0),) * 6, 0.8, 0.8),
}


def worlds() -> list[World]:
    """No gap, gaps that open, and the ceiling."""
    n = f"{N_PAIRS} sentence pairs a level, 6 levels"
    return [
        World(name, n, partial(true_values, name), partial(draw_study, name), N_SIMULATIONS)
        for name in WORLDS
    ]


def draw_sums(
    name: str, n: int, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Right answers and questions of n sentence pairs a level, shape (6 n, 2), and their levels."""
    logits, between, within = WORLDS[name]
    rights, asked = [], []
    for level, centres in zip(LEVELS, logits, strict=True):
        ease = generator.normal(0, between, (n, 1)) + generator.normal(0, within, (n, 2))
        share = 1 / (1 + np.exp(-(np.array(centres) + ease)))
        questions = 3 * (level + 1)
        rights.append(generator.binomial(questions, share))
        asked.append(np.full((n, 2), questions))
    strata = np.repeat(np.arange(len(LEVELS)), n)
    return np.concatenate(rights).astype(float), np.concatenate(asked).astype(float), strata


def draw_study(
    name: str, generator: np.random.Generator, n: int = N_PAIRS, n_resamples: int = 2000
) -> dict[str, Any]:
    """Accuracy, gap, trend, the gap of the deepest level and whether all six hold, of one study."""
    rights, asked, strata = draw_sums(name, n, generator)
    found = stated(rights, asked, strata, n_resamples)
    # one figure for all levels: 0 is covered where every level's interval holds its gap
    misses = [
        not found[f"gap_core_{level}_low"] <= gap <= found[f"gap_core_{level}_high"]
        for level, gap in zip(LEVELS, true_gaps(name)[1].tolist(), strict=True)
    ]
    return found | dict.fromkeys(("all_levels_low", "all_levels_high"), float(any(misses)))


def stated(
    rights: FloatArray, asked: FloatArray, strata: IntArray, n_resamples: int = 2000
) -> dict[str, Any]:
    """What `score` states of the core questions, by its own functions and with its default seed.

    Right answers and questions of each sentence pair in either condition have the shape (c, 2), its
    level, from 0, (c,).
    """
    how = {"confidence": 0.95, "n_resamples": n_resamples, "seed": 0}
    sums = (rights.sum(axis=1), asked.sum(axis=1))
    found: dict[str, Any] = share_interval(sums, strata, how).as_fields("accuracy_core")
    differences = (rights[:, 0] - rights[:, 1])[:, None]
    found.update(gap_intervals(differences, asked[:, :1], strata, how)[0].as_fields("gap_core"))
    is_level = strata[:, None] == np.arange(len(LEVELS))
    gaps = gap_intervals(differences * is_level, asked[:, :1] * is_level, strata, how)
    for level, interval in zip(LEVELS, gaps, strict=True):
        found.update(interval.as_fields(f"gap_core_{level}"))
    slopes = trend(list(LEVELS), rights, asked, strata, [CHANCE] * 6, how, 0, n_flips=100)
    ends = ("trend_points_low", "trend_points_high", "trend_points_interval")
    found.update({key: slopes[key] for key in ends})
    values = (differences * is_level).sum(axis=0) / (asked[:, :1] * is_level).sum(axis=0)
    lows = [interval.low for interval in gaps]
    return found | {"opening_level_core": opening_level(LEVELS, values.tolist(), lows)}


@functools.cache
def true_gaps(name: str) -> tuple[FloatArray, FloatArray]:
    """Accuracy of either condition at each level of a large sample, shape (6, 2), and the gaps."""
    rights, asked, strata = draw_sums(name, N_TRUTH, np.random.default_rng(1))
    of_level = [strata == k for k in range(len(LEVELS))]
    shares = np.stack([rights[own].sum(axis=0) / asked[own].sum(axis=0) for own in of_level])
    return shares, shares[:, 0] - shares[:, 1]


def true_values(name: str) -> dict[str, float]:
    """What each interval must hold; `all_levels` is 0 where all six gaps are in theirs."""
    shares, gaps = true_gaps(name)
    weights = np.array([level + 1 for level in LEVELS], float) / sum(level + 1 for level in LEVELS)
    truth = {
        "accuracy_core": float(shares.mean(axis=1) @ weights),
        "gap_core": float(gaps @ weights),
        "gap_core_6": float(gaps[-1]),
        "all_levels": 0.0,
    }
    if "ceiling" not in name:  # where no trend can be told
        truth["trend_points"] = float(gaps @ slope_weights(list(LEVELS)))
    return truth
