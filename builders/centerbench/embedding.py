"""Chains of relations and the center-embedded sentences that realize them.

A chain of level n has n + 1 nouns and n + 1 verbs, outermost first: verb 0 is the final verb of
noun 0, verb k > 0 relates noun k (its subject) to noun k - 1 (its object). Two other constructions
of the same events, which nest no clause between a subject and its verb, tell what embedding costs.
"""

from typing import Literal, NamedTuple, get_args

from builders.centerbench.events import Event
from builders.centerbench.parser import CenterReading
from builders.centerbench.relations import Judgement, KnowledgeBase, NounEntry, VerbEntry

EventKey = tuple[str, str, str]  # subject, verb and object; that of a final verb is ""


class Chain(NamedTuple):
    """Nouns and verbs of a sentence, outermost first."""

    nouns: tuple[NounEntry, ...]
    verbs: tuple[VerbEntry, ...]

    @property
    def level(self) -> int:
        """The number of nested relative clauses."""
        return len(self.nouns) - 1

    def reversed_nouns(self) -> "Chain":
        """The minimal partner: the noun order reversed, every verb in its place."""
        return Chain(self.nouns[::-1], self.verbs)

    def sentence(self) -> str:
        """The chain as a sentence."""
        # The vole that the owl that the lynx  startled  swooped down on  squeaked .
        #     N0            N1           N2    V2        V1               V0
        subjects = " that ".join(f"the {noun.noun}" for noun in self.nouns)
        predicates = " ".join(verb.verb for verb in reversed(self.verbs))
        return f"T{subjects[1:]} {predicates}."

    def reading(self) -> CenterReading:
        """The one reading that the sentence must have."""
        nouns, verbs = (noun.noun for noun in self.nouns), (verb.verb for verb in self.verbs)
        return CenterReading(tuple(nouns), tuple(verbs))

    def events(self, knowledge: KnowledgeBase) -> list[Event]:
        """The chain's events, innermost first."""
        return self.reading().events(knowledge.forms)

    def judgements(self, knowledge: KnowledgeBase) -> list[Judgement]:
        """What the knowledge base says of each event, innermost first."""
        return [knowledge.judge(*relation) for relation in self.relations()]

    def relations(self) -> list[tuple[NounEntry, VerbEntry, NounEntry | None]]:
        """Subject, verb and object of each event, innermost first."""
        return list(zip(self.nouns, self.verbs, (None, *self.nouns), strict=False))[::-1]

    def domain(self, knowledge: KnowledgeBase) -> str:
        """The domain of its nouns; "mixed" where they are of several."""
        domains = {knowledge.domain(noun) for noun in self.nouns}
        return domains.pop() if len(domains) == 1 else "mixed"

    def event_keys(self) -> set[EventKey]:
        """Subject, verb and object of every event."""
        return {
            (subject.noun, verb.verb, object_.noun if object_ else "")
            for subject, verb, object_ in self.relations()
        }


Construction = Literal["right_branching", "passive"]
CONSTRUCTIONS: tuple[Construction, ...] = get_args(Construction)
ALSO_CHANGES: dict[Construction, str] = {
    "right_branching": "noun order reversed; subject gaps",
    "passive": "two words more per embedding; passive voice",
}


def construct(chain: Chain, construction: Construction) -> str | None:
    """The chain's events in a construction; None for a passive where a verb has none."""
    return branching(chain, chain.level) if construction == "right_branching" else passive(chain)


def branching(chain: Chain, n_right: int) -> str:
    """The chain with so many of its events to the right of the main verb, the others nested.

    None to the right is the center-embedded sentence, all but one the right-branching; the words
    are always the same, and so is the order of the verbs.
    """
    # The owl that the lynx startled swooped down on the vole that squeaked .    one to the right
    #     N1           N2   V2       V1                  N0        V0
    # The lynx startled the owl that swooped down on the vole that squeaked .    two
    #     N2   V2           N1        V1                  N0        V0
    nested = Chain(chain.nouns[n_right:], chain.verbs[n_right:])
    events = zip(chain.nouns[:n_right], chain.verbs[:n_right], strict=True)
    parts = [f" the {noun.noun} that {verb.verb}" for noun, verb in events]
    return f"{nested.sentence()[:-1]}{''.join(reversed(parts))}."


def passive(chain: Chain) -> str | None:
    """The chain's events as passive relative clauses, or None if some verb has no passive."""
    # The vole that was swooped down on by the owl that was startled by the lynx squeaked .
    #     N0            V1                     N1           V2           N2   V0
    final, *verbs = chain.verbs
    if any(verb.passive is None for verb in verbs):
        return None
    events = zip(chain.nouns[1:], verbs, strict=True)
    agents = [f"that was {verb.passive} by the {noun.noun}" for noun, verb in events]
    return f"The {chain.nouns[0].noun} {' '.join(agents)} {final.verb}."
