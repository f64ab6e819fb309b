"""The strict scorer's verdict alone."""

from typing import Any

from metrics.matched_pair_accuracy.decisions import judge


def is_correct(*asked: Any, **options: Any) -> bool:
    """Whether a reply answers one question of a sentence; arguments as in `judge`."""
    return judge(*asked, **options).is_right
