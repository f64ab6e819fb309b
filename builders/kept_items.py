"""Scores of items of the shortcuts, as `cards/results/SUITE/items/shortcuts.json` keeps them.

`python -m research shortcuts --write` makes the file: a number for each item of a test, in the
order of the rows' ids, and a digest of what was asked. A reader that ties has the share in which it
is right.
"""

import functools
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from builders.suites import SuiteTest
from ground.paths import RESULTS

UNDEFINED = "-"


def kept_items(test: SuiteTest) -> Mapping[str, Any]:
    """Version of the metric, digest, scores and scores of items by system; {} for none."""
    kept = read_result(RESULTS / test.suite / "items" / "shortcuts.json").get("tests", {})
    return dict(kept.get(f"{test.kind}/{test.name}", {}))


@functools.cache
def read_result(path: Path) -> Mapping[str, Any]:
    """A file of JSON that a run wrote; {} for none."""
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def digest_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """SHA-256 of what rows are, in whatever order they come."""
    lines = sorted(json.dumps(row, sort_keys=True, ensure_ascii=False, default=str) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read_cells(text: str) -> list[float]:
    """The numbers that `kept_cells` wrote; nan where there is none."""
    cells = text.split() if " " in text else text
    return [math.nan if cell == UNDEFINED else float(cell) for cell in cells]
