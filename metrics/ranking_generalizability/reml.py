"""Variance components of single runs by restricted maximum likelihood, with missing cells.

The model of a score is: its system's mean, plus an effect of the unit, of the system in the unit,
of the repeat in the unit, and of the single run. Units are independent, so that the likelihood is a
sum over units; units with the same pattern of cells share their matrices.

Source: Patterson & Thompson (1971); Searle, Casella & McCulloch (1992), chapters 6 and 8.
"""

import dataclasses
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
        errors: Their standard errors by the expected information; nan where a variance is nan.
        squares: Of each the square of its error at its value and at one and two errors above, which
            tells how the error grows with the variance, shape (3,).
        means: Generalised least-squares means of the systems, shape (S,).
        items_per_run: Harmonic mean of the numbers of items of a run, where these were fitted too.
    """

    variances: dict[str, float]
    errors: dict[str, float]
    means: FloatArray
    squares: dict[str, FloatArray]
    items_per_run: float = math.nan


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
    names = identified(system, unit, repeat)
    levels = np.bincount(system, score) / np.bincount(system)
    stacks = _stacks(names, system, unit, repeat, score - levels[system])
    fit = fit_from(names, functools.partial(step_of, stacks), float(np.var(score)))
    return dataclasses.replace(fit, means=fit.means + levels)


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

    def step(theta: FloatArray) -> RestrictedLikelihood:
        expected = loads @ theta
        ratio = mean_squares / expected
        likelihood = -float((degrees * (np.log(expected) + ratio)).sum()) / 2
        gradient = loads.T @ (degrees * (ratio - 1) / expected) / 2
        information = (loads.T * (degrees / expected**2)) @ loads / 2
        return RestrictedLikelihood(likelihood, gradient, information, means)

    return fit_from(names, step, float(mean_squares.mean()))


def fit_from(
    names: Sequence[str], step_at: "StepAt", scale: float, of: Sequence[str] = NAMES
) -> Fit:
    """Fits the named components, those that the scores tell apart.

    Args:
        names: Of the variances that `step_at` takes, in order.
        step_at: Restricted likelihood at variances.
        scale: Variance of all scores.
        of: Names of all components of the model; the others are nan.
    """
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
    errors = np.sqrt(_squared_errors(step.information))
    variances, spreads = (dict.fromkeys(of, math.nan) for _ in range(2))
    squares = dict.fromkeys(of, np.full(3, math.nan))
    for place, (name, value, error) in enumerate(
        zip(names, theta.tolist(), errors.tolist(), strict=True)
    ):
        variances[name] = 0.0 if value <= SMALL * scale else value
        spreads[name] = error
        above = (np.where(np.arange(len(theta)) == place, theta + k * error, theta) for k in (1, 2))
        found = [step.information, *(step_at(moved).information for moved in above)]
        squares[name] = np.array([_squared_errors(i)[place] for i in found])
    return Fit(variances, spreads, step.means, squares)


def _squared_errors(information: FloatArray) -> FloatArray:
    """Variances of the estimates, at least 0, shape (k,)."""
    return np.maximum(0.0, np.diag(np.linalg.pinv(information)))


@dataclass(frozen=True)
class Patterns:
    """Patterns of cells, p of them with m cells each, and the scores of the units that have each.

    Attributes:
        systems: Designs of the systems, shape (p, m, S).
        kernels: Designs of the k components, the last one the identity, shape (k, p, m, m).
        n_units: Units of each pattern, shape (p, 1, 1); or other independent vectors of m scores.
        sums: Sums of the units' scores, shape (p, m, 1).
        squares: Sums of the units' scores times each other, shape (p, m, m).
    """

    systems: FloatArray
    kernels: FloatArray
    n_units: FloatArray
    sums: FloatArray
    squares: FloatArray


@dataclass(frozen=True)
class RestrictedLikelihood:
    """Restricted likelihood and what it needs to grow."""

    likelihood: float
    gradient: FloatArray
    information: FloatArray
    means: FloatArray


def identified(system: IntArray, unit: IntArray, repeat: IntArray) -> list[str]:
    """Components that these cells tell apart; the last one takes what is left."""
    cells = np.unique(np.stack([system, unit]), axis=1).shape[1]
    if cells == len(system):  # no system has two runs in a unit
        return ["unit", "system_by_unit"]
    if np.unique(np.stack([unit, repeat]), axis=1).shape[1] == len(system):
        return ["unit", "system_by_unit", "system_by_repeat"]  # no repeat has two systems
    return list(NAMES)


def _stacks(
    names: Sequence[str], system: IntArray, unit: IntArray, repeat: IntArray, score: FloatArray
) -> list[Patterns]:
    order = np.lexsort((repeat, system, unit))
    system, unit, repeat = (column[order] for column in (system, unit, repeat))
    score = score[order]
    starts = np.flatnonzero(np.append(True, unit[1:] != unit[:-1]))
    by_cells: dict[tuple[int, bytes], list[tuple[int, int]]] = {}
    stops = [*starts[1:].tolist(), len(unit)]
    for start, stop in zip(starts.tolist(), stops, strict=True):
        number = np.unique(repeat[start:stop], return_inverse=True)[1]
        cells = np.stack([system[start:stop], number]).astype(np.int64).tobytes()
        by_cells.setdefault((stop - start, cells), []).append((start, stop))
    by_size: dict[int, list[list[tuple[int, int]]]] = {}
    for (size, _), places in by_cells.items():
        by_size.setdefault(size, []).append(places)
    n_systems = int(system.max()) + 1
    return [
        _stack(names, n_systems, system, repeat, score, patterns) for patterns in by_size.values()
    ]


def _stack(
    names: Sequence[str],
    n_systems: int,
    system: IntArray,
    repeat: IntArray,
    score: FloatArray,
    patterns: Sequence[Sequence[tuple[int, int]]],
) -> Patterns:
    """Patterns of one size, each given by the places of its units."""
    firsts = [places[0] for places in patterns]
    s, r = (np.stack([column[a:b] for a, b in firsts]) for column in (system, repeat))
    same = {
        "unit": np.ones((*s.shape, s.shape[1])),
        "system_by_unit": (s[:, :, None] == s[:, None]).astype(float),
        "repeat": (r[:, :, None] == r[:, None]).astype(float),
    }
    alone = np.broadcast_to(np.eye(s.shape[1]), same["unit"].shape)
    scores = [np.stack([score[a:b] for a, b in places], axis=1) for places in patterns]
    return Patterns(
        np.eye(n_systems)[s],
        np.stack([*(same[name] for name in names[:-1]), alone]),
        np.array([len(places) for places in patterns], float)[:, None, None],
        np.stack([found.sum(axis=1, keepdims=True) for found in scores]),
        np.stack([found @ found.T for found in scores]),
    )


def step_of(stacks: Sequence[Patterns], theta: FloatArray) -> RestrictedLikelihood:
    """Restricted log-likelihood at the variances, its gradient, and the expected information."""
    k, n_systems = len(theta), stacks[0].systems.shape[2]
    inverses: list[FloatArray] = []
    likelihood, normal, right = 0.0, np.zeros((n_systems, n_systems)), np.zeros(n_systems)
    for stack in stacks:
        matrix = np.tensordot(theta, stack.kernels, 1)
        inverse = np.asarray(np.linalg.inv(matrix), np.float64)
        inverses.append(inverse)
        likelihood -= float(stack.n_units[:, 0, 0] @ np.linalg.slogdet(matrix)[1]) / 2
        weighted = inverse @ stack.systems
        normal += (stack.n_units * (stack.systems.swapaxes(1, 2) @ weighted)).sum(axis=0)
        right += (weighted * stack.sums).sum(axis=(0, 1))
    spread = np.asarray(np.linalg.inv(normal), np.float64)
    means = spread @ right
    likelihood -= float(np.linalg.slogdet(normal)[1]) / 2
    gradient, information, shared = np.zeros(k), np.zeros((k, k)), np.zeros((k, *normal.shape))
    for stack, inverse in zip(stacks, inverses, strict=True):
        added = _terms(stack, inverse, means, spread)
        likelihood -= added.squares / 2
        gradient += added.gradient
        information += added.information
        shared += added.shared
    drawn = spread @ shared  # what estimating the means takes away, (k, S, S)
    gradient += np.trace(drawn, axis1=1, axis2=2) / 2
    information += np.tensordot(drawn, drawn, ([1, 2], [2, 1])) / 2
    return RestrictedLikelihood(likelihood, gradient, information, means)


@dataclass(frozen=True)
class _Terms:
    """What the units of a stack add to a step."""

    squares: float
    gradient: FloatArray
    information: FloatArray
    shared: FloatArray


def _terms(stack: Patterns, inverse: FloatArray, means: FloatArray, spread: FloatArray) -> _Terms:
    fitted = (stack.systems @ means)[:, :, None]
    crossed = stack.sums @ fitted.swapaxes(1, 2)
    residual = stack.squares - crossed - crossed.swapaxes(1, 2)
    residual = residual + stack.n_units * (fitted @ fitted.swapaxes(1, 2))
    solved = inverse @ residual @ inverse
    weighted = inverse @ stack.systems
    moved = inverse @ stack.kernels  # (k, p, m, m)
    pulled = stack.kernels @ weighted  # (k, p, m, S)
    traces = (np.trace(moved, axis1=2, axis2=3) * stack.n_units[:, 0, 0]).sum(axis=1)
    gradient = ((stack.kernels * solved).sum(axis=(1, 2, 3)) - traces) / 2
    k = len(stack.kernels)
    flat = (moved * stack.n_units).reshape(k, -1)
    information = flat @ moved.swapaxes(2, 3).reshape(k, -1).T
    backs = (inverse @ pulled) @ spread * stack.n_units
    information = information - 2 * (pulled.reshape(k, -1) @ backs.reshape(k, -1).T)
    shared = (stack.n_units * (weighted.swapaxes(1, 2) @ pulled)).sum(axis=1)
    return _Terms(float((inverse * residual).sum()), gradient, information / 2, shared)


def _improved(
    step_at: "StepAt", theta: FloatArray, step: RestrictedLikelihood, free: BoolArray, scale: float
) -> tuple[FloatArray, RestrictedLikelihood]:
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


StepAt = Callable[[FloatArray], RestrictedLikelihood]
