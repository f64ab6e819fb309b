"""Choosers of the studies.

minilm                             an embedder of English whose weights a package carries
transformers:NAME, masked:NAME, file:PATH, gguf:NAME, unigram:LANGUAGE, ...
                                   a language model, by the SLLN of each answer
spacy:NAME, structure, ...         an answerer: 1 for the choice that it gives, 0 for the rest

Who gives an answer that is none of the choices, or none, finds all alike.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from garden_path.models import answerers, language_models
from garden_path.models.arrays import FloatArray
from garden_path.models.choosers import ChoiceQuestion, load_embedder
from garden_path.models.language_models import LanguageModelSettings
from garden_path.models.questions import Question
from garden_path.models.system import Loader, System
from metrics.minimal_pair_preference.members import answers_behind, likelihoods
from research.systems import weights
from research.systems.answerers import loaders as own_answerers
from research.systems.answerers.centerbench_readers import BELIEFS
from research.systems.language_models import loaders as own_language_models

ANSWERERS = ("spacy", *BELIEFS)
LANGUAGE_MODELS = {**language_models.LOADERS, **own_language_models.LOADERS}


def by_likelihood(loader: Loader) -> Loader:
    """What loads a language model as a chooser: by the SLLN of each answer behind the question."""

    def load(name: str, argument: str, settings: LanguageModelSettings) -> System:
        model = loader.load(name, argument, settings)

        def predict(questions: Sequence[ChoiceQuestion]) -> list[FloatArray]:
            asked = [answers_behind(q.sentence, q.question, q.choices) for q in questions]
            texts = sorted({answer.text for answers in asked for answer in answers})
            scores = dict(zip(texts, model.predict(texts), strict=True))
            found = [likelihoods(answers, scores).likelihoods for answers in asked]
            return [np.array([one.slln for one in of_question]) for of_question in found]

        return replace(model, predict=predict)

    return replace(loader, load=load)


def by_answer(loader: Loader) -> Loader:
    """What loads an answerer as a chooser: what it answers, where that is one of the choices."""

    def load(name: str, argument: str, settings: LanguageModelSettings) -> System:
        answerer = loader.load(name, argument, answerers.SETTINGS())

        def predict(questions: Sequence[ChoiceQuestion]) -> list[FloatArray]:
            given = answerer.predict([Question(*q[:-1]) for q in questions])
            return [
                np.array([choice == answer.text for choice in q.choices], float)
                for q, answer in zip(questions, given, strict=True)
            ]

        return System(name, answerer.version, predict, n_parameters=answerer.n_parameters)

    return replace(loader, load=load)


def load_minilm(name: str, argument: str, settings: LanguageModelSettings) -> System:
    """Loads the embedder of `weights.toml`."""
    folder = weights.paths("minilm")[0].parent
    found = load_embedder(name, str(folder), settings)
    return replace(found, version=f"{weights.version('minilm')} {settings.dtype}")


LOADERS = {
    "minilm": Loader(load_minilm, install="'.[models,real]'"),
    **{name: by_likelihood(loader) for name, loader in LANGUAGE_MODELS.items()},
    **{name: by_answer(own_answerers.LOADERS[name]) for name in ANSWERERS},
}
