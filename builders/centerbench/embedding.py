"""Chains of relations and the center-embedded sentences that realize them.

A chain of level n has n + 1 nouns and n + 1 verbs, outermost first: verb 0 is the final verb of
noun 0, verb k > 0 relates noun k (its subject) to noun k - 1 (its object). Reversing the nouns and
leaving the verbs in place gives the chain's implausible partner.
"""

from typing import NamedTuple

from builders.centerbench.events import Event
from builders.centerbench.parser import CenterReading
from builders.centerbench.relations import Judgement, KnowledgeBase, NounEntry, VerbEntry

EventKey = tuple[str, str, str]
"""Subject, verb and object of an event; the object of a final verb is ""."""


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
        return CenterReading(
            tuple(noun.noun for noun in self.nouns), tuple(verb.verb for verb in self.verbs)
        )

    def events(self, knowledge: KnowledgeBase) -> list[Event]:
        """The chain's events, innermost first."""
        return self.reading().events(knowledge.forms)

    def judgements(self, knowledge: KnowledgeBase) -> list[Judgement]:
        """What the knowledge base says of each event, innermost first."""
        return [knowledge.judge(*relation) for relation in self.relations()]

    def relations(self) -> list[tuple[NounEntry, VerbEntry, NounEntry | None]]:
        """Subject, verb and object of each event, innermost first."""
        return list(zip(self.nouns, self.verbs, (None, *self.nouns), strict=False))[::-1]

    def event_keys(self) -> set[EventKey]:
        """Subject, verb and object of every event."""
        return {
            (subject.noun, verb.verb, object_.noun if object_ else "")
            for subject, verb, object_ in self.relations()
        }
