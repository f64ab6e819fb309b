"""What a system has over a shortcut on the same items: the paired difference and its test.

A result on other rows than those of the shortcut's kept items is not compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from builders.reference_lines import digest_of, kept_items, read_cells
from builders.suites import SuiteTest
from garden_path.rank.comparison import items_of
from metrics._shared.paired_items import compared_row, doubts_of, pair_items

OF_ROW = {"own": "first", "theirs": "second", "value": "difference"}
OF_ROW |= {"low": "difference_low", "high": "difference_high"}
OF_ROW |= {name: name for name in ("n", "n_clusters", "p")}


@dataclass(frozen=True)
class OverShortcut:
    """A system less another on the same items: both headlines, their difference, ends and p.

    The interval has 95 % and is over clusters, see `paired_items`; nan where it is undefined.
    """

    own: float
    theirs: float
    value: float
    low: float
    high: float
    n: int
    n_clusters: int
    p: float
    cluster: str
    warnings: Sequence[str]

    @property
    def sign(self) -> int:
        """1 or -1 where the whole interval is above or below 0, else 0."""
        return int(self.low > 0) - int(self.high < 0)


def over_shortcut(
    name: str,
    test: SuiteTest,
    result: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    asked: Sequence[str],
) -> OverShortcut | None:
    """A result, of the ids `asked`, less a shortcut on the same items; None if they are unknown."""
    kept = kept_items(test)
    if name not in kept.get("systems", ()) or kept["digest"] != digest_of(rows):
        return None
    first = items_of(result, Path("result"))
    if first.signature.version != kept["version"] or len(first.rows) != len(asked):
        return None
    place = {one: i for i, one in enumerate(sorted(row["id"] for row in rows))}
    columns = {column: read_cells(text) for column, text in kept["systems"][name].items()}
    theirs = [
        {**row, **{column: cells[place[one]] for column, cells in columns.items()}}
        for row, one in zip(first.rows, asked, strict=True)
    ]
    paired = pair_items(first, replace(first, path=Path(name), rows=theirs, name=name))
    row = compared_row(paired, np.ones(len(paired.clusters), bool))
    values = {name: row[one] for name, one in OF_ROW.items()}
    return OverShortcut(**values, cluster=paired.cluster, warnings=doubts_of(paired))
