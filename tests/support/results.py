"""What tests ask of a result."""

from collections.abc import Mapping
from typing import Any


def picked(row: Mapping[str, Any], *names: str) -> list[Any]:
    """The fields of a row, in the order of their names."""
    return [row[name] for name in names]
