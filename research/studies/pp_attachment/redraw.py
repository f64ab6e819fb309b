"""How `pp_attachment` is drawn again: readers or parsers on other words in the same frames."""

from collections.abc import Mapping
from typing import Any

from builders.pp_attachment import DRAW
from builders.pp_attachment.draw import draw
from metrics.pp_attachment_accuracy import scoring
from metrics.pp_attachment_accuracy.inputs import read_attachments
from metrics.pp_attachment_accuracy.options import read_options
from metrics.pp_attachment_accuracy.scoring import decided_pairs
from research.studies.levels import GroupScores
from research.studies.redraw import Redrawable, redraw_study

NAMES = ("beyond_order_pair_accuracy", "topology_pair_accuracy", "accuracy")
CHANCE = "beyond_order_pair_accuracy_chance"


def score(parser: Any, rows: Mapping[str, Any]) -> Mapping[str, Any]:
    """Headline, its null and accuracy of a draw, and what was right in every sentence."""
    inputs = {"predictions": parser.predict(rows), "references": rows}
    result = scoring.score(
        inputs, read_options(scheme=parser.scheme, confidence=None, per_item=True)
    )
    return {name: result[name] for name in (*NAMES, CHANCE, "per_item")}


def groups(result: Mapping[str, Any], rows: Mapping[str, Any]) -> GroupScores:
    """Share of each frame's pairs beyond order, under its preposition, that are wholly right."""
    pairs = decided_pairs(read_attachments("pp_attachment redraw: a draw", rows))
    counted = pairs.members[pairs.is_beyond_order]
    cells: dict[tuple[str, str], list[bool]] = {}
    for members in counted.tolist():
        both = [result["per_item"][place] for place in members]
        label = (rows["preposition"][members[0]], both[0]["family"])
        cells.setdefault(label, []).append(all(item["is_right"] for item in both))
    return GroupScores.of(cells)


SUITE = Redrawable(
    suite="pp_attachment",
    version=lambda: DRAW,
    draw=draw,
    items=lambda rows: [" ".join(tokens) for tokens in rows["tokens"]],
    score=score,
    kind="parser",
    systems=("random-candidate", "adjacent-noun", "preposition-majority", "topology-first"),
    size=(2000, "sentences"),
    metrics=dict.fromkeys(NAMES, True),
    speaks_of=(
        "Draws take other words through the same frames and orders: the answer speaks about other"
        " words, not about other verbs, prepositions or constructions."
    ),
    levels=("preposition", "frame"),
    drawn="frame",
    groups=groups,
)
STUDY = redraw_study(SUITE)
