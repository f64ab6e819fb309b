"""A draw of the suite: triples drawn, blocks filled with them, one row per item and word order.

`triples` says which triples a seed takes. `size` is a multiplier: a draw of size m takes m draws of
one order and fills every block m times.

The lite subset has equal clauses per base triple, every block, as many triples of `amb` as exist.
Each triple gives one item, and each item five clauses: both orders that `svo_ovs_score` compares,
and three more. All draws of the tables take part, since one alone has too few triples in `amb`:

    # the item has five orders    all of them
    # it has eight                SVO, OVS and, in turn, one half of the others or the other

In `part_amb`, where a draw has triples enough, a family gives those of its first draws, as many as
it takes to show each of its blocks. Which block a triple's item is of is free where blocks have as
many as others, and chosen so that nothing of a clause's surface tells its subject (`triples`).

Source: Fischer et al. (2020); the numbers are those of `design`.
"""

import functools
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np

from builders.sorts import DRAW
from builders.sorts.columns import Columns
from builders.sorts.design import SPLITS, SYNCRETISM, Block, Split, blocks, families, pools
from builders.sorts.lexicon import GERMAN, Triple, grammar_of
from builders.sorts.realizer import Clause, Placement, is_marked_order, realize
from builders.sorts.resolution import resolved_by, settled_in_order
from builders.sorts.triples import N_MOVES, SURFACE, capacity, draw_triples, surface_signs
from builders.sorts.variations import PlannedItem, build_clause, is_fitting, vary
from metrics._shared.columns import IntArray
from metrics.subject_object_las.inputs import OVS, SVO, UNDECIDED


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

    @property
    def orders(self) -> tuple[str, ...]:
        """Its word orders, in the authors' sequence."""
        return tuple(self.block.word_orders(self.place % self.block.items))


N_OTHERS = 3  # clauses of an item besides its two compared orders


def lite_items(
    items: Sequence[DrawnItem], tables: Path = GERMAN
) -> Iterator[tuple[DrawnItem, tuple[str, ...]]]:
    """Items of the subset with their word orders; `items` are those of a split in all draws."""
    by_triple: dict[str, list[DrawnItem]] = {}
    split = items[0].block.split
    n_blocks = Counter(block.family for block in blocks(tables) if block.split == split)
    n_draws = dict.fromkeys(n_blocks, capacity(tables))
    for name, n in n_blocks.items() if split != SYNCRETISM else ():
        pool = pools(tables)[families(tables)[name].source]
        n_draws[name] = ceil(n / (pool.singular + pool.plural))
    for item in items:
        if item.place // item.block.items < n_draws[item.block.family]:
            by_triple.setdefault(item.triple_id, []).append(item)
    chosen = {item.item_id for item in _balanced(_one_item_each(by_triple), by_triple)}
    for turn, item in enumerate(item for item in items if item.item_id in chosen):
        others = [order for order in item.orders if order not in (SVO, OVS)]
        start = N_OTHERS * turn % len(others)
        kept = {SVO, OVS, *others[start : start + N_OTHERS]}
        yield item, tuple(order for order in item.orders if order in kept)


def _one_item_each(by_triple: dict[str, list[DrawnItem]]) -> list[DrawnItem]:
    """Item of each triple from the block that has fewest so far; of small blocks first."""
    sizes = Counter(item.block.block for candidates in by_triple.values() for item in candidates)
    used: Counter[int] = Counter()
    found = []
    for candidates in by_triple.values():
        # some Dutch items have no clause with the object first
        ranks = [
            (OVS not in item.orders, used[item.block.block], sizes[item.block.block])
            for item in candidates
        ]
        found.append(candidates[ranks.index(min(ranks))])
        used[found[-1].block.block] += 1
    return found


def _balanced(
    first: Sequence[DrawnItem], by_triple: Mapping[str, Sequence[DrawnItem]]
) -> list[DrawnItem]:
    """One item of each triple, of other blocks than at first where that balances the surface."""
    chosen = {item.triple_id: item for item in first}
    used = Counter(item.block.block for item in first)
    most = max(used.values())
    sums = sum((_signs(item) for item in first), _signs(None))

    def cost(sums: IntArray) -> float:
        return float(((sums[:-1] / max(1, sums[-1])) ** 2).sum())

    generator, triples = random.Random(f"sorts/{DRAW}/lite"), sorted(chosen)
    for _ in range(N_MOVES):
        old = chosen[generator.choice(triples)]
        new = generator.choice(by_triple[old.triple_id])
        has_room = used[old.block.block] > 1 and used[new.block.block] < most
        if not has_room or (OVS in new.orders) < (OVS in old.orders):
            continue
        moved = sums - _signs(old) + _signs(new)
        if cost(moved) <= cost(sums):
            sums, chosen[old.triple_id] = moved, new
            used.update({old.block.block: -1})
            used.update({new.block.block: 1})
    return list(chosen.values())


def _signs(item: DrawnItem | None) -> IntArray:
    """Signs of a decided item and a 1 for it, of shape (cues + 1,); zeros for any other."""
    if item is None or item.resolved_by in UNDECIDED:
        return np.zeros(len(SURFACE) + 1, np.int64)
    return np.array((*surface_signs(item.clause), 1))


