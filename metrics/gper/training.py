"""GPER inside a Trainer: log-odds of each sentence in, predictions of `score` out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..columns import FloatArray, shown
from ..trainer import Compute, TrainerScores, positive_logits, text_dataset
from .inputs import SENTENCES

SEPARATOR = "/"


def sentences_of(rows: Any) -> list[dict[str, Any]]:
    """Every sentence of pairs as a row of its own, `id` naming pair and sentence.

    Args:
        rows: Rows of `eras` (with `id`, `test`, `control` and, where there, the occluded two), or
            rows that are single sentences already, with an `id` such as `07-00042/test`, a `text`
            and a `paradigm_id`, in any order.

    Raises:
        ValueError: An id does not end in the name of a sentence.
    """
    listed = [dict(row) for row in rows] if not isinstance(rows, Mapping) else _rows(rows)
    if listed and "test" not in listed[0]:
        for row in listed:
            if row["id"].rpartition(SEPARATOR)[2] not in SENTENCES:
                raise ValueError(
                    f"gper: id, got {shown(row['id'])}; expected one that ends in "
                    f"{', '.join(SEPARATOR + name for name in SENTENCES[:4])}"
                )
        return listed
    return [
        {
            "id": f"{row['id']}{SEPARATOR}{name}",
            "text": row[name],
            "paradigm_id": row["paradigm_id"],
            "label": int(row.get("true_sentiment") == "+"),
        }
        for row in listed
        for name in SENTENCES[:4]
        if name in row
    ]


def _rows(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    names = list(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def pairs_of(sentences: Sequence[Mapping[str, Any]], given: Any) -> tuple[FloatArray, list[int]]:
    """Log-odds of the sentences of each pair, found by `id`, and the pairs' paradigms.

    Returns:
        Shape (pairs, 4), or (pairs, 2) where no occluded sentences were scored.

    Raises:
        ValueError: Pairs lack a sentence that others have.
    """
    by_pair: dict[str, dict[str, float]] = {}
    paradigms: dict[str, int] = {}
    for row, value in zip(sentences, positive_logits(given), strict=True):
        pair, _, name = row["id"].rpartition(SEPARATOR)
        by_pair.setdefault(pair, {})[name] = float(value)
        paradigms[pair] = int(row["paradigm_id"])
    present = set().union(*by_pair.values())
    names = SENTENCES[: 4 if len(present) > 2 else 2]
    for pair, values in by_pair.items():
        if missing := [name for name in names if name not in values]:
            raise ValueError(f"gper: pair {pair}, got no {missing[0]}; expected {', '.join(names)}")
    matrix = np.array([[values[name] for name in names] for values in by_pair.values()])
    return matrix, list(paradigms.values())


def trainer_scores(
    compute: Compute, rows: Any, tokenizer: Any, options: Mapping[str, Any]
) -> TrainerScores:
    """The metric's `for_trainer`, with its `compute`."""
    inputs = sentences_of(rows)

    def score_pairs(given: tuple[Any, list[int]]) -> dict[str, Any]:
        settings = {**options, "scale": "logit", "scalars": True}
        found: dict[str, Any] = compute(predictions=given[0], references=given[1], **settings)
        return found

    dataset = None
    if tokenizer is not None:
        labels = [row.get("label", 0) for row in inputs]
        dataset = text_dataset(tokenizer, [row["text"] for row in inputs], labels)
    return TrainerScores(score_pairs, lambda given, _: pairs_of(inputs, given), inputs, dataset)
