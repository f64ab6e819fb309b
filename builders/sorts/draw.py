"""A draw of the suite: triples drawn, blocks filled with them, one row per item and word order.

The triples of each source are put in a seeded order and divided into draws that share none; seed s
is draw s mod n of the order s div n, with n the number of draws that the tables hold. So n seeds in
a row from a multiple of n have no sentence in common, and all others differ in what they draw.
`size` is a multiplier: a draw of size m takes m draws of one order and fills every block m times.

Source: Fischer et al. (2020); the numbers are those of `design`.
"""

import functools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from builders.sorts import VERSION
from builders.sorts.design import SPLITS, Block, Split, blocks, families, pools
from builders.sorts.lexicon import GERMAN, PLURAL, Triple, read_lexicon
from builders.sorts.placement import Placement
from builders.sorts.realizer import Clause, realize
from builders.sorts.resolution import resolved_by
from builders.sorts.variations import build_clause, vary

Columns = dict[str, list[Any]]
ROW_COLUMNS = (
    "word_order",
    "tokens",
    "lemmas",
    "upos",
    "xpos",
    "feats",
    "heads",
    "deprels",
    "fields",
    "subject",
    "verb",
    "object",
)
ITEM_COLUMNS = (
    "item_id",
    "base_item_id",
    "triple_id",
    "properties",
    "resolved_by",
    "subject_zipf",
    "verb_zipf",
    "object_zipf",
)


class DrawnItem(NamedTuple):
    """An item of the suite: what it belongs to, its place there, its clause, what settles it."""

    block: Block
    place: int
    triple_id: str
    clause: Clause
    resolved_by: str

    @property
    def item_id(self) -> str:
        """Split, block and place, such as `amb/aux-pp/03`."""
        return f"{self.block.split}/{self.block.name}/{self.place:02d}"


def draw(
    seed: int = 0,
    size: int | None = None,
    *,
    lite: bool = False,
    placement: Placement = "idiomatic",
    tables: Path = GERMAN,
) -> dict[Split, Columns]:
    """Draws the suite.

    Args:
        seed: Which draw, from 0.
        size: Multiplier of the paper's 18,502 clauses; None is 1.
        lite: Only the fixed subset of 2,000 clauses that has items of every block.
        placement: The rule set for the order of words.
        tables: The language's tables.

    Returns:
        Under each split the columns of config `conll`, one entry per clause.

    Raises:
        ValueError: The seed is negative, or the tables cannot fill the size.
    """
    drawn = draw_items(seed, 1 if size is None else size, tables)
    return {split: _columns(items, lite, placement, tables) for split, items in drawn.items()}


@functools.lru_cache(maxsize=2)
def draw_items(seed: int = 0, size: int = 1, tables: Path = GERMAN) -> dict[Split, list[DrawnItem]]:
    """Draws the items of both splits; arguments and errors as in `draw`."""
    draws = draw_triples(seed, size, tables)
    items: dict[Split, list[DrawnItem]] = {split: [] for split in SPLITS}
    for block in blocks(tables):
        source = families(tables)[block.family].source
        items[block.split] += _block_items(block, draws[source], tables)
    return items


def draw_triples(seed: int, size: int, tables: Path = GERMAN) -> dict[str, list[list[Triple]]]:
    """Draws triples: under each source `size` lists, in the order in which blocks take them.

    Raises:
        ValueError: The seed is negative, or the tables cannot fill the size.
    """
    n_draws = capacity(tables)
    if seed < 0:
        raise ValueError(f"sorts: seed, got {seed}; expected 0 or more")
    if not 1 <= size <= n_draws:
        raise ValueError(
            f"sorts: size, got {size}; expected 1 to {n_draws}, as many times the paper's size "
            "as the tables of triples fill"
        )
    order, first = divmod(seed, n_draws)
    numbers = [(first + i) % n_draws for i in range(size)]
    return {
        source: [_slice(source, order, number, tables) for number in numbers]
        for source in pools(tables)
    }


def capacity(tables: Path = GERMAN) -> int:
    """Number of draws that the tables hold without using a triple twice."""
    needs = {
        (source, is_plural): n
        for source, pool in pools(tables).items()
        for is_plural, n in ((False, pool.singular), (True, pool.plural))
    }
    return min(len(_group(*group, tables)) // n for group, n in needs.items() if n)


def _slice(source: str, order: int, number: int, tables: Path) -> list[Triple]:
    pool = pools(tables)[source]
    taken: list[Triple] = []
    for is_plural, n in ((False, pool.singular), (True, pool.plural)):
        group = list(_group(source, is_plural, tables))
        random.Random(f"sorts/{VERSION}/{order}/{source}/{is_plural}").shuffle(group)
        taken += group[number * n : (number + 1) * n]
    return taken


@functools.cache
def _group(source: str, is_plural: bool, tables: Path) -> tuple[Triple, ...]:
    """Triples of a source with singular or with plural syncretic phrases.

    Where a draw takes no plurals, all count as singular.
    """
    has_plurals = pools(tables)[source].plural > 0
    triples = (triple for triple in read_lexicon(tables).triples if triple.family == source)
    return tuple(
        triple
        for triple in triples
        if (has_plurals and str(triple.subject_syncretic).endswith(PLURAL)) == is_plural
    )


def _block_items(
    block: Block, draws: Sequence[Sequence[Triple]], tables: Path
) -> Iterator[DrawnItem]:
    family = families(tables)[block.family]
    for number, triples in enumerate(draws):
        for place, triple in enumerate(triples[: block.items]):
            clause = build_clause(vary(triple, block, place, tables), tables)
            triple_id = f"{block.family}/{triple.number:02d}"
            settled = resolved_by(clause, family, is_reversible=triple.is_reversible, tables=tables)
            yield DrawnItem(block, number * block.items + place, triple_id, clause, settled)


def _columns(items: Sequence[DrawnItem], lite: bool, placement: Placement, tables: Path) -> Columns:
    bases = _base_items(items)
    columns: Columns = {name: [] for name in ("id", *ITEM_COLUMNS, *ROW_COLUMNS)}
    for item in items:
        if lite and item.place >= item.block.items_lite:
            continue
        shared = _item_values(item, bases)
        orders = item.block.word_orders(item.place % item.block.items)
        for row in realize(item.clause, orders, placement, tables):
            columns["id"].append(f"{shared[0]}/{row.word_order}")
            for name, value in zip(ITEM_COLUMNS, shared, strict=True):
                columns[name].append(value)
            for name, value in zip(ROW_COLUMNS, row, strict=True):
                columns[name].append(value)
    return columns


def _item_values(item: DrawnItem, bases: dict[str, str]) -> tuple[Any, ...]:
    subject, verb, object_, *_ = item.clause
    base = bases.get(item.triple_id, item.item_id)
    return (
        item.item_id,
        base,
        item.triple_id,
        list(item.block.properties),
        item.resolved_by,
        subject.zipf,
        verb.zipf,
        object_.zipf,
    )


def _base_items(items: Sequence[DrawnItem]) -> dict[str, str]:
    """Item without modifiers of each triple that has one: the base of all its others."""
    return {item.triple_id: item.item_id for item in items if not item.block.modifiers}
