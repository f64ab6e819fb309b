"""Parsers of three seeds on the German clauses: informedness, and LAS beside the paper's six.

    python -m research sorts seeds
    python -m research sorts seeds --systems trained:spacy/german-free/0 trained:spacy/german-free/1

The systems are parsers that are trained here (`python -m research sorts train_parser`); those that
differ in their seed alone are one line, with intervals over base triples and seeds, which are
crossed (`research.studies.seed_intervals`). The paper's parsers read clauses of its own.

Source: Fischer et al. (2020), section 4, tables 6 to 10.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from garden_path.models.arrays import BoolArray, FloatArray
from ground.markdown import interval, markdown_table, percent
from metrics.subject_object_las.inputs import OVS, PROPERTIES, SVO, UNDECIDED, WORD_ORDERS
from research.studies.answer_batches import GoldClauses
from research.studies.report import Shown, headings
from research.studies.seed_intervals import CrossedMean, crossed_estimate, undefined
from research.studies.sorts.subject_object import PUBLISHED_PARSERS, published_parts, score_system
from research.studies.sorts.subject_object import STUDY as SINGLE
from research.studies.sorts.train_parser import GERMAN
from research.studies.study import Options, Run
from research.systems.parsers.trained_parsers import read_recipe

Cells = Mapping[tuple[str, str], CrossedMean]
"""Means by table and row."""
PREFIX = "trained:"
N_SEEDS = 3
SEEDS_NOTE = (
    "Means over seeds, with 95 % intervals over base triples and seeds, which are crossed; of three"
    " seeds an interval is wide where they differ."
)
WORDS = ("is_subject_right", "is_object_right")
TITLES = headings("sorts seeds")


class Hits(NamedTuple):
    """What a score counts, (seeds, units), of what there is, (units,), and the units' clusters."""

    hits: FloatArray
    counts: FloatArray
    clusters: Sequence[str]


@dataclass(frozen=True, eq=False)
class SeedResults:
    """What the parsers of some seeds did with the same clauses.

    `right` is whether subject and object are right, shape (seeds, clauses, 2), `merged` the same
    where obj, iobj and obl:arg are one label; `rows`, of one seed, say where each clause belongs.
    """

    rows: Sequence[Mapping[str, Any]]
    properties: Sequence[Sequence[str]]
    right: BoolArray
    merged: BoolArray

    @property
    def is_decided(self) -> BoolArray:
        """Clauses that have one reading."""
        return np.array([row["resolved_by"] not in UNDECIDED for row in self.rows], bool)


def score(gold: Mapping[str, GoldClauses], run: Run) -> list[tuple[GoldClauses, dict[str, Cells]]]:
    """The cells of all recipes for each part of the gold."""
    recipes = by_recipe(run.options.systems)
    return [
        (part, {name: cells(read_seeds(own, part, run)) for name, own in recipes.items()})
        for part in gold.values()
    ]


def read_seeds(systems: Sequence[str], gold: GoldClauses, run: Run) -> SeedResults:
    """What the metric says of each clause under each seed."""
    tables = [score_system(run.system(name), gold, run)["per_item"] for name in systems]
    right, merged = (
        np.array([[[row[f"{word}{end}"] for word in WORDS] for row in rows] for rows in tables])
        for end in ("", "_merged")
    )
    return SeedResults(tables[0], gold.columns["properties"], right, merged)


def cells(found: SeedResults) -> Cells:
    """Every mean of a recipe: overall, by word order and by property."""
    decided, undecided = (np.flatnonzero(found.is_decided == one).tolist() for one in (True, False))
    overall = {
        "informedness": gain_hits(found, svo_ovs_items(found)),
        "svo_ovs": item_hits(found, svo_ovs_items(found)),
        "las": word_hits(found, decided),
        "las_merged": word_hits(replace(found, right=found.merged), decided),
        "item": item_hits(found, items_of(found, decided)),
        "las_unresolved": word_hits(found, undecided),
    }
    hits = {("overall", name): one for name, one in overall.items()}
    for order in WORD_ORDERS:
        chosen = [i for i in decided if found.rows[i]["word_order"] == order]
        hits["word_order", order] = word_hits(found, chosen)
    for tag in PROPERTIES:
        chosen = [i for i in decided if tag in found.properties[i]]
        hits["property", tag] = word_hits(found, chosen)
    return {place: crossed_score(one) for place, one in hits.items() if len(one.counts)}


def word_hits(found: SeedResults, clauses: Sequence[int]) -> Hits:
    """Subjects and objects of some clauses: the parts of LAS."""
    clusters = [str(found.rows[i]["triple_id"]) for i in clauses]
    hits = found.right[:, clauses].sum(axis=2).astype(float)
    return Hits(hits, np.full(len(clauses), 2.0), clusters)


def item_hits(found: SeedResults, items: Sequence[Sequence[int]]) -> Hits:
    """Items that are right in all of some clauses."""
    right: BoolArray = np.all(found.right, axis=2)
    hits = np.array([right[:, own].all(axis=1) for own in items], np.float64)
    clusters = [str(found.rows[own[0]]["triple_id"]) for own in items]
    return Hits(hits.reshape(len(items), len(right)).T, np.ones(len(items)), clusters)


def gain_hits(found: SeedResults, items: Sequence[Sequence[int]]) -> Hits:
    """Informedness of items with a clause of either order: right(SVO) + right(OVS) - 1."""
    right: BoolArray = np.all(found.right, axis=2)
    return item_hits(found, items)._replace(hits=right[:, items].sum(axis=2) - 1.0)


