"""Accuracy, for scripts that ask for it by its bare name where there is no network."""

from typing import Any

import datasets
import evaluate


class Accuracy(evaluate.Metric):
    """Share of equal labels."""

    def _info(self) -> evaluate.MetricInfo:
        number = datasets.Value("int32")
        features = datasets.Features({"predictions": number, "references": number})
        return evaluate.MetricInfo(
            description="Share of equal labels.",
            citation="",
            inputs_description="predictions, references: label ids",
            features=features,
        )

    def _compute(self, predictions: Any, references: Any) -> dict[str, float]:
        equal = [p == r for p, r in zip(predictions, references, strict=True)]
        return {"accuracy": sum(equal) / len(equal)}
