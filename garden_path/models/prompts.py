"""The texts around a question of CenterBench, for whatever is asked in words."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from garden_path.models.questions import Question
from ground.tables import read_settings, read_text

DATA = Path(__file__).parent / "data"
OWN = "project"
PROMPTS: Mapping[str, Path] = {
    OWN: DATA / "centerbench_prompts.toml",
    "published": DATA / "centerbench_published.toml",
}


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
