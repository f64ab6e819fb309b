"""Questions in counterparts: the words of two sentences lie alike, and the answers are opposite.

    The A that the B that the C that the D that the E  met hit  SAW  fed ...
        What did C do: see or feed?         It saw B: two nouns follow C, and two verbs precede.
    The F that the G that the H that the I that the J  ran at  saw  FED  ...
        What did H do: see or feed?         It fed G: two nouns follow H, and two verbs precede.

Two words stand before the options in both sentences: whoever counts words, or knows where the
options stand, cannot tell the two apart; whoever counts verbs can. Every question has one
counterpart of its type and construction, with as many nouns after the noun and as many words
between the noun and the verb, in both members of their pairs; one has the first option for its
answer, the other the second. What cannot be the same in both is balanced over all
(`Candidate.traits`, `Candidate.sizes`). A draw of 30 pairs per level has exact counterparts alone;
one of few pairs takes what is nearest (`ROUNDS`).
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain as chained
from typing import NamedTuple

import numpy as np

from builders.centerbench.crossings import (
    ACTION,
    AGENT,
    Candidate,
    CrossedQuestion,
    ask_both,
    candidates,
)
from builders.centerbench.draw import SentencePair
from builders.centerbench.exchanges import exchanges
from builders.centerbench.relations import DATA, KnowledgeBase
from builders.columns import IntArray
from ground.tables import read_settings

# counterparts of a question type per pair of sentences: without events to the right, and with
SHARES = {False: Fraction(108, 210), True: Fraction(252, 210)}
NEAREST = 30  # of the possible counterparts of a question, which are compared


class Round(NamedTuple):
    """How strict counterparts are while they are chosen."""

    n_shared: int  # how much of `Candidate.key` they share
    repeats: int  # how often one thing may be asked of one pair, in different arrangements
    of_pair: tuple[int, int]  # questions about one pair of sentences, center-embedded and others


ROUNDS = (Round(3, 2, (3, 7)), Round(2, 2, (6, 14)), Round(1, 9, (99, 99)), Round(0, 9, (99, 99)))
"""From the strictest; the later ones are for draws of few pairs."""
EXCHANGE_ROUNDS = (Round(2, 3, (5, 9)), Round(0, 9, (99, 99)))  # of `exchanges`
# what a choice costs: a trait out of balance, a pair that is used, a repetition
TRAIT, USED, REPEATED = 4, 10, 30
# and a unit of each of `Candidate.sizes` by which counterparts differ, or all of them so far
APART = np.array([2, 0, 0, 4, 1, 4, 1], np.int64)
DRIFT = np.array([40, 5, 5, 160, 30, 160, 30], np.int64)


def ask_in_counterparts(
    pairs: Sequence[SentencePair], knowledge: KnowledgeBase, n_pairs: int | None = None
) -> Iterator[CrossedQuestion]:
    """The questions about pairs of several levels, which are chosen among all of them together.

    As many are asked as of `n_pairs` pairs of `CROSSED_LEVELS`, by default as of all: about the two
    members of a pair in turn, an action and an agent in turn.
    """
    n_pairs = len(pairs) if n_pairs is None else n_pairs
    for is_right, share in SHARES.items():
        n = max(1, round(n_pairs * share))
        both = (
            _in_order(choose(candidates(pairs, question_type, is_right, knowledge), n))
            for question_type in (ACTION, AGENT)
        )
        for one in chained.from_iterable(zip(*both, strict=False)):
            yield from ask_both(one.pair, one.crossing, one.question_type, knowledge)


def exchange_in_counterparts(
    pairs: Sequence[SentencePair], knowledge: KnowledgeBase
) -> Iterator[CrossedQuestion]:
    """The questions who did one thing of two nouns, about plausible sentences of all levels.

    The implausible member of the pair of each has its two nouns in each other's place.
    """
    for is_right, share in SHARES.items():
        n = max(1, round(len(pairs) * share))
        found = exchanges(pairs, is_right, knowledge)
        for one in _in_order(choose(found, n, EXCHANGE_ROUNDS)):
            yield next(ask_both(one.pair, one.crossing, one.question_type, knowledge))


def _in_order(chosen: Sequence[tuple[Candidate, Candidate]]) -> list[Candidate]:
    flat = chained.from_iterable(chosen)
    return sorted(flat, key=lambda one: (one.pair.level, one.pair.number, one.crossing.n_right))


def choose(
    found: Sequence[Candidate], n: int, rounds: Sequence[Round] = ROUNDS
) -> list[tuple[Candidate, Candidate]]:
    """At most n counterparts among some questions, one after the other whatever costs least.

    Of each the one is first whose first option is right.
    """
    if not found:
        return []
    choice = _Choice(found)
    for round_ in rounds:
        choice.extend(round_, n)
    return [(found[a], found[b]) for a, b in choice.chosen]


class _Choice:
    """What is chosen so far, and how far traits and sizes are out of balance."""

    def __init__(self, found: Sequence[Candidate]) -> None:
        self.chosen: list[tuple[int, int]] = []
        self._found = found
        names = chained.from_iterable(found[0].traits)
        more = read_settings(DATA / "counterparts.toml")["weights"]  # of the traits that count more
        self._weights = TRAIT * np.array([more.get(name, 1) for name in names])
        rows = ([value for traits in one.traits for value in traits.values()] for one in found)
        codes = np.stack([_codes(column) for column in zip(*rows, strict=True)], axis=1)
        # no two traits have a number in common: shape (questions, traits)
        self._traits: IntArray = codes + np.cumsum([0, *codes.max(axis=0)[:-1] + 1])
        self._sizes = np.array([one.sizes for one in found], np.int64)
        self._pairs = _codes(one.pair.pair_id for one in found)
        self._asks = _codes(one.asks for one in found)
        self._balance = np.zeros(self._traits.max() + 1, np.int64)
        self._drift = np.zeros(len(DRIFT), np.int64)
        self._n_of_pair = np.zeros(len(found), np.int64)
        self._n_asked = np.zeros(len(found), np.int64)
        self._is_free = np.ones(len(found), bool)

    def extend(self, round_: Round, n: int) -> None:
        """Chooses counterparts that a round allows until there are n."""
        if len(self.chosen) >= n:
            return
        edges = self._edges(round_.n_shared)
        most = round_.of_pair[self._found[0].crossing.n_right > 0]
        while len(self.chosen) < n:
            is_full = self._n_of_pair[self._pairs] >= most
            is_open = self._is_free & ~is_full & (self._n_asked[self._asks] < round_.repeats)
            edges = edges[is_open[edges[:, 0]] & is_open[edges[:, 1]]]
            if not len(edges):
                return
            first, second, _ = edges[np.argmin(self._costs(edges))].tolist()
            self.chosen.append((first, second))
            self._balance[self._traits[first]] += 1
            self._balance[self._traits[second]] -= 1
            self._drift += self._sizes[first] - self._sizes[second]
            for one in (first, second):
                self._is_free[one] = False
                self._n_of_pair[self._pairs[one]] += 1
                self._n_asked[self._asks[one]] += 1

    def _edges(self, n_shared: int) -> IntArray:
        """Questions that may be counterparts, and what they cost by themselves: shape (n, 3)."""
        groups = defaultdict[tuple[int, ...], tuple[list[int], list[int]]](lambda: ([], []))
        for i in np.flatnonzero(self._is_free).tolist():
            one = self._found[i]
            groups[one.key[:n_shared]][not one.is_first].append(i)
        near = [
            self._nearest(first, np.array(seconds))
            for firsts, seconds in groups.values()
            for first in firsts
            if seconds
        ]
        return np.concatenate(near) if near else np.zeros((0, 3), np.int64)

    def _nearest(self, first: int, seconds: IntArray) -> IntArray:
        apart = np.abs(self._sizes[seconds] - self._sizes[first]) @ APART
        apart += (self._traits[seconds] != self._traits[first]) @ self._weights
        near = np.argsort(apart, kind="stable")[:NEAREST]
        near = near[self._pairs[seconds[near]] != self._pairs[first]]
        return np.stack([np.full(len(near), first), seconds[near], apart[near]], axis=1)

    def _costs(self, edges: IntArray) -> IntArray:
        first, second, apart = edges.T
        used = USED * self._n_of_pair[self._pairs] + REPEATED * self._n_asked[self._asks]
        out = self._balance[self._traits] @ self._weights
        drift = self._drift + self._sizes[first] - self._sizes[second]
        costs: IntArray = apart + (used + out)[first] + (used - out)[second]
        costs += np.abs(drift) @ DRIFT
        return costs


def _codes(values: Iterable[Hashable]) -> IntArray:
    """Numbers of values, equal ones alike."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)
