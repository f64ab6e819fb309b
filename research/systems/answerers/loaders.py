"""Answerers of the studies.

structure             parses the sentence with the suite's lexicon: the ceiling
linear-order          takes the words as they come
plausibility          answers from the knowledge base alone, whatever the structure
spacy:NAME            a dependency parser, such as spacy:en_core_web_sm: its tree answers
link-grammar          Link Grammar, whose links answer; from Debian's packages
gguf:NAME             a model that packages carry (`python -m research systems weights`)
scratchpad:NAME       the same, which first writes notes: at most `reasoning.max_tokens` of them
                      (in `--request`, as endpoints have it)
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from builders.centerbench import DRAW
from garden_path.models.answerers import AnswererSettings, load_transformers
from garden_path.models.generation import GenerationModel
from garden_path.models.questions import Answer, Answerer, Prompts, Question
from garden_path.models.system import Loader
from ground.hashes import make_key
from ground.tables import read_settings
from research.systems.answerers.centerbench_readers import BELIEFS, load_reader
from research.systems.answerers.parsed_answers import load_link_grammar, load_parsed_answerer

TEXTS = Path(__file__).with_name("scratchpad.toml")


@dataclass(frozen=True)
class Scratchpad:
    """A model, whose `max_new_tokens` cut the answer, and the texts that frame its notes.

    Generation of notes stops at their budget, in the middle of a word if need be, and the model
    goes on below "Short answer:"; with a budget of 0 it answers at once, under the same prompt. So
    a curve over budgets moves nothing but the notes. `notes` stands before them, `answer_mark`
    between them and the answer.

    Source: Madhusudan, Chen and Emami (2026), section 5.4, compare models with and without
    reasoning.
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
        noted = zip(texts, notes, strict=True)
        found = self._continued(self.model, [t + note.text + self.answer_mark for t, note in noted])
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


def load_gguf(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """A generation model by its name in `weights.toml`; errors as `gguf.packaged_folder`."""
    from research.systems import weights
    from research.systems.language_models import gguf

    answerer = load_transformers(name, str(gguf.packaged_folder(argument)), settings)
    checkpoint, _, asked = answerer.version.partition(" prompts ")
    number_type = checkpoint.rpartition(" ")[2]
    version = f"{weights.version(argument)} {number_type} prompts {asked}"
    return replace(answerer, version=version)


def load_scratchpad(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """A packaged model that writes notes before it answers, so many tokens as `request` says."""
    from garden_path.models.generation import load_generation_model
    from garden_path.models.questions import read_prompts
    from research.systems import weights
    from research.systems.language_models import gguf

    budget = settings.request.get("reasoning", {}).get("max_tokens", 0)
    if not isinstance(budget, int) or budget < 0:
        raise ValueError(f"{name}: reasoning.max_tokens, got {budget!r}; expected a number from 0")
    model, checkpoint = load_generation_model(
        str(gguf.packaged_folder(argument)), read_prompts(), settings, settings.max_new_tokens
    )
    pad = Scratchpad.around(model, budget)
    number_type = checkpoint.version.rpartition(" ")[2]
    asked = make_key(texts=TEXTS.read_text(encoding="utf-8"), cut=settings.max_new_tokens)
    return Answerer.of_stream(
        name,
        f"{weights.version(argument)} {number_type} prompts {asked} notes {budget}",
        pad.answer,
        n_parameters=checkpoint.n_parameters,
        batch_size=model.batch_size,
    )


LOADERS: Mapping[str, Loader] = {
    **{belief: Loader(lambda name, *_: load_reader(name, DRAW)) for belief in BELIEFS},
    "spacy": Loader(load_parsed_answerer, "NAME", install="'.[models]'"),
    "link-grammar": Loader(load_link_grammar),
    "gguf": Loader(load_gguf, "NAME", install="'.[models,real]'"),
    "scratchpad": Loader(load_scratchpad, "NAME", install="'.[models,real]'"),
}
