"""How `pp_attachment` is drawn again.

Readers of word order and of topology, or parsers, on other words in the same frames.
"""

from collections.abc import Mapping
from statistics import fmean
from typing import Any

import numpy as np

from builders.pp_attachment import VERSION
from builders.pp_attachment.draw import draw
from metrics.pp_attachment_accuracy import scoring
from metrics.pp_attachment_accuracy.inventory import TOPOLOGY, UNDECIDED
from metrics.pp_attachment_accuracy.options import read_options
from studies.levels import GroupScores
from studies.redraw import Redrawable, redraw_study

NAMES = ("topology_pair_accuracy", "contrast_pair_accuracy", "accuracy")
CHANCE = "topology_pair_accuracy_chance"


def score(parser: Any, rows: Mapping[str, Any]) -> Mapping[str, Any]:
    """Headline, its null and accuracy of a draw, and what was right in every sentence."""
    inputs = {"predictions": parser.predict(rows), "references": rows}
    result = scoring.score(
        inputs, read_options(scheme=parser.scheme, confidence=None, per_item=True)
    )
    return {name: result[name] for name in (*NAMES, CHANCE, "per_item")}


def groups(result: Mapping[str, Any], rows: Mapping[str, Any]) -> GroupScores:
    """Share of the topology pairs of each frame, under its preposition, that are wholly right."""
    pairs: dict[str, list[int]] = {}
    for place, item in enumerate(result["per_item"]):
        if item["pair_factor"] == TOPOLOGY:
            pairs.setdefault(item["pair_id"], []).append(place)
    cells: dict[tuple[str, str], list[bool]] = {}
    for members in pairs.values():
        both = [result["per_item"][place] for place in members]
        if len(both) == 2 and not any(item["resolved_by"] in UNDECIDED for item in both):
            label = (rows["preposition"][members[0]], both[0]["family"])
            cells.setdefault(label, []).append(all(item["is_right"] for item in both))
    return GroupScores(
        list(cells),
        np.array([len(values) for values in cells.values()], float),
        np.array([fmean(values) for values in cells.values()]),
    )


SUITE = Redrawable(
    suite="pp_attachment",
    version=lambda: VERSION,
    draw=draw,
    items=lambda rows: [" ".join(tokens) for tokens in rows["tokens"]],
    score=score,
    kind="parser",
    systems=("verb-always", "adjacent-noun", "preposition-majority", "topology-first"),
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
