"""Rows of ERAS that are compared with a private draw: the lite pairs in simplified script."""

from studies.contamination import TwoDraws, contamination_study
from studies.eras.redraw import score

SUITE = TwoDraws(
    suite="eras",
    config="simplified_lite",
    split="test",
    known="simplified",
    text="test",
    group="id",
    kind="segmenter",
    systems=("jieba", "maxmatch"),
    score=score,
    has_same_clusters=True,
    speaks_of=(
        "All draws share the 39 paradigms with their sites and the words of the slots: a system"
        " that has learnt these is not found, only one that has learnt sentences."
    ),
)
STUDY = contamination_study(SUITE)
