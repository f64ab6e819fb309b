"""Subject-object LAS for tests: predictions and references by position."""

from typing import Any

from metrics.subject_object_las.options import Options
from metrics.subject_object_las.scoring import score


def score_rows(predictions: Any, references: Any, options: Options | None = None) -> dict[str, Any]:
    return score({"predictions": predictions, "references": references}, options)
