"""The minimal pairs of one level, counted and sampled uniformly, chains walked from both ends.

Reversing the nouns of a chain of level L hands the verb between nouns k - 1 and k to the nouns L -
k + 1 and L - k. Which verbs an edge of
the chain may have depends, therefore, on its mirror image and on nothing else: they must be
licensed on the edge and wrong on the mirror image read backwards. A state of the count is a pair of
nouns, one from each end, with the number of ways to fill what lies between them.

All counts are integers, so that a draw is the same on any machine. Two verbs with one first word
are not excluded here.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import product
from random import Random

import numpy as np
import numpy.typing as npt

from builders.centerbench.embedding import Chain
from builders.centerbench.paths import Step, is_compatible
from builders.centerbench.relations import KnowledgeBase, NounEntry, VerbClass, VerbEntry

Counts = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class MirrorSpace:
    """The chains over licensed relations whose reversals are wrong in every event.

    Edges are numbered by patient, then by agent. Of an edge, `free` and `disabling` flag the verbs
    that are licensed on it, the latter for the outermost edge only, and `wrong` those that are
    wrong for its patient acting on its agent.
    """

    def __init__(
        self,
        knowledge: KnowledgeBase,
        nouns: Sequence[NounEntry],
        finals: Mapping[str, Sequence[VerbEntry]],
        steps: Mapping[str, Sequence[Step]],
    ) -> None:
        """Takes the final verbs of each noun and the steps towards it, by noun."""
        numbers = {noun.noun: i for i, noun in enumerate(nouns)}
        edges = [
            (i, numbers[step.subject.noun], step)
            for i, noun in enumerate(nouns)
            for step in steps[noun.noun]
        ]
        self._nouns, self._finals = nouns, [finals[noun.noun] for noun in nouns]
        self._patients = np.array([patient for patient, _, _ in edges], dtype=np.int64)
        self._agents = np.array([agent for _, agent, _ in edges], dtype=np.int64)
        self._verbs = list(
            {verb.verb: verb for *_, step in edges for verb in step.verbs + step.disabling}.values()
        )
        self._free = _flag([step.verbs for *_, step in edges], self._verbs)
        self._disabling = _flag([step.disabling for *_, step in edges], self._verbs)
        self._wrong = np.array(
            [
                [
                    knowledge.has_wrong_subject(nouns[patient], verb, nouns[agent])
                    for verb in self._verbs
                ]
                for patient, agent, _ in edges
            ]
        )
        every_final = {final.verb: final for of_noun in self._finals for final in of_noun}
        self._wrong_nouns = {
            verb: {i for i, noun in enumerate(nouns) if knowledge.has_wrong_subject(noun, final)}
            for verb, final in every_final.items()
        }
        self._starts = np.searchsorted(self._patients, np.arange(len(nouns) + 1)).tolist()
        self._edges_from = [np.flatnonzero(self._agents == i).tolist() for i in range(len(nouns))]
        self._number = {(patient, agent): edge for edge, (patient, agent, _) in enumerate(edges)}
        self._between = cache(self._count_between)
        self._totals = cache(self._accumulate)
        self._inner = cache(self._inner_choices)

    def count(self, level: int) -> int:
        """The number of minimal pairs of a level (1 or more), repeated first words not excluded."""
        totals = self._totals(level)
        return int(totals[-1]) if len(totals) else 0

    def sample(self, level: int, rng: Random) -> Chain:
        """The plausible chain of one minimal pair of a level, which must have some."""
        edges = self._draw_edges(level, rng)
        nouns = [
            self._nouns[self._patients[edges[0]]],
            *(self._nouns[self._agents[edge]] for edge in edges),
        ]
        final, first = rng.choice(self._opening_verbs(edges[0], edges[-1]))
        others = [
            rng.choice(self._edge_verbs(edge, mirror))
            for edge, mirror in zip(edges[1:], edges[-2::-1], strict=True)
        ]
        return Chain(tuple(nouns), (final, first, *others))

    def enumerate(self, level: int) -> Iterator[Chain]:
        """The plausible chain of every minimal pair of a level, in table order."""
        for edges in self._enumerate_edges(level):
            nouns = [
                self._nouns[self._patients[edges[0]]],
                *(self._nouns[self._agents[edge]] for edge in edges),
            ]
            others = [
                self._edge_verbs(edge, mirror)
                for edge, mirror in zip(edges[1:], edges[-2::-1], strict=True)
            ]
            for opening in self._opening_verbs(edges[0], edges[-1]):
                yield from (Chain(tuple(nouns), (*opening, *rest)) for rest in product(*others))

    def _enumerate_edges(self, level: int) -> Iterator[list[int]]:
        """Every path of `level` edges, outermost first."""
        paths = [[edge] for edge in range(len(self._patients))]
        while paths:
            path = paths.pop()
            if len(path) == level:
                yield path
            else:
                agent = self._agents[path[-1]]
                paths += (
                    [*path, edge]
                    for edge in range(self._starts[agent + 1] - 1, self._starts[agent] - 1, -1)
                )

    def _draw_edges(self, level: int, rng: Random) -> list[int]:
        """Draws the edges of a chain, outermost first."""
        outer = _draw(self._totals(level), rng)
        if level == 1:
            return [outer]
        left, right = [outer], [_draw(np.cumsum(self._outer_row(outer, level)), rng)]
        for remaining in range(level - 2, 1, -2):
            a, b = int(self._agents[left[-1]]), int(self._patients[right[-1]])
            totals, columns = self._inner(a, b, remaining)
            row, column = divmod(_draw(totals, rng), len(columns))
            left.append(self._starts[a] + row)
            right.append(columns[column])
        middle = (
            [self._number[self._agents[left[-1]], self._patients[right[-1]]]] if level % 2 else []
        )
        return left + middle + right[::-1]

    def _opening_verbs(self, outer: int, mirror: int) -> list[tuple[VerbEntry, VerbEntry]]:
        """The compatible pairs of a final verb and the outermost edge's verb."""
        patient, innermost = self._patients[outer], int(self._agents[mirror])
        finals = [
            final for final in self._finals[patient] if innermost in self._wrong_nouns[final.verb]
        ]
        verbs = [
            self._verbs[i]
            for i in np.flatnonzero(
                (self._free[outer] | self._disabling[outer]) & self._wrong[mirror]
            )
        ]
        return [
            (final, verb)
            for final in finals
            for verb in verbs
            if is_compatible(final.verb_class, verb.verb_class)
        ]

    def _edge_verbs(self, edge: int, mirror: int) -> list[VerbEntry]:
        return [self._verbs[i] for i in np.flatnonzero(self._free[edge] & self._wrong[mirror])]

    @cached_property
    def _n_verbs(self) -> Counts:
        """How many verbs an edge (row) may have, given its mirror image (column)."""
        return _count_common(self._free, self._wrong)

    @cached_property
    def _n_disabling(self) -> Counts:
        return _count_common(self._disabling, self._wrong)

    def _pair_weights(self, edges: slice) -> Counts:
        """Number of pairs of verbs of some edges (rows) and their mirror images (columns)."""
        weights: Counts = self._n_verbs[edges] * self._n_verbs[:, edges].T
        return weights

    def _count_between(self, n_edges: int) -> Counts:
        """Number of ways to fill `n_edges` edges between an outer noun (row) and an inner one."""
        size = len(self._nouns)
        if n_edges == 0:
            return np.eye(size, dtype=np.int64)
        counts = np.zeros((size, size), dtype=np.int64)
        if n_edges == 1:
            counts[self._patients, self._agents] = np.diagonal(self._n_verbs)
            return counts
        inside = self._between(n_edges - 2)
        for noun in range(size):
            rows = slice(self._starts[noun], self._starts[noun + 1])
            per_edge = (
                self._pair_weights(rows) * inside[self._agents[rows]][:, self._patients]
            ).sum(axis=0)
            np.add.at(counts[noun], self._agents, per_edge)
        return counts

    def _inner_choices(
        self, outer_noun: int, inner_noun: int, n_edges: int
    ) -> tuple[Counts, list[int]]:
        """Running totals over the pairs of edges that continue from both nouns, and the columns.

        Row by row; the columns are edges towards the inner noun.
        """
        rows, columns = (
            slice(self._starts[outer_noun], self._starts[outer_noun + 1]),
            self._edges_from[inner_noun],
        )
        inside = self._between(n_edges - 2)[self._agents[rows]][:, self._patients[columns]]
        return np.cumsum(self._pair_weights(rows)[:, columns] * inside), columns

    def _outer_row(self, edge: int, level: int) -> Counts:
        """Counts the pairs with a given outermost edge by their innermost edge."""
        row: Counts = (
            self._outer_weights[edge] * self._between(level - 2)[self._agents[edge], self._patients]
        )
        return row

    @cached_property
    def _outer_weights(self) -> Counts:
        """Number of choices of verbs and final verbs of an outermost edge (row).

        Its mirror image (column) is the innermost edge.
        """
        finals, last_finals = (
            n[self._patients][:, self._agents] for n in (self._n_finals, self._n_last_finals)
        )
        weights: Counts = (
            self._n_verbs * finals + self._n_disabling * last_finals
        ) * self._n_verbs.T
        return weights

    def _accumulate(self, level: int) -> Counts:
        """The running totals of the pairs by their outermost edge."""
        edges = range(len(self._patients))
        if level == 1:
            return np.cumsum([len(self._opening_verbs(edge, edge)) for edge in edges])
        inside = self._between(level - 2)[self._agents][:, self._patients]
        return np.cumsum((self._outer_weights * inside).sum(axis=1))

    @cached_property
    def _n_finals(self) -> Counts:
        """Number of final verbs of a noun (row) that are wrong for the innermost noun (column).

        They follow a verb that does not disable.
        """
        return self._count_finals("pursuit")

    @cached_property
    def _n_last_finals(self) -> Counts:
        return self._count_finals("inactivating")

    def _count_finals(self, verb_class: VerbClass) -> Counts:
        counts = np.zeros((len(self._nouns), len(self._nouns)), dtype=np.int64)
        for noun, finals in enumerate(self._finals):
            for final in finals:
                if is_compatible(final.verb_class, verb_class):
                    counts[noun, sorted(self._wrong_nouns[final.verb])] += 1
        return counts


def _flag(rows: Sequence[Sequence[VerbEntry]], verbs: Sequence[VerbEntry]) -> Flags:
    """Flags which of `verbs` each row has."""
    columns = {verb.verb: i for i, verb in enumerate(verbs)}
    flags = np.zeros((len(rows), len(verbs)), dtype=np.bool_)
    for row, present in enumerate(rows):
        flags[row, [columns[verb.verb] for verb in present]] = True
    return flags


def _count_common(flags: Flags, others: Flags) -> Counts:
    """Number of flags that each row of `flags` shares with each row of `others`."""
    # float32 holds such small counts exactly
    return (flags.astype(np.float32) @ others.astype(np.float32).T).astype(np.int64)


def _draw(totals: Counts, rng: Random) -> int:
    """Index drawn in proportion to its weight; takes the running totals of the weights."""
    return int(np.searchsorted(totals, rng.randrange(int(totals[-1])), side="right"))
