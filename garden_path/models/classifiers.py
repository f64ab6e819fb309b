"""Sentiment classifiers: sentences in, P(positive) out.

    file:PATH           another one gave: a number a line, or a table or JSON with `text`
                        and `p`; the masked sentences carry [MASK], or --mask-token
    transformers:NAME   any text classification model
    python:package.module:function   your own: a list of sentences in, P(positive) of each out

The occluded sentences carry `[MASK]`; each classifier says what it writes there: a masked language
model its own mask token, the others a character that they have never seen. Deleting the character
instead would make new neighbours and shorten the sentence.

Source: Li & Hao (2025), section 4: RoBERTa and others, fine-tuned; none of their weights is public.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from garden_path.models.arrays import FloatArray
from garden_path.models.checkpoints import distinct_answers, load_checkpoint, output_version
from garden_path.models.system import Function, Loader, Settings, System
from garden_path.readers.predictions import read_probabilities
from metrics._shared.option_fields import option

PLACEHOLDER = "\u3013"  # the geta mark, which printers set for a missing character; in no review
MASK = "[MASK]"  # as the suite writes it
BATCH_SIZE = 4096


@dataclass(frozen=True)
class Classifier(System):
    """A sentiment classifier; `predict` gives P(positive) in [0, 1] of each sentence.

    `mask_token` is what it reads in place of `[MASK]`.
    """

    batch_size: int | None = field(default=BATCH_SIZE, kw_only=True)
    mask_token: str = field(default=PLACEHOLDER, kw_only=True)


@dataclass(frozen=True)
class ClassifierSettings(Settings):
    """How a classifier is loaded; see `Settings` for the first four."""

    positive_labels: Sequence[str] = option(
        (),
        "labels of a model that mean positive, their probabilities added"
        " (default: the one that begins with pos)",
        metavar="LABEL",
        many="+",
    )
    mask_token: str | None = option(
        None,
        "what to write in place of [MASK] (default: the tokenizer's own mask token, or"
        " a character never seen)",
        metavar="TOKEN",
    )

    def in_version(self, version: str) -> str:
        """A version with what these settings change in the outputs."""
        labels = f", positive {'+'.join(self.positive_labels)}" if self.positive_labels else ""
        return version + labels + (f", [MASK] as {self.mask_token}" if self.mask_token else "")


SETTINGS = ClassifierSettings


def of_function(
    name: str, version: str, function: Function, settings: ClassifierSettings
) -> Classifier:
    """A classifier of a user's function: a list of sentences in, P(positive) of each out."""

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

    mask = settings.mask_token or PLACEHOLDER
    return Classifier(name, settings.in_version(version), predict, mask_token=mask)


def load_output(name: str, argument: str, settings: ClassifierSettings) -> Classifier:
    """Reads another classifier's probabilities from a file."""
    version = settings.in_version(output_version(argument))

    def predict(sentences: Sequence[str]) -> FloatArray:
        return np.asarray(read_probabilities(argument, sentences).told(), dtype=np.float64)

    mask = settings.mask_token or MASK
    return Classifier(name, version, predict, batch_size=None, mask_token=mask)


def load_transformer(name: str, argument: str, settings: ClassifierSettings) -> Classifier:
    """Loads a text classification model of transformers."""
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

    def read(logits: Any, *given: Any) -> list[float]:
        logits = logits.float()
        is_one = logits.shape[1] == 1
        probabilities = torch.sigmoid(logits) if is_one else torch.softmax(logits, dim=1)
        return list(probabilities[:, columns].sum(dim=1).double().cpu().tolist())

    def predict(sentences: Sequence[str]) -> FloatArray:
        most = settings.batch_size
        found = distinct_answers(checkpoint, sentences, read, most, truncation=True)
        return np.asarray(found, dtype=np.float64)

    version = settings.in_version(checkpoint.version)
    more = {"n_parameters": checkpoint.n_parameters, "batch_size": 1024}
    return Classifier(name, version, predict, mask_token=mask, **more)


def positive_columns(
    model_name: str, labels: dict[int, str], given: Sequence[str] = ()
) -> list[int]:
    """Outputs of a model that mean positive: those of `given`, else of the label `pos...`.

    A model with a single output is a positive logit.
    """
    names = [labels[i] for i in sorted(labels)]
    if unknown := [label for label in given if label not in names]:
        known = ", ".join(names)
        raise ValueError(
            f"{model_name}: --positive-label, got {unknown[0]!r}; expected one of {known}"
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


LOADERS: Mapping[str, Loader] = {
    "file": Loader(load_output, "PATH"),
    "transformers": Loader(load_transformer, "NAME[@REVISION]", install="'.[models]'"),
}
