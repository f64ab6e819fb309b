"""Questions about sentences, the answers to them, and who answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from garden_path.models.system import System
from ground.tables import read_settings, read_text

DATA = Path(__file__).parent / "data"
OWN = "project"
PROMPTS: Mapping[str, Path] = {
    OWN: DATA / "centerbench_prompts.toml",
    "published": DATA / "centerbench_published.toml",
}


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


class Prompts(NamedTuple):
    """The texts around a question: for the roles system and user, and for models without."""

    system: str
    user: str
    plain: str

    def messages(self, question: Question) -> list[Mapping[str, str]]:
        """Messages of a chat, for the roles system and user."""
        return [
            {"role": "system", "content": self.system},
            {"role": "user", "content": self.asked(question)},
        ]

    def asked(self, question: Question) -> str:
        """What the user says."""
        return self.user.format(sentence=question.sentence, question=question.question)

    def in_plain_text(self, question: Question) -> str:
        """One text for a model that only goes on writing."""
        return self.plain.format(system=self.system, user=self.asked(question))


def read_prompts(system_prompt: Path | None = None, prompt: str = OWN) -> Prompts:
    """Prompts of the answerers, the system prompt from a file if one is given.

    `prompt` is one of `PROMPTS`; a ValueError where the file is empty.
    """
    texts = read_settings(PROMPTS[prompt])
    prompts = Prompts(**{name: text.strip("\n") for name, text in texts.items()})
    if system_prompt is not None:
        prompts = prompts._replace(system=read_text(system_prompt).strip())
        if not prompts.system:
            raise ValueError(f"{system_prompt}: system prompt, got an empty file; expected a text")
    return prompts
