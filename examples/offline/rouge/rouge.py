"""Overlap of words, for `run_summarization.py` where there is no network."""

from collections import Counter
from typing import Any

import datasets
import evaluate


class Rouge(evaluate.Metric):
    """F1 of words, under the name rouge1."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        features = datasets.Features({"predictions": text, "references": text})
        return evaluate.MetricInfo(
            description="F1 of words.",
            citation="",
            inputs_description="predictions, references: texts",
            features=features,
        )

    def _compute(self, predictions: Any, references: Any, **_: Any) -> dict[str, float]:
        scores = []
        for text, gold in zip(predictions, references, strict=True):
            words, golds = Counter(text.split()), Counter(gold.split())
            n = sum(words.values()) + sum(golds.values())
            scores.append(2 * sum((words & golds).values()) / n if n else 0.0)
        return {"rouge1": sum(scores) / len(scores)}
