"""Questions about sentences, the answers to them, and who answers.

A question is a sentence and what is asked about it; the answers of a batch come as they are ready,
each with the place of its question.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from garden_path.models.system import System
from metrics._shared.replies import split_reply


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
    """Something that answers questions.

    Attributes:
        predict: Answers of a batch in its order, all at once.
        stream: The same answers as they are ready, each with the place of its question, so that
            what has arrived can be stored.
    """

    predict: Callable[[Sequence[Question]], list[Answer]]
    stream: Stream

    @classmethod
    def of_stream(
        cls,
        name: str,
        version: str,
        stream: Stream,
        *,
        n_parameters: int | None = None,
        batch_size: int | None = None,
    ) -> "Answerer":
        """An answerer of its stream."""

        def predict(questions: Sequence[Question]) -> list[Answer]:
            answers = dict(stream(questions))
            return [answers[i] for i in range(len(questions))]

        return cls(name, version, predict, stream, n_parameters=n_parameters, batch_size=batch_size)


def split_reasoning(content: Any) -> tuple[str, str]:
    r"""Answer and reasoning of what a model wrote or sent, by the marks of its family.

    An unfinished `<think>` is all reasoning; a list of chunks is read as well as a text.

    Raises:
        TypeError: It is neither.

    Example:
        >>> split_reasoning("<think>The dog ... </think>\n\nbark")
        ('bark', 'The dog ...')
    """
    found = split_reply(content)
    return found.text, found.reasoning
