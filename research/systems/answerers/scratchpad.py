"""A language model that writes notes before it answers, as many tokens of them as it is given.

The budget is the tokens of its notes: generation stops there, in the middle of a word if need be,
and the model goes on below "Short answer:". With a budget of 0 it answers at once, under the same
prompt. So a curve over budgets moves nothing but the notes.

Source: Madhusudan, Chen and Emami (2026), section 5.4, compare models with and without reasoning.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from garden_path.models.generation import GenerationModel
from garden_path.models.prompts import Prompts
from garden_path.models.questions import Answer, Question
from ground.tables import read_settings

TEXTS = Path(__file__).with_name("scratchpad.toml")


@dataclass(frozen=True)
class Scratchpad:
    """A model, whose `max_new_tokens` cut the answer, and the texts that frame its notes.

    Attributes:
        budget: Tokens of the notes.
        notes: What stands before the notes.
        answer_mark: What stands between the notes and the answer.
    """

    model: GenerationModel
    budget: int
    notes: str
    answer_mark: str

    @classmethod
    def around(cls, model: GenerationModel, budget: int) -> "Scratchpad":
        """A model with the committed texts."""
        texts = read_settings(TEXTS)
        prompts = Prompts(*(texts[name].strip("\n") for name in Prompts._fields))
        asked = replace(model, prompts=prompts)
        return cls(asked, budget, texts["notes"].strip("\n"), texts["answer"])

    def answer(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """Answers batch by batch, each with the place of its question."""
        size = self.model.batch_size
        for start in range(0, len(questions), size):
            yield from enumerate(self._batch(questions[start : start + size]), start)

    def _batch(self, questions: Sequence[Question]) -> list[Answer]:
        texts = [self.model.prompt(question) + self.notes for question in questions]
        notes = [Answer("") for _ in texts]
        if self.budget:
            notes = self._continued(replace(self.model, max_new_tokens=self.budget), texts)
        texts = [
            text + note.text + self.answer_mark for text, note in zip(texts, notes, strict=True)
        ]
        found = self._continued(self.model, texts)
        return [_whole(note, answer) for note, answer in zip(notes, found, strict=True)]

    def _continued(self, model: GenerationModel, texts: Sequence[str]) -> list[Answer]:
        is_plain = not model.tokenizer.chat_template
        tokens = model.tokenizer(list(texts), add_special_tokens=is_plain)["input_ids"]
        return model.generate(tokens, model.beginning(tokens))


def _whole(note: Answer, answer: Answer) -> Answer:
    """The first line of the answer, with the notes as its reasoning."""
    line, end, _ = answer.text.strip().partition("\n")
    return answer._replace(
        text=line,
        reasoning=note.text,
        n_reasoning_tokens=note.n_completion_tokens or 0,
        finish_reason="stop" if end else answer.finish_reason,
    )
