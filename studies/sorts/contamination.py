"""Clauses of SORTS that are compared with a private draw: the lite ones whose case is ambiguous."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from metrics.subject_object_las import scoring
from metrics.subject_object_las.options import read_options
from studies.contamination import TwoDraws, contamination_study


def score(parser: Any, rows: pa.Table) -> Mapping[str, Any]:
    """Result of `subject_object_las`."""
    clauses = rows.to_pydict()  # readers take plain numbers
    inputs = {"predictions": parser.predict(clauses), "references": clauses}
    return scoring.score(inputs, read_options(scheme=parser.scheme))


SUITE = TwoDraws(
    suite="sorts",
    config="conll_lite",
    split="part_amb",
    known="conll",
    text="tokens",
    group="item_id",
    kind="parser",
    systems=("subject-first", "inflection-first"),
    score=score,
    has_same_clusters=False,
    speaks_of=(
        "Draws take other triples through the same word orders; words recur, so that a parser that"
        " has learnt the words is not found, only one that has learnt clauses."
    ),
)
STUDY = contamination_study(SUITE)
