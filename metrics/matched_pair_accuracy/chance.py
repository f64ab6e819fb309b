"""What answers score that read no structure at all: constants, and words in linear order.

Comes in: what a question asks (type, depth, length of the chain) and its answers. Goes out: accuracies in [0, 1].
"""

import math
from collections import Counter
from collections.abc import Sequence

from .reading import NO_OBJECT, Event
from .strict import QUESTION_TYPES


def constant_accuracy(answers: Sequence[str]) -> float:
    """Gives the accuracy of the best constant answer to questions of one type; nan for none.

    For a consequence that is `none`, for a causal sequence `no prior events`, for a count the most frequent number.

    Example:
        >>> constant_accuracy(["none", "the goat bleated", "None ", "the cat meowed"])
        0.5
    """
    counts = Counter(answer.strip().lower() for answer in answers)
    return max(counts.values()) / len(answers) if answers else math.nan


def linear_order_is_right(n_events: int, depth: int, question_type: str) -> bool:
    """Says whether a reader who takes the words as they come answers rightly.

    That reader gives the k-th verb to the k-th noun and takes the next noun as its object: "the goat that the horse that the farmer fed
    kicked bleated" becomes "the goat fed the horse, the horse kicked the farmer, the farmer bleated". Counting nouns needs no more than
    that.

    Args:
        n_events: Number of events of the sentence, its level + 1.
        depth: Depth of the entity that is asked about, 0 = outermost.
        question_type: One of the six.

    Example:
        >>> linear_order_is_right(3, 1, "action_performed"), linear_order_is_right(3, 1, "entity_count")
        (False, True)
    """
    last = n_events - 1
    true_events = [(i, i, i + 1 if i < last else NO_OBJECT) for i in range(n_events)]
    linear_events = [(last - i, i, last - i - 1 if i < last else NO_OBJECT) for i in range(n_events)]
    return _content(true_events, last - depth, question_type) == _content(linear_events, depth, question_type)


def _content(events: Sequence[Event], own: int, question_type: str) -> object:
    """What a question asks for, where `own` is the event of the entity that it is about."""
    if question_type not in QUESTION_TYPES:
        raise ValueError(f"question_type, got {question_type!r}; expected {', '.join(QUESTION_TYPES)}")
    if question_type == "entity_count":
        return len(events)
    if question_type == "agent_identification":
        return events[own - 1][0] if own else events[0][2]
    if question_type == "causal_sequence":
        return tuple(events[:own])
    if question_type == "chain_consequence":
        return tuple(events[own + 1 : own + 2])
    return events[own] if own or question_type == "action_performed" else events[1]
