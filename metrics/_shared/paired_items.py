"""Two results of one metric, item by item: the difference of their scores and what it is worth.

Items are paired, and what was sampled together (a family of paradigms, a sentence pair, a triple)
is one cluster. The interval is Student's over clusters, around the difference that half a cluster
of each sign is added to: near a ceiling few clusters differ, and those that a study missed would
count for nothing. p is a sign-flip test of their sums, with Holm's correction within a table. Both
are about further clusters of the same kind. Where clusters share nouns and verbs, items are linked
by each of these too (two-way), in the interval and in p, which is Student's then.

Source: Agresti & Min (2005) on the half of each sign; Cameron, Gelbach & Miller (2011) on linked
clusters.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .cluster_tables import Linked, linked_by
from .columns import LARGEST, FloatArray, IntArray, check_ids, is_missing, shown
from .option_fields import Signature
from .paradigms import FAMILIES, decided_cluster
from .stratified import stratified_interval
from .uncertainty import (
    Interval,
    holm,
    ratio_and_error,
    sign_flip_test,
    student_probability,
    student_quantile,
    undefined_interval,
)

ItemRow = dict[str, Any]
MOST_GROUPS = 60
ITEM = "item"  # the cluster of items that no row groups
ROWS = ("suite", "edition", "suite_version", "config", "split", "draw")  # of a run: its items
SMALLEST_P = 0.0001  # as that of 10,000 sign flips
ADDED = 0.5  # clusters of each sign
ARGUMENTS = ("subject", "verb", "object")
FEWEST_APART = 4.0  # what linked items must be worth, in independent ones
ROUNDING = 1e-9  # by which the mean of shares may exceed 1
OF_CHOSEN = "n_gold"  # of the one of several golds that is nearest to a prediction
UNEQUAL = 0.5  # clusters are worth fewer than this share of their number


@dataclass(frozen=True)
class ItemRows:
    """What a metric's rows of items hold, a row of `items.tsv` beside the command."""

    metric: str
    rows: str
    headline: str
    score: tuple[str, ...]
    how: Literal["mean", "all", "gain", "sign"]
    item: str | None
    where: str | None
    without: str | None
    cluster: str
    equal: str | None
    by: tuple[str, ...]

    def cluster_of(self, options: Mapping[str, Any]) -> str:
        """What was sampled together, where an option of the metric chooses it."""
        if options.get("clusters") == "family":
            return "family"
        if self.cluster != "family":
            return self.cluster
        chosen = decided_cluster(options.get("cluster"), str(options.get("mode")))
        return "family" if chosen == "family" else "paradigm_id"


@dataclass(frozen=True)
class ScoredItems:
    """A result: where it is from, by what it was scored, what its rows of items hold, and whose."""

    path: Path
    signature: Signature
    kind: ItemRows
    rows: list[ItemRow]
    name: str = ""
    average: str = ""  # of morphemes: over words, or of the corpus

    @property
    def system(self) -> str:
        """Its system, or the file's name."""
        return self.name or self.signature.run.get("system", self.path.stem)


@dataclass(frozen=True)
class PairedItems:
    """Items of both results."""

    kind: ItemRows
    names: tuple[str, str]
    scores: FloatArray  # shape (2, n)
    cluster: str  # what a cluster is
    clusters: IntArray  # numbers from 0, shape (n,)
    weights: FloatArray  # shape (n,)
    rows: Sequence[ItemRow]
    n_left_out: int  # items that one of them has no score of


