"""Three answerers that believe something about a sentence and answer from it.

structure      parses the sentence with the suite's lexicon: the ceiling
linear-order   gives the k-th verb to the k-th noun and takes the next noun as its object
plausibility   goes by the knowledge base alone: who can have done what to whom
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from builders.centerbench.events import Event
from builders.centerbench.parser import CenterLexicon, CenterReading
from builders.centerbench.questions import CONNECTIVE, NO_CONSEQUENCE, NO_PRIOR_EVENTS
from builders.centerbench.relations import KnowledgeBase
from garden_path.models.questions import Answer, Answerer, Question

UNKNOWN = "unknown"
SCORES = {"licensed": 2, "neutral": 1, "violates": 0}
Valued = tuple[int, tuple[int, ...]]  # how much of an order of nouns is plausible
Belief = Callable[[CenterReading, KnowledgeBase], CenterReading]


def load_reader(name: str, version: str) -> Answerer:
    """Loads one of the three; `version` is that of the suite whose lexicon it uses."""
    knowledge = KnowledgeBase()
    lexicon = CenterLexicon(knowledge.nouns, knowledge.verbs)
    believe = BELIEFS[name]

    @functools.cache
    def events_of(sentence: str) -> list[Event]:
        readings = lexicon.parse(sentence)
        return believe(readings[0], knowledge).events(knowledge.forms) if len(readings) == 1 else []

    return by_events(name, f"lexicon of centerbench {version}", events_of)


def by_events(name: str, version: str, events_of: Callable[[str], Sequence[Event]]) -> Answerer:
    """An answerer that goes by the events that it finds in a sentence; unknown without any."""

    def answer(questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        for i, question in enumerate(questions):
            events = events_of(question.sentence)
            yield i, Answer(answer_from(events, question) if events else UNKNOWN)

    return Answerer.of_stream(name, version, answer)


def believe_plausible(reading: CenterReading, knowledge: KnowledgeBase) -> CenterReading:
    """The order of the nouns that makes the most events licensed; ties go by the alphabet.

    Both members of a minimal pair have the same words, so that they leave the same belief.
    """
    nouns = sorted(reading.nouns)
    entries = [knowledge.nouns[noun] for noun in nouns]
    # outermost first: verb k relates noun k to noun k - 1
    verbs = [knowledge.verbs[verb] for verb in reading.verbs]

    @functools.cache
    def score(verb: int, subject: int, patient: int | None) -> int:
        entry = entries[patient] if patient is not None else None
        return SCORES[knowledge.judge(entries[subject], verbs[verb], entry).status]

    def value_and_alphabet(found: Valued) -> tuple[int, list[int]]:
        return found[0], [-i for i in found[1]]

    # the best order of each set of nouns that ends in each of them
    best: dict[tuple[frozenset[int], int], Valued] = {
        (frozenset([noun]), noun): (score(0, noun, None), (noun,)) for noun in range(len(nouns))
    }
    for k in range(1, len(verbs)):
        longer: dict[tuple[frozenset[int], int], Valued] = {}
        for ((used, patient), (value, order)), noun in product(best.items(), range(len(nouns))):
            if noun not in used:
                key, one = (used | {noun}, noun), (value + score(k, noun, patient), (*order, noun))
                longer[key] = max(longer.get(key, one), one, key=value_and_alphabet)
        best = longer
    _, order = max(best.values(), key=value_and_alphabet)
    return CenterReading(tuple(nouns[i] for i in order), reading.verbs)


def answer_from(events: Sequence[Event], question: Question) -> str:
    """Answers a question from believed events, innermost first, in the words of the suite.

    Example:
        >>> from builders.centerbench.events import CenterVerb
        >>> kick = CenterVerb("kick", "kicked", "kicked", "kicking", "kicks")
        >>> bleat = CenterVerb("bleat", "bleated", "bleated", "bleating", "bleats")
        >>> events = [Event("horse", kick, "goat"), Event("goat", bleat, None)]
        >>> asked = Question("", "What kicked the goat?", "goat", "agent_identification")
        >>> answer_from(events, asked)
        'the horse'
    """
    own = next((i for i, event in enumerate(events) if event.subject == question.entity), None)
    if own is None:
        return UNKNOWN
    return _ANSWERS[question.question_type](events, own, question.question)


def _tell_agent(events: Sequence[Event], own: int, question: str) -> str:
    if "affected by" in question:
        return f"the {events[own].object}" if events[own].object else NO_CONSEQUENCE
    for event in events:  # What kicked the goat?
        if f" {event.verb.past_phrase} the {events[own].subject}?" in question:
            return f"the {event.subject}"
    return UNKNOWN


def _tell_nested(events: Sequence[Event], own: int, question: str) -> str:
    if "acted upon by" in question:
        patients = [events[own].object]
    else:  # What did the entity that was kicked do?
        asked = [e for e in events if f"entity {e.verb.relative_clause} do?" in question]
        patients = [event.object for event in asked]
    told = [event for event in events if event.subject in patients]
    return told[0].verb.phrase(told[0].verb.past, told[0].object) if told else NO_CONSEQUENCE


def _tell_consequence(events: Sequence[Event], own: int, question: str) -> str:
    return events[own + 1].clause() if own + 1 < len(events) else NO_CONSEQUENCE


_ANSWERS: Mapping[str, Callable[[Sequence[Event], int, str], str]] = {
    "action_performed": lambda events, own, _: events[own].verb.phrase(
        events[own].verb.base, events[own].object
    ),
    "agent_identification": _tell_agent,
    "entity_count": lambda events, *_: str(len(events)),
    "nested_dependency": _tell_nested,
    "causal_sequence": lambda events, own, _: (
        CONNECTIVE.join(event.nominalization() for event in events[:own]) or NO_PRIOR_EVENTS
    ),
    "chain_consequence": _tell_consequence,
}
BELIEFS: Mapping[str, Belief] = {
    "structure": lambda reading, knowledge: reading,
    # the words as they come: "the goat that the horse kicked bleated" has a goat kick
    "linear-order": lambda reading, knowledge: CenterReading(reading.nouns[::-1], reading.verbs),
    "plausibility": believe_plausible,
}
