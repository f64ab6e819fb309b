"""Exact match of answers, for `run_qa.py` where there is no network."""

from typing import Any

import datasets
import evaluate


class Squad(evaluate.Metric):
    """Share of answers that are one of the golds, in percent as SQuAD has it."""

    def _info(self) -> evaluate.MetricInfo:
        text, number = datasets.Value("string"), datasets.Value("int32")
        answers = {"text": datasets.List(text), "answer_start": datasets.List(number)}
        features = {
            "predictions": {"id": text, "prediction_text": text},
            "references": {"id": text, "answers": answers},
        }
        return evaluate.MetricInfo(
            description="Exact match of answers.",
            citation="",
            inputs_description="predictions: id and prediction_text; references: id and answers",
            features=datasets.Features(features),
        )

    def _compute(self, predictions: Any, references: Any) -> dict[str, float]:
        golds = {row["id"]: row["answers"]["text"] for row in references}
        right = [row["prediction_text"] in golds[row["id"]] for row in predictions]
        return {"exact_match": 100 * sum(right) / len(right)}
