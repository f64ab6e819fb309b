"""The minimal pairs of one domain, counted and sampled by walking their chains from both ends.

Reversing the nouns of a chain of level L hands the verb between nouns k - 1 and k to the nouns
L - k + 1 and L - k. So the verbs of an edge must be licensed on it and wrong on its mirror image
read backwards; both run in one direction, up or down the ranks, and a chain has a pattern of
directions that reads the same from both ends. Chains are counted per pattern, which lets a draw
balance the directions; a state of the count is a pair of nouns, one from each end, with the number
of ways to fill what lies between them.

All counts are integers, so that a draw is the same on any machine; those of long chains are scaled.
Of long chains hundreds are drawn for one that is kept: what a step may choose from is weighed once
and kept for a while.
"""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import product
from random import Random
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from builders.centerbench.embedding import Chain
from builders.centerbench.paths import (
    Step,
    Used,
    choose_opening,
    choose_verb,
    compatible_pairs,
    is_compatible,
)
from builders.centerbench.relations import KnowledgeBase, NounEntry, VerbClass, VerbEntry
from builders.columns import BoolArray, IntArray

Edge = tuple[int, int, Step]  # numbers of patient and agent


class EdgeSet:
    """The licensed edges of one direction, numbered by patient, then by agent.

    Of an edge, `free` and `disabling` flag the verbs that are licensed on it, the latter for the
    outermost edge only, and `wrong` those that are wrong for its patient acting on its agent.
    """

    def __init__(
        self,
        knowledge: KnowledgeBase,
        nouns: Sequence[NounEntry],
        edges: Sequence[Edge],
        verbs: Sequence[VerbEntry],
    ) -> None:
        self.ends = [(patient, agent) for patient, agent, _ in edges]
        self.patients = np.array([patient for patient, _ in self.ends], dtype=np.int64)
        self.agents = np.array([agent for _, agent in self.ends], dtype=np.int64)
        self.free = _flag([step.verbs for *_, step in edges], verbs)
        self.disabling = _flag([step.disabling for *_, step in edges], verbs)
        self.wrong = np.zeros_like(self.free)
        for column, verb in enumerate(verbs):
            wrong = knowledge.wrong_subjects(verb, nouns)
            self.wrong[:, column] = wrong[self.patients, self.agents]
        self.starts = np.searchsorted(self.patients, np.arange(len(nouns) + 1)).tolist()
        self.towards = [np.flatnonzero(self.agents == i).tolist() for i in range(len(nouns))]
        self.number = {ends: edge for edge, ends in enumerate(self.ends)}

    @cached_property
    def n_verbs(self) -> IntArray:
        """Number of verbs that an edge (row) may have, given its mirror image (column)."""
        return count_common(self.free, self.wrong)

    @cached_property
    def pair_weights(self) -> IntArray:
        """Number of pairs of verbs of an edge (row) and its mirror image (column)."""
        weights: IntArray = self.n_verbs * self.n_verbs.T
        return weights


def _flag(rows: Sequence[Sequence[VerbEntry]], verbs: Sequence[VerbEntry]) -> BoolArray:
    """Which of `verbs` each row has."""
    columns = {verb.verb: i for i, verb in enumerate(verbs)}
    flags = np.zeros((len(rows), len(verbs)), dtype=np.bool_)
    for row, present in enumerate(rows):
        flags[row, [columns[verb.verb] for verb in present]] = True
    return flags


def count_common(flags: BoolArray, others: BoolArray) -> IntArray:
    """Number of flags that each row of `flags` shares with each row of `others`."""
    # float32 holds such small counts exactly
    return (flags.astype(np.float32) @ others.astype(np.float32).T).astype(np.int64)


MOST_INNER, MOST_OUTER = 4096, 512  # weighed choices that are kept, of some kilobytes each

Weights: TypeAlias = "tuple[array[int], int, int]"
"""Running totals, in which a number is found faster than in numpy's; the last one, and its bits."""


def running_totals(weights: ArrayLike) -> Weights:
    """Running totals of weights, row by row."""
    totals = array("q", np.cumsum(weights, dtype=np.int64).tobytes())
    total = totals[-1] if totals else 0
    return totals, total, total.bit_length()


def pick(weights: Weights, rng: Random) -> int:
    """Index drawn in proportion to its weight, by a number drawn as `randrange` does it."""
    totals, total, n_bits = weights
    while (drawn := rng.getrandbits(n_bits)) >= total:
        pass
    return bisect_right(totals, drawn)