def pair_items(first: ScoredItems, second: ScoredItems, scores: Sequence[str] = ()) -> PairedItems:
    """Items of two results in the same order, by `id`, else by position.

    A ValueError where they are of two metrics, versions, options or draws, or of different items.
    """
    for name in ("metric", "version", "options"):
        a, b = (getattr(one.signature, name) for one in (first, second))
        if a != b:
            raise ValueError(f"{second.path}: {name}, got {b!r}; expected {a!r} as {first.path}")
    for name in ROWS:
        a, b = (one.signature.run.get(name) for one in (first, second))
        if a and b and a != b:
            expected = f"{a!r} as {first.path}: results of the same items"
            raise ValueError(f"{second.path}: {name}, got {b!r}; expected {expected}")
    for one in (first, second):
        _check_cells(one)
    kind, rows = first.kind, (first.rows, _matched(first, second))
    _check_labels(first, second, rows[1])
    columns, how = scores or kind.score, "mean" if scores else kind.how
    numbers = [_numbers(one, t, columns) for one, t in zip((first, second), rows, strict=True)]
    items = [[i] for i in range(len(first.rows))] if scores else headline_items(first)
    values = np.array([[_SCORES[how](of[places]) for places in items] for of in numbers])
    kept = ~np.isnan(values).any(axis=0)
    if not kept.any():
        raise ValueError(f"{second.path}: {kind.headline}, got no item that both have a score of")
    names = (first.system, second.system)
    if names[0] == names[1]:
        names = (str(first.path), str(second.path))
    chosen = [
        {k: v for k, v in first.rows[of[0]].items() if all(first.rows[i].get(k) == v for i in of)}
        | _golds(first.rows[of[0]], rows[1][of[0]])
        for of, is_kept in zip(items, kept, strict=True)
        if is_kept
    ]
    cluster = kind.cluster_of(first.signature.options)
    if all(row.get(cluster) is None for row in chosen) and cluster != "family":
        cluster = ITEM
    labels = [_label(first.path, row, cluster, i) for i, row in enumerate(chosen)]
    clusters = np.unique(labels, return_inverse=True)[1]
    own = (values[:, kept], cluster, clusters, _weights(first.path, chosen, kind.equal), chosen)
    return PairedItems(kind, names, *own, int((~kept).sum()))


def _golds(*rows: ItemRow) -> ItemRow:
    """The sizes of the golds that two results chose of one word, where they differ."""
    sizes = sorted({row[OF_CHOSEN] for row in rows if row.get(OF_CHOSEN) is not None})
    return {OF_CHOSEN: " or ".join(map(str, sizes))} if len(sizes) > 1 else {}


def headline_items(one: ScoredItems) -> list[list[int]]:
    """Places of the rows of each item that the headline counts; a ValueError for none."""
    kind = one.kind
    where, wanted = _condition(kind.where, one.rows)
    if where and (lacking := [i for i, row in enumerate(one.rows) if where not in row]):
        expected = f"it in every row, since {kind.headline} goes by it"
        raise ValueError(f"{one.path}: item {lacking[0]}: {where}, got none; expected {expected}")
    without, unwanted = _condition(kind.without, one.rows)
    if one.signature.options.get("unresolved") == "included":
        unwanted = set()
    items: dict[Any, list[int]] = {}
    for place, row in enumerate(one.rows):
        items.setdefault(place if kind.item is None else row.get(kind.item), []).append(place)
    items.pop(None, None)
    found = []
    for places in items.values():
        counted = [i for i in places if not wanted or str(one.rows[i].get(where)) in wanted]
        values = {str(one.rows[i].get(where)) for i in counted}
        is_whole = kind.item is None or (len(counted) > 1 and values >= wanted)
        if counted and is_whole and not any(one.rows[i].get(without) in unwanted for i in places):
            found.append(counted)
    if not found:
        expected = f"some, or --score {' '.join(kind.score)} for the mean over all rows"
        got = "no items that it counts"
        raise ValueError(f"{one.path}: {kind.headline}, got {got}; expected {expected}")
    return found


def _condition(text: str | None, rows: Sequence[ItemRow]) -> tuple[str, set[str]]:
    """Column and values of `column:value,value`; no values where no row has the column."""
    column, _, values = (text or "").partition(":")
    has_column = any(row.get(column) is not None for row in rows)
    return column, set(values.split(",")) if has_column else set()


