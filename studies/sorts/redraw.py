"""How SORTS is drawn again.

Readers of one cue or two, or parsers, on clauses from other triples.
"""

from collections.abc import Mapping
from statistics import fmean
from typing import Any

import numpy as np

from builders.sorts import VERSION
from builders.sorts.draw import draw
from metrics.subject_object_las import scoring
from metrics.subject_object_las.comparison import ROLES
from metrics.subject_object_las.inventory import OVS, SVO, UNDECIDED
from metrics.subject_object_las.options import read_options
from studies.levels import GroupScores
from studies.redraw import Redrawable, redraw_study


def score(
    parser: Any, splits: Mapping[str, Any], confidence: float | None = 0.95
) -> Mapping[str, Any]:
    """Headline and LAS of each split, with intervals at a level, and the null of `part_amb`."""
    options = read_options(scheme=parser.scheme, per_item=True, confidence=confidence)
    scores: dict[str, Any] = {}
    for split, rows in splits.items():
        inputs = {"predictions": parser.predict(rows), "references": rows}
        result = scoring.score(inputs, options)
        for name in ("svo_ovs_score", "las", "las_merged"):
            ends = ("",) if confidence is None else ("", "_low", "_high")
            found = {key: result[f"{name}{key}"] for key in ends}
            scores |= {f"{name}_{split}{key}": value for key, value in found.items()}
        if split == "part_amb" and "svo_ovs_score_chance" in result:
            scores["svo_ovs_score_chance"] = result["svo_ovs_score_chance"]
            scores["per_item"] = result["per_item"]
    return scores


def groups(result: Mapping[str, Any], splits: Mapping[str, Any]) -> GroupScores:
    """Share of the items of each triple in `part_amb` that count for the headline and are right."""
    items: dict[str, list[Mapping[str, Any]]] = {}
    for row in result["per_item"]:
        items.setdefault(row["item_id"], []).append(row)
    cells: dict[str, list[bool]] = {}
    for rows in items.values():
        both = {row["word_order"]: row for row in rows if row["word_order"] in (SVO, OVS)}
        if len(both) == 2 and not any(row["resolved_by"] in UNDECIDED for row in rows):
            right = all(row[f"is_{role}_right"] for row in both.values() for role in ROLES)
            cells.setdefault(rows[0]["triple_id"], []).append(right)
    return GroupScores(
        [(triple.partition("/")[0], triple) for triple in cells],
        np.array([len(values) for values in cells.values()], float),
        np.array([fmean(values) for values in cells.values()]),
    )


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
    levels=("family", "triple"),
    drawn="triple",
    groups=groups,
)
STUDY = redraw_study(SUITE)
