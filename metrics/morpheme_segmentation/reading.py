"""Predictions and golds of any column type as plain lists of morphemes, checked."""

from typing import Any

from ..columns import to_list
from .matching import Segmentation

WHERE = "morpheme_segmentation"


def read_predictions(column: Any) -> list[list[str]]:
    """One segmentation per word; an empty one is a word without an answer.

    Raises:
        TypeError: A segmentation is a string, or holds something else than strings.
        ValueError: A morpheme is empty.
    """
    return [_segmentation(f"predictions[{i}]", value) for i, value in enumerate(to_list(column))]


def read_golds(column: Any) -> list[list[Segmentation]]:
    """One or more golds per word, each of at least one morpheme.

    Raises:
        TypeError: A gold is a string, or holds something else than strings.
        ValueError: A word has no gold, or a gold or a morpheme is empty.
    """
    return [_golds(f"references[{i}]", value) for i, value in enumerate(to_list(column))]


def _segmentation(where: str, value: Any) -> list[str]:
    if isinstance(value, str | bytes):
        raise TypeError(f"{WHERE}: {where}, got the string {value!r}; expected a list of morphemes")
    morphemes = to_list(value)
    for morpheme in morphemes:
        if not isinstance(morpheme, str):
            kind = type(morpheme).__name__
            raise TypeError(f"{WHERE}: {where}, got {kind} among the morphemes; expected strings")
        if not morpheme:
            raise ValueError(
                f"{WHERE}: {where}, got an empty morpheme in {morphemes!r}; "
                "expected non-empty strings"
            )
    return morphemes


def _golds(where: str, value: Any) -> list[Segmentation]:
    items = [value] if isinstance(value, str | bytes) else to_list(value)
    if not items:
        raise ValueError(
            f"{WHERE}: {where}, got no gold; expected a list of morphemes or a list of such lists"
        )
    is_one = isinstance(items[0], str)
    golds: list[Segmentation] = (
        [_segmentation(where, value)] if is_one else [_segmentation(where, item) for item in items]
    )
    if not all(golds):
        raise ValueError(f"{WHERE}: {where}, got an empty gold; expected at least one morpheme")
    return golds
