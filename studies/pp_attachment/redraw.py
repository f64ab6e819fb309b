"""How `pp_attachment` is drawn again.

Readers of word order and of topology, or parsers, on other words in the same frames.
"""

from collections.abc import Mapping
from typing import Any

from builders.pp_attachment import VERSION
from builders.pp_attachment.draw import draw
from metrics.pp_attachment_accuracy import scoring
from metrics.pp_attachment_accuracy.options import read_options
from studies.redraw import Redrawable, redraw_study

NAMES = ("topology_pair_accuracy", "contrast_pair_accuracy", "accuracy")
CHANCE = "topology_pair_accuracy_chance"


def score(parser: Any, rows: Mapping[str, Any]) -> Mapping[str, float]:
    """Headline, its null and accuracy of a draw."""
    inputs = {"predictions": parser.predict(rows), "references": rows}
    result = scoring.score(inputs, read_options(scheme=parser.scheme, confidence=None))
    return {name: result[name] for name in (*NAMES, CHANCE)}


SUITE = Redrawable(
    suite="pp_attachment",
    version=lambda: VERSION,
    draw=draw,
    items=lambda rows: [" ".join(tokens) for tokens in rows["tokens"]],
    score=score,
    kind="parser",
    systems=("verb-always", "adjacent-noun", "preposition-majority", "topology-first"),
    size=(8000, "sentences"),
    metrics=dict.fromkeys(NAMES, True),
    speaks_of=(
        "Draws take other words through the same frames and orders: the answer speaks about other"
        " words, not about other verbs, prepositions or constructions."
    ),
)
STUDY = redraw_study(SUITE)
