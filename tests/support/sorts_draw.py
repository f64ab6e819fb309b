"""Draws of SORTS for tests, made once per process; do not change them."""

import functools
from pathlib import Path
from typing import Any

from builders.sorts.draw import draw
from builders.sorts.lexicon import GERMAN

Suite = dict[str, dict[str, list[Any]]]


def default_suite(tables: Path = GERMAN) -> Suite:
    """The columns of both splits of the default draw."""
    return _drawn(1, False, tables)


def lite_suite(tables: Path = GERMAN) -> Suite:
    """The lite subset."""
    return _drawn(None, True, tables)


def four_times_the_size() -> Suite:
    """All that the tables hold, in one suite of four times the size."""
    return _drawn(4, False, GERMAN)


@functools.cache
def _drawn(size: int | None, lite: bool, tables: Path) -> Suite:
    return draw(size=size, lite=lite, tables=tables)
