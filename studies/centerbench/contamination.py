"""Questions of CenterBench that are compared with a private draw: the lite ones."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from metrics.matched_pair_accuracy.options import Options
from studies.centerbench.redraw import score as score_answers
from studies.contamination import TwoDraws, contamination_study


def score(answerer: Any, rows: pa.Table) -> Mapping[str, Any]:
    """Result of `matched_pair_accuracy`, with intervals."""
    return score_answers(answerer, rows, Options())


SUITE = TwoDraws(
    suite="centerbench",
    config="questions_lite",
    split="test",
    known="questions",
    text="sentence",
    group="pair_id",
    kind="answerer",
    systems=("structure", "linear-order"),
    score=score,
    has_same_clusters=False,
    speaks_of=(
        "Draws take other sentences from the same knowledge base: a model that has learnt its nouns"
        " and verbs is not found, only one that has learnt questions or sentences."
    ),
)
STUDY = contamination_study(SUITE)