def items_of(found: SeedResults, clauses: Sequence[int]) -> list[list[int]]:
    """Some clauses, by item."""
    items = defaultdict(list)
    for i in clauses:
        items[found.rows[i]["item_id"]].append(i)
    return list(items.values())


def svo_ovs_items(found: SeedResults) -> list[list[int]]:
    """The clauses with subject and with object first of each item that is decided throughout."""
    is_decided = found.is_decided
    both = []
    for item in items_of(found, range(len(found.rows))):
        orders = {found.rows[i]["word_order"]: i for i in item}
        if is_decided[item].all() and SVO in orders and OVS in orders:
            both.append([orders[SVO], orders[OVS]])
    return both


def seeds_of(*recipes: str) -> tuple[str, ...]:
    """The names of the parsers of some recipes, `N_SEEDS` of each."""
    return tuple(f"{PREFIX}{recipe}/{seed}" for recipe in recipes for seed in range(N_SEEDS))


def by_recipe(systems: Sequence[str]) -> dict[str, list[str]]:
    """The systems of each recipe; a ValueError for one that comes twice or is not trained here."""
    found: dict[str, list[str]] = {}
    for name in systems:
        if not name.startswith(PREFIX) or systems.count(name) > 1:
            raise ValueError(
                f"--systems, got {name!r}; expected parsers named {PREFIX}KIND/TREEBANKS/SEED, each"
                " once"
            )
        recipe = read_recipe(name.removeprefix(PREFIX))
        found.setdefault(f"{recipe.kind}/{recipe.treebanks}", []).append(name)
    return found


def crossed_score(found: Hits) -> CrossedMean:
    """Mean over seeds of hits by counts, in [0, 1]; nan without units."""
    if not len(found.counts):
        return undefined(math.nan, "nothing is counted")
    names, codes = np.unique(np.asarray(found.clusters, dtype=str), return_inverse=True)
    hits = np.array([np.bincount(codes, row, len(names)) for row in found.hits])
    counts = np.bincount(codes, found.counts, len(names))

    def measure(weights: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios: FloatArray = (weights @ hits.T) / (weights @ counts)[:, None]
        return ratios

    return crossed_estimate(measure, len(names))


def in_cell(mean: CrossedMean, least: float = 0.0) -> str:
    """A score in percent with its interval, whose ends stay within `least` and 100."""
    low, high = (percent(min(max(end, least), 1.0)) for end in (mean.low, mean.high))
    return f"{percent(mean.value):z.1f}{'' if mean.low != mean.low else interval(low, high)}"


def as_numbers(scored: Mapping[str, Cells]) -> dict[str, dict[str, dict[str, Any]]]:
    """What a result keeps: each mean with its interval by recipe, table and row."""
    figures: dict[str, dict[str, dict[str, Any]]] = {}
    for recipe, found in scored.items():
        tables = figures.setdefault(recipe, {})
        for (table, name), mean in found.items():
            kept = {field: getattr(mean, field) for field in ("value", "low", "high", "note")}
            tables.setdefault(table, {})[name] = kept
    return figures


def result_text(gold: GoldClauses, scored: Mapping[str, Cells]) -> str:
    """The tables, and how to read them."""
    published = ""
    if published_parts(gold.split):
        published = " Behind them the paper's six parsers, on its own clauses of this split and not"
        published += " on these."
    parts = [
        f"### Parsers of several seeds, `{gold.split or gold.name}`\n\nPercent, clauses of"
        f" {gold.name} that have one reading. {SEEDS_NOTE}\n\n"
        + markdown_table(overall_rows(scored)),
        f"LAS by word order.{published}\n\n{markdown_table(part_rows(gold, scored, 'word_order'))}",
        f"LAS by property:\n\n{markdown_table(part_rows(gold, scored, 'property'))}",
    ]
    return "\n".join(parts)


def overall_rows(scored: Mapping[str, Cells]) -> list[dict[str, object]]:
    """One line per recipe."""
    rows = []
    for name, found in scored.items():
        row: dict[str, object] = {"parser": name}
        for key, title in TITLES.items():
            if ("overall", key) in found:
                least = -1.0 if key == "informedness" else 0.0
                row[title] = in_cell(found["overall", key], least)
        rows.append(row)
    return rows


def part_rows(gold: GoldClauses, scored: Mapping[str, Cells], part: str) -> list[dict[str, object]]:
    """One line per word order or property, the paper's parsers behind ours."""
    published = published_parts(gold.split)
    rows: list[dict[str, object]] = []
    for table, name in next(iter(scored.values())):
        if table == part:
            row: dict[str, object] = {part: name}
            row |= {recipe: in_cell(found[table, name]) for recipe, found in scored.items()}
            parsers = PUBLISHED_PARSERS if published else ()
            rows.append(row | {one: getattr(published.get(name), one, None) for one in parsers})
    return rows


def show(
    scored: Sequence[tuple[GoldClauses, Mapping[str, Cells]]], options: Options
) -> list[Shown]:
    """Tables and figures for each part of the gold, named by it."""
    return [
        Shown(
            result_text(gold, found),
            as_numbers(found),
            name="_".join(["seeds", *gold.config_and_split]),
        )
        for gold, found in scored
    ]


STUDY = SINGLE.otherwise(
    __doc__, module=__name__, score=score, show=show, systems=seeds_of(*GERMAN)
)
