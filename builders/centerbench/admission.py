"""Which relations may stand in the chains of a draw, of minimal pairs and of unpaired sentences."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from builders.centerbench.mirror import MirrorSpace
from builders.centerbench.paths import PathSpace, Step
from builders.centerbench.relations import (
    DISABLING,
    DOMAINS,
    Domain,
    KnowledgeBase,
    NounEntry,
    VerbEntry,
)

Choose = Callable[[NounEntry, NounEntry], Iterable[VerbEntry]]


class Admitted(NamedTuple):
    """The nouns of a domain, the final verbs of each and the steps towards it, by noun."""

    nouns: list[NounEntry]
    finals: dict[str, list[VerbEntry]]
    steps: dict[str, list[Step]]


def paired_space(knowledge: KnowledgeBase, domain: Domain) -> MirrorSpace:
    """The minimal pairs of one domain."""
    return MirrorSpace(knowledge, *admitted(knowledge, domain))


def admitted(knowledge: KnowledgeBase, domain: Domain) -> Admitted:
    """What the minimal pairs of a domain are made of.

    Their relations are licensed, not symmetric and not lethal, their final verbs sort-specific.
    """
    nouns = [noun for noun in knowledge.nouns.values() if knowledge.domain(noun) == domain]
    verbs = [
        v
        for v in knowledge.verbs.values()
        if v.frame == "transitive" and v.direction != "any" and v.verb_class != "lethal"
    ]
    finals = [
        v
        for v in knowledge.verbs.values()
        if v.frame == "final" and set(v.subjects).isdisjoint(DOMAINS)
    ]

    of_agent = {
        noun.noun: [verb for verb in verbs if knowledge.can_act(noun, verb)] for noun in nouns
    }

    def choose(agent: NounEntry, patient: NounEntry) -> list[VerbEntry]:
        """Licensed verbs of what the agent can do; none between nouns of one rank."""
        if agent.rank == patient.rank:
            return []
        return knowledge.licensed_verbs(agent, patient, of_agent[agent.noun])

    return Admitted(nouns, *_finals_and_steps(knowledge, nouns, finals, choose))


def unpaired_space(knowledge: KnowledgeBase) -> PathSpace:
    """The chains over all domains, lethal, symmetric and generic final verbs included."""
    transitive = [verb for verb in knowledge.verbs.values() if verb.frame == "transitive"]
    symmetric = {
        noun.noun: [
            verb for verb in transitive if verb.direction == "any" and knowledge.can_act(noun, verb)
        ]
        for noun in knowledge.nouns.values()
    }

    def choose(agent: NounEntry, patient: NounEntry) -> list[VerbEntry]:
        """The licensed verbs, and the neutral ones of either direction."""
        if agent is patient or not knowledge.may_meet(agent, patient):
            return []
        neutral = [
            verb
            for verb in symmetric[agent.noun]
            if knowledge.judge(agent, verb, patient).status == "neutral"
        ]
        return knowledge.licensed_verbs(agent, patient, transitive) + neutral

    finals = [verb for verb in knowledge.verbs.values() if verb.frame == "final"]
    nouns = list(knowledge.nouns.values())
    return PathSpace(nouns, *_finals_and_steps(knowledge, nouns, finals, choose))


def _finals_and_steps(
    knowledge: KnowledgeBase,
    nouns: Sequence[NounEntry],
    finals: Sequence[VerbEntry],
    choose: Choose,
) -> tuple[dict[str, list[VerbEntry]], dict[str, list[Step]]]:
    licensed_finals = {
        noun.noun: [
            final
            for final in finals
            if knowledge.can_act(noun, final) and knowledge.judge(noun, final).status == "licensed"
        ]
        for noun in nouns
    }
    return licensed_finals, {noun.noun: list(_steps(noun, nouns, choose)) for noun in nouns}


def _steps(patient: NounEntry, nouns: Sequence[NounEntry], choose: Choose) -> Iterator[Step]:
    for agent in nouns:
        verbs = list(choose(agent, patient))
        if verbs:
            disabling = tuple(verb for verb in verbs if verb.verb_class in DISABLING)
            yield Step(
                agent, tuple(verb for verb in verbs if verb.verb_class not in DISABLING), disabling
            )
