"""Questions about sentences, the answers to them, and who answers.

A question is a sentence and what is asked about it; the answers of a batch come as they are ready,
each with the place of its question.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ground.ray_inference import Inference, vllm_version
from systems.system import System

_REASONING = re.compile(
    r"^\s*(?:<(think|thinking|reasoning)>)?(.*?)</(?:think|thinking|reasoning)>\s*", re.DOTALL
)


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
        inference: How vLLM answers in its place.
    """

    predict: Callable[[Sequence[Question]], list[Answer]]
    stream: Stream
    inference: Inference | None = field(default=None, kw_only=True)

    def on_ray(self) -> "Answerer":
        """The answerer where Ray runs it: by vLLM, if it can be and that is installed."""
        version = vllm_version()
        if self.inference is None or not version:
            return replace(self, inference=None)
        return replace(self, version=f"{self.version} vllm {version}")

    @classmethod
    def of_stream(
        cls,
        name: str,
        version: str,
        stream: Stream,
        *,
        n_parameters: int | None = None,
        batch_size: int | None = None,
        inference: Inference | None = None,
    ) -> "Answerer":
        """An answerer of its stream."""

        def predict(questions: Sequence[Question]) -> list[Answer]:
            answers = dict(stream(questions))
            return [answers[i] for i in range(len(questions))]

        return cls(
            name,
            version,
            predict,
            stream,
            n_parameters=n_parameters,
            batch_size=batch_size,
            inference=inference,
        )


def split_reasoning(text: str) -> tuple[str, str]:
    r"""Answer and reasoning of what a model wrote, split at the last `</think>`.

    An unfinished `<think>` is all reasoning.

    Example:
        >>> split_reasoning("<think>The dog ... </think>\n\nbark")
        ('bark', 'The dog ...')
    """
    reasoning = []
    while match := _REASONING.match(text):
        reasoning.append(match[2].strip())
        text = text[match.end() :]
    if text.lstrip().startswith(("<think>", "<thinking>", "<reasoning>")):
        reasoning.append(text.lstrip().partition(">")[2].strip())
        text = ""
    return text.strip(), "\n".join(reasoning)
