"""Worlds of `ranking_generalizability`: systems of known means, noise and variance components."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics._shared.columns import FloatArray, IntArray
from metrics._shared.uncertainty import Interval
from metrics.ranking_generalizability.agreement import (
    comparisons,
    expected_regret,
    kendall_tau,
    paired_tests,
    rank_sets,
    ranking_agreement,
    ranking_groups,
    share_interval,
    winner_agreement,
    winner_weights,
)
from metrics.ranking_generalizability.components import (
    component_rows,
    is_connected,
    restricted_components,
)
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import joint_posterior, read_table
from research.worlds.world import World

N_TRUTH = 200_000  # units from which the truth of agreement and regret is taken
SHARE_MISSING = 0.2
SHARE_FAILING = 0.12
CLUSTER_SIZE, CORRELATION = 5, 0.7  # units of a cluster, and how alike they are
LEAST_WHOLE = 3  # units that two systems share, below which nothing is stated of them
MANY = 400  # studies of a world: a share of 95 % is known to 2 points
OPTIONS = read_options()
OF_MISSING = ("difference of the first two", "rank of the first", "rank of the last")
COMPONENTS = {"unit": 4.0, "system_by_unit": 1.0, "repeat": 0.5, "system_by_repeat": 2.0}


@dataclass(frozen=True)
class SystemsKind:
    """True means, in units of the noise's standard deviation, and what a unit adds to them.

    Scores that are rounded to so many `digits` tie.
    """

    name: str
    means: Callable[[int], FloatArray]
    noise: Callable[[np.random.Generator, tuple[int, int]], FloatArray]
    digits: int | None = None

    def draw(self, generator: np.random.Generator, n_units: int, n_systems: int) -> FloatArray:
        """Scores of units, shape (U, S)."""
        scores = self.means(n_systems) + self.noise(generator, (n_units, n_systems))
        return scores if self.digits is None else np.round(scores, self.digits)


def normal(generator: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Standard normal noise."""
    return generator.standard_normal(shape)


