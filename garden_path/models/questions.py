"""Questions about sentences, the answers to them, and who answers."""

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
    """An answer as it was given, without its reasoning, which is apart.

    Counts are those of the model or the endpoint, None where it does not say. `problem` says why
    there is no answer: such a question is missing, and no wrong answer.
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
    """Something that answers questions; `stream` gives answers, with their places, as they come."""

    stream: Stream

    @classmethod
    def of_stream(cls, name: str, version: str, stream: Stream, **more: Any) -> "Answerer":
        """An answerer of its stream."""

        def predict(questions: Sequence[Question]) -> list[Answer]:
            answers = dict(stream(questions))
            return [answers[i] for i in range(len(questions))]

        return cls(name, version, predict, stream, **more)
