"""How ERAS is drawn again.

Word segmenters on pairs over a sampled half of the words of every slot.
"""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from builders.eras import VERSION
from builders.eras.assembly import pair_table
from builders.eras.draw import draw_from_sample
from metrics.garden_path_accuracy import scoring
from studies.redraw import Redrawable, redraw_study

SHARE_OF_WORDS = 0.5


def draw(seed: int, size: int) -> pa.Table:
    """Pairs of draw number `seed`, `size` per paradigm, over half of every slot's words."""
    return pair_table(draw_from_sample(seed, size, SHARE_OF_WORDS), "simplified")


def score(segmenter: Any, pairs: pa.Table) -> Mapping[str, Any]:
    """Result of `garden_path_accuracy`."""
    sides = (segmenter.predict(pairs[side].to_pylist()) for side in ("test", "control"))
    words = list(zip(*sides, strict=True))
    result: dict[str, Any] = scoring.score({"predictions": words, "references": pairs})
    return result


SUITE = Redrawable(
    suite="eras",
    version=lambda: str(VERSION),
    draw=draw,
    items=lambda pairs: pairs["test"].to_pylist(),
    score=score,
    kind="segmenter",
    systems=("jieba", "jieba-no-hmm", "maxmatch", "maxmatch-backward", "thulac"),
    size=(200, "pairs per paradigm"),
    metrics={"pair_accuracy": True, "test_accuracy": True, "garden_path_rate": False},
    speaks_of=(
        "Draws share their 39 paradigms and differ in fillers only, each taking a sampled half of"
        " every slot's words: the answer speaks about other words in the same templates, not about"
        " other ambiguities."
    ),
)
STUDY = redraw_study(SUITE)
