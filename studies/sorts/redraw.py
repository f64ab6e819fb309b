"""How SORTS is drawn again: readers of one cue or two, or parsers, on clauses from other triples."""

from collections.abc import Mapping
from typing import Any

from builders.sorts import VERSION
from builders.sorts.draw import draw
from metrics.subject_object_las import scoring
from metrics.subject_object_las.options import read_options
from studies.redraw import Redrawable, redraw_study


def score(parser: Any, splits: Mapping[str, Any]) -> Mapping[str, float]:
    """LAS of each split."""
    options = read_options(scheme=parser.scheme, confidence=None)
    return {
        f"las_{split}": scoring.score(
            {"predictions": parser.predict(rows), "references": rows}, options
        )["las"]
        for split, rows in splits.items()
    }


SUITE = Redrawable(
    suite="sorts",
    version=lambda: VERSION,
    draw=draw,
    items=lambda splits: [
        " ".join(tokens) for rows in splits.values() for tokens in rows["tokens"]
    ],
    score=score,
    kind="parser",
    systems=("subject-first", "animacy-first", "inflection-first", "inflection-then-animacy"),
    size=(1, "times 18,502 clauses"),
    metrics={"las_part_amb": True, "las_amb": True},
    speaks_of=(
        "Draws take other triples of subject, verb and object through the same word orders and"
        " properties: the answer speaks about other words, not about other constructions."
    ),
)
STUDY = redraw_study(SUITE)
