"""Rewards for reinforcement learning, in the form that trl calls.

    trl grpo --dataset_name centerbench --dataset_config solution_items
        --reward_funcs garden_path.rewards.answer_reward ...

A view `solution_*` has the columns `prompt` and `solution`; trl gives every column but `prompt` and
`completion` to the reward by its name.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from metrics._shared.plain_text import with_digits
from metrics._shared.replies import affirmed, said

Completion = str | Sequence[Mapping[str, Any]]
"""A text, or the turns of a conversation, of which the last is the model's."""
_WORD = re.compile(r"\w+")
_ARTICLES = frozenset({"the", "a", "an"})
_FRAME = re.compile(r"^(?:(?:it|that|this|they) (?:is|was|were|are)|there (?:are|were|is)) ")


def answer_reward(
    completions: Sequence[Completion], solution: Sequence[str], **columns: Any
) -> list[float]:
    r"""1 for every reply that gives the solution, 0 for any other.

    The reply is read as the metrics read replies: reasoning, marks of a model's family, a marker
    such as `Answer:`, markup and what is said after a first line go. Its first line or sentence
    counts then, or its last where it ends in one; upper and lower case, articles, punctuation and
    number words do not.

    `columns` are what else trl gives, and not read. A ValueError where there are not as many
    solutions as replies.

    Example:
        >>> answer_reward(["The cat.", "<think>Hm.</think>**Answer:** the dog"], ["the cat"] * 2)
        [1.0, 0.0]
        >>> answer_reward([[{"role": "assistant", "content": "It was the cat."}]], ["the cat"])
        [1.0]
        >>> answer_reward(["There are three.", "3", "four"], ["3", "3", "3"])
        [1.0, 1.0, 0.0]
    """
    if len(completions) != len(solution):
        raise ValueError(
            f"answer_reward: solution, got {len(solution)}; expected {len(completions)}, as many as"
            " completions"
        )
    return [float(_gives(*pair)) for pair in zip(completions, solution, strict=True)]


def _gives(completion: Completion, solution: str) -> bool:
    reply = completion if isinstance(completion, str) else str(completion[-1].get("content") or "")
    lines = [line for line in said(reply).split("\n") if line.strip()]
    first = re.split(r"(?<=[.!?])\s", lines[0].strip())[0] if lines else ""
    return bool(first) and _words(affirmed(first)) == _words(solution)


def _words(text: str) -> list[str]:
    plain = with_digits(unicodedata.normalize("NFKC", text).lower())
    return [word for word in _WORD.findall(_FRAME.sub("", plain)) if word not in _ARTICLES]
