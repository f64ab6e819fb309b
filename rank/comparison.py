"""Two result files of one metric, item by item: is one system better, and where?

Items are paired, and what was sampled together (a family of paradigms, a sentence pair, a triple)
is one cluster: the interval is a studentised bootstrap over clusters, p a sign-flip test of their
sums, with Holm's correction within a table. Both are about further clusters of the same kind.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ground.markdown import markdown_table
from ground.tables import read_bytes, read_table
from metrics.columns import FloatArray, IntArray
from metrics.paradigms import FAMILIES, decided_cluster
from metrics.ranking_generalizability.harness import Row
from metrics.signature import Signature, read_signature
from metrics.significance import holm, sign_flip_test
from metrics.stratified import stratified_interval

KINDS = Path(__file__).parent / "data" / "items.tsv"
MOST_GROUPS = 60
ITEM = "item"  # the cluster of items that no row groups


@dataclass(frozen=True)
class ItemRows:
    """What a metric's rows of items hold, a row of `data/items.tsv`."""

    metric: str
    rows: str
    score: tuple[str, ...]
    cluster: str
    equal: str | None
    by: tuple[str, ...]

    def cluster_of(self, options: Mapping[str, Any]) -> str:
        """What was sampled together, where an option of the metric chooses it."""
        if self.cluster != "family":
            return self.cluster
        chosen = decided_cluster(options.get("cluster"), str(options.get("mode")))
        return "family" if chosen == "family" else "paradigm_id"


@dataclass(frozen=True)
class ScoredItems:
    """A result file: who was scored, by what, and the rows of its items."""

    path: Path
    signature: Signature
    rows: list[Row]

    @property
    def system(self) -> str:
        """Its system, or the file's name."""
        return self.signature.run.get("system", self.path.stem)


@dataclass(frozen=True)
class PairedItems:
    """Items of both results.

    Attributes:
        kind: What their rows hold.
        names: The two systems.
        scores: Shape (2, n).
        cluster: What a cluster is.
        clusters: Number of each item's cluster, shape (n,).
        weights: What each item counts, shape (n,).
        rows: Rows of the first result, for their labels.
        n_left_out: Items that one of them has no score of.
    """

    kind: ItemRows
    names: tuple[str, str]
    scores: FloatArray
    cluster: str
    clusters: IntArray
    weights: FloatArray
    rows: Sequence[Row]
    n_left_out: int


def compare_files(first: Path, second: Path, scores: Sequence[str] = ()) -> dict[str, Any]:
    """The first system less the second, over all items and by table.

    Args:
        first: Result of a metric, JSON, made with `per_item=True`.
        second: Another of the same metric, options and items.
        scores: Columns to be compared, their mean; the usual ones of the metric where empty.

    Returns:
        `systems`, counts, `overall` (a row with both means, the difference, its interval and p) and
        a list of such rows with `p_holm` under each `by_<column>`.

    Raises:
        ValueError: A file is no such result, or the two are not of the same items.
    """
    paired = pair_items(read_items(first), read_items(second), scores)
    everything = np.ones(len(paired.clusters), bool)
    counts = {"n_clusters": len(np.unique(paired.clusters)), "n_left_out": paired.n_left_out}
    found: dict[str, Any] = {
        "systems": list(paired.names),
        "score": " + ".join(scores or paired.kind.score),
        "cluster": paired.cluster,
        "n": len(paired.clusters),
        **counts,
        "overall": compared_row(paired, everything),
    }
    for name in paired.kind.by:
        if rows := group_rows(paired, name):
            found[f"by_{name}"] = rows
    return found


def read_items(path: Path) -> ScoredItems:
    """A result file with rows of items; a ValueError says what it lacks."""
    try:
        found = json.loads(read_bytes(path))
        signature = read_signature(str(found["signature"]))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{path}: signature, got {type(error).__name__}: {error}; expected the JSON of a result"
        ) from None
    rows = found.get(kind_of(path, signature).rows)
    if not isinstance(rows, list) or not rows:
        raise ValueError(f"{path}: rows of items, got none; expected a result of per_item=True")
    return ScoredItems(path, signature, rows)


def kind_of(path: Path, signature: Signature) -> ItemRows:
    """What the rows of a result hold."""
    kinds = {kind.metric: kind for kind in read_table(KINDS, ItemRows)}
    if signature.metric not in kinds:
        raise ValueError(
            f"{path}: metric, got {signature.metric!r}; expected one of {', '.join(kinds)}"
        )
    return kinds[signature.metric]


def pair_items(first: ScoredItems, second: ScoredItems, scores: Sequence[str] = ()) -> PairedItems:
    """Items of two results in the same order, by `id`, else by position.

    Raises:
        ValueError: They are of two metrics, versions, options or draws, or of different items.
    """
    for name in ("metric", "version", "options"):
        a, b = (getattr(one.signature, name) for one in (first, second))
        if a != b:
            raise ValueError(f"{second.path}: {name}, got {b!r}; expected {a!r} as {first.path}")
    kind = kind_of(first.path, first.signature)
    rows = first.rows, _matched(first, second)
    _check_labels(kind, first, second, rows[1])
    columns = scores or kind.score
    values = np.array(
        [_scores(one, table, columns) for one, table in zip((first, second), rows, strict=True)]
    )
    kept = ~np.isnan(values).any(axis=0)
    names = (first.system, second.system)
    if names[0] == names[1]:
        names = (str(first.path), str(second.path))
    chosen = [row for row, is_kept in zip(first.rows, kept, strict=True) if is_kept]
    cluster = kind.cluster_of(first.signature.options)
    if all(row.get(cluster) is None for row in chosen) and cluster != "family":
        cluster = ITEM
    labels = [_label(row, cluster, i) for i, row in enumerate(chosen)]
    numbers = np.unique(labels, return_inverse=True)[1]
    weights = _weights(chosen, kind.equal)
    n_left_out = int((~kept).sum())
    return PairedItems(kind, names, values[:, kept], cluster, numbers, weights, chosen, n_left_out)