_SCORES: Mapping[str, Callable[[FloatArray], float]] = {
    "mean": lambda cells: float(cells.mean()),
    "all": lambda cells: float(cells.min(axis=1).prod()),
    "gain": lambda cells: float(cells.min(axis=1).sum() - len(cells) + 1),
    "sign": lambda cells: float((np.sign(cells).mean() + 1) / 2),
}


def group_rows(paired: PairedItems, name: str) -> list[ItemRow]:
    """One row per value of a column; nothing where it has one value, or too many."""
    if any(name not in row for row in paired.rows):  # rows of an item differ in it
        return []
    labels = [row[name] for row in paired.rows]
    groups = sorted(set(labels), key=lambda label: (str(type(label)), label))
    if not 1 < len(groups) <= MOST_GROUPS:
        return []
    chosen = (np.array([label == group for label in labels]) for group in groups)
    rows = [compared_row(paired, places) for places in chosen]
    told = zip(groups, rows, holm([row["p"] for row in rows]), strict=True)
    return [{name: group, **row, "p_holm": p_holm} for group, row, p_holm in told]


def compared_row(paired: PairedItems, chosen: Any) -> ItemRow:
    """Both means, the difference with its interval, and p, of chosen items."""
    scores, weights = paired.scores[:, chosen], paired.weights[chosen]
    differences = scores[0] - scores[1]
    clusters = np.unique(paired.clusters[chosen], return_inverse=True)[1]
    rows = [row for row, is_in in zip(paired.rows, chosen, strict=True) if is_in]
    row: ItemRow = {"n": len(differences), "n_clusters": int(clusters.max()) + 1}
    means = np.average([*scores, differences], axis=1, weights=weights).tolist()
    row |= dict(zip(("first", "second", "difference"), means, strict=True))
    sums = np.bincount(clusters, weights * differences).astype(float)
    sizes = np.bincount(clusters, weights).astype(float)
    p = sign_flip_test(sums) if len(sums) > 1 else math.nan
    is_share = bool(((scores >= 0) & (scores <= 1)).all())
    if not is_share and not np.isin(scores, (-1, 0, 1)).all():
        interval = stratified_interval(sums, sizes, np.zeros(len(sums), np.int64), bounds=None)
        return row | interval.as_fields("difference") | {"p": p}
    residuals = weights * (differences - row["difference"])
    links = _links(_linked(rows, clusters), weights, residuals, clusters)
    interval, linked_p = _interval(sums, sizes, links)
    widest = 1.0 if is_share else 2.0
    fields = interval.clipped(-widest, widest).as_fields("difference")
    return row | fields | {"p": p if links is None else linked_p}


def _interval(
    sums: FloatArray, sizes: FloatArray, links: tuple[float, float] | None
) -> tuple[Interval, float]:
    """Student's interval of the mean over clusters, with half a cluster of each sign, and its p."""
    worth = len(sums) if links is None else links[1]
    if len(sums) < 2 or worth < min(FEWEST_APART, len(sums)):
        return undefined_interval(f"worth {worth:.1f} independent cluster(s)"), math.nan
    added = ADDED * float(sizes @ sizes) / float(sizes.sum())
    top, bottom = np.append(sums, [added, -added]), np.append(sizes, [added, added])
    (centre,), (error,) = ratio_and_error(np.ones((1, len(top))), top, bottom)
    spread, degrees = float(error) * (links[0] if links else 1.0), max(1, round(worth) - 1)
    half = student_quantile(0.975, degrees) * spread
    mean, centre = float(sums.sum() / sizes.sum()), float(centre)
    note = f"Student's t over {len(sums)} clusters, half a one of each sign added"
    note += ", linked by what they share" if links else ""
    p = max(SMALLEST_P, 2 * (1 - student_probability(abs(centre) / spread, degrees)))
    return Interval(min(centre - half, mean), max(centre + half, mean), note), p


