"""The lite subset: equal clauses per base triple, every block, as many triples of `amb` as exist.

Each triple gives one item, and each item five clauses: both orders that `svo_ovs_score` compares,
and three more. All draws of the tables take part, since one alone has too few triples in `amb`:

    # the item has five orders    all of them
    # it has eight                SVO, OVS and, in turn, one half of the others or the other

In `part_amb`, where a draw has triples enough, a family gives those of its first draws, as many as
it takes to show each of its blocks. Which block a triple's item is of is free where blocks have as
many as others, and chosen so that nothing of a clause's surface tells its subject (`balance`).
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path

import numpy as np

from builders.sorts import DRAW
from builders.sorts.balance import N_MOVES, SURFACE, surface_signs
from builders.sorts.design import SYNCRETISM, blocks, families, pools
from builders.sorts.drawn_item import DrawnItem
from builders.sorts.lexicon import GERMAN
from builders.sorts.triples import capacity
from metrics._shared.columns import IntArray
from metrics.subject_object_las.inputs import OVS, SVO, UNDECIDED

N_OTHERS = 3  # clauses of an item besides its two compared orders


def lite_items(
    items: Sequence[DrawnItem], tables: Path = GERMAN
) -> Iterator[tuple[DrawnItem, tuple[str, ...]]]:
    """Items of the subset with their word orders; `items` are those of a split in all draws."""
    by_triple: dict[str, list[DrawnItem]] = {}
    n_draws = _draws_needed(items[0].block.split, tables)
    for item in items:
        if item.place // item.block.items < n_draws[item.block.family]:
            by_triple.setdefault(item.triple_id, []).append(item)
    chosen = {item.item_id for item in _balanced(list(_one_item_each(by_triple)), by_triple)}
    for turn, item in enumerate(item for item in items if item.item_id in chosen):
        yield item, _five_orders(item, turn)


def _one_item_each(by_triple: dict[str, list[DrawnItem]]) -> Iterator[DrawnItem]:
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


def _balanced(
    first: Sequence[DrawnItem], by_triple: Mapping[str, Sequence[DrawnItem]]
) -> list[DrawnItem]:
    """One item of each triple, of other blocks than at first where that balances the surface."""
    chosen = {item.triple_id: item for item in first}
    used = Counter(item.block.block for item in first)
    most = max(used.values())
    sums = sum((_signs(item) for item in first), _signs(None))
    generator, triples = random.Random(f"sorts/{DRAW}/lite"), sorted(chosen)
    for _ in range(N_MOVES):
        old = chosen[generator.choice(triples)]
        new = generator.choice(by_triple[old.triple_id])
        has_room = used[old.block.block] > 1 and used[new.block.block] < most
        if not has_room or (OVS in new.orders) < (OVS in old.orders):
            continue
        moved = sums - _signs(old) + _signs(new)
        if _cost(moved) <= _cost(sums):
            sums, chosen[old.triple_id] = moved, new
            used.update({old.block.block: -1})
            used.update({new.block.block: 1})
    return list(chosen.values())


def _signs(item: DrawnItem | None) -> IntArray:
    """Signs of a decided item and a 1 for it, of shape (cues + 1,); zeros for any other."""
    if item is None or item.resolved_by in UNDECIDED:
        return np.zeros(len(SURFACE) + 1, np.int64)
    return np.array((*surface_signs(item.clause), 1))


def _cost(sums: IntArray) -> float:
    return float(((sums[:-1] / max(1, sums[-1])) ** 2).sum())


def _draws_needed(split: str, tables: Path) -> dict[str, int]:
    n_blocks = Counter(block.family for block in blocks(tables) if block.split == split)
    per_draw = {
        name: pools(tables)[family.source].singular + pools(tables)[family.source].plural
        for name, family in families(tables).items()
    }
    if split == SYNCRETISM:
        return dict.fromkeys(n_blocks, capacity(tables))
    return {name: ceil(n / per_draw[name]) for name, n in n_blocks.items()}


def _five_orders(item: DrawnItem, turn: int) -> tuple[str, ...]:
    orders = item.block.word_orders(item.place % item.block.items)
    others = [order for order in orders if order not in (SVO, OVS)]
    start = N_OTHERS * turn % len(others)
    kept = {SVO, OVS, *others[start : start + N_OTHERS]}
    return tuple(order for order in orders if order in kept)
