"""What tests ask of a result, or of columns."""

from collections.abc import Iterator, Mapping
from typing import Any


def picked(row: Mapping[str, Any], *names: str) -> list[Any]:
    """The fields of a row, in the order of their names."""
    return [row[name] for name in names]


def across(columns: Mapping[str, Any], *names: str) -> Iterator[tuple[Any, ...]]:
    """The cells of some columns, a row at a time."""
    return zip(*(columns[name] for name in names), strict=True)
