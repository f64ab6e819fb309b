"""The six questions about each entity of a center-embedded sentence, with their answers.

Source: the paper, sections 2.3 and A.1.6; where its templates and its published rows differ, the
rows are followed ("none" for a missing consequence, "Who" for people).
"""

from collections.abc import Collection, Sequence
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
            the subject of the next, a ValueError where they are fewer than two or no chain.
        people: The nouns that are asked for with "Who"; all others with "What".
    """
    if len(events) < 2:
        raise ValueError(f"ask_questions: events, got {len(events)}; expected at least two")
    for event, following in zip(events, [*events[1:], None], strict=True):
        expected = following.subject if following else None
        if event.object != expected:
            got = f"object of {event.subject!r}, got {event.object!r}"
            told = f"expected {expected!r}, the next event's subject"
            raise ValueError(f"ask_questions: {got}; {told}")
    outward = events[::-1]
    return [
        CenterQuestion(depth, event.subject, kind, *_ask(kind, outward, depth, people))
        for depth, event in enumerate(outward)
        for kind in QUESTION_TYPES
    ]


def _ask(
    question_type: QuestionType, outward: Sequence[Event], depth: int, people: Collection[str]
) -> tuple[str, str]:
    entity, verb, patient = outward[depth]
    undergone = outward[depth + 1] if depth + 1 < len(outward) else None  # None: innermost
    if question_type == "action_performed":
        # What did the owl do?  swoop down on the vole
        return f"What did the {entity} do?", verb.phrase(verb.base, patient)
    if question_type == "agent_identification":
        # What swooped down on the vole?  the owl
        # (innermost:) What was affected by the owl?  the vole
        answer = undergone.subject if undergone else str(patient)
        who = "Who" if answer in people else "What"
        done = f"{undergone.verb.past_phrase} the" if undergone else "was affected by the"
        return f"{who} {done} {entity}?", f"the {answer}"
    if question_type == "entity_count":
        return "How many distinct entities are in the sentence?", str(len(outward))
    if question_type == "nested_dependency":
        # What did the entity that was swooped down on do?  squeaked
        # (innermost:) What did the entity acted upon by the owl do?  squeaked
        told = undergone.verb.relative_clause if undergone else f"acted upon by the {entity}"
        _, verb, patient = outward[depth if undergone else depth - 1]
        return f"What did the entity {told} do?", verb.phrase(verb.past, patient)
    if question_type == "causal_sequence":
        # What series of events led to the vole's action?  the owl swooping down on the vole
        prior = CONNECTIVE.join(event.nominalization() for event in outward[:depth:-1])
        return f"What series of events led to the {entity}'s action?", prior or NO_PRIOR_EVENTS
    # What is the consequence of the owl's involvement?  the vole squeaked
    consequence = outward[depth - 1].clause() if depth else NO_CONSEQUENCE
    return f"What is the consequence of the {entity}'s involvement?", consequence
