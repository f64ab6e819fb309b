"""Regret: what one unit's winner is worth."""

import math

from ..columns import FloatArray
from ..uncertainty import Interval, student_quantile, undefined_interval
from .agreement import Estimate, winner_weights


def expected_regret(unit_scores: FloatArray, confidence: float) -> Estimate:
    """Score lost on average by trusting one unit: mean of the best system minus mean of its winner.

    The means leave the unit itself out, since its winner was chosen on it. The interval is the
    infinitesimal jackknife; it counts both the chance of each system to win and the differences of
    means as estimated. Not negative; 0 where every unit names the best system.
    """
    n = len(unit_scores)
    weights = winner_weights(unit_scores)
    others = (unit_scores.sum(axis=0) - unit_scores) / (n - 1)
    losses = others.max(axis=1) - (weights * others).sum(axis=1)
    best = unit_scores[:, int(unit_scores.mean(axis=0).argmax())]
    shares = weights.mean(axis=0)
    influence = losses + best - unit_scores @ shares
    error = math.sqrt(float(((influence - influence.mean()) ** 2).sum()) / (n * (n - 1)))
    value = float(losses.mean())
    if n < 3 or error < 1e-12 or not losses.any():
        return Estimate(
            value,
            undefined_interval(
                "fewer than three units" if n < 3 else "every unit names the best system"
            ),
        )
    half = student_quantile(0.5 + confidence / 2, n - 1) * error
    return Estimate(
        value,
        Interval(max(0.0, value - half), value + half, f"infinitesimal jackknife over {n} units"),
    )
