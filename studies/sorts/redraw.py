"""How SORTS is drawn again.

Readers of one cue or two, or parsers, on clauses from other triples.
"""

from collections.abc import Mapping
from typing import Any

from builders.sorts import VERSION
from builders.sorts.draw import draw
from metrics.subject_object_las import scoring
from metrics.subject_object_las.options import read_options
from studies.redraw import Redrawable, redraw_study


def score(parser: Any, splits: Mapping[str, Any]) -> Mapping[str, float]:
    """Headline, its null and LAS of each split, with intervals; the null is that of `part_amb`."""
    options = read_options(scheme=parser.scheme)
    scores: dict[str, Any] = {}
    for split, rows in splits.items():
        inputs = {"predictions": parser.predict(rows), "references": rows}
        result = scoring.score(inputs, options)
        for name in ("svo_ovs_score", "las", "las_merged"):
            found = {key: result[f"{name}{key}"] for key in ("", "_low", "_high")}
            scores |= {f"{name}_{split}{key}": value for key, value in found.items()}
        if split == "part_amb" and "svo_ovs_score_chance" in result:
            scores["svo_ovs_score_chance"] = result["svo_ovs_score_chance"]
    return scores


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
    metrics={
        "svo_ovs_score_part_amb": True,
        "svo_ovs_score_amb": True,
        "las_part_amb": True,
        "las_amb": True,
    },
    speaks_of=(
        "Draws take other triples of subject, verb and object through the same word orders and"
        " properties: the answer speaks about other words, not about other constructions."
    ),
    n_draws=50,
)
STUDY = redraw_study(SUITE)
