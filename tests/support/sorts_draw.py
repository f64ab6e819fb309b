"""Draws of SORTS for tests, made once per process; do not change them."""

import functools
from typing import Any

from builders.sorts.draw import draw


@functools.cache
def default_suite() -> dict[str, dict[str, list[Any]]]:
    """The columns of both splits of the default draw."""
    return draw()


@functools.cache
def lite_suite() -> dict[str, dict[str, list[Any]]]:
    """The lite subset."""
    return draw(lite=True)


@functools.cache
def four_times_the_size() -> dict[str, dict[str, list[Any]]]:
    """All that the tables hold, in one suite of four times the size."""
    return draw(size=4)