Direction = Literal["up", "down"]
Pattern = tuple[Direction, ...]  # one per edge, outermost first
DIRECTIONS: tuple[Direction, Direction] = ("down", "up")

RICHEST_TO_USUAL = 1_000
PROBES = 100
LARGEST_COUNT = 2**28  # products of this and of the outer choices fit into 64 bits


def patterns(level: int) -> list[Pattern]:
    """All patterns of directions of a level that read the same from both ends."""
    halves = product(DIRECTIONS, repeat=(level + 1) // 2)
    return [half + half[: level // 2][::-1] for half in halves]


@cache
def complement(pattern: Pattern) -> Pattern:
    """The pattern with every direction turned round."""
    return tuple("up" if direction == "down" else "down" for direction in pattern)


class MirrorSpace:
    """The chains over licensed relations whose reversals are wrong in every event."""

    def __init__(
        self,
        knowledge: KnowledgeBase,
        nouns: Sequence[NounEntry],
        finals: Mapping[str, Sequence[VerbEntry]],
        steps: Mapping[str, Sequence[Step]],
    ) -> None:
        numbers = {noun.noun: i for i, noun in enumerate(nouns)}
        edges = [
            (i, numbers[step.subject.noun], step)
            for i, noun in enumerate(nouns)
            for step in steps[noun.noun]
        ]
        self._nouns, self._finals = nouns, [finals[noun.noun] for noun in nouns]
        verbs = {v.verb: v for *_, step in edges for v in step.verbs + step.disabling}
        self._verbs = list(verbs.values())
        by_direction: dict[Direction, list[Edge]] = {direction: [] for direction in DIRECTIONS}
        for patient, agent, step in edges:
            is_down = nouns[agent].rank > nouns[patient].rank
            by_direction["down" if is_down else "up"].append((patient, agent, step))
        self._edges = {
            direction: EdgeSet(knowledge, nouns, chosen, self._verbs)
            for direction, chosen in by_direction.items()
        }
        every_final = {final.verb: final for of_noun in self._finals for final in of_noun}
        self._wrong_nouns = {
            verb: {i for i, noun in enumerate(nouns) if knowledge.has_wrong_subject(noun, final)}
            for verb, final in every_final.items()
        }
        # counts and weights, each made once
        self._between, self._totals = cache(self._count_between), cache(self._accumulate)
        self._outer_weights, self._outer_sums = cache(self._weigh_outer), cache(self._sum_outer)
        self._reversals, self._n_finals = cache(self._reverse), cache(self._count_finals)
        self._inner = lru_cache(MOST_INNER)(self._inner_choices)
        self._innermost = lru_cache(MOST_OUTER)(self._outer_choices)

    def count(self, pattern: Pattern) -> int:
        """The number of minimal pairs of a pattern, verbs of one meaning not excluded."""
        return self._totals(pattern)[1]

    def usual_patterns(self, level: int) -> list[Pattern]:
        """The patterns that a draw is made of, each with its complement; none if none is usual.

        A pattern is usual if it has at least a thousandth of the pairs of the level's richest one,
        and if orders of nouns that are possible both ways are no rarity in it.
        """
        counts = {pattern: self.count(pattern) for pattern in patterns(level)}
        least = max(counts.values()) / RICHEST_TO_USUAL
        usual = [pattern for pattern, n in counts.items() if n > least and self._is_drawn(pattern)]
        return [pattern for pattern in usual if complement(pattern) in usual]

    def _is_drawn(self, pattern: Pattern) -> bool:
        rng = Random("usual patterns")
        return any(self.sample(pattern, rng, Counter()) for _ in range(PROBES))

    def sample(self, pattern: Pattern, rng: Random, used: Used) -> Chain | None:
        """The plausible chain of one minimal pair of a pattern, which must have some, or None.

        Nouns in some order are drawn in proportion to the number of chains that they have in this
        order, or in the reverse one if that is smaller: so every order of nouns is as likely in a
        plausible sentence as in an implausible one, and None is a chain that was drawn too often.
        """
        numbers = self._draw_edges(pattern, rng)
        n_reversed, drawn = self._n_reversed(pattern, numbers), rng.random()
        if not n_reversed or drawn >= n_reversed / self._n_chains(pattern, numbers):
            return None
        openings, others = self._options(pattern, numbers)
        verbs = list(choose_opening(openings, rng, used))
        for options in others:
            verbs.append(choose_verb(options, verbs, rng, used))
        return Chain(self._chain_nouns(pattern, numbers), tuple(verbs))

    def _draw_edges(self, pattern: Pattern, rng: Random) -> list[int]:
        """A path of edges, outermost first, in proportion to the number of ways to fill it."""
        outer = pick(self._totals(pattern), rng)
        if len(pattern) == 1:
            return [outer]
        left, right = [outer], [pick(self._innermost(pattern, outer), rng)]
        ends, inner = self._edges[pattern[0]].ends, pattern[1:-1]
        a, b = ends[outer][1], ends[right[0]][0]
        while len(inner) > 1:  # two edges at a time, from both ends
            edges, (weights, columns) = self._edges[inner[0]], self._inner(inner, a, b)
            row, column = divmod(pick(weights, rng), len(columns))
            left.append(edges.starts[a] + row)
            right.append(columns[column])
            a, b, inner = edges.ends[left[-1]][1], edges.ends[right[-1]][0], inner[1:-1]
        if inner:
            left.append(self._edges[inner[0]].number[a, b])
        return left + right[::-1]

    def enumerate(self, pattern: Pattern) -> Iterator[Chain]:
        """The plausible chain of every minimal pair of a pattern, in table order."""
        for numbers in self._enumerate_edges(pattern):
            openings, others = self._options(pattern, numbers)
            nouns = self._chain_nouns(pattern, numbers)
            for opening in openings:
                yield from (Chain(nouns, (*opening, *rest)) for rest in product(*others))

    def _options(
        self, pattern: Pattern, numbers: Sequence[int]
    ) -> tuple[list[tuple[VerbEntry, VerbEntry]], list[list[VerbEntry]]]:
        """Along a path: pairs of a final verb and the outermost edge's, and verbs of the others."""
        openings = self._opening_verbs(self._edges[pattern[0]], numbers[0], numbers[-1])
        others = []
        for i in range(1, len(pattern)):
            edges = self._edges[pattern[i]]
            admitted = edges.free[numbers[i]] & edges.wrong[numbers[-1 - i]]
            others.append([self._verbs[verb] for verb in np.flatnonzero(admitted)])
        return openings, others

    def _n_chains(self, pattern: Pattern, numbers: Sequence[int]) -> int:
        """Number of minimal pairs along a path of edges."""
        outermost = self._edges[pattern[0]]
        if len(pattern) == 1:
            return len(self._opening_verbs(outermost, numbers[0], numbers[0]))
        n = self._outer_weights(pattern[0]).item(numbers[0], numbers[-1])
        for i in range(1, len(pattern) - 1):
            n *= self._edges[pattern[i]].n_verbs.item(numbers[i], numbers[-1 - i])
        return int(n)

    def _n_reversed(self, pattern: Pattern, numbers: Sequence[int]) -> int:
        """Number of minimal pairs whose plausible chain has the path's nouns in reverse order."""
        back = [
            self._reversals(direction)[edge]
            for direction, edge in zip(pattern[::-1], numbers[::-1], strict=True)
        ]
        return 0 if -1 in back else self._n_chains(complement(pattern), back)

    def _reverse(self, direction: Direction) -> list[int]:
        """Of each edge the one between its nouns in the other direction, -1 where there is none."""
        others = self._edges["up" if direction == "down" else "down"].number
        return [others.get((agent, patient), -1) for patient, agent in self._edges[direction].ends]

    def _chain_nouns(self, pattern: Pattern, numbers: Sequence[int]) -> tuple[NounEntry, ...]:
        ends = [self._edges[way].ends[edge] for way, edge in zip(pattern, numbers, strict=True)]
        return tuple(self._nouns[noun] for noun in (ends[0][0], *(agent for _, agent in ends)))

    def _enumerate_edges(self, pattern: Pattern) -> Iterator[list[int]]:
        """Every path of edges of a pattern, outermost first."""
        paths = [[edge] for edge in range(len(self._edges[pattern[0]].ends))]
        while paths:
            path = paths.pop()
            if len(path) == len(pattern):
                yield path
            else:
                agent = self._edges[pattern[len(path) - 1]].ends[path[-1]][1]
                starts = self._edges[pattern[len(path)]].starts
                following = range(starts[agent + 1] - 1, starts[agent] - 1, -1)
                paths += ([*path, edge] for edge in following)

    def _opening_verbs(
        self, edges: EdgeSet, outer: int, mirror: int
    ) -> list[tuple[VerbEntry, VerbEntry]]:
        """The compatible pairs of a final verb and the outermost edge's verb."""
        patient, innermost = edges.ends[outer][0], edges.ends[mirror][1]
        finals = [f for f in self._finals[patient] if innermost in self._wrong_nouns[f.verb]]
        admitted = (edges.free[outer] | edges.disabling[outer]) & edges.wrong[mirror]
        return compatible_pairs(finals, [self._verbs[i] for i in np.flatnonzero(admitted)])

    def _count_between(self, pattern: Pattern) -> IntArray:
        """Number of ways to fill a pattern between an outer noun (row) and an inner one."""
        size = len(self._nouns)
        if not pattern:
            return np.eye(size, dtype=np.int64)
        counts = np.zeros((size, size), dtype=np.int64)
        edges = self._edges[pattern[0]]
        if len(pattern) == 1:
            counts[edges.patients, edges.agents] = np.diagonal(edges.n_verbs)
            return counts
        inside = self._between(pattern[1:-1])
        for noun in range(size):
            rows = slice(edges.starts[noun], edges.starts[noun + 1])
            filled = inside[edges.agents[rows]][:, edges.patients]
            per_edge = (edges.pair_weights[rows] * filled).sum(axis=0)
            np.add.at(counts[noun], edges.agents, per_edge)
        # halved until all are small enough: in long chains the rarest are lost
        return counts >> max(0, (int(counts.max(initial=0)) // LARGEST_COUNT).bit_length())

    def _inner_choices(
        self, pattern: Pattern, outer_noun: int, inner_noun: int
    ) -> tuple[Weights, list[int]]:
        """Weights of the pairs of edges that continue from both nouns, row by row, and columns."""
        edges = self._edges[pattern[0]]
        rows = slice(edges.starts[outer_noun], edges.starts[outer_noun + 1])
        columns = edges.towards[inner_noun]
        inside = self._between(pattern[1:-1])[edges.agents[rows]][:, edges.patients[columns]]
        return running_totals(edges.pair_weights[rows][:, columns] * inside), columns

    def _outer_choices(self, pattern: Pattern, edge: int) -> Weights:
        """Running totals of the pairs with a given outermost edge by their innermost edge."""
        edges = self._edges[pattern[0]]
        inside = self._between(pattern[1:-1])[edges.agents[edge], edges.patients]
        return running_totals(self._outer_weights(pattern[0])[edge] * inside)

    def _weigh_outer(self, direction: Direction) -> IntArray:
        """Number of choices of verbs of an outermost edge (row), given the innermost (column)."""
        edges = self._edges[direction]
        finals, last_finals = (
            self._n_finals(verb_class)[edges.patients][:, edges.agents]
            for verb_class in ("pursuit", "inactivating")  # the second disables
        )
        n_disabling = count_common(edges.disabling, edges.wrong)
        verbs = edges.n_verbs * finals + n_disabling * last_finals
        weights: IntArray = verbs * edges.n_verbs.T
        return weights

    def _accumulate(self, pattern: Pattern) -> Weights:
        """Running totals of the pairs by their outermost edge."""
        edges = self._edges[pattern[0]]
        if len(pattern) == 1:
            each = range(len(edges.ends))
            return running_totals([len(self._opening_verbs(edges, edge, edge)) for edge in each])
        inside = self._between(pattern[1:-1])[edges.agents]
        return running_totals((self._outer_sums(pattern[0]) * inside).sum(axis=1))

    def _sum_outer(self, direction: Direction) -> IntArray:
        """The outer weights by the patient (column) of the innermost edge, for every noun."""
        weights, patients = self._outer_weights(direction), self._edges[direction].patients
        sums = np.zeros((*weights.shape[:-1], len(self._nouns)), dtype=np.int64)
        present, firsts = np.unique(patients, return_index=True)
        sums[..., present] = np.add.reduceat(weights, firsts, axis=-1)
        return sums

    def _count_finals(self, verb_class: VerbClass) -> IntArray:
        """Number of final verbs of a noun (row) that are wrong for the innermost noun (column)."""
        counts = np.zeros((len(self._nouns), len(self._nouns)), dtype=np.int64)
        for noun, finals in enumerate(self._finals):
            for final in finals:
                if is_compatible(final.verb_class, verb_class):
                    counts[noun, sorted(self._wrong_nouns[final.verb])] += 1
        return counts
