"""Choosers of the studies.

minilm                             an embedder of English whose weights a package carries
gguf:NAME, unigram:LANGUAGE, ...   a language model of the studies, by the SLLN of each answer
spacy:NAME, structure, ...         an answerer: 1 for the choice that it gives, 0 for the rest

Who gives an answer that is none of the choices, or none, finds all alike.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from garden_path.models import answerers
from garden_path.models.arrays import FloatArray
from garden_path.models.choosers import ChoiceQuestion, Chooser, by_likelihood, load_embedder
from garden_path.models.language_models import LanguageModelSettings
from garden_path.models.questions import Question
from garden_path.models.system import Loader
from research.systems import weights
from research.systems.answerers import loaders as own_answerers
from research.systems.answerers.centerbench_readers import BELIEFS
from research.systems.language_models import loaders as own_language_models

ANSWERERS = ("spacy", *BELIEFS)


def by_answer(loader: Loader) -> Loader:
    """What loads an answerer as a chooser: what it answers, where that is one of the choices."""

    def load(name: str, argument: str, settings: LanguageModelSettings) -> Chooser:
        answerer = loader.load(name, argument, answerers.SETTINGS())

        def predict(questions: Sequence[ChoiceQuestion]) -> list[FloatArray]:
            given = answerer.predict([Question(*q[:-1]) for q in questions])
            return [
                np.array([choice == answer.text for choice in q.choices], float)
                for q, answer in zip(questions, given, strict=True)
            ]

        return Chooser(name, answerer.version, predict, n_parameters=answerer.n_parameters)

    return Loader(load, loader.argument, loader.is_optional, loader.install)


def load_minilm(name: str, argument: str, settings: LanguageModelSettings) -> Chooser:
    """Loads the embedder of `weights.toml`."""
    folder = weights.paths("minilm")[0].parent
    found = load_embedder(name, str(folder), settings)
    return replace(found, version=f"{weights.version('minilm')} {settings.dtype}")


LOADERS = {
    "minilm": Loader(load_minilm, install="'.[models,real]'"),
    **{name: by_likelihood(loader) for name, loader in own_language_models.LOADERS.items()},
    **{name: by_answer(own_answerers.LOADERS[name]) for name in ANSWERERS},
}
