"""Questions in counterparts: the words of two sentences lie alike, and the answers are opposite.

    The A that the B that the C that the D that the E  met hit  SAW  fed ...
        What did C do: see or feed?         It saw B: two nouns follow C, and two verbs precede.
    The F that the G that the H that the I that the J  ran at  saw  FED  ...
        What did H do: see or feed?         It fed G: two nouns follow H, and two verbs precede.

Two words stand before the options in both sentences: two verbs in the first, one verb in the
second. Whoever counts words, or knows where the options stand, cannot tell the two apart. Whoever
counts verbs can.

Every question has one counterpart of its type and construction. Both have as many nouns after the
noun, and as many words between the noun and the verb, in both members of their pairs. One has the
first option for its answer, the other the second. What cannot be the same in both is balanced over
all: lengths of sentences and options, letters, frequency, the alphabet and levels (`_traits`,
`Candidate.sizes`). So a reader that was fitted on some of the questions may do worse than a coin on
the others.

Sentence pairs in, questions out. A draw of 30 pairs per level has exact counterparts alone; one of
few pairs takes what is nearest (`ROUNDS`).
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain as chained
from random import Random
from typing import NamedTuple

import numpy as np

from builders.centerbench.columns import members
from builders.centerbench.crossings import (
    N_OPTIONS,
    CrossedQuestion,
    Crossing,
    ask_both,
    crossed_levels,
    domain_of,
    offered,
)
from builders.centerbench.draw import SentencePair
from builders.centerbench.embedding import Chain
from builders.centerbench.relations import KnowledgeBase, VerbEntry
from builders.columns import BoolArray, IntArray

ACTION, AGENT = "action_performed", "agent_identification"
SHARES = {False: Fraction(108, 210), True: Fraction(252, 210)}
"""Counterparts of a question type per pair of sentences: without events to the right, and with."""
LEAST_CLUSTER = 5  # nouns of the center-embedded part, so that either option may be right
LETTERS_PER_BIN = 4
NEAREST = 30  # of the possible counterparts of a question, which are compared
Trait = tuple[object, ...]


class Round(NamedTuple):
    """How strict counterparts are while they are chosen.

    Attributes:
        key: Which of `Candidate.keys` they share.
        repeats: How often one thing may be asked of one pair, in different arrangements.
        of_pair: Questions about one pair of sentences, center-embedded and others.
    """

    key: int
    repeats: int
    of_pair: tuple[int, int]


ROUNDS = (
    Round(0, 2, (3, 7)),
    Round(1, 2, (6, 14)),
    Round(2, 9, (99, 99)),
    Round(3, 9, (99, 99)),
)
"""From the strictest; the later ones are for draws of few pairs."""
# what a choice costs: a trait out of balance, a pair that is used, a repetition
TRAIT, USED, REPEATED = 4, 10, 30
WEIGHTS = {"longer": 3, "more frequent": 3, "first from the end": 2, "to the second": 3}
"""Traits that count more than once."""
APART = np.array([2, 0, 0, 4, 1, 4, 1], np.int64)
"""What a unit of each of `Candidate.sizes` costs, by which counterparts differ."""
DRIFT = np.array([40, 5, 5, 160, 30, 160, 30], np.int64)
"""The same of the sum over all counterparts so far."""
VERB_WORDS, VERB_LETTERS = 2, 12  # of a verb, about, with the blank behind it


class Candidate(NamedTuple):
    """A question that can be asked.

    Attributes:
        pair: The pair of sentences.
        crossing: Its places.
        question_type: Its type.
        keys: What counterparts share, the strictest first: the nouns after the noun and the words
            between noun and verb in either member; less; nothing.
        traits: What is balanced between questions whose first option is right and the others.
        sizes: What counterparts differ in as little as possible: characters of the verbs between
            noun and verb; of the nouns, in either member; words and characters from the verb on,
            less what so many verbs have; words and characters of the verbs that the question or
            its options name.
    """

    pair: SentencePair
    crossing: Crossing
    question_type: str
    keys: tuple[tuple[int, ...], ...]
    traits: tuple[Trait, ...]
    sizes: tuple[int, ...]

    @property
    def is_first(self) -> bool:
        """Whether the first option is right."""
        return self.crossing.rank == 0

    @property
    def asks(self) -> tuple[str, int, bool]:
        """What is asked, of whichever arrangement of the events."""
        depth = self.crossing.level - self.crossing.n_right
        if self.question_type == ACTION:
            return self.pair.pair_id, depth - self.crossing.place, self.is_first
        return self.pair.pair_id, self.crossing.place, self.is_first


class Surface(NamedTuple):
    """What can be counted of a question without knowing which words are a verb.

    Attributes:
        before: Words before the noun: the one that is asked about, or the first one on offer.
        between: Words from it to the verb: the first one on offer, or the one that is asked about.
        noun_letters, verb_letters: Characters of the nouns and of the verbs between.
        after, letters_after: Words and characters from the verb on, of the center-embedded part.
        told: The verbs that are named: the two on offer, or the one that is asked about.
        options: Both options, without what they have in common.
        zipf: How much more frequent the first one is.
    """

    before: int
    between: int
    noun_letters: int
    verb_letters: int
    after: int
    letters_after: int
    told: str
    options: tuple[str, str]
    zipf: float

    @property
    def n_first(self) -> int:
        """Words of the first option."""
        return len(self.options[0].split())


def ask_in_counterparts(
    pairs: Sequence[SentencePair], knowledge: KnowledgeBase
) -> Iterator[CrossedQuestion]:
    """The questions about pairs of several levels, which are chosen among all of them together.

    Yields:
        Questions about the two members of a pair in turn, an action and an agent in turn.
    """
    for is_right in SHARES:
        both = (
            choose(candidates(pairs, question_type, is_right, knowledge), n_wanted(pairs, is_right))
            for question_type in (ACTION, AGENT)
        )
        for one in chained.from_iterable(zip(*map(_in_order, both), strict=False)):
            yield from ask_both(one.pair, one.crossing, one.question_type, knowledge)


def n_wanted(pairs: Sequence[SentencePair], is_right: bool) -> int:
    """How many counterparts of a type some pairs have, with events to the right or without."""
    of_levels = sum(pair.level in crossed_levels() for pair in pairs)
    return max(1, round(of_levels * SHARES[is_right]))


def _in_order(chosen: Sequence[tuple[Candidate, Candidate]]) -> list[Candidate]:
    flat = chained.from_iterable(chosen)
    return sorted(flat, key=lambda one: (one.pair.level, one.pair.number, one.crossing.n_right))


def candidates(
    pairs: Sequence[SentencePair], question_type: str, is_right: bool, knowledge: KnowledgeBase
) -> list[Candidate]:
    """All questions of a type about some pairs, with events to the right or without, shuffled."""
    found = [
        _candidate(pair, crossing, question_type, knowledge)
        for pair in pairs
        for crossing in _crossings(pair.level, question_type, is_right)
    ]
    Random(f"centerbench/counterparts/{question_type}/{is_right}").shuffle(found)
    return found


def _crossings(level: int, question_type: str, is_right: bool) -> Iterator[Crossing]:
    """Places that a question can have of which either option may be right.

    The first and the last noun and verb of the center-embedded part are neither asked about nor
    offered. A noun is asked about that has a verb on either side of its own.
    """
    for n_right in range(1, level) if is_right else (0,):
        n_nouns = level + 1 - n_right
        if n_nouns < LEAST_CLUSTER:
            return
        for first in range(1, n_nouns - N_OPTIONS):
            for rank in range(N_OPTIONS):
                place = n_nouns - 1 - first - rank
                if question_type == AGENT or 1 < place < n_nouns - 2:
                    yield Crossing(level, n_right, place, first, 1)


def _candidate(
    pair: SentencePair, crossing: Crossing, question_type: str, knowledge: KnowledgeBase
) -> Candidate:
    surfaces = [
        _surface(chain, crossing, question_type, knowledge) for _, _, chain in members([pair])
    ]
    noun = crossing.place if question_type == ACTION else crossing.first
    nouns_after = crossing.level - crossing.n_right - noun
    strict = (nouns_after, *(one.between for one in surfaces))
    keys = (strict, strict[:2], strict[:1], ())
    domain = domain_of(pair.plausible, knowledge)
    traits = (("domain", domain), *_traits(pair, crossing, surfaces, nouns_after))
    return Candidate(pair, crossing, question_type, keys, traits, _sizes(crossing, surfaces))


def _sizes(crossing: Crossing, surfaces: Sequence[Surface]) -> tuple[int, ...]:
    one = surfaces[0]
    n_nouns = crossing.level + 1 - crossing.n_right
    nouns = (each.noun_letters for each in surfaces)
    after = (one.after - VERB_WORDS * n_nouns, one.letters_after - VERB_LETTERS * n_nouns)
    return one.verb_letters, *nouns, *after, len(one.told.split()), len(one.told)


def _surface(
    chain: Chain, crossing: Crossing, question_type: str, knowledge: KnowledgeBase
) -> Surface:
    n_nouns = crossing.level + 1 - crossing.n_right
    nouns = chain.nouns[crossing.n_right :]
    verbs = chain.verbs[::-1][:n_nouns]
    noun, verb = crossing.first, crossing.place
    if question_type == ACTION:
        noun, verb = verb, noun
        two = offered(verbs, crossing)
        options = (_base(two[0], knowledge), _base(two[1], knowledge))
        told, zipf = " ".join(options), two[0].zipf - two[1].zipf
    else:
        left, right = offered(nouns, crossing)
        options, told = (left.noun, right.noun), verbs[verb].verb
        zipf = left.zipf - right.zipf
    opening = " ".join(f"the {one.noun} that" for one in nouns[noun:])
    passed, rest = (" ".join(one.verb for one in part) for part in (verbs[:verb], verbs[verb:]))
    return Surface(
        sum(len(one.noun.split()) + 2 for one in nouns[:noun]),
        len(opening.split()) + len(passed.split()),
        len(opening),
        len(passed),
        len(rest.split()),
        len(rest),
        told,
        options,
        round(zipf, 6),
    )


def _base(verb: VerbEntry, knowledge: KnowledgeBase) -> str:
    return knowledge.forms[verb.verb].phrase(verb.base)


def _traits(
    pair: SentencePair, crossing: Crossing, surfaces: Sequence[Surface], nouns_after: int
) -> tuple[Trait, ...]:
    """What is balanced: of the sentences, and of the options in either member."""
    n_nouns = crossing.level + 1 - crossing.n_right
    n_words = len(pair.plausible.sentence().split())
    in_verbs = sum(len(verb.verb.split()) for verb in pair.plausible.verbs[crossing.n_right :])
    after = surfaces[0].after
    found: list[Trait] = [
        ("level", crossing.level),
        ("nouns", n_nouns),
        ("nouns, to the right", n_nouns, crossing.n_right),
        ("words", n_words),
        ("words of verbs", in_verbs),
        ("nouns, words of verbs", n_nouns, in_verbs),
        ("words after", after),
        ("nouns after, words after", nouns_after, after),
        ("first", crossing.first),
        ("first from the end", n_nouns - crossing.first),
    ]
    for k, one in enumerate(surfaces):
        found += (((name, k), *values) for name, *values in _of_member(one))
    return tuple(found)


def _of_member(one: Surface) -> Iterator[Trait]:
    first, second = one.options
    longer = len(first) - len(second)
    yield "place of the noun", one.before
    yield "place of the verb", one.before + one.between
    yield "letters", (one.noun_letters + one.verb_letters) // LETTERS_PER_BIN
    yield "words of the first", one.between, one.n_first
    yield "to the second", one.between + one.n_first
    yield "longer", _sign(longer)
    yield "how much longer", longer // 2
    yield "more words", len(first.split()) - len(second.split())
    yield "more frequent", _sign(one.zipf)
    yield "longer, more frequent", _sign(longer), _sign(one.zipf)
    yield "first in the alphabet", first < second


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def choose(found: Sequence[Candidate], n: int) -> list[tuple[Candidate, Candidate]]:
    """Counterparts among some questions, one after the other whatever costs least.

    Args:
        found: The questions.
        n: How many counterparts are wanted.

    Returns:
        At most n of them, the one first whose first option is right.
    """
    if not found:
        return []
    choice = _Choice(found)
    for round_ in ROUNDS:
        choice.extend(round_, n)
    return [(found[a], found[b]) for a, b in choice.chosen]


class _Choice:
    """What is chosen so far, and how far the traits are out of balance."""

    def __init__(self, found: Sequence[Candidate]) -> None:
        self.found = found
        self.chosen: list[tuple[int, int]] = []
        self._traits = _codes([one.traits for one in found])
        self._weights = _weights(found)
        self._pairs = _codes([(one.pair.pair_id,) for one in found])[:, 0]
        self._asks = _codes([(one.asks,) for one in found])[:, 0]
        self._sizes = np.array([one.sizes for one in found], np.int64)
        self._balance = np.zeros(self._traits.max(initial=-1) + 1, np.int64)
        self._n_of_pair = np.zeros(len(found), np.int64)
        self._n_asked = np.zeros(len(found), np.int64)
        self._is_free = np.ones(len(found), bool)
        self._drift = np.zeros(len(APART), np.int64)

    def extend(self, round_: Round, n: int) -> None:
        """Chooses counterparts that a round allows until there are n."""
        if len(self.chosen) >= n:
            return
        edges = self._edges(round_.key)
        a, b = self._traits[edges[:, 0]], self._traits[edges[:, 1]]
        while len(self.chosen) < n:
            open_ = np.flatnonzero(self._is_open(edges, round_))
            if not len(open_):
                return
            costs = self._costs(edges[open_], a[open_], b[open_])
            self._take(*edges[open_[np.argmin(costs)]].tolist())

    def _edges(self, key: int) -> IntArray:
        """Questions that may be counterparts: shape (n, 2)."""
        groups: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
        for i in np.flatnonzero(self._is_free).tolist():
            one = self.found[i]
            groups.setdefault(one.keys[key], ([], []))[not one.is_first].append(i)
        edges = [
            (a, b)
            for firsts, seconds in groups.values()
            for a in firsts
            for b in self._nearest(a, np.array(seconds, np.int64))
        ]
        return np.array(edges, np.int64).reshape(-1, 2)

    def _nearest(self, one: int, others: IntArray) -> list[int]:
        apart = np.abs(self._sizes[others] - self._sizes[one]) @ APART
        apart += (self._traits[others] != self._traits[one]) @ self._weights
        near: list[int] = others[np.argsort(apart, kind="stable")[:NEAREST]].tolist()
        return near

    def _is_open(self, edges: IntArray, round_: Round) -> BoolArray:
        most = round_.of_pair[self.found[0].crossing.n_right > 0]
        is_full = self._n_of_pair[self._pairs] >= most
        may = self._is_free & ~is_full & (self._n_asked[self._asks] < round_.repeats)
        is_other = self._pairs[edges[:, 0]] != self._pairs[edges[:, 1]]
        return np.asarray(may[edges].all(axis=1) & is_other, dtype=bool)

    def _costs(self, edges: IntArray, a: IntArray, b: IntArray) -> IntArray:
        out = (self._balance[a] - self._balance[b] + 1) * (a != b)
        sizes = self._sizes[edges[:, 0]] - self._sizes[edges[:, 1]]
        costs: IntArray = out @ self._weights
        costs += USED * self._n_of_pair[self._pairs[edges]].sum(axis=1)
        costs += REPEATED * self._n_asked[self._asks[edges]].sum(axis=1)
        costs += np.abs(sizes) @ APART
        costs += np.abs(self._drift + sizes) @ DRIFT
        return costs

    def _take(self, a: int, b: int) -> None:
        self.chosen.append((a, b))
        self._balance[self._traits[a]] += 1
        self._balance[self._traits[b]] -= 1
        self._drift += self._sizes[a] - self._sizes[b]
        for one in (a, b):
            self._is_free[one] = False
            self._n_of_pair[self._pairs[one]] += 1
            self._n_asked[self._asks[one]] += 1


def _weights(found: Sequence[Candidate]) -> IntArray:
    """What each trait costs out of balance, in the order of `Candidate.traits`."""
    names = [name[0] if isinstance(name, tuple) else name for name, *_ in found[0].traits]
    return TRAIT * np.array([WEIGHTS.get(str(name), 1) for name in names], np.int64)


def _codes(table: Sequence[Sequence[object]]) -> IntArray:
    """Numbers of values, equal ones alike: shape (rows, columns)."""
    numbers: dict[object, int] = {}
    coded = [[numbers.setdefault(value, len(numbers)) for value in row] for row in table]
    return np.array(coded, np.int64).reshape(len(table), -1)
