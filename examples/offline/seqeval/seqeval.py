"""Precision, recall and F1 of spans, for `run_ner.py` where there is no network.

A span is what begins at B or S, or at a change of the label where labels have no such parts.
"""

from typing import Any

import datasets
import evaluate


def spans(tags: list[str]) -> set[tuple[int, int, str]]:
    """Start, end and label of each span of a sequence of tags."""
    parts = set("".join(tags)) <= set("BMES")
    starts = [
        i for i, tag in enumerate(tags) if i == 0 or (tag in "BS" if parts else tag != tags[i - 1])
    ]
    ends = [*starts[1:], len(tags)]
    return {(i, j, "" if parts else tags[i]) for i, j in zip(starts, ends, strict=True)}


class Seqeval(evaluate.Metric):
    """Scores of spans under the names that `run_ner.py` reads."""

    def _info(self) -> evaluate.MetricInfo:
        tags = datasets.Sequence(datasets.Value("string"))
        features = datasets.Features({"predictions": tags, "references": tags})
        return evaluate.MetricInfo(
            description="Precision, recall and F1 of spans.",
            citation="",
            inputs_description="predictions, references: tags of each sequence",
            features=features,
        )

    def _compute(self, predictions: Any, references: Any, **_: Any) -> dict[str, float]:
        pairs = [(spans(p), spans(r)) for p, r in zip(predictions, references, strict=True)]
        right = sum(len(p & r) for p, r in pairs)
        precision = right / sum(len(p) for p, _ in pairs)
        recall = right / sum(len(r) for _, r in pairs)
        n = sum(len(p) + len(r) for p, r in pairs)
        flat = [(a, b) for p, r in zip(predictions, references) for a, b in zip(p, r)]  # noqa: B905
        return {
            "overall_precision": precision,
            "overall_recall": recall,
            "overall_f1": 2 * right / n,
            "overall_accuracy": sum(a == b for a, b in flat) / len(flat),
        }
