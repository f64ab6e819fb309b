"""Questions about sentences, the answers to them, and who answers.

A question is a sentence and what is asked about it; the answers of a batch come as they are ready,
each with the place of its question.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from garden_path.models.system import System


class Question(NamedTuple):
    """A question of CenterBench; language models see `sentence` and `question` only."""

    sentence: str
    question: str
    entity: str
    question_type: str


class Answer(NamedTuple):
    """An answer as it was given.

    Attributes:
        text: The answer without the reasoning.
        reasoning: What the model wrote or sent as its reasoning, "" if none.
        n_prompt_tokens, n_completion_tokens, n_reasoning_tokens: As the model or the endpoint
            counts; None where it does not say.
        finish_reason: Why it stopped: `stop`, `length`, ... as the endpoint says.
        problem: Why there is no answer, "" where there is one. Such a question is missing: it is no
            wrong answer.
    """

    text: str
    reasoning: str = ""
    n_prompt_tokens: int | None = None
    n_completion_tokens: int | None = None
    n_reasoning_tokens: int | None = None
    finish_reason: str = "stop"
    problem: str = ""


Stream = Callable[[Sequence[Question]], Iterator[tuple[int, Answer]]]


@dataclass(frozen=True)
class Answerer(System):
    """Something that answers questions; `predict` gives the answers of a batch in its order.

    Attributes:
        stream: The same answers as they are ready, each with the place of its question, so that
            what has arrived can be stored.
    """

    stream: Stream

    @classmethod
    def of_stream(cls, name: str, version: str, stream: Stream, **more: Any) -> "Answerer":
        """An answerer of its stream."""

        def predict(questions: Sequence[Question]) -> list[Answer]:
            answers = dict(stream(questions))
            return [answers[i] for i in range(len(questions))]

        return cls(name, version, predict, stream, **more)
