"""The lite subset: equal clauses per base triple, every block, as many triples of `amb` as exist.

Each triple gives one item, and each item five clauses: both orders that `svo_ovs_score` compares,
and three more. All draws of the tables take part, since one alone has too few triples in `amb`:

    # the item has five orders    all of them
    # it has eight                SVO, OVS and, in turn, one half of the others or the other

In `part_amb`, where a draw has triples enough, a family gives those of its first draws, as many as
it takes to show each of its blocks.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from builders.sorts.design import SYNCRETISM, blocks, families, pools
from builders.sorts.lexicon import GERMAN
from builders.sorts.triples import capacity
from metrics.subject_object_las.inventory import OVS, SVO

if TYPE_CHECKING:
    from builders.sorts.draw import DrawnItem

N_OTHERS = 3  # clauses of an item besides its two compared orders


def lite_items(
    items: Sequence["DrawnItem"], tables: Path = GERMAN
) -> Iterator[tuple["DrawnItem", tuple[str, ...]]]:
    """Items of the subset with their word orders, in the order of the suite.

    Args:
        items: All items of one split and of as many draws as the tables hold.
        tables: The language's tables.
    """
    by_triple: dict[str, list[DrawnItem]] = {}
    n_draws = _draws_needed(items[0].block.split, tables)
    for item in items:
        if item.place // item.block.items < n_draws[item.block.family]:
            by_triple.setdefault(item.triple_id, []).append(item)
    chosen = {item.item_id for item in _one_item_each(by_triple)}
    for turn, item in enumerate(item for item in items if item.item_id in chosen):
        yield item, _five_orders(item, turn)


def _one_item_each(by_triple: dict[str, list["DrawnItem"]]) -> Iterator["DrawnItem"]:
    """Item of each triple from the block that has fewest so far; of small blocks first."""
    sizes = Counter(item.block.block for candidates in by_triple.values() for item in candidates)
    used: Counter[int] = Counter()
    for candidates in by_triple.values():
        item = min(
            candidates,
            key=lambda item: (
                OVS not in item.orders,  # some Dutch items have no clause with the object first
                used[item.block.block],
                sizes[item.block.block],
            ),
        )
        used[item.block.block] += 1
        yield item


def _draws_needed(split: str, tables: Path) -> dict[str, int]:
    n_blocks = Counter(block.family for block in blocks(tables) if block.split == split)
    per_draw = {
        name: pools(tables)[family.source].singular + pools(tables)[family.source].plural
        for name, family in families(tables).items()
    }
    if split == SYNCRETISM:
        return dict.fromkeys(n_blocks, capacity(tables))
    return {name: ceil(n / per_draw[name]) for name, n in n_blocks.items()}


def _five_orders(item: "DrawnItem", turn: int) -> tuple[str, ...]:
    orders = item.block.word_orders(item.place % item.block.items)
    others = [order for order in orders if order not in (SVO, OVS)]
    start = N_OTHERS * turn % len(others)
    kept = {SVO, OVS, *others[start : start + N_OTHERS]}
    return tuple(order for order in orders if order in kept)
