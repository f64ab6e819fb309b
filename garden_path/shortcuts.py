"""What a system has over a shortcut on the same items: the paired difference and its test.

Scores of items of the shortcuts lie in `cards/results/SUITE/items/shortcuts.json`, which
`python -m research shortcuts --write` makes: a number for each item of a test, in the order of the
rows' ids, and a digest of what was asked. A reader that ties has the share in which it is right. A
result on other rows is not compared.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders.reference_lines import kept_items
from builders.suites import SuiteTest
from garden_path.rank.comparison import (
    ScoredItems,
    compared_row,
    doubts_of,
    items_of,
    kind_of,
    pair_items,
)

UNDEFINED = "-"


@dataclass(frozen=True)
class OverShortcut:
    """A system less another on the same items, in the headline.

    Attributes:
        other: The name of the other.
        own, theirs: The headline of each on these items.
        value: The difference of the two.
        low, high: Ends of its 95 % interval over clusters, see `comparison`; nan where it is
            undefined.
        n, n_clusters: Numbers of items and of what was sampled together.
        cluster: What that is.
        p: Of the difference.
        warnings: What the interval is to be read with.
    """

    other: str
    own: float
    theirs: float
    value: float
    low: float
    high: float
    n: int
    n_clusters: int
    cluster: str
    p: float = math.nan
    warnings: Sequence[str] = ()

    @property
    def sign(self) -> int:
        """1 or -1 where the whole interval is above or below 0, else 0."""
        return int(self.low > 0) - int(self.high < 0)


def digest_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """SHA-256 of what rows are, in whatever order they come."""
    lines = sorted(json.dumps(row, sort_keys=True, ensure_ascii=False, default=str) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def difference(first: ScoredItems, second: ScoredItems) -> OverShortcut:
    """The first result less the second, over the items that the headline counts.

    Raises:
        ValueError: They are not of the same metric, options and items.
    """
    paired = pair_items(first, second)
    row = compared_row(paired, [True] * len(paired.clusters))
    ends = row["difference_low"], row["difference_high"]
    sizes = row["n"], row["n_clusters"]
    values = row["first"], row["second"], row["difference"]
    told = {"p": row["p"], "warnings": doubts_of(paired)}
    return OverShortcut(second.system, *values, *ends, *sizes, paired.cluster, **told)


def over_shortcut(
    name: str,
    test: SuiteTest,
    result: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    asked: Sequence[str],
) -> OverShortcut | None:
    """A result less a shortcut on the same items; None where its items are not known.

    Args:
        name: The shortcut.
        test: The test.
        result: A result of its metric, made with `per_item=True`.
        rows: All rows of the test.
        asked: Ids of the rows that the result is of, in its order.
    """
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
    return difference(first, ScoredItems(Path(name), first.signature, theirs, name))


def kept_scores(result: Mapping[str, Any], ids: Sequence[str]) -> dict[str, str]:
    """The columns of a result's items that the headline is made of, as they are kept."""
    items = items_of(result, Path("result"))
    order = sorted(range(len(ids)), key=ids.__getitem__)
    columns = kind_of(items.path, items.signature, items.rows).score
    return {name: kept_cells([items.rows[i][name] for i in order]) for name in columns}


def kept_cells(values: Sequence[float | None]) -> str:
    """Numbers of items as a text: digits side by side, other numbers between blanks.

    Example:
        >>> kept_cells([1.0, None, 0.0]), kept_cells([0.5, None, 1.0])
        ('1-0', '0.5 - 1')
    """
    cells = [UNDEFINED if one is None or one != one else f"{float(one):.4g}" for one in values]
    return ("" if all(len(cell) == 1 for cell in cells) else " ").join(cells)


def read_cells(text: str) -> list[float]:
    """The numbers that `kept_cells` wrote; nan where there is none."""
    cells = text.split() if " " in text else text
    return [math.nan if cell == UNDEFINED else float(cell) for cell in cells]