def with_lexemes(items: Sequence[ItemRow], rows: Sequence[Mapping[str, Any]]) -> list[ItemRow]:
    """Items, one a clause, with `lexemes`: the nouns and verbs of its arguments, joined by |."""
    found = []
    for item, row in zip(items, rows, strict=True):
        words = [(row["upos"][row[name]], row["lemmas"][row[name]]) for name in ARGUMENTS]
        drawn = [f"{tag} {lemma}" for tag, lemma in words if tag in ("NOUN", "VERB")]
        found.append({**item, "lexemes": "|".join(drawn)})
    return found


def _linked(rows: Sequence[ItemRow], clusters: IntArray) -> Linked | None:
    """Which items are of one cluster or share a noun or verb; None where rows do not say it."""
    if not all("lexemes" in row for row in rows):
        return None
    pairs = zip(rows, clusters.tolist(), strict=True)
    return linked_by([frozenset([c, *filter(None, r["lexemes"].split("|"))]) for r, c in pairs])


def _links(
    linked: Linked | None, weights: FloatArray, residuals: FloatArray, clusters: IntArray
) -> tuple[float, float] | None:
    """How much wider links make the error of clusters, and how many independent ones are left.

    The sum over linked pairs is divided by what it falls short of for residuals from a mean that
    the same items made: to first order, where what is shared goes by how many items share it.
    """
    if linked is None:
        return None
    reach = (linked.kinds @ np.bincount(linked.kind, weights))[linked.kind] / weights.sum()
    density = float(np.average(reach, weights=weights))
    by_reach = float(np.average(reach**2, weights=weights)) / density
    sums = np.bincount(clusters, residuals)
    own, short = float(sums @ sums), 1 - 2 * by_reach + density
    wider = linked.product(residuals) / (own * short) if own and short > 0 else 1.0
    return math.sqrt(max(1.0, wider)), 1 / by_reach


def doubts_of(paired: PairedItems) -> list[str]:
    """Sentences on what an interval is to be read with."""
    sizes, said = np.bincount(paired.clusters, paired.weights), []
    worth = float(sizes.sum() ** 2 / (sizes**2).sum())
    if worth < UNEQUAL * len(sizes):
        share = f"{sizes.max() / sizes.sum():.0%} of the weight"
        told = f"together they tell as much as about {worth:.1f} equal ones"
        said.append(f"The largest of {len(sizes):,} clusters has {share}: {told}.")
    if paired.cluster == "triple_id" and not all("lexemes" in row for row in paired.rows):
        said.append(
            "These rows do not say which nouns and verbs clusters share: the interval is too"
            " narrow where they do. Results of `garden-path score` say it."
        )
    return said


def _check_cells(one: ScoredItems) -> None:
    """Refuses labels that are lists or objects, and an id that stands twice."""
    kind = one.kind
    conditions = [(of or "").partition(":")[0] for of in (kind.where, kind.without)]
    names = ("id", "paradigm_id", kind.item, kind.cluster, kind.equal, *conditions, *kind.by)
    types: list[tuple[str, Any, str]] = [
        *((name, str | int | float | None, "text or a number") for name in names if name),
        ("lexemes", str, "text"),
    ]
    for number, row in enumerate(one.rows):
        for name, wanted, expected in types:
            if name in row and not isinstance(row[name], wanted):
                where = f"{one.path}: item {number}: {name}"
                raise ValueError(f"{where}, got {shown(row[name])}; expected {expected}")
    if all("id" in row for row in one.rows):
        check_ids(str(one.path), [row["id"] for row in one.rows])


