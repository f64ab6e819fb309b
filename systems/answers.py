"""What every answerer shares: the questions it gets, the answers it gives, the prompts of those that are language models.

A question is a sentence and what is asked about it; the answers of a batch come as they are ready,
each with the place of its question.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ground.tables import read_settings

PROMPTS = Path(__file__).parent / "data" / "center_embedding_prompts.toml"
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
    """

    text: str
    reasoning: str = ""
    n_prompt_tokens: int | None = None
    n_completion_tokens: int | None = None
    n_reasoning_tokens: int | None = None
    finish_reason: str = "stop"


@dataclass(frozen=True)
class Answerer:
    """Something that answers questions.

    Attributes:
        name: As on the command line.
        version: Everything else that its answers depend on: package, prompts, settings.
        answer: Gives the answers to questions as they are ready, each with the place of its
            question.
    """

    name: str
    version: str
    answer: Callable[[Sequence[Question]], Iterator[tuple[int, Answer]]]


class Prompts(NamedTuple):
    """The texts around a question: for the system role, the user role, and for models without roles."""

    system: str
    user: str
    plain: str

    def messages(self, question: Question) -> list[Mapping[str, str]]:
        """Gives the messages of a chat."""
        return [
            {"role": "system", "content": self.system},
            {"role": "user", "content": self.asked(question)},
        ]

    def asked(self, question: Question) -> str:
        """Gives what the user says."""
        return self.user.format(sentence=question.sentence, question=question.question)

    def in_plain_text(self, question: Question) -> str:
        """Gives one text for a model that only goes on writing."""
        return self.plain.format(system=self.system, user=self.asked(question))


def read_prompts(system_prompt: Path | None = None) -> Prompts:
    """Reads the prompts, the system prompt from a file if one is given.

    Raises:
        ValueError: The file is empty.
    """
    texts = {name: text.strip("\n") for name, text in read_settings(PROMPTS).items()}
    if system_prompt is not None:
        texts["system"] = system_prompt.read_text(encoding="utf-8").strip()
        if not texts["system"]:
            raise ValueError(f"{system_prompt}: system prompt, got an empty file; expected a text")
    return Prompts(**texts)


def split_reasoning(text: str) -> tuple[str, str]:
    r"""Splits what a model wrote into answer and reasoning, at the last `</think>`; an unfinished `<think>` is all reasoning.

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
