"""Questions that no reader of places answers: verbs crossed with one object, and nouns with a verb.

    The A that the B that the C that the D that the E  V  W  X  Y  Z.
    The B that the C that the D that the E  V  W  X  Y  the A that Z.     the same words, one event
                                                                          to the right
What did the third noun do: X or Y? In the first sentence X, in the second W: the k-th noun from the
left goes with the k-th verb from the right **of its cluster**, and how long the cluster is, only
counting tells. The neighbours of all nouns and verbs asked about are alike (*that the N that the*;
verbs on both sides): the first and the last of a cluster, which an edge gives away, are neither
asked about nor offered, and no noun that is offered stands beside its verb. All verbs on offer have
one and the same object, the noun before the one that is asked about.

Which questions are asked is chosen in `counterparts`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from builders.centerbench.columns import Condition, members
from builders.centerbench.constructions import branching
from builders.centerbench.draw import SentencePair
from builders.centerbench.embedding import Chain
from builders.centerbench.relations import KnowledgeBase, VerbEntry

CROSSED_LEVELS = (*range(4, 11),)
"""The levels that such questions are asked of."""
N_OPTIONS = 2
Entry = TypeVar("Entry")
Asked = tuple[str, str, tuple[str, ...]]
"""The entity asked about, the question, its options."""
ANOTHER = {"animals": "another animal", "people": "another person", "vehicles": "another vehicle"}
"""What stands for the object of a verb, by domain; "another" where the nouns are of several."""


@dataclass(frozen=True)
class Crossing:
    """One kind of question: `place` and `first` count from 0 in the center-embedded part.

    Attributes:
        level: Of the sentence.
        n_right: Events that branch to the right of the main verb.
        place: Of what is asked about: a noun, or a verb of the cluster.
        first: Place of the first option: verbs of the cluster, or nouns.
    """

    level: int
    n_right: int
    place: int
    first: int

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
        yield CrossedQuestion(
            f"{pair.pair_id}-{condition[0]}-{question_type}-{places}",
            pair,
            condition,
            crossing.n_right,
            question_type,
            branching(chain, crossing.n_right),
            entity,
            question,
            options,
            crossing.rank,
        )


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
    done = did_to_another(verb, domain_of(chain, knowledge))
    options = tuple(f"the {noun}" for noun in nouns)
    return nouns[crossing.rank], f"Which one {done}, {' or '.join(options)}?", options


ASKED: Mapping[str, Callable[[Chain, Crossing, KnowledgeBase], Asked]] = {
    "action_performed": _action,
    "agent_identification": _agent,
}


def offered(entries: Sequence[Entry], crossing: Crossing) -> Sequence[Entry]:
    """The two of them that a question offers: verbs of the cluster, or nouns before it."""
    return entries[crossing.first : crossing.first + N_OPTIONS]


def domain_of(chain: Chain, knowledge: KnowledgeBase) -> str:
    """The domain of a chain's nouns; "mixed" where they are of several."""
    domains = {knowledge.domain(noun) for noun in chain.nouns}
    return domains.pop() if len(domains) == 1 else "mixed"


def did_to_another(verb: VerbEntry, domain: str) -> str:
    """What a verb says was done, to somebody: "swooped down on another animal"."""
    return f"{verb.verb} {ANOTHER.get(domain, 'another')}"
