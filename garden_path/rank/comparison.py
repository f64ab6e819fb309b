"""Two results of one metric, item by item: is one system better, and where?

`metrics._shared.paired_items` pairs the items and says what their difference is worth.
"""

import functools
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ground.markdown import markdown_table
from ground.tables import read_bytes, read_table
from metrics._shared.columns import shown
from metrics._shared.option_fields import Signature, read_signature
from metrics._shared.paired_items import (
    ROWS,
    ItemRow,
    ItemRows,
    ScoredItems,
    compared_row,
    doubts_of,
    group_rows,
    pair_items,
)
from metrics._shared.plain_text import unique_object
from metrics.ranking_generalizability.inputs import in_code

KINDS = Path(__file__).parent / "data" / "items.tsv"
WORD_MEANS = "mean f1 of words"  # in place of the f1 of summed counts
ROUNDING_OF_HEADLINES = 1e-3  # as people keep them


EXPECTED = "the JSON of a result, such as `garden-path score` writes"


def items_of(found: Mapping[str, Any], path: Path) -> ScoredItems:
    """The rows of items of a result; a ValueError, which begins with the path, if it has none."""
    if not isinstance(found, Mapping) or "signature" not in found:
        got = "none" if isinstance(found, Mapping) else f"none in a {type(found).__name__}"
        raise ValueError(f"{path}: signature, got {got}; expected {EXPECTED}")
    try:
        signature = read_signature(str(found["signature"]))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    rows = found.get(kind_of(path, signature).rows)
    if not isinstance(rows, list) or not rows:
        got = f"a {type(rows).__name__}" if rows else "none"
        raise ValueError(f"{path}: rows of items, got {got}; expected a result of per_item=True")
    if wrong := [i for i, row in enumerate(rows) if not isinstance(row, dict)]:
        got = f"{shown(rows[wrong[0]])}; expected an object with its columns"
        raise ValueError(f"{path}: item {wrong[0]}, got {got}")
    kind = kind_of(path, signature, rows)
    return ScoredItems(path, signature, kind, rows, average=str(found.get("average", "")))


class ComparedPair(dict[str, Any]):
    """Two results, the first less the second; `print` shows what may be said of them."""

    def summary(self) -> str:
        """The comparison in a sentence and tables."""
        return comparison_text(self)

    @property
    def headline(self) -> float:
        """The difference in the headline."""
        return float(self["overall"]["difference"])

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<{comparison_text({k: v for k, v in self.items() if k[:3] != 'by_'}).strip()}>"


def compare(first: Any, second: Any, scores: Sequence[str] = ()) -> ComparedPair:
    """The first result less the second, over all items and by table.

    Args:
        first: A `Result`, a metric's result made with `per_item=True`, or a JSON file of one.
        second: Another of the same metric, options and items.
        scores: Columns to be compared, their mean over rows; the metric's headline where empty.

    Returns:
        `systems`, counts, `warnings` (what the interval is to be read with), `overall` (a row with
        both means, the difference, its interval and p) and a list of such rows with `p_holm` under
        each `by_<column>`.

    Raises:
        ValueError: One is no such result, or the two are not of the same items.
        FileNotFoundError: There is no such file.
    """
    are_files = isinstance(first, str | Path) and isinstance(second, str | Path)
    if are_files and Path(first).resolve() == Path(second).resolve():
        raise ValueError(f"{second}: the second result, got the first one's file; expected another")
    one, other = _scored_items(first), _scored_items(second)
    paired = pair_items(one, other, scores)
    headline = WORD_MEANS if one.average == "corpus" else paired.kind.headline
    found = ComparedPair(
        systems=list(paired.names),
        score=" + ".join(scores) or headline,
        cluster=paired.cluster,
        n=len(paired.clusters),
        n_clusters=len(np.unique(paired.clusters)),
        n_left_out=paired.n_left_out,
        warnings=[*doubts_of(paired), *_unsaid(one, other)],
        overall=compared_row(paired, np.ones(len(paired.clusters), bool)),
    )
    for name in paired.kind.by:
        if rows := group_rows(paired, name):
            found[f"by_{name}"] = rows
    return found


