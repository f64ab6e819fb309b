"""The licensed edges between two nouns, as arrays: what may stand on one and its mirror image."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from builders.centerbench.paths import Step
from builders.centerbench.relations import KnowledgeBase, NounEntry, VerbEntry
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
        """Takes the edges in order, and all verbs that any edge has."""
        self.patients = np.array([patient for patient, _, _ in edges], dtype=np.int64)
        self.agents = np.array([agent for _, agent, _ in edges], dtype=np.int64)
        self.free = _flag([step.verbs for *_, step in edges], verbs)
        self.disabling = _flag([step.disabling for *_, step in edges], verbs)
        self.wrong = np.zeros_like(self.free)
        for column, verb in enumerate(verbs):
            wrong = knowledge.wrong_subjects(verb, nouns)
            self.wrong[:, column] = wrong[self.patients, self.agents]
        size = len(nouns)
        self.ends = [(patient, agent) for patient, agent, _ in edges]
        self.starts = np.searchsorted(self.patients, np.arange(size + 1)).tolist()
        self.towards = [np.flatnonzero(self.agents == i).tolist() for i in range(size)]
        self.number = {(patient, agent): edge for edge, (patient, agent, _) in enumerate(edges)}

    def __len__(self) -> int:
        return len(self.patients)

    @cached_property
    def n_verbs(self) -> IntArray:
        """Number of verbs that an edge (row) may have, given its mirror image (column)."""
        return _count_common(self.free, self.wrong)

    @cached_property
    def n_disabling(self) -> IntArray:
        """Number of disabling verbs of an outermost edge (row), given its mirror image (column)."""
        return _count_common(self.disabling, self.wrong)

    def pair_weights(self, edges: slice) -> IntArray:
        """Number of pairs of verbs of some edges (rows) and their mirror images (columns)."""
        return self._pair_weights[edges]

    def by_patient(self, weights: IntArray) -> IntArray:
        """Sums of weights of edges (the last axis) by their patient, for every noun."""
        sums = np.zeros((*weights.shape[:-1], len(self.starts) - 1), dtype=np.int64)
        present, firsts = np.unique(self.patients, return_index=True)
        sums[..., present] = np.add.reduceat(weights, firsts, axis=-1)
        return sums

    @cached_property
    def _pair_weights(self) -> IntArray:
        weights: IntArray = self.n_verbs * self.n_verbs.T
        return weights


def _flag(rows: Sequence[Sequence[VerbEntry]], verbs: Sequence[VerbEntry]) -> BoolArray:
    """BoolArray which of `verbs` each row has."""
    columns = {verb.verb: i for i, verb in enumerate(verbs)}
    flags = np.zeros((len(rows), len(verbs)), dtype=np.bool_)
    for row, present in enumerate(rows):
        flags[row, [columns[verb.verb] for verb in present]] = True
    return flags


def _count_common(flags: BoolArray, others: BoolArray) -> IntArray:
    """Number of flags that each row of `flags` shares with each row of `others`."""
    # float32 holds such small counts exactly
    return (flags.astype(np.float32) @ others.astype(np.float32).T).astype(np.int64)
