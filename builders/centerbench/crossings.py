"""Questions that no reader of places answers: verbs crossed with one object, and nouns with a verb.

    The A that the B that the C that the D that the E  V  W  X  Y  Z.
    The B that the C that the D that the E  V  W  X  Y  the A that Z.     the same words, one event
                                                                          to the right
What did the third noun do: X or Y? In the first sentence X, in the second W: the k-th noun from the
left goes with the k-th verb from the right **of its cluster**, and how long the cluster is, only
counting tells. The first and the last of a cluster, which an edge gives away, are neither asked
about nor offered. All verbs on offer have one object, the noun before the one that is asked about.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, TypeVar

from builders.centerbench.columns import Condition, members
from builders.centerbench.draw import SentencePair
from builders.centerbench.embedding import Chain, branching
from builders.centerbench.relations import KnowledgeBase, VerbEntry

CROSSED_LEVELS = (*range(4, 11),)  # of which such questions are asked
N_OPTIONS = 2
Entry = TypeVar("Entry")
Asked = tuple[str, str, tuple[str, ...]]  # the entity asked about, the question, its options
ANOTHER = {"animals": "another animal", "people": "another person", "vehicles": "another vehicle"}


@dataclass(frozen=True)
class Crossing:
    """One kind of question: `place` and `first` count from 0 in the center-embedded part."""

    level: int
    n_right: int  # events that branch to the right of the main verb
    place: int  # of what is asked about: a noun, or a verb of the cluster
    first: int  # place of the first option: verbs of the cluster, or nouns

    @property
    def n_nouns(self) -> int:
        """Nouns of the center-embedded part, and its verbs."""
        return self.level + 1 - self.n_right

    @property
    def rank(self) -> int:
        """Which option is right, counted from 0."""
        return self.n_nouns - 1 - self.place - self.first


class CrossedQuestion(NamedTuple):
    """A question with its options in the order of the sentence, `label` of which is right."""

    id: str
    pair: SentencePair
    condition: Condition
    n_right: int
    question_type: str
    sentence: str
    entity: str
    question: str
    options: tuple[str, ...]
    label: int


def ask_both(
    pair: SentencePair, crossing: Crossing, question_type: str, knowledge: KnowledgeBase
) -> Iterator[CrossedQuestion]:
    """One question, about the plausible member of a pair and about the implausible one."""
    places = "-".join(map(str, (crossing.n_right, crossing.place, crossing.first)))
    for _, condition, chain in members([pair]):
        entity, question, options = ASKED[question_type](chain, crossing, knowledge)
        name = f"{pair.pair_id}-{condition[0]}-{question_type}-{places}"
        asked = (branching(chain, crossing.n_right), entity, question, options, crossing.rank)
        yield CrossedQuestion(name, pair, condition, crossing.n_right, question_type, *asked)


def _action(chain: Chain, crossing: Crossing, knowledge: KnowledgeBase) -> Asked:
    """What did the owl do? Verbs with the noun before it for their object."""
    depth = crossing.n_right + crossing.place
    entity, object_ = chain.nouns[depth].noun, chain.nouns[depth - 1].noun
    verbs = [knowledge.forms[verb.verb] for verb in offered(chain.verbs[::-1], crossing)]
    options = tuple(verb.phrase(verb.base, object_) for verb in verbs)
    return entity, f"What did the {entity} do?", options


def _agent(chain: Chain, crossing: Crossing, knowledge: KnowledgeBase) -> Asked:
    """Which one swooped down on another animal, the owl or the lynx?"""
    verb = chain.verbs[::-1][crossing.place]
    nouns = [noun.noun for noun in offered(chain.nouns[crossing.n_right :], crossing)]
    done = did_to_another(verb, chain.domain(knowledge))
    options = tuple(f"the {noun}" for noun in nouns)
    return nouns[crossing.rank], f"Which one {done}, {' or '.join(options)}?", options


ASKED: Mapping[str, Callable[[Chain, Crossing, KnowledgeBase], Asked]] = {
    "action_performed": _action,
    "agent_identification": _agent,
}


def offered(entries: Sequence[Entry], crossing: Crossing) -> Sequence[Entry]:
    """The two of them that a question offers: verbs of the cluster, or nouns before it."""
    return entries[crossing.first : crossing.first + N_OPTIONS]


def did_to_another(verb: VerbEntry, domain: str) -> str:
    """What a verb says was done, to somebody: "swooped down on another animal"."""
    return f"{verb.verb} {ANOTHER.get(domain, 'another')}"


ACTION, AGENT = "action_performed", "agent_identification"
LEAST_CLUSTER = 5  # nouns of the center-embedded part, so that either option may be right
LETTERS_PER_BIN = 4
NEAR_WORDS = 4  # before a verb, which tell how long the verbs before it are
VERB_WORDS, VERB_LETTERS = 2, 12  # of a verb, about, with the blank behind it


# what a question has, by name: it tells nothing where it is as frequent with either answer
Traits = Mapping[str, object]


class Candidate(NamedTuple):
    """A question that can be asked.

    Attributes:
        key: What counterparts share, the most telling first: the nouns after the noun, and the
            words between noun and verb in either member. Of exchanges it is another.
        traits: What is balanced between questions whose first option is right and the others: of
            the pair, of its plausible member, of its implausible one.
        sizes: What counterparts differ in as little as possible: characters between noun and verb,
            of verbs and of nouns in either member; words and characters from the verb on, less what
            so many verbs have, and of the verbs that the question or its options name.
    """

    pair: SentencePair
    crossing: Crossing
    question_type: str
    key: tuple[int, ...]
    traits: tuple[Traits, ...]
    sizes: tuple[int, ...]

    @property
    def is_first(self) -> bool:
        """Whether the first option is right."""
        return self.crossing.rank == 0

    @property
    def asks(self) -> tuple[str, int, bool]:
        """What is asked, of whichever arrangement of the events."""
        place = self.crossing.place
        asked = self.crossing.n_nouns - 1 - place if self.question_type == ACTION else place
        return self.pair.pair_id, asked, self.is_first


class Surface(NamedTuple):
    """What can be read of a question in one of the two sentences, of the center-embedded part."""

    before: int  # words before the noun: the one that is asked about, or the first one on offer
    nouns: str  # from that noun on
    passed: str  # the verbs before the first one on offer or the one that is asked about
    rest: str  # and from it on
    told: str  # the verbs that are named: the two on offer, or the one that is asked about
    options: tuple[str, str]  # without what they have in common
    zipf: float  # how much more frequent the first one is

    @property
    def between(self) -> int:
        """Words from the noun to the verb."""
        return len(self.nouns.split()) + len(self.passed.split())


def candidates(
    pairs: Sequence[SentencePair], question_type: str, is_right: bool, knowledge: KnowledgeBase
) -> list[Candidate]:
    """All questions of a type about some pairs, with events to the right or without, shuffled."""
    found = [
        _candidate(pair, crossing, question_type, knowledge)
        for pair in pairs
        for crossing in possible_crossings(pair.level, question_type, is_right)
    ]
    Random(f"centerbench/counterparts/{question_type}/{is_right}").shuffle(found)
    return found


def possible_crossings(level: int, question_type: str, is_right: bool) -> Iterator[Crossing]:
    """Places that a question can have of which either option may be right.

    A noun is asked about that has a verb on either side of its own.
    """
    for n_right in range(1, level) if is_right else (0,):
        n_nouns = level + 1 - n_right
        if n_nouns < LEAST_CLUSTER:
            return
        for first in range(1, n_nouns - N_OPTIONS):
            for rank in range(N_OPTIONS):
                place = n_nouns - 1 - first - rank
                if question_type == AGENT or 1 < place < n_nouns - 2:
                    yield Crossing(level, n_right, place, first)


def _candidate(
    pair: SentencePair, crossing: Crossing, question_type: str, knowledge: KnowledgeBase
) -> Candidate:
    chains = (pair.plausible, pair.implausible)
    one, other = both = [_surface(chain, crossing, question_type, knowledge) for chain in chains]
    noun = crossing.place if question_type == ACTION else crossing.first
    key = (crossing.n_nouns - 1 - noun, one.between, other.between)
    n_nouns, verbs = crossing.n_nouns, pair.plausible.verbs[crossing.n_right :]
    in_verbs, after = sum(len(verb.verb.split()) for verb in verbs), len(one.rest.split())
    of_pair = {
        "domain": pair.plausible.domain(knowledge),
        "level": crossing.level,
        "nouns": n_nouns,
        "nouns, to the right": (n_nouns, crossing.n_right),
        "words": len(pair.plausible.sentence().split()),
        "words of verbs": in_verbs,
        "nouns, words of verbs": (n_nouns, in_verbs),
        "words after": after,
        "nouns after, words after": (key[0], after),
        "first": crossing.first,
        "first from the end": n_nouns - crossing.first,
    }
    in_rest = (after - VERB_WORDS * n_nouns, len(one.rest) - VERB_LETTERS * n_nouns)
    letters = (len(one.passed), len(one.nouns), len(other.nouns))
    sizes = (*letters, *in_rest, len(one.told.split()), len(one.told))
    traits = (of_pair, *map(_traits_of_member, both))
    return Candidate(pair, crossing, question_type, key, traits, sizes)


def _surface(
    chain: Chain, crossing: Crossing, question_type: str, knowledge: KnowledgeBase
) -> Surface:
    nouns = chain.nouns[crossing.n_right :]
    verbs = chain.verbs[::-1][: crossing.n_nouns]
    if question_type == ACTION:
        noun, verb = crossing.place, crossing.first
        done = offered(verbs, crossing)
        first, second = (knowledge.forms[one.verb].phrase(one.base) for one in done)
        told, zipf = f"{first} {second}", done[0].zipf - done[1].zipf
    else:
        noun, verb = crossing.first, crossing.place
        left, right = offered(nouns, crossing)
        first, second, told = left.noun, right.noun, verbs[verb].verb
        zipf = left.zipf - right.zipf
    before = sum(len(one.noun.split()) + 2 for one in nouns[:noun])
    opening = " ".join(f"the {one.noun} that" for one in nouns[noun:])
    passed, rest = (" ".join(one.verb for one in part) for part in (verbs[:verb], verbs[verb:]))
    return Surface(before, opening, passed, rest, told, (first, second), round(zipf, 6))


def _traits_of_member(one: Surface) -> Traits:
    first, second = one.options
    n_first, longer = len(first.split()), len(first) - len(second)
    near = [word.endswith("ed") for word in one.passed.split()[: -NEAR_WORDS - 1 : -1]]
    return {
        "place of the noun": one.before,
        "place of the verb": one.before + one.between,
        **{f"word {i} before": tuple(near[i : i + 1]) for i in range(NEAR_WORDS)},
        **{f"last {n} words": tuple(near[:n]) for n in (2, 3, 4)},
        "letters": (len(one.nouns) + len(one.passed)) // LETTERS_PER_BIN,
        "words of the first": (one.between, n_first),
        "to the second": one.between + n_first,
        "longer": _sign(longer),
        "how much longer": longer // 2,
        "more words": n_first - len(second.split()),
        "more frequent": _sign(one.zipf),
        "longer, more frequent": (_sign(longer), _sign(one.zipf)),
        "first in the alphabet": first < second,
    }


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
