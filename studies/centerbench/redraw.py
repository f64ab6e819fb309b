"""How CenterBench is drawn again.

Answerers on questions about other pairs of the knowledge base.
"""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from builders.centerbench import VERSION
from dataset_scripts.registry import split_table
from metrics.matched_pair_accuracy import scoring
from metrics.matched_pair_accuracy.options import Options
from studies.redraw import Redrawable, redraw_study
from systems.questions import Question


def draw(seed: int, size: int) -> pa.Table:
    """Question rows of draw number `seed`, `size` pairs per level."""
    return split_table("centerbench", "questions", "test", {"seed": seed, "size": size})


def score(answerer: Any, rows: pa.Table, options: Options | None = None) -> Mapping[str, Any]:
    """Result of `matched_pair_accuracy`, without intervals unless `options` has a level."""
    columns = (rows[name].to_pylist() for name in Question._fields)
    asked = [Question(*row) for row in zip(*columns, strict=True)]
    texts = [answer.text for answer in answerer.predict(asked)]
    inputs = {"predictions": texts, "references": rows}
    result: dict[str, Any] = scoring.score(inputs, options or Options(confidence=None))
    return result


SUITE = Redrawable(
    suite="centerbench",
    version=lambda: str(VERSION),
    draw=draw,
    items=lambda rows: sorted(set(rows["sentence"].to_pylist())),
    score=score,
    kind="answerer",
    systems=("structure", "linear-order", "plausibility"),
    size=(10, "pairs per level"),
    metrics={"accuracy_core": True, "accuracy": True},
    speaks_of=(
        "Draws take other sentences from the same knowledge base by the same design: the answer"
        " speaks about other nouns and verbs of these kinds, not about other constructions."
    ),
)
STUDY = redraw_study(SUITE)