def skewed(generator: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Noise with a long lower tail: now and then a run fails."""
    return 1 - generator.standard_exponential(shape)


def near_ties(n_systems: int) -> FloatArray:
    """Means that are a tenth of the noise apart."""
    return 0.1 * np.arange(n_systems, dtype=np.float64)[::-1]


def clear(n_systems: int) -> FloatArray:
    """Means that are one standard deviation of the noise apart."""
    return np.arange(n_systems, dtype=np.float64)[::-1]


def heavy(generator: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Noise with heavy tails, Student's t of 3 degrees of freedom."""
    return np.asarray(generator.standard_t(3, shape) / np.sqrt(3))


def unequal(generator: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Normal noise of .3 to 1.6 standard deviations, by system."""
    widths = np.resize([0.3, 1.6, 0.5, 1.0], shape[1])
    return np.asarray(widths * generator.standard_normal(shape))


def together(generator: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Normal noise that is the same by nine tenths in each two neighbours."""
    shared = np.repeat(generator.standard_normal((shape[0], (shape[1] + 1) // 2)), 2, axis=1)
    own = generator.standard_normal(shape)
    return np.asarray(np.sqrt(0.9) * shared[:, : shape[1]] + np.sqrt(0.1) * own)


def failing(generator: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Normal noise; the first system fails on 12 % of the units, by 4 standard deviations."""
    noise = generator.standard_normal(shape)
    noise[:, 0] -= 4 * ((generator.random(shape[0]) < SHARE_FAILING) - SHARE_FAILING)
    return noise


KINDS = (
    SystemsKind("near ties, .1 sd apart", near_ties, normal),
    SystemsKind("clear, 1 sd apart", clear, normal),
    SystemsKind("clear, skewed noise", clear, skewed),
    SystemsKind("near ties, rounded scores", near_ties, normal, digits=0),
)
HARDER = (
    SystemsKind("unequal noise", near_ties, unequal),
    SystemsKind("noise that goes together", near_ties, together),
    SystemsKind("a system that fails", near_ties, failing),
    SystemsKind("heavy tails", near_ties, heavy),
)
N_UNITS = (5, 10, 50)
SIZES = (*((n_systems, n_units) for n_systems in (2, 5, 7) for n_units in N_UNITS), (20, 10))


def _by_kind_and_size(
    ending: str,
    truth: Callable[..., Any],
    simulated: Callable[..., Any],
    sizes: Sequence[tuple[int, int]] = SIZES,
    kinds: Sequence[SystemsKind] = KINDS,
    **given: Any,
) -> list[World]:
    return [
        World(
            f"{kind.name}{ending}",
            f"{n_systems} systems, {n_units} units",
            functools.partial(truth, kind, n_systems),
            functools.partial(simulated, kind, n_systems, n_units, **given),
            n_simulations=MANY,
        )
        for kind in kinds
        for n_systems, n_units in sizes
    ]


def worlds() -> list[World]:
    """Kinds of means and noise by numbers of systems and units, worlds of components, clusters."""
    few = [(n_systems, n_units) for n_systems, n_units in SIZES if n_units == min(N_UNITS)]
    five = [(5, n_units) for n_units in N_UNITS]
    lacking, anywhere = "a fifth of the cells missing", "missing anywhere"
    return (
        _by_kind_and_size("", true_values, simulate)
        + _by_kind_and_size(f", {lacking}", true_differences, simulate_missing, n_whole=LEAST_WHOLE)
        + _by_kind_and_size(
            f", {lacking}, {anywhere}", true_differences, simulate_missing, few, n_whole=0
        )
        + [
            World(
                "variance components" + (f", {lacking}" if share else ""),
                f"5 systems, {n_units} units, 3 repeats",
                {f"variance of {name}": value for name, value in COMPONENTS.items()},
                functools.partial(simulate_components, n_units, share),
                n_simulations=MANY,
            )
            for n_units in (10, 50)
            for share in (0.0, SHARE_MISSING)
        ]
        + _by_kind_and_size("", true_values, simulate, five, HARDER)
        + [
            World(
                f"clusters, correlation {CORRELATION}",
                f"5 systems, {n_clusters} clusters of {CLUSTER_SIZE}",
                functools.partial(true_values, KINDS[0], 5),
                functools.partial(simulate_clusters, KINDS[0], n_clusters),
                n_simulations=MANY,
            )
            for n_clusters in N_UNITS[1:]
        ]
    )


@functools.cache
def true_values(kind: SystemsKind, n_systems: int) -> dict[str, float]:
    """Truth of every quantity, from the means and from many units."""
    scores = kind.draw(np.random.default_rng(0), N_TRUTH, n_systems)
    means = scores.mean(axis=0) if kind.digits is not None else kind.means(n_systems)
    weights = winner_weights(scores)
    shares = weights.mean(axis=0)
    same = np.bincount(ranking_groups(scores)) / N_TRUTH
    other = scores[np.random.default_rng(1).permutation(N_TRUTH)]
    return {
        "winner_agreement": float((shares**2).sum()),
        "ranking_agreement": float((same * (same * N_TRUTH - 1) / (N_TRUTH - 1)).sum()),
        "kendall_tau": float(_tau(scores, other)),
        "expected_regret": float(means.max() - shares @ means),
        "difference of the first two": float(means[0] - means[1]),
        "share of units that the first wins": float(shares[0]),
        "rank of the first": 1.0,
        "rank of the last": float(n_systems),
    }


def true_differences(kind: SystemsKind, n_systems: int) -> dict[str, float]:
    """Truth of what is stated where cells are missing."""
    truth = true_values(kind, n_systems)
    return {name: truth[name] for name in OF_MISSING}


def _tau(first: FloatArray, second: FloatArray) -> float:
    """Mean Kendall's tau-b of pairs of units, as the metric takes it: without all-tied units."""
    n_systems = first.shape[1]
    total, squares = np.zeros(len(first)), np.zeros((2, len(first)))
    for system in range(n_systems - 1):
        signs = [np.sign(s[:, [system]] - s[:, system + 1 :]) for s in (first, second)]
        total += (signs[0] * signs[1]).sum(axis=1)
        squares += [np.abs(sign).sum(axis=1) for sign in signs]
    has = squares.min(axis=0) > 0
    return float((total[has] / np.sqrt(squares[0, has] * squares[1, has])).mean())


def simulate(
    kind: SystemsKind, n_systems: int, n_units: int, generator: np.random.Generator
) -> Mapping[str, Any]:
    """What the metric says of one study."""
    return stated(kind.draw(generator, n_units, n_systems))


def simulate_clusters(
    kind: SystemsKind, n_clusters: int, generator: np.random.Generator
) -> Mapping[str, Any]:
    """What the metric says of one study whose units come in clusters, which it is told."""
    clusters = np.repeat(np.arange(n_clusters), CLUSTER_SIZE)
    means = kind.means(5)
    shared = kind.draw(generator, n_clusters, 5) - means
    own = kind.draw(generator, len(clusters), 5) - means
    noise = np.sqrt(CORRELATION) * shared[clusters] + np.sqrt(1 - CORRELATION) * own
    return stated(means + noise, clusters)


def stated(scores: FloatArray, clusters: IntArray | None = None) -> dict[str, float]:
    """Intervals of a complete table, shape (U, S), by the functions that `score` calls."""
    confidence, seed, n_units = OPTIONS.confidence, OPTIONS.seed, len(scores)
    joint = joint_posterior(scores, clusters, seed)
    ranks = rank_sets(comparisons(scores, clusters, joint, 0.0, confidence), scores.mean(axis=0))
    n_free = n_units if clusters is None else int(clusters.max()) + 1
    n_wins = min(float(winner_weights(scores)[:, 0].sum()) * n_free / n_units, n_free)
    regret = expected_regret(scores, joint.shrinkage, confidence, seed, clusters)
    return {
        **_named("winner_agreement", winner_agreement(scores, confidence, clusters).interval),
        **_named("ranking_agreement", ranking_agreement(scores, confidence, clusters).interval),
        **_named("kendall_tau", kendall_tau(scores, confidence, clusters).interval),
        **_named("expected_regret", regret.interval),
        **_named("difference of the first two", _difference(scores, clusters)),
        **_named("share of units that the first wins", share_interval(n_wins, n_free, confidence)),
        **_named("rank of the first", (ranks.low[0], ranks.high[0])),
        **_named("rank of the last", (ranks.low[-1], ranks.high[-1])),
    }


def simulate_missing(
    kind: SystemsKind, n_systems: int, n_units: int, generator: np.random.Generator, n_whole: int
) -> Mapping[str, Any]:
    """What the metric says of a study that lacks a fifth of its cells, none in `n_whole` units."""
    scores = kind.draw(generator, n_units, n_systems)
    share = SHARE_MISSING * n_units / (n_units - n_whole)
    scores[n_whole:][generator.random((n_units - n_whole, n_systems)) < share] = np.nan
    return stated_of_missing(scores)


def stated_of_missing(scores: FloatArray) -> dict[str, float]:
    """Intervals of a table that lacks cells, nan, by the functions that `score` calls."""
    if not is_connected(scores):  # refused: nothing is stated
        return {f"{name}_{end}": np.nan for name in OF_MISSING for end in ("low", "high")}
    joint = joint_posterior(scores, None, OPTIONS.seed)
    pairs = comparisons(scores, None, joint, 0.0, OPTIONS.confidence)
    ranks = rank_sets(pairs, np.nanmean(scores, axis=0))
    return {
        **_named("difference of the first two", _difference(scores)),
        **_named("rank of the first", (ranks.low[0], ranks.high[0])),
        **_named("rank of the last", (ranks.low[-1], ranks.high[-1])),
    }


def simulate_components(
    n_units: int, share_missing: float, generator: np.random.Generator
) -> Mapping[str, Any]:
    """What the metric says of the components of one study with repeats."""
    shape = (5, n_units, 3)
    shapes = {"unit": (1, n_units, 1), "system_by_unit": (5, n_units, 1)}
    shapes |= {"repeat": (1, n_units, 3), "system_by_repeat": shape}
    scores = sum(
        np.sqrt(COMPONENTS[name]) * generator.standard_normal(size) for name, size in shapes.items()
    )
    kept = generator.random(shape).ravel() >= share_missing
    names = ("system", "unit", "repeat")
    columns = {n: a.ravel()[kept].tolist() for n, a in zip(names, np.indices(shape), strict=True)}
    values = np.broadcast_to(scores, shape).ravel()[kept]
    options = read_options(missing="model")
    fit = restricted_components(read_table({**columns, "score": values}, options))
    found: dict[str, Any] = {}
    for row in component_rows(fit, options.confidence):
        ends = (row["variance_low"], row["variance_high"])
        found |= _named(f"variance of {row['component']}", ends)
    return found


def _difference(scores: FloatArray, clusters: IntArray | None = None) -> Interval:
    return paired_tests(scores[:, :1] - scores[:, 1:2], clusters)[0].interval(OPTIONS.confidence)


def _named(name: str, ends: Sequence[Any]) -> dict[str, float]:
    return {f"{name}_low": float(ends[0]), f"{name}_high": float(ends[1])}
