"""Variance components of single runs by restricted maximum likelihood, with missing cells.

The model of a score is: its system's mean, plus an effect of the unit, of the system in the unit,
of the repeat in the unit, and of the single run. Units are independent, so that the likelihood is a
sum over units; units with the same pattern of cells share their matrices.

Source: Patterson & Thompson (1971); Gilmour, Thompson & Cullis (1995) on average information;
Searle, Casella & McCulloch (1992), chapters 6 and 8.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..columns import BoolArray, FloatArray, IntArray

NAMES = ("unit", "system_by_unit", "repeat", "system_by_repeat")
MOST_STEPS = 200
SMALL = 1e-10  # of the whole variance: a component of this size is none
TOLERANCE = 1e-10  # in log-likelihood


@dataclass(frozen=True)
class Fit:
    """Estimates, none below 0.

    Attributes:
        variances: Of the named components, in squared points of the score; nan for one that these
            cells cannot tell from another.
        errors: Their standard errors by the information; nan where a variance is nan.
        means: Generalised least-squares means of the systems, shape (S,).
    """

    variances: dict[str, float]
    errors: dict[str, float]
    means: FloatArray


def fit_components(system: IntArray, unit: IntArray, repeat: IntArray, score: FloatArray) -> Fit:
    """Fits the components.

    Args:
        system: Number of each run's system, from 0, shape (n,).
        unit: Number of its unit.
        repeat: Number of its repeat; equal numbers in one unit are the same repeat.
        score: Its score.

    Returns:
        Without repeats `repeat` and `system_by_repeat` are nan, and `system_by_unit` holds what is
        left. Where no repeat has two systems `repeat` is nan and part of `system_by_repeat`.
    """
    names = _identified(system, unit, repeat)
    patterns = _patterns(names, system, unit, repeat, score)
    return _fit(names, functools.partial(_step, patterns), float(np.var(score)))


def fit_balanced(
    mean_squares: FloatArray, degrees: FloatArray, n_systems: int, n_repeats: int, means: FloatArray
) -> Fit:
    """Fits the components of a complete table with equally many repeats, from its mean squares.

    Args:
        mean_squares: Of units, of systems by units, of repeats in units, of what is left; the first
            two alone where there is one repeat.
        degrees: Their degrees of freedom.
        n_systems: Number of systems.
        n_repeats: Repeats of each unit.
        means: Means of the systems, shape (S,).
    """
    # what each component adds to the expected value of each mean square
    loads = np.array(
        [
            [n_systems * n_repeats, n_repeats, n_systems, 1],
            [0, n_repeats, 0, 1],
            [0, 0, n_systems, 1],
            [0, 0, 0, 1],
        ],
        float,
    )
    names = list(NAMES)
    if n_repeats == 1:
        names, loads = names[:2], np.array([[n_systems, 1.0], [0.0, 1.0]])

    def step(theta: FloatArray) -> _Step:
        expected = loads @ theta
        ratio = mean_squares / expected
        likelihood = -float((degrees * (np.log(expected) + ratio)).sum()) / 2
        gradient = loads.T @ (degrees * (ratio - 1) / expected) / 2
        information = (loads.T * (degrees / expected**2)) @ loads / 2
        return _Step(likelihood, gradient, information, means)

    return _fit(names, step, float(mean_squares.mean()))


def _fit(names: Sequence[str], step_at: "StepAt", scale: float) -> Fit:
    scale = max(scale, 1e-300)
    theta = np.full(len(names), scale / len(names))
    step, free = step_at(theta), np.ones(len(names), bool)
    for _ in range(MOST_STEPS):
        theta, taken = _improved(step_at, theta, step, free, scale)
        gain = taken.likelihood - step.likelihood
        wanted = (theta > SMALL * scale) | (taken.gradient > 0)  # at 0, would it gain by growing?
        is_still = abs(gain) < TOLERANCE * (1 + abs(taken.likelihood))
        is_done = is_still and bool((wanted == free).all())
        step, free = taken, wanted
        if is_done:
            break
    errors = np.sqrt(np.maximum(0.0, np.diag(np.linalg.pinv(step.information))))
    variances, spreads = (dict.fromkeys(NAMES, math.nan) for _ in range(2))
    for name, value, error in zip(names, theta.tolist(), errors.tolist(), strict=True):
        variances[name] = 0.0 if value <= SMALL * scale else value
        spreads[name] = error
    return Fit(variances, spreads, step.means)


@dataclass(frozen=True)
class _Pattern:
    """Units with the same cells: designs of the systems and the components, and all scores."""

    systems: FloatArray  # (m, S)
    kernels: tuple[FloatArray, ...]  # (m, m) each, the last one the identity
    scores: FloatArray  # (m, number of units)


@dataclass(frozen=True)
class _Step:
    """Restricted likelihood and what it needs to grow."""

    likelihood: float
    gradient: FloatArray
    information: FloatArray
    means: FloatArray


def _identified(system: IntArray, unit: IntArray, repeat: IntArray) -> list[str]:
    """Components that these cells tell apart; the last one takes what is left."""
    cells = np.unique(np.stack([system, unit]), axis=1).shape[1]
    if cells == len(system):  # no system has two runs in a unit
        return ["unit", "system_by_unit"]
    if np.unique(np.stack([unit, repeat]), axis=1).shape[1] == len(system):
        return ["unit", "system_by_unit", "system_by_repeat"]  # no repeat has two systems
    return list(NAMES)


def _patterns(
    names: Sequence[str], system: IntArray, unit: IntArray, repeat: IntArray, score: FloatArray
) -> list[_Pattern]:
    order = np.lexsort((repeat, system, unit))
    system, unit, repeat = (column[order] for column in (system, unit, repeat))
    score = score[order]
    starts = np.flatnonzero(np.append(True, unit[1:] != unit[:-1]))
    by_cells: dict[bytes, list[tuple[int, int]]] = {}
    stops = [*starts[1:].tolist(), len(unit)]
    for start, stop in zip(starts.tolist(), stops, strict=True):
        number = np.unique(repeat[start:stop], return_inverse=True)[1]
        cells = np.stack([system[start:stop], number]).astype(np.int64).tobytes()
        by_cells.setdefault(cells, []).append((start, stop))
    n_systems, patterns = int(system.max()) + 1, []
    for places in by_cells.values():
        first, last = places[0]
        s, r = system[first:last], repeat[first:last]
        same = {
            "unit": np.ones((len(s), len(s))),
            "system_by_unit": (s[:, None] == s).astype(float),
            "repeat": (r[:, None] == r).astype(float),
        }
        kernels = (*(same[name] for name in names[:-1]), np.eye(len(s)))
        scores = np.stack([score[a:b] for a, b in places], axis=1)
        patterns.append(_Pattern(np.eye(n_systems)[s], kernels, scores))
    return patterns


def _step(patterns: Sequence[_Pattern], theta: FloatArray) -> _Step:
    """Restricted log-likelihood at the variances, its gradient, and the average information."""
    k, n_systems = len(theta), patterns[0].systems.shape[1]
    inverses = []
    log_determinant, normal, right = 0.0, np.zeros((n_systems, n_systems)), np.zeros(n_systems)
    for pattern in patterns:
        matrix = sum(v * kernel for v, kernel in zip(theta, pattern.kernels, strict=True))
        inverse = np.linalg.inv(matrix)
        inverses.append(inverse)
        n_units = pattern.scores.shape[1]
        log_determinant += n_units * float(np.linalg.slogdet(matrix)[1])
        weighted = inverse @ pattern.systems
        normal += n_units * pattern.systems.T @ weighted
        right += weighted.T @ pattern.scores.sum(axis=1)
    spread = np.linalg.inv(normal)
    means = spread @ right
    log_determinant += float(np.linalg.slogdet(normal)[1])
    squares, gradient = 0.0, np.zeros(k)
    information, shared = np.zeros((k, k)), np.zeros((k, n_systems))
    for pattern, inverse in zip(patterns, inverses, strict=True):
        n_units = pattern.scores.shape[1]
        residuals = pattern.scores - (pattern.systems @ means)[:, None]
        solved = inverse @ residuals
        squares += float((residuals * solved).sum())
        weighted = inverse @ pattern.systems
        moved = [kernel @ solved for kernel in pattern.kernels]
        backs = [inverse @ m for m in moved]
        for a, kernel in enumerate(pattern.kernels):
            trace = float((inverse * kernel).sum())
            trace -= float(((weighted.T @ kernel @ weighted) * spread).sum())
            gradient[a] += float((solved * moved[a]).sum()) - n_units * trace
            shared[a] += weighted.T @ moved[a].sum(axis=1)
            for b in range(a + 1):
                information[a, b] += float((moved[a] * backs[b]).sum())
    information = np.tril(information) + np.tril(information, -1).T
    information -= shared @ spread @ shared.T
    return _Step(-(log_determinant + squares) / 2, gradient / 2, information / 2, means)


def _improved(
    step_at: "StepAt", theta: FloatArray, step: _Step, free: BoolArray, scale: float
) -> tuple[FloatArray, _Step]:
    """Next variances: a step by the information, shortened until the likelihood does not fall."""
    direction = np.zeros(len(theta))
    information = step.information[np.ix_(free, free)]
    information = information + 1e-12 * np.eye(len(information)) * np.trace(information)
    direction[free] = np.linalg.solve(information, step.gradient[free])
    for halving in range(30):
        proposed = np.maximum(theta + direction / 2**halving, SMALL * scale / 2)
        taken = step_at(proposed)
        if taken.likelihood >= step.likelihood:
            return proposed, taken
    return theta, step


StepAt = Callable[[FloatArray], _Step]
