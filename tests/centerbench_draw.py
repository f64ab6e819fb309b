"""The default draw of CenterBench for tests, made once per process: question rows and the events of each sentence."""

import functools
from typing import Any

from dataset_scripts.centerbench import CenterBench


@functools.cache
def question_rows() -> list[dict[str, Any]]:
    """The 9,720 rows of the default draw; do not change them."""
    builder = CenterBench(config_name="questions", dataset_name="centerbench", cache_dir="unused")
    return list(builder.split_tables()["test"].to_pylist())


@functools.cache
def sentences_by_condition() -> dict[str, list[list[dict[str, Any]]]]:
    """The events of the 180 plausible and the 180 implausible sentences, in pairs by position."""
    events = {(row["condition"], row["pair_id"]): row["events"] for row in question_rows()}
    return {name: [events[key] for key in sorted(events) if key[0] == name] for name in ("plausible", "implausible")}
