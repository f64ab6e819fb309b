"""Random paths of edges between mirror images, drawn from both ends towards the middle.

Of long chains hundreds are drawn for one that is kept, so a large draw's time is spent here: what a
step may choose from is weighed once, kept for a while and found by the numbers of two nouns.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from builders.centerbench.edges import EdgeSet

MOST_INNER, MOST_OUTER = 512, 64  # weighed choices that are kept, of some kilobytes each

Totals: TypeAlias = "array[int]"  # of 64 bits; one number is found faster than in numpy's
Weights = tuple[Totals, int, int]  # running totals, the last of them, and its bits


class Layer(NamedTuple):
    """The pairs of edges that may follow two nouns at one depth of a pattern.

    Attributes:
        choices: Gives the weights of the pairs that continue from the outer and the inner noun,
            row by row, and their columns: edges towards the inner noun.
        starts: Number of the first row, by outer noun.
        agents: Where an edge of a row leads.
        patients: Where an edge of a column leads.
    """

    choices: Callable[[int, int], tuple[Weights, list[int]]]
    starts: list[int]
    agents: list[int]
    patients: list[int]

    @classmethod
    def of(
        cls, edges: EdgeSet, choices: Callable[[int, int], tuple[Weights, list[int]]]
    ) -> "Layer":
        """The layer of some edges, which keeps the choices asked for last."""
        kept = lru_cache(MOST_INNER)(choices)
        return cls(kept, edges.starts, edges.agents.tolist(), edges.patients.tolist())


class Walk:
    """Draws paths of one pattern, in proportion to the number of ways to fill them."""

    def __init__(
        self,
        outer: Weights,
        ends: Sequence[tuple[int, int]],
        innermost: Callable[[int], Weights],
        layers: Sequence[Layer],
        middle: Mapping[tuple[int, int], int] | None,
    ) -> None:
        """Takes what each step chooses from.

        Args:
            outer: Weights of the outermost edges.
            ends: Patient and agent of those.
            innermost: Gives the weights of the innermost edges, by the outermost one.
            layers: What lies between, from both ends.
            middle: The edge between two nouns, where a single one is left; else None.
        """
        self._outer, self._ends = outer, ends
        self._innermost = lru_cache(MOST_OUTER)(innermost)
        self._layers, self._middle = layers, middle

    def draw(self, rng: Random) -> list[int]:
        """The edges of a path of two or more, outermost first."""
        getrandbits = rng.getrandbits
        outer = pick(self._outer, rng)
        left, right = [outer], [pick(self._innermost(outer), rng)]
        a, b = self._ends[outer][1], self._ends[right[0]][0]
        for choices, starts, agents, patients in self._layers:
            # as `pick` does, in place: a call for each step would be a tenth of a large draw
            (totals, total, n_bits), columns = choices(a, b)
            while (drawn := getrandbits(n_bits)) >= total:
                pass
            row, column = divmod(bisect_right(totals, drawn), len(columns))
            left.append(first := starts[a] + row)
            right.append(last := columns[column])
            a, b = agents[first], patients[last]
        if self._middle is not None:
            left.append(self._middle[a, b])
        return left + right[::-1]


def running_totals(weights: ArrayLike) -> Weights:
    """Running totals of weights, row by row."""
    totals = array("q", np.cumsum(weights, dtype=np.int64).tobytes())
    total = totals[-1] if totals else 0
    return totals, total, total.bit_length()


def pick(weights: Weights, rng: Random) -> int:
    """Index drawn in proportion to its weight.

    The number below the last total is drawn as `randrange` does it, of which most of the time was.
    """
    totals, total, n_bits = weights
    while (drawn := rng.getrandbits(n_bits)) >= total:
        pass
    return bisect_right(totals, drawn)
