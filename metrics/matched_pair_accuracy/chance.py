"""What answers score that read no structure at all: constants, and words in linear order.

From what each question asks (type, depth, length of the chain) and its answers to accuracies in
[0, 1].
"""

import functools
import math
from collections import Counter
from collections.abc import Sequence

from .inputs import QUESTION_TYPES
from .reading import NO_OBJECT, Event


def constant_accuracy(answers: Sequence[str]) -> float:
    """Accuracy of the best constant answer to questions of one type; nan for none.

    For a consequence that is `none`, for a causal sequence `no prior events`, for a count the most
    frequent number.

    Example:
        >>> constant_accuracy(["none", "the goat bleated", "None ", "the cat meowed"])
        0.5
    """
    counts = Counter(answer.strip().lower() for answer in answers)
    return max(counts.values()) / len(answers) if answers else math.nan


@functools.cache
def linear_order_is_right(n_events: int, depth: int, question_type: str) -> bool:
    """Whether a reader who takes the words as they come answers rightly.

    That reader gives the k-th verb to the k-th noun and takes the next noun as its object: "the
    goat that the horse that the farmer fed kicked bleated" becomes "the goat fed the horse, the
    horse kicked the farmer, the farmer bleated". Counting nouns needs no more than that.

    Args:
        n_events: Number of events of the sentence, its level + 1.
        depth: Depth of the entity that is asked about, 0 = outermost.
        question_type: One of the six.

    Example:
        >>> linear_order_is_right(3, 1, "action_performed")
        False
        >>> linear_order_is_right(3, 1, "entity_count")
        True
    """
    last = n_events - 1
    own = last - depth
    true_events = [(i, i, i + 1 if i < last else NO_OBJECT) for i in range(n_events)]
    linear_events = [
        (last - i, i, last - i - 1 if i < last else NO_OBJECT) for i in range(n_events)
    ]
    return _answer(linear_events, own, question_type) == _answer(true_events, own, question_type)


def next_noun_is_right(question_type: str) -> bool:
    """Whether naming the neighbouring noun answers rightly: always where an agent is asked for.

    The noun after the one in the question is the one that acted on it, and the innermost entity was
    acted upon by nobody, so that the noun before it is asked for.
    """
    return question_type == "agent_identification"


def _answer(events: Sequence[Event], entity: int, question_type: str) -> object:
    """What a reader who has these events in mind answers.

    The question names the entity, or the verb of the true event before its own.
    """
    own = next(i for i, event in enumerate(events) if event[0] == entity)
    if question_type == "entity_count":
        return len(events)
    if question_type == "causal_sequence":
        return events[:own]
    if question_type == "chain_consequence":
        return events[own + 1 : own + 2]
    if question_type == "action_performed":
        return events[own][1:]
    if (
        question_type == "agent_identification"
    ):  # What kicked the goat? / What was affected by the horse?
        return events[entity - 1][0] if entity else events[own][2]
    if (
        question_type == "nested_dependency"
    ):  # What did the entity that was kicked / acted upon by the horse do?
        patient = events[entity - 1][2] if entity else events[own][2]
        return next((event[1:] for event in events if event[0] == patient), None)
    raise ValueError(f"question_type, got {question_type!r}; expected {', '.join(QUESTION_TYPES)}")