def group_rows(paired: PairedItems, name: str) -> list[Row]:
    """One row per value of a column; nothing where it has one value, or too many."""
    labels = [row.get(name) for row in paired.rows]
    groups = sorted(set(labels), key=lambda label: (str(type(label)), label))
    if not 1 < len(groups) <= MOST_GROUPS:
        return []
    rows = [
        {name: group, **compared_row(paired, np.array([label == group for label in labels]))}
        for group in groups
    ]
    for row, p_holm in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = p_holm
    return rows


def compared_row(paired: PairedItems, chosen: Any) -> Row:
    """Both means, the difference with its interval, and p, of chosen items."""
    scores, weights = paired.scores[:, chosen], paired.weights[chosen]
    differences = scores[0] - scores[1]
    numbers = np.unique(paired.clusters[chosen], return_inverse=True)[1]
    sums, sizes = np.bincount(numbers, weights * differences), np.bincount(numbers, weights)
    is_share = bool(((scores >= 0) & (scores <= 1)).all())
    bounds = (-1.0, 1.0) if is_share else None
    interval = stratified_interval(sums, sizes, np.zeros(len(sums), np.int64), bounds=bounds)
    row: Row = {"n": len(differences), "n_clusters": len(sums)}
    first, second, difference = np.average([*scores, differences], axis=1, weights=weights)
    row |= {"first": float(first), "second": float(second), "difference": float(difference)}
    row |= interval.as_fields("difference")
    is_enough = len(sums) > 1
    return row | {"p": sign_flip_test(sums) if is_enough else math.nan}


def comparison_text(found: Mapping[str, Any]) -> str:
    """The comparison in a sentence and tables."""
    a, b = found["systems"]
    row = found["overall"]
    low, high, p = row["difference_low"], row["difference_high"], row["p"]
    ends = f"95 % interval {low:.4f} to {high:.4f}" if not math.isnan(low) else "no interval"
    word = "is not shown to differ from"
    if p < 0.05 and not low <= 0 <= high:
        word = "scores more than" if row["difference"] > 0 else "scores less than"
    opening = (
        f"`{a}` {word} `{b}` in {found['score']}: {row['first']:.4f} against {row['second']:.4f},"
        f" difference {row['difference']:.4f} ({ends}, p = {p:.4f}), {found['n']:,} items in"
        f" {found['n_clusters']:,} clusters ({found['cluster']})."
    )
    if found["n_left_out"]:
        opening += f" {found['n_left_out']:,} items without a score are left out."
    hidden = ("difference_interval",)
    tables = [
        markdown_table(
            [{k: v for k, v in row.items() if k not in hidden} for row in rows], digits=4
        )
        for name, rows in found.items()
        if name.startswith("by_")
    ]
    return "\n".join([opening + "\n", *tables])


def _matched(first: ScoredItems, second: ScoredItems) -> list[Row]:
    """Rows of the second result in the order of the first's."""
    if len(first.rows) != len(second.rows):
        raise ValueError(
            f"{second.path}: items, got {len(second.rows):,}; expected the {len(first.rows):,} of"
            f" {first.path}"
        )
    if "id" not in first.rows[0]:
        return second.rows
    by_id = {row.get("id"): row for row in second.rows}
    if unknown := [row["id"] for row in first.rows if row["id"] not in by_id]:
        raise ValueError(f"{second.path}: id, got none that is {unknown[0]!r}; expected every item")
    return [by_id[row["id"]] for row in first.rows]


def _check_labels(
    kind: ItemRows, first: ScoredItems, second: ScoredItems, rows: Sequence[Row]
) -> None:
    cluster = "paradigm_id" if kind.cluster == "family" else kind.cluster
    is_grouped = any(row.get(cluster) is not None for row in first.rows)
    for number, pair in enumerate(zip(first.rows, rows, strict=True)):
        for name in (cluster, *kind.by):
            a, b = (row.get(name) for row in pair)
            if a is None and name == cluster and is_grouped:
                raise ValueError(
                    f"{first.path}: item {number}: {name}, got none; expected one in every row"
                )
            if a != b:
                raise ValueError(
                    f"{second.path}: item {number}: {name}, got {b!r}; expected {a!r} as in"
                    f" {first.path}: results of the same items in the same order"
                )


def _label(row: Row, cluster: str, place: int) -> str:
    if cluster == ITEM:
        return str(place)
    return str(FAMILIES[row["paradigm_id"] - 1] if cluster == "family" else row[cluster])


def _weights(rows: Sequence[Row], equal: str | None) -> FloatArray:
    """Items of one value of a column share a weight of 1; without a column each item has it."""
    if equal is None:
        return np.ones(len(rows))
    codes = np.unique([row[equal] for row in rows], return_inverse=True)[1]
    return 1 / np.bincount(codes)[codes]


def _scores(one: ScoredItems, rows: Sequence[Row], columns: Sequence[str]) -> list[float]:
    """Mean of the columns, item by item; nan where one of them is undefined."""
    for name in columns:
        if name not in rows[0]:
            numbers = [n for n, v in rows[0].items() if isinstance(v, bool | float)]
            raise ValueError(f"{one.path}: score, got {name!r}; expected of {', '.join(numbers)}")
    return [sum(_number(row.get(n)) for n in columns) / len(columns) for row in rows]


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.nan
