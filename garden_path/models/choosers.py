"""Choosers: a text, what is asked about it and some answers in; how good each of them is out.

    sentence-transformers:NAME       an embedder, by the cosine of text and question with each
    python:package.module:function   your own: a list of dicts with `sentence`, `question`,
                                     `entity`, `question_type` and `choices` in, for each a list
                                     of a number per choice out

Here models that score texts, models that place them and systems that give an answer meet on the
same questions: of each question how good its choices are, shape (choices,); more is better. A text
without a question has its paraphrases as choices.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from garden_path.models.arrays import FloatArray
from garden_path.models.checkpoints import fingerprint_of
from garden_path.models.language_models import LanguageModelSettings
from garden_path.models.system import Function, Loader, Settings, System, as_list, each_checked
from ground.revisions import split_revision

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


def of_function(name: str, version: str, function: Function, settings: Settings) -> System:
    """A chooser of a user's function: a list of question dicts in, numbers of the choices out."""
    predict = each_checked(name, "choices", function, _numbers, ChoiceQuestion._asdict)
    return System(name, version, predict)


def _numbers(name: str, question: ChoiceQuestion, values: object) -> FloatArray:
    found = as_list(name, "numbers of choices", values, len(question.choices))
    for one in found:
        if not (isinstance(one, int | float | np.number) and np.isfinite(one)):
            raise ValueError(f"{name}: choice, got {one!r}; expected a finite number")
    return np.array(found, dtype=np.float64)


def load_embedder(name: str, argument: str, settings: Settings) -> System:
    """Loads an embedder of sentence-transformers: text and question by each choice, as cosines."""
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
        size = settings.batch_size or 64
        vectors = model.encode(texts, batch_size=size, normalize_embeddings=True)
        of_text = dict(zip(texts, np.asarray(vectors, dtype=np.float64), strict=True))
        return [
            np.array([of_text[first] @ of_text[choice] for choice in choices])
            for first, *choices in asked
        ]

    version = f"{fingerprint_of(model_name, revision)} {settings.dtype}"
    n_parameters = sum(weights.numel() for weights in model.parameters())
    return System(name, version, predict, n_parameters=n_parameters, batch_size=BATCH_SIZE)


def bag_choices(question: ChoiceQuestion) -> FloatArray:
    """What a bag of words gives each choice, the null of embedders: cosines of counts.

    Example:
        >>> asked = ChoiceQuestion("a dog ran", "", "", "", ("a dog sat", "one cat sat"))
        >>> [round(float(x), 2) for x in bag_choices(asked)]
        [0.67, 0.0]
    """
    texts = (f"{question.sentence} {question.question}", *question.choices)
    own, *bags = [Counter(UNIT.findall(text.lower())) for text in texts]
    return np.array([_cosine(own, bag) for bag in bags])


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    lengths = [sum(n * n for n in bag.values()) for bag in (one, other)]
    shared = sum(n * other[word] for word, n in one.items())
    return float(shared / (lengths[0] * lengths[1]) ** 0.5) if all(lengths) else 0.0


LOADERS: Mapping[str, Loader] = {
    "sentence-transformers": Loader(load_embedder, "NAME[@REVISION]", install="'.[models]'"),
}
