"""Morpheme segmentation inside a Trainer: tags of letters or texts in, morphemes of `score` out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..trainer import (
    Compute,
    TrainerScores,
    cut_words,
    generated_texts,
    tags_of_words,
    token_dataset,
    word_logits,
)


def trainer_scores(
    compute: Compute, rows: Any, tokenizer: Any, labels: Sequence[str], options: Mapping[str, Any]
) -> TrainerScores:
    """The metric's `for_trainer`, with its `compute`."""
    words = [dict(row) for row in rows]
    golds = [list(row["morphemes"]) for row in words]
    texts = [list("".join(gold)) for gold in golds]

    def score_words(found: Any) -> dict[str, Any]:
        settings = {**options, "scalars": True}
        result: dict[str, Any] = compute(predictions=found, references=golds, **settings)
        return result

    def read(given: Any, label_ids: Any) -> list[list[str]]:
        if np.ndim(given) == 2:
            return [text.split() for text in generated_texts(tokenizer, given)]
        return [
            cut_words(text, [labels[k] for k in logits.argmax(axis=1)])
            for text, logits in zip(texts, word_logits(given, label_ids, texts), strict=True)
        ]

    dataset = None
    if tokenizer is not None:
        gold_ids = [[labels.index(tag) for tag in tags_of_words(gold)] for gold in golds]
        dataset = token_dataset(tokenizer, texts, gold_ids)
    return TrainerScores(score_words, read, words, dataset)
