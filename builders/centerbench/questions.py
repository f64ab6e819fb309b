"""The six questions about each entity of a center-embedded sentence, with their answers.

Events in; questions and answers out, in the paper's wording. No text is parsed.

Source: the paper, sections 2.3 and A.1.6; where its templates and its published rows differ, the
rows are followed ("none" for a missing consequence, "Who" for people).
"""

from collections.abc import Callable, Collection, Sequence
from typing import Literal, NamedTuple, get_args

from builders.centerbench.events import Event

QuestionType = Literal[
    "action_performed", "agent_identification", "entity_count", "nested_dependency",
    "causal_sequence", "chain_consequence",
]  # fmt: skip
Difficulty = Literal["easy", "medium", "hard"]

QUESTION_TYPES: tuple[QuestionType, ...] = get_args(QuestionType)
DIFFICULTY: dict[QuestionType, Difficulty] = dict(
    zip(QUESTION_TYPES, ("easy", "easy", "medium", "medium", "hard", "hard"), strict=True)
)
NO_PRIOR_EVENTS = "no prior events"
NO_CONSEQUENCE = "none"
CONNECTIVE = " which led to "


class CenterQuestion(NamedTuple):
    """One question about the entity at `depth` (0 = outermost)."""

    depth: int
    entity: str
    question_type: QuestionType
    question: str
    answer: str


def ask_questions(events: Sequence[Event], people: Collection[str]) -> list[CenterQuestion]:
    """The six questions about each of n + 1 entities, outermost first, types in the paper's order.

    Args:
        events: The n + 1 events of a sentence of level n, innermost first; the object of each is
            the subject of the next.
        people: The nouns that are asked for with "Who"; all others with "What".

    Raises:
        ValueError: Fewer than two events, or events that do not form a chain.

    Example:
        >>> from builders.centerbench.events import CenterVerb
        >>> chase = CenterVerb("chase", "chased", "chased", "chasing", "chases")
        >>> meow = CenterVerb("meow", "meowed", "meowed", "meowing", "meows")
        >>> asked = ask_questions([Event("dog", chase, "cat"), Event("cat", meow, None)], people=())
        >>> asked[1].question, asked[1].answer
        ('What chased the cat?', 'the dog')
    """
    _check_chain(events)
    outward = events[::-1]
    return [
        CenterQuestion(
            depth, event.subject, question_type, *_ASK[question_type](outward, depth, people)
        )
        for depth, event in enumerate(outward)
        for question_type in QUESTION_TYPES
    ]


def _check_chain(events: Sequence[Event]) -> None:
    if len(events) < 2:
        raise ValueError(f"ask_questions: events, got {len(events)}; expected at least two")
    for event, following in zip(events, [*events[1:], None], strict=True):
        expected = following.subject if following else None
        if event.object != expected:
            raise ValueError(
                f"ask_questions: object of {event.subject!r}, got {event.object!r}; "
                f"expected {expected!r}, the next event's subject"
            )


def _wh_word(noun: str, people: Collection[str]) -> str:
    return "Who" if noun in people else "What"


def _ask_action(outward: Sequence[Event], depth: int, people: Collection[str]) -> tuple[str, str]:
    # What did the owl do?  swoop down on the vole
    event = outward[depth]
    return f"What did the {event.subject} do?", event.verb.phrase(event.verb.base, event.object)


def _ask_agent(outward: Sequence[Event], depth: int, people: Collection[str]) -> tuple[str, str]:
    # What swooped down on the vole?  the owl      (innermost:) What was affected by the owl?  the
    # vole
    entity = outward[depth].subject
    if depth == len(outward) - 1:
        patient = str(outward[depth].object)
        return f"{_wh_word(patient, people)} was affected by the {entity}?", f"the {patient}"
    agent, verb, _ = outward[depth + 1]
    return f"{_wh_word(agent, people)} {verb.past_phrase} the {entity}?", f"the {agent}"


def _ask_count(outward: Sequence[Event], depth: int, people: Collection[str]) -> tuple[str, str]:
    return "How many distinct entities are in the sentence?", str(len(outward))


def _ask_nested(outward: Sequence[Event], depth: int, people: Collection[str]) -> tuple[str, str]:
    # What did the entity that was swooped down on do?  squeaked
    # (innermost:) What did the entity acted upon by the owl do?  squeaked
    event = outward[depth]
    if depth == len(outward) - 1:
        consequence = outward[depth - 1]
        return (
            f"What did the entity acted upon by the {event.subject} do?",
            consequence.verb.phrase(consequence.verb.past, consequence.object),
        )
    undergone = outward[depth + 1].verb.relative_clause
    return f"What did the entity {undergone} do?", event.verb.phrase(event.verb.past, event.object)


def _ask_cause(outward: Sequence[Event], depth: int, people: Collection[str]) -> tuple[str, str]:
    # What series of events led to the vole's action?  the owl swooping down on the vole
    prior = [event.nominalization() for event in outward[:depth:-1]]
    return f"What series of events led to the {outward[depth].subject}'s action?", CONNECTIVE.join(
        prior
    ) or NO_PRIOR_EVENTS


def _ask_consequence(
    outward: Sequence[Event], depth: int, people: Collection[str]
) -> tuple[str, str]:
    # What is the consequence of the owl's involvement?  the vole squeaked
    consequence = outward[depth - 1].clause() if depth else NO_CONSEQUENCE
    return f"What is the consequence of the {outward[depth].subject}'s involvement?", consequence


_ASK: dict[QuestionType, Callable[[Sequence[Event], int, Collection[str]], tuple[str, str]]] = {
    "action_performed": _ask_action,
    "agent_identification": _ask_agent,
    "entity_count": _ask_count,
    "nested_dependency": _ask_nested,
    "causal_sequence": _ask_cause,
    "chain_consequence": _ask_consequence,
}