def _scored_items(given: Any) -> ScoredItems:
    if not isinstance(given, str | Path):
        found, path = getattr(given, "whole", given), Path(getattr(given, "system", "result"))
        return _checked(items_of(found, path), found)
    path = Path(given)
    if path.is_dir():
        raise ValueError(f"{path}: result, got a folder; expected {EXPECTED}")
    if not path.exists():
        raise FileNotFoundError(f"{path}: result, got no such file; expected {EXPECTED}")
    try:
        found = json.loads(read_bytes(path), object_pairs_hook=unique_object)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: JSON, got {error}; expected {EXPECTED}") from None
    return _checked(items_of(found, path), found)


def _checked(one: ScoredItems, found: Mapping[str, Any]) -> ScoredItems:
    """The items of a result, if they make its headline: one of both may have been changed."""
    name = one.kind.headline
    told = found.get(name)
    if isinstance(told, int | float) and told == told and one.average != "corpus":
        paired = pair_items(one, one)
        made = float(np.average(paired.scores[0], weights=paired.weights))
        if not math.isclose(told, made, abs_tol=ROUNDING_OF_HEADLINES):
            got = f"{told:.4f} beside rows of items that make {made:.4f}"
            raise ValueError(f"{one.path}: {name}, got {got}; expected a result as it was written")
    return one


def _unsaid(*both: ScoredItems) -> Iterator[str]:
    """What only one of two results says of its items, which are taken as the same."""
    for one, other in (both, both[::-1]):
        if names := [n for n in ROWS if n in one.signature.run and n not in other.signature.run]:
            yield f"{other.path} does not say its {', '.join(names)}: taken as that of {one.path}."


def item_table(metric: str) -> str:
    """The table of a metric's result that holds its items; "" where it has none."""
    return next((kind.rows for kind in item_kinds() if kind.metric == metric), "")


@functools.cache
def item_kinds() -> Sequence[ItemRows]:
    """What the rows of items of each metric hold."""
    return read_table(KINDS, ItemRows)


def kind_of(path: Path, signature: Signature, rows: Sequence[ItemRow] = ()) -> ItemRows:
    """What the rows of a result hold; of several ways, the first whose columns they have."""
    kinds = [kind for kind in item_kinds() if kind.metric == signature.metric]
    if not kinds:
        known = ", ".join(dict.fromkeys(kind.metric for kind in item_kinds()))
        raise ValueError(f"{path}: metric, got {signature.metric!r}; expected one of {known}")
    return next((kind for kind in kinds if rows and {*kind.score} <= rows[0].keys()), kinds[0])


def comparison_text(found: Mapping[str, Any]) -> str:
    """The comparison in a sentence and tables."""
    a, b = found["systems"]
    row = found["overall"]
    low, high, p = row["difference_low"], row["difference_high"], row["p"]
    headlines = {WORD_MEANS, *(one.headline for one in item_kinds())}
    units = ("%", "points") if found["score"] in headlines else ("", "")
    show, apart = (functools.partial(_shown, unit=unit) for unit in units)
    ends = f"95 % interval {apart(low)} to {apart(high)}" if not math.isnan(low) else "no interval"
    word = "is not shown to differ from"
    if low > 0 or high < 0:  # p stands beside it
        word = "scores more than" if row["difference"] > 0 else "scores less than"
    opening = (
        f"{in_code(a)} {word} {in_code(b)} in {found['score']}: {show(row['first'])} against"
        f" {show(row['second'])}, difference {apart(row['difference'])} ({ends}, p = {p:.4f}),"
        f" {found['n']:,} items in {found['n_clusters']:,} clusters ({found['cluster']})."
    )
    if found["n_left_out"]:
        opening += f" Left out without a score: {found['n_left_out']:,}."
    opening = " ".join([opening, *found["warnings"]])
    tables = [
        markdown_table([_shown_cells(row, show, apart) for row in rows], digits=4)
        for name, rows in found.items()
        if name.startswith("by_")
    ]
    return "\n".join([opening + "\n", *tables])


def _shown_cells(
    row: ItemRow, show: Callable[[float], str], apart: Callable[[float], str]
) -> ItemRow:
    ways = {"first": show, "second": show}
    ways |= dict.fromkeys(("difference", "difference_low", "difference_high"), apart)
    cells = {k: v for k, v in row.items() if k != "difference_interval"}
    return {k: ways[k](v) if k in ways and v == v else v for k, v in cells.items()}


def _shown(value: float, unit: str = "") -> str:
    return f"{100 * value:.1f} {unit}" if unit else f"{value:.4f}"
