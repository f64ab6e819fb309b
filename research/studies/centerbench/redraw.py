"""How CenterBench is drawn again: answerers asked about other pairs of the knowledge base."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from builders.centerbench import DRAW
from dataset_scripts.registry import split_table
from garden_path.models.questions import Question
from metrics.matched_pair_accuracy import scoring
from metrics.matched_pair_accuracy.inputs import CORE_TYPES
from metrics.matched_pair_accuracy.options import Options
from research.studies.levels import GroupScores
from research.studies.redraw import Redrawable, redraw_study


def draw(seed: int, size: int) -> pa.Table:
    """Question rows of draw number `seed`, `size` pairs per level."""
    return split_table("centerbench", "questions", "test", {"seed": seed, "size": size})


def score(answerer: Any, rows: pa.Table) -> Mapping[str, Any]:
    """Result of `matched_pair_accuracy`, question by question; draws stand for its intervals."""
    columns = (rows[name].to_pylist() for name in Question._fields)
    asked = [Question(*row) for row in zip(*columns, strict=True)]
    texts = [answer.text for answer in answerer.predict(asked)]
    inputs = {"predictions": texts, "references": rows}
    return dict(scoring.score(inputs, Options(confidence=None, per_item=True)))


def groups(result: Mapping[str, Any], rows: pa.Table) -> GroupScores:
    """Accuracy on the core questions about each relation: a verb in its domain."""
    names = ("question_type", "domain", "depth", "events")
    asked = zip(*(rows[name].to_pylist() for name in names), strict=True)
    cells: dict[tuple[str, str], list[float]] = {}
    for item, (kind, domain, depth, events) in zip(result["per_item"], asked, strict=True):
        if kind in CORE_TYPES:
            verb = events[-1 - depth]["verb"]["base"]  # events stand innermost first
            cells.setdefault((domain, verb), []).append(float(item["correct"]))
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
