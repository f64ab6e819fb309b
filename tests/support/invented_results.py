"""A result of ERAS whose numbers are made by hand, for tests of what is written of results."""

import datetime
import re
from typing import Any

from builders.eras import SINCE as ERAS_VERSION
from dataset_scripts.headlines import HEADLINES
from metrics._shared.option_fields import Signature
from publish.build.metrics import metric_version

RUN = {
    "suite": "eras",
    "suite_version": ERAS_VERSION,
    "config": "simplified_lite",
    "split": "test",
    "draw": "0",
    "system": "jieba",
}
WHEN = datetime.datetime(2026, 11, 22, tzinfo=datetime.timezone.utc)
METRIC = HEADLINES["eras"].metric


def signature(options: dict[str, Any] | None = None, **run: str) -> str:
    """A signature of jieba on ERAS, with some fields of the run changed or, if "", left out."""
    known = {name: text for name, text in {**RUN, **run}.items() if text}
    return str(Signature(METRIC, metric_version(METRIC), known, {"seed": 0, **(options or {})}))


def eras_result(**changes: Any) -> dict[str, Any]:
    """A result of three paradigms in two families: two right of three, by hand."""
    result: dict[str, Any] = {
        "signature": signature(),
        "pair_accuracy": 2 / 3,
        "pair_accuracy_low": 0.5,
        "pair_accuracy_high": 0.8,
        "pair_accuracy_interval": "Wilson over 2 clusters",
        "pair_accuracy_chance": 0.5,
        "pair_accuracy_above_chance_low": 0.1,
        "n": 150,
        "n_clusters": 2,
        "by_paradigm": [
            {"paradigm_id": 1, "family": 1, "pair_accuracy": 1.0},
            {"paradigm_id": 2, "family": 1, "pair_accuracy": 0.5},
            {"paradigm_id": 3, "family": 2, "pair_accuracy": 0.5},
        ],
    }
    return result | changes


def spoilt_result(
    changes: dict[str, Any], run: dict[str, Any], edited: list[str] | None
) -> dict[str, Any]:
    """The same with other fields, another run in its signature, or a part of that replaced."""
    text = signature(**run)
    return eras_result(**{"signature": re.sub(*edited, text) if edited else text, **changes})
