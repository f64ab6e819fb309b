"""How CenterBench is drawn again: answerers asked about other pairs of the knowledge base."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from builders.centerbench import DRAW
from dataset_scripts.registry import split_table
from garden_path.models.arrays import FloatArray
from garden_path.models.questions import Question
from metrics.matched_pair_accuracy import scoring
from metrics.matched_pair_accuracy.inputs import CORE_TYPES
from metrics.matched_pair_accuracy.options import Options
from research.studies.levels import GroupScores
from research.studies.redraw import Redrawable, redraw_study


def draw(seed: int, size: int) -> pa.Table:
    """Question rows of draw number `seed`, `size` pairs per level."""
    return split_table("centerbench", "questions", "test", {"seed": seed, "size": size})


def score(answerer: Any, rows: pa.Table, options: Options | None = None) -> Mapping[str, Any]:
    """Result of `matched_pair_accuracy`, without intervals unless `options` has a level."""
    columns = (rows[name].to_pylist() for name in Question._fields)
    asked = [Question(*row) for row in zip(*columns, strict=True)]
    texts = [answer.text for answer in answerer.predict(asked)]
    inputs = {"predictions": texts, "references": rows}
    given = options or Options(confidence=None, per_item=True)
    return dict(scoring.score(inputs, given))


def groups(result: Mapping[str, Any], rows: pa.Table) -> GroupScores:
    """Accuracy on the core questions about each relation."""
    is_core = np.isin(rows["question_type"].to_numpy(), CORE_TYPES)
    correct = np.array([item["correct"] for item in result["per_item"]], float)
    return by_relation(rows.filter(is_core), correct[is_core])


def by_relation(rows: pa.Table, values: FloatArray) -> GroupScores:
    """Mean of the questions' values, shape (n,), about each relation: a verb in its domain."""
    asked = zip(*(rows[name].to_pylist() for name in ("domain", "depth", "events")), strict=True)
    cells: dict[tuple[str, str], list[float]] = {}
    for value, (domain, depth, events) in zip(values.tolist(), asked, strict=True):
        verb = events[-1 - depth]["verb"]["base"]  # events stand innermost first
        cells.setdefault((domain, verb), []).append(value)
    return GroupScores.of(cells)


SUITE = Redrawable(
    suite="centerbench",
    version=lambda: str(DRAW),
    draw=draw,
    items=lambda rows: sorted(set(rows["sentence"].to_pylist())),
    score=score,
    kind="answerer",
    systems=("spacy:en_core_web_sm", "noun-order", "next-noun", "plausibility", "structure"),
    size=(5, "pairs per level"),
    metrics={"accuracy_core": True, "accuracy": True},
    speaks_of=(
        "Draws take other sentences from the same knowledge base by the same design: the answer"
        " speaks about other nouns and verbs of these kinds, not about other constructions."
        " A relation is the verb that a question asks about."
    ),
    levels=("domain", "relation"),
    drawn="relation",
    groups=groups,
)
STUDY = redraw_study(SUITE)
