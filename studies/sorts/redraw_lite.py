"""How the lite subset of SORTS is drawn again: parsers, which whole suites would keep for hours.

Five clauses of one item of each base triple, as in the config `conll_lite`, of other draws.
"""

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from builders.sorts.design import Split
from builders.sorts.draw import draw as whole_draw
from studies.redraw import redraw_study
from studies.sorts.redraw import SUITE as WHOLE
from studies.sorts.redraw import score

SPLIT: Split = "part_amb"


def draw(seed: int, size: int) -> Mapping[str, Any]:
    """Lite clauses of `part_amb`, the headline's split; `size` is 1, since lite has no other.

    Raises:
        ValueError: Another size.
    """
    if size != 1:
        raise ValueError(f"sorts redraw_lite: size, got {size}; expected 1: lite has no other")
    return {SPLIT: whole_draw(seed, None, lite=True)[SPLIT]}


SUITE = dataclasses.replace(
    WHOLE,
    draw=draw,
    score=functools.partial(score, confidence=None),
    systems=("subject-first", "animacy-first", "inflection-first", "inflection-then-animacy"),
    size=(1, f"times the lite clauses of {SPLIT}"),
    metrics={f"svo_ovs_score_{SPLIT}": True, f"las_{SPLIT}": True},
    n_draws=20,
    module="redraw_lite",
)
STUDY = redraw_study(SUITE)
