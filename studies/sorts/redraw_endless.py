"""SORTS drawn again from an endless supply: do its intervals say how far scores spread?

    python -m studies sorts redraw_endless

An interval of `subject_object_las` speaks of all triples that could be asked for. Draws of the
suite are no such samples: each takes a quarter of the tables' triples, none twice, so that they
differ less from each other. Here the triples of a draw come with replacement.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from builders.sorts.draw import draw_endless
from studies.redraw import redraw_study
from studies.sorts.redraw import SUITE as OF_THE_TABLES


def draw(seed: int, size: int) -> Mapping[str, Any]:
    """Both splits from triples with replacement; `size` is 1.

    Raises:
        ValueError: Another size.
    """
    if size != 1:
        raise ValueError(f"sorts redraw_endless: size, got {size}; expected 1")
    return {str(split): columns for split, columns in draw_endless(seed).items()}


SUITE = dataclasses.replace(
    OF_THE_TABLES,
    draw=draw,
    module="redraw_endless",
    speaks_of=(
        "Draws take their triples with replacement, as from an endless supply like the tables: what"
        " intervals speak of."
    ),
    n_draws=200,  # a standard deviation of 50 draws is known to a fifth of it, of 200 to a tenth
    levels=(),  # its triples are numbered by place, so that no group comes twice
    drawn="",
    groups=None,
)
STUDY = redraw_study(SUITE)
