"""A world with a known truth: studies are drawn in it, and a metric states its intervals."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ground.found import found

Truth = Mapping[str, float]


@dataclass(frozen=True)
class World:
    """One kind of study that is drawn again and again.

    `truth` has the true value of each quantity whose interval is checked, or finds them; the result
    of a metric that `simulate` gives has `<quantity>_low` and `<quantity>_high`.
    """

    name: str  # what is true in it, such as "two systems that tie"
    n: str  # how much each study has, such as "39 paradigms, 19 families"
    truth: Truth | Callable[[], Truth]
    simulate: Callable[[np.random.Generator], Mapping[str, Any]]
    n_simulations: int = 1000
    nominal: float = 0.95  # confidence that the intervals claim

    def true_values(self) -> Truth:
        """True value of each quantity."""
        return self.truth() if callable(self.truth) else self.truth


def metric_names() -> list[str]:
    """Metrics that have worlds here: a module of their name with a function `worlds`."""
    return list(found(Path(__file__).parent, "worlds"))


def worlds_of(metric: str) -> dict[str, World]:
    """Worlds of a metric by name and size."""
    if metric not in metric_names():
        raise ValueError(f"metrics, got {metric!r}; expected any of {', '.join(metric_names())}")
    made: list[World] = importlib.import_module(f"research.worlds.{metric}").worlds()
    by_name = {f"{world.name}, {world.n}": world for world in made}
    if len(by_name) < len(made):
        raise ValueError(f"research.worlds.{metric}: worlds, got a name and size twice")
    return by_name
