"""Choosers: a sentence, a question and some answers to it in; how good each of them is out.

    gguf:NAME, transformers:NAME, ...   a language model, by the SLLN of each answer
    spacy:NAME, structure, ...          an answerer: 1 for the choice that it gives, 0 for the rest
    python:package.module:function      your own: a list of dicts with `sentence`, `question`,
                                        `entity`, `question_type` and `choices` in, for each a list
                                        of a number per choice out

Here models that score texts and systems that give an answer meet on the same questions. Who gives
an answer that is none of the choices, or none, finds all alike.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from builders.centerbench.likelihoods import answers_behind
from systems import answerers, language_models
from systems.arrays import FloatArray
from systems.centerbench_readers import BELIEFS
from systems.language_models import LanguageModelSettings
from systems.questions import Question
from systems.regions import region_scores
from systems.system import Loader, System, as_list

ANSWERERS = ("spacy", *BELIEFS)
SETTINGS = LanguageModelSettings


class ChoiceQuestion(NamedTuple):
    """A question of CenterBench with answers to choose from; see `Question` for the first four."""

    sentence: str
    question: str
    entity: str
    question_type: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Chooser(System):
    """Something that chooses among answers.

    Attributes:
        predict: Of each question how good its choices are, shape (choices,); more is better.
    """

    predict: Callable[[Sequence[ChoiceQuestion]], list[FloatArray]]


def of_function(
    name: str,
    version: str,
    function: Callable[[list[dict[str, Any]]], Sequence[Sequence[float]]],
    settings: LanguageModelSettings,
) -> Chooser:
    """A chooser of a user's function: a list of question dicts in, numbers of the choices out.

    Raises:
        ValueError: When it runs: there is not one finite number for every choice.
    """

    def predict(questions: Sequence[ChoiceQuestion]) -> list[FloatArray]:
        found = as_list(name, "choices", function([q._asdict() for q in questions]), len(questions))
        return [_checked(name, q, values) for q, values in zip(questions, found, strict=True)]

    return Chooser(name, version, predict)


def load_by_likelihood(name: str, argument: str, settings: LanguageModelSettings) -> Chooser:
    """A language model of this name: the sublinear length-normalised score of each answer."""
    loader = language_models.LOADERS[name.partition(":")[0]]
    model = loader.load(name, argument, settings)

    def predict(questions: Sequence[ChoiceQuestion]) -> list[FloatArray]:
        asked = [answers_behind(q.sentence, q.question, q.choices) for q in questions]
        texts = sorted({answer.text for answers in asked for answer in answers})
        scores = dict(zip(texts, model.predict(texts), strict=True))
        regions = [
            region_scores(
                [one.text for one in answers],
                [scores[one.text] for one in answers],
                [(one.start, one.end) for one in answers],
            )
            for answers in asked
        ]
        return [np.array([one.slln for one in found.likelihoods]) for found in regions]

    return Chooser(name, model.version, predict, n_parameters=model.n_parameters)


def load_by_answer(name: str, argument: str, settings: LanguageModelSettings) -> Chooser:
    """An answerer of this name: what it answers, where that is one of the choices."""
    loader = answerers.LOADERS[name.partition(":")[0]]
    answerer = loader.load(name, argument, answerers.SETTINGS())

    def predict(questions: Sequence[ChoiceQuestion]) -> list[FloatArray]:
        given = answerer.predict([Question(*q[:-1]) for q in questions])
        return [
            np.array([choice == answer.text for choice in q.choices], float)
            for q, answer in zip(questions, given, strict=True)
        ]

    return Chooser(name, answerer.version, predict, n_parameters=answerer.n_parameters)


def _checked(name: str, question: ChoiceQuestion, values: object) -> FloatArray:
    numbers = as_list(name, "numbers of choices", values, len(question.choices))
    found = np.array(numbers, dtype=object)
    is_number = [isinstance(x, int | float | np.number) and np.isfinite(x) for x in found]
    if not all(is_number):
        wrong = found[is_number.index(False)]
        raise ValueError(f"{name}: choice, got {wrong!r}; expected a finite number")
    return found.astype(np.float64)


def _loader(load: Callable[[str, str, Any], Chooser], of: Loader) -> Loader:
    return Loader(load, of.argument, of.is_optional, of.install)


LOADERS = {
    **{name: _loader(load_by_likelihood, of) for name, of in language_models.LOADERS.items()},
    **{name: _loader(load_by_answer, answerers.LOADERS[name]) for name in ANSWERERS},
}