ITEMS_AT_ONCE = 1_000  # whose rows are held while a larger draw streams


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
        lite: The fixed subset of equal clauses per triple; it has no size.
        placement: The rule set for the order of words.
        tables: The language's tables.

    Returns:
        Under each split the columns of config `conll`, one entry per clause.

    Raises:
        ValueError: The seed is negative, or the tables cannot fill the size.
    """
    if lite:
        drawn = draw_items(seed, capacity(tables), tables)
        chosen = {split: list(lite_items(items, tables)) for split, items in drawn.items()}
    else:
        drawn = draw_items(seed, 1 if size is None else size, tables)
        chosen = {split: [(item, item.orders) for item in items] for split, items in drawn.items()}
    bases = {split: _base_items(items) for split, items in drawn.items()}
    return {
        split: _columns(items, bases[split], placement, tables) for split, items in chosen.items()
    }


def draw_batches(
    split: Split,
    seed: int = 0,
    size: int = 1,
    placement: Placement = "idiomatic",
    tables: Path = GERMAN,
) -> Iterator[Columns]:
    """The rows of one split of `draw`, those of some items at a time.

    The items are held, since each names the base of its triple; their rows, which need ten times
    the memory, are not.

    Raises:
        ValueError: As `draw`.
    """
    items = draw_items(seed, size, tables)[split]
    bases = _base_items(items)
    for start in range(0, len(items), ITEMS_AT_ONCE):
        some = items[start : start + ITEMS_AT_ONCE]
        yield _columns([(item, item.orders) for item in some], bases, placement, tables)


@functools.lru_cache(maxsize=2)
def draw_items(seed: int = 0, size: int = 1, tables: Path = GERMAN) -> dict[Split, list[DrawnItem]]:
    """Draws the items of both splits; arguments and errors as in `draw`."""
    return items_of(draw_triples(seed, size, tables), tables)


def items_of(
    draws: Mapping[str, Sequence[Sequence[Triple]]], tables: Path = GERMAN
) -> dict[Split, list[DrawnItem]]:
    """Items of both splits that some draws' triples fill, under each source of triples."""
    items: dict[Split, list[DrawnItem]] = {split: [] for split in SPLITS}
    for block in blocks(tables):
        family = families(tables)[block.family]
        for number, triples in enumerate(draws[family.source]):
            for place, (triple, planned) in enumerate(_planned(block, triples, tables)):
                clause = build_clause(planned, tables)
                triple_id = f"{block.family}/{triple.number:02d}"
                settled = resolved_by(clause, family, triple.reverse, tables)
                whole = number * block.items + place
                items[block.split].append(DrawnItem(block, whole, triple_id, clause, settled))
    return items


def item_columns(
    items: Sequence[DrawnItem], placement: Placement = "idiomatic", tables: Path = GERMAN
) -> Columns:
    """Columns of config `conll` of items that no draw has together, in all their word orders."""
    return _columns([(item, item.orders) for item in items], _base_items(items), placement, tables)


def _planned(
    block: Block, triples: Sequence[Triple], tables: Path
) -> list[tuple[Triple, PlannedItem]]:
    """The first triples that a block can take, and their items.

    Raises:
        ValueError: There are too few of them.
    """
    # *Teun leest het .    two readings: a Dutch name before a het word's pronoun
    is_choosy = grammar_of(tables) == "dutch"
    found: list[tuple[Triple, PlannedItem]] = []
    for triple in triples:
        item = vary(triple, block, len(found), tables)
        if len(found) < block.items and (not is_choosy or is_fitting(item, block, tables)):
            found.append((triple, item))
    if len(found) < block.items:
        raise ValueError(
            f"sorts: items of {block.split}/{block.name}, got {len(found)}; "
            f"expected {block.items}, as the design has it"
        )
    return found


def _columns(
    items: Sequence[tuple[DrawnItem, tuple[str, ...]]],
    bases: dict[str, str],
    placement: Placement,
    tables: Path,
) -> Columns:
    rows = []
    is_dutch = grammar_of(tables) == "dutch"
    for item, orders in items:
        clause, settled, item_id = item.clause, item.resolved_by, item.item_id
        base = bases.get(item.triple_id, item_id)
        for row in realize(clause, orders, placement, tables):
            order = row.word_order
            # Daarom leest de student hem .    has no other order in Dutch: the subject is first
            is_marked = is_marked_order(clause.subject.kind, clause.object.kind, order)
            rows.append(
                {
                    "id": f"{item_id}/{order}",
                    "item_id": item_id,
                    "base_item_id": base,
                    "triple_id": item.triple_id,
                    "properties": list(item.block.properties),
                    "resolved_by": settled_in_order(
                        settled, clause, order, item.block.family, tables
                    ),
                    "subject_zipf": clause.subject.zipf,
                    "verb_zipf": clause.verb.zipf,
                    "object_zipf": clause.object.zipf,
                    "is_marked_order": is_marked and not is_dutch,
                    **row._asdict(),
                }
            )
    return {name: [row[name] for row in rows] for name in rows[0]}


def _base_items(items: Sequence[DrawnItem]) -> dict[str, str]:
    """Item without modifiers of each triple that has one: the base of all its others."""
    return {item.triple_id: item.item_id for item in items if not item.block.modifiers}
