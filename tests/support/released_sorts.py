"""The authors' edition of SORTS, read once for all tests that need it."""

import functools
from pathlib import Path

from builders.sorts.released import Tables, released_tables


@functools.cache
def sorts_tables(folder: Path) -> Tables:
    return released_tables(folder / "sorts")