def _matched(first: ScoredItems, second: ScoredItems) -> list[ItemRow]:
    """Rows of the second result in the order of the first's."""
    if len(first.rows) != len(second.rows):
        expected = f"the {len(first.rows):,} of {first.path}"
        raise ValueError(f"{second.path}: items, got {len(second.rows):,}; expected {expected}")
    if "id" not in first.rows[0]:
        return second.rows
    by_id = {row.get("id"): row for row in second.rows}
    if unknown := [row.get("id") for row in first.rows if row.get("id") not in by_id]:
        raise ValueError(f"{second.path}: id, got none that is {unknown[0]!r}; expected every item")
    return [by_id[row["id"]] for row in first.rows]


def _check_labels(first: ScoredItems, second: ScoredItems, rows: Sequence[ItemRow]) -> None:
    kind = first.kind
    cluster = kind.cluster_of(first.signature.options)
    if kind.cluster == "family":
        cluster = "paradigm_id"
    where = (kind.where or "").partition(":")[0]
    is_grouped = any(row.get(cluster) is not None for row in first.rows)
    for number, pair in enumerate(zip(first.rows, rows, strict=True)):
        for name in (cluster, *(by for by in kind.by if by != OF_CHOSEN), *filter(None, [where])):
            a, b = (row.get(name) for row in pair)
            place = f"item {number}: {name}, got"
            if a is None and name == cluster and is_grouped:
                raise ValueError(f"{first.path}: {place} none; expected one in every row")
            if a != b:
                expected = f"{a!r} as in {first.path}: results of the same items in the same order"
                raise ValueError(f"{second.path}: {place} {b!r}; expected {expected}")


def _label(path: Path, row: ItemRow, cluster: str, place: int) -> str:
    """Name of an item's cluster; a ValueError where its rows say none, or several."""
    if cluster == ITEM or cluster in row:
        return str(place if cluster == ITEM else row[cluster])
    name, expected = cluster, "the same in all rows of an item"
    if cluster == "family":
        name, expected = "paradigm_id", f"a whole number from 1 to {len(FAMILIES)}"
    i = row.get(name)
    if cluster != "family" or not isinstance(i, int) or not 0 < i <= len(FAMILIES):
        raise ValueError(f"{path}: item {place}: {name}, got {shown(i)}; expected {expected}")
    return str(FAMILIES[i - 1])


def _weights(path: Path, rows: Sequence[ItemRow], equal: str | None) -> FloatArray:
    """Items of one value of a column share a weight of 1; without a column each item has it."""
    if equal is None:
        return np.ones(len(rows))
    if any(equal not in row for row in rows):
        raise ValueError(f"{path}: {equal}, got none of some item; expected one of every item")
    codes = np.unique([str(row[equal]) for row in rows], return_inverse=True)[1]
    return 1 / np.bincount(codes)[codes]


def _numbers(one: ScoredItems, rows: Sequence[ItemRow], columns: Sequence[str]) -> FloatArray:
    """The columns as numbers, shape (n, k); nan where one is undefined."""
    for name in columns:
        if name not in rows[0]:
            numbers = [n for n, v in rows[0].items() if isinstance(v, bool | float)]
            raise ValueError(f"{one.path}: score, got {name!r}; expected of {', '.join(numbers)}")
    shares = set(one.kind.score) if one.kind.how != "sign" else set()
    for number, row in enumerate(rows):
        for name in columns:
            if not _is_score(row.get(name), name in shares):
                where = f"{one.path}: item {shown(row.get('id', number))}: {name}"
                what = "a share from 0 to 1" if name in shares else "a number"
                expected = f"{what}, or null where it is undefined"
                raise ValueError(f"{where}, got {shown(row[name])}; expected {expected}")
    cells = [[row.get(name) for name in columns] for row in rows]
    return np.array([[math.nan if v is None else v for v in of] for of in cells], float)


def _is_score(value: Any, is_share: bool) -> bool:
    """Whether a value is a number that a score can be, or undefined."""
    if is_missing(value):
        return True
    is_number = isinstance(value, int | float | np.bool_ | np.integer | np.floating)
    return is_number and bool(0 <= value <= 1 + ROUNDING if is_share else abs(value) <= LARGEST)
