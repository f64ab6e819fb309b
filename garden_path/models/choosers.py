"""Choosers: a text, what is asked about it and some answers in; how good each of them is out.

    transformers:NAME, masked:NAME   a language model, by the SLLN of each answer
    sentence-transformers:NAME       an embedder, by the cosine of text and question with each
    file:PATH                        log-probabilities of texts that another model gave
    python:package.module:function   your own: a list of dicts with `sentence`, `question`,
                                     `entity`, `question_type` and `choices` in, for each a list
                                     of a number per choice out

Here models that score texts, models that place them and systems that give an answer meet on the
same questions. A text without a question has its paraphrases as choices.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from garden_path.models import language_models
from garden_path.models.arrays import FloatArray
from garden_path.models.checkpoints import fingerprint_of
from garden_path.models.language_models import LanguageModelSettings
from garden_path.models.system import Loader, System, as_list
from ground.revisions import split_revision
from metrics.minimal_pair_preference.members import answers_behind, likelihoods

SETTINGS = LanguageModelSettings
BATCH_SIZE = 256
UNIT = re.compile(r"[一-鿿]|\w+")  # a bag holds words, and single characters of Chinese


class ChoiceQuestion(NamedTuple):
    """A question with answers to choose from; see `Question` for the first four."""

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


def by_likelihood(loader: Loader) -> Loader:
    """What loads a language model as a chooser: by the SLLN of each answer behind the question."""

    def load(name: str, argument: str, settings: LanguageModelSettings) -> Chooser:
        model = loader.load(name, argument, settings)

        def predict(questions: Sequence[ChoiceQuestion]) -> list[FloatArray]:
            asked = [answers_behind(q.sentence, q.question, q.choices) for q in questions]
            texts = sorted({answer.text for answers in asked for answer in answers})
            scores = dict(zip(texts, model.predict(texts), strict=True))
            found = [likelihoods(answers, scores).likelihoods for answers in asked]
            return [np.array([one.slln for one in of_question]) for of_question in found]

        return Chooser(
            name,
            model.version,
            predict,
            n_parameters=model.n_parameters,
            batch_size=model.batch_size,
        )

    return Loader(load, loader.argument, loader.is_optional, loader.install)


def load_embedder(name: str, argument: str, settings: LanguageModelSettings) -> Chooser:
    """Loads an embedder of sentence-transformers: text and question beside each choice, by cosine.

    Raises:
        ValueError: The model is not there.
    """
    import sentence_transformers

    model_name, revision = split_revision(argument, settings.revision)
    number_type = {} if settings.dtype == "float32" else {"dtype": settings.dtype}
    try:
        model = sentence_transformers.SentenceTransformer(
            model_name, device=settings.device, revision=revision, model_kwargs=number_type
        )
    except (OSError, ValueError) as error:
        told = str(error).split("\n")[0]
        raise ValueError(
            f"{name}: model, got {told}; expected a folder of this machine or a model of the Hub"
        ) from error

    def predict(questions: Sequence[ChoiceQuestion]) -> list[FloatArray]:
        asked = [(f"{q.sentence} {q.question}".strip(), *q.choices) for q in questions]
        texts = sorted({text for one in asked for text in one}, key=lambda text: (len(text), text))
        vectors = model.encode(
            texts, batch_size=settings.batch_size or 64, normalize_embeddings=True
        )
        of_text = dict(zip(texts, np.asarray(vectors, dtype=np.float64), strict=True))
        return [
            np.array([of_text[first] @ of_text[choice] for choice in choices])
            for first, *choices in asked
        ]

    return Chooser(
        name,
        f"{fingerprint_of(model_name, revision)} {settings.dtype}",
        predict,
        n_parameters=sum(weights.numel() for weights in model.parameters()),
        batch_size=BATCH_SIZE,
    )


def bag_choices(question: ChoiceQuestion) -> FloatArray:
    """What a bag of words gives each choice, the null of embedders: cosines of counts.

    Example:
        >>> asked = ChoiceQuestion("a dog ran", "", "", "", ("a dog sat", "one cat sat"))
        >>> [round(float(x), 2) for x in bag_choices(asked)]
        [0.67, 0.0]
    """
    own = _bag(f"{question.sentence} {question.question}")
    return np.array([_cosine(own, _bag(choice)) for choice in question.choices])


def _bag(text: str) -> Counter[str]:
    return Counter(UNIT.findall(text.lower()))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    lengths = [sum(n * n for n in bag.values()) for bag in (one, other)]
    shared = sum(n * other[word] for word, n in one.items())
    return float(shared / (lengths[0] * lengths[1]) ** 0.5) if all(lengths) else 0.0


def _checked(name: str, question: ChoiceQuestion, values: object) -> FloatArray:
    numbers = as_list(name, "numbers of choices", values, len(question.choices))
    found = np.array(numbers, dtype=object)
    is_number = [isinstance(x, int | float | np.number) and np.isfinite(x) for x in found]
    if not all(is_number):
        wrong = found[is_number.index(False)]
        raise ValueError(f"{name}: choice, got {wrong!r}; expected a finite number")
    return found.astype(np.float64)


LOADERS: Mapping[str, Loader] = {
    **{name: by_likelihood(loader) for name, loader in language_models.LOADERS.items()},
    "sentence-transformers": Loader(load_embedder, "NAME[@REVISION]", install="'.[models]'"),
}
