"""A draw of the suite: triples drawn, blocks filled with them, one row per item and word order.

Triples: each source is in a seeded order, divided into draws that share none. Seed s is draw s mod
n of the order s div n, with n the number of draws that the tables hold. So n seeds in a row from a
multiple of n have no sentence in common, and all others differ in what they draw. `size` is a
multiplier: a draw of size m takes m draws of one order and fills every block m times.

A reader that takes the shorter noun for the subject, or the first in the alphabet, or the definite
phrase, is right in both orders of an item or wrong in both: over items its gains and losses are to
be equal. Which triples stand in one draw is free, so they change places until they are.

    # Der Leser liest einen Roman .   shorter +1 (5 letters, 5: 0)   alphabet +1   definite +1
    # Ein Wal erreicht die Küste .    shorter +1                     alphabet -1   definite -1

The lite subset has equal clauses per base triple, every block, as many triples of `amb` as exist.
Each triple gives one item, and each item five clauses: both orders that `svo_ovs_score` compares,
and three more. All draws of the tables take part, since one alone has too few triples in `amb`:

    # the item has five orders    all of them
    # it has eight                SVO, OVS and, in turn, one half of the others or the other

In `part_amb`, where a draw has triples enough, a family gives those of its first draws, as many as
it takes to show each of its blocks. Which block a triple's item is of is free where blocks have as
many as others, and chosen so that nothing of a clause's surface tells its subject.

Source: Fischer et al. (2020); the numbers are those of `design`.
"""

import functools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from builders.sorts import DRAW
from builders.sorts.columns import Columns
from builders.sorts.design import SPLITS, SYNCRETISM, Block, Split, blocks, families, pools
from builders.sorts.lexicon import GERMAN, PLURAL, Triple, grammar_of, read_lexicon
from builders.sorts.realizer import Clause, Placement, is_marked_order, realize
from builders.sorts.resolution import resolved_by, settled_in_order
from builders.sorts.variations import PlannedItem, build_clause, is_fitting, vary
from metrics._shared.columns import IntArray
from metrics.subject_object_las.inputs import OVS, SVO, UNDECIDED

SURFACE = ("shorter noun", "noun in the alphabet", "shorter phrase", "phrase in the alphabet",
           "definite phrase")  # fmt: skip
SHAPE = (len(SPLITS), len(SURFACE) + 1)
N_MOVES = 8_000  # of triples that change places


def surface_signs(clause: Clause) -> tuple[int, ...]:
    """For each of SURFACE 1 if its reader finds the subject, -1 if the object, 0 if neither."""
    phrases = (clause.subject, clause.object)
    head, other = (phrase.words[phrase.head].form.lower() for phrase in phrases)
    text, last = (" ".join(word.form for word in phrase.words).lower() for phrase in phrases)
    definite, indefinite = ("Definite=Def" in phrase.words[0].feats for phrase in phrases)
    return (
        _sign(len(other), len(head)),
        _sign(other, head),
        _sign(len(last), len(text)),
        _sign(last, text),
        definite - indefinite,
    )


def _sign(first: str | int, second: str | int) -> int:
    return (first > second) - (first < second)  # type: ignore[operator]  # both are of one kind


@functools.cache
def triple_signs(source: str, triple: Triple, tables: Path = GERMAN) -> dict[int, IntArray]:
    """Signs of a triple's decided items, summed over blocks of one number of items.

    Arrays under that number have shape (splits, cues + 1); the last column counts the items.
    """
    found: dict[int, IntArray] = {}
    for block in blocks(tables):
        family = families(tables)[block.family]
        if family.source == source:
            clause = build_clause(vary(triple, block, 0, tables), tables)
            if resolved_by(clause, family, triple.reverse, tables) not in UNDECIDED:
                of_items = found.setdefault(block.items, np.zeros(SHAPE, np.int64))
                of_items[SPLITS.index(block.split)] += (*surface_signs(clause), 1)
    return found


class Places:
    """Places of triples in draws: draw k has those from k n to (k + 1) n of a group.

    `start` is the place in a draw's list of the group's first triple.
    """

    def __init__(
        self, source: str, triples: Sequence[Triple], n: int, start: int, tables: Path
    ) -> None:
        self.triples, self.n, self.start = list(triples), n, start
        self._signs = {t.number: triple_signs(source, t, tables) for t in triples}

    def signs(self, place: int) -> IntArray:
        """What the triple at a place adds to its draw."""
        within = self.start + place % self.n
        zeros = np.zeros(SHAPE, np.int64)
        signs = self._signs[self.triples[place].number].items()
        return sum((values for items, values in signs if items > within), zeros)


def balance(groups: Sequence[Places], n_draws: int, seed: str) -> None:
    """Exchanges triples of groups until every draw's signs are near 0 in each split."""
    movable = [group for group in groups if group.n and len(group.triples) > 1]
    sums = np.zeros((n_draws + 1, *SHAPE), np.int64)  # the last: what is left

    def add(group: Places, places: Iterable[int], factor: int) -> None:
        for place in places:
            sums[min(place // group.n, n_draws)] += factor * group.signs(place)

    for group in movable:
        add(group, range(len(group.triples)), 1)
    generator = random.Random(seed)
    cost = _cost(sums[:-1])
    for _ in range(N_MOVES):
        group = movable[generator.randrange(len(movable))]
        one, other = generator.sample(range(len(group.triples)), 2)
        triples, before = group.triples, sums.copy()
        add(group, (one, other), -1)
        triples[one], triples[other] = triples[other], triples[one]
        add(group, (one, other), 1)
        if (new := _cost(sums[:-1])) <= cost:
            cost = new
        else:
            triples[one], triples[other] = triples[other], triples[one]
            sums = before


def _cost(sums: IntArray) -> float:
    """Sum of the squared means of all cues; what is left over by draws does not count."""
    signs, items = sums[..., :-1], sums[..., -1:]
    return float(((signs / np.maximum(items, 1)) ** 2).sum())


def draw_triples(seed: int, size: int, tables: Path = GERMAN) -> dict[str, list[list[Triple]]]:
    """Draws triples: under each source `size` lists, in the order in which blocks take them."""
    n_draws = capacity(tables)
    if seed < 0:
        raise ValueError(f"sorts: seed, got {seed}; expected 0 or more")
    if not 1 <= size <= n_draws:
        expected = f"1 to {n_draws}, as many times the paper's size as the tables of triples fill"
        raise ValueError(f"sorts: size, got {size}; expected {expected}")
    order, first = divmod(seed, n_draws)
    ordered, drawn = _ordered(order, tables), dict[str, list[list[Triple]]]()
    for source, pool in pools(tables).items():
        drawn[source] = []
        for k in ((first + i) % n_draws for i in range(size)):
            singular, plural = ordered[source, False], ordered[source, True]
            n, m = pool.singular, pool.plural
            drawn[source].append([*singular[k * n : (k + 1) * n], *plural[k * m : (k + 1) * m]])
    return drawn


def capacity(tables: Path = GERMAN) -> int:
    """Number of draws that the tables hold without using a triple twice."""
    needs = {
        (source, is_plural): n
        for source, pool in pools(tables).items()
        for is_plural, n in ((False, pool.singular), (True, pool.plural))
    }
    return min(len(triples_of(*group, tables)) // n for group, n in needs.items() if n)


@functools.cache
def _ordered(order: int, tables: Path) -> Mapping[tuple[str, bool], Sequence[Triple]]:
    """The triples of each source in one order, in which every draw is balanced."""
    groups = {}
    for source, pool in pools(tables).items():
        for is_plural, n, start in ((False, pool.singular, 0), (True, pool.plural, pool.singular)):
            group = list(triples_of(source, is_plural, tables))
            random.Random(f"sorts/{DRAW}/{order}/{source}/{is_plural}").shuffle(group)
            groups[source, is_plural] = Places(source, group, n, start, tables)
    balance(list(groups.values()), capacity(tables), f"sorts/{DRAW}/{order}/balance")
    return {key: places.triples for key, places in groups.items()}


@functools.cache
def triples_of(source: str, is_plural: bool, tables: Path = GERMAN) -> tuple[Triple, ...]:
    """Triples of a source with plural syncretic phrases, which only some draws take, or without."""
    has_plurals = pools(tables)[source].plural > 0
    triples = (triple for triple in read_lexicon(tables).triples if triple.family == source)
    return tuple(
        triple
        for triple in triples
        if (has_plurals and str(triple.subject_syncretic).endswith(PLURAL)) == is_plural
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


ITEMS_AT_ONCE = 1_000  # whose rows are held while a larger draw streams


def draw(
    seed: int = 0,
    size: int | None = None,
    *,
    lite: bool = False,
    placement: Placement = "idiomatic",
    tables: Path = GERMAN,
) -> dict[Split, Columns]:
    """Under each split the columns of config `conll` of a draw, seeds from 0.

    The size is a multiplier of the paper's 18,502 clauses, None 1; `lite` is the subset of equal
    clauses per triple and has no size; `placement` is the rule set for the order of words. A
    ValueError for a negative seed, or a size that the tables cannot fill.
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
    split: Split, seed: int = 0, size: int = 1, placement: Placement = "idiomatic"
) -> Iterator[Columns]:
    """The rows of one split of `draw`, those of some items at a time; errors as there.

    The items are held, since each names the base of its triple; their rows, which need ten times
    the memory, are not.
    """
    items = draw_items(seed, size)[split]
    bases = _base_items(items)
    for start in range(0, len(items), ITEMS_AT_ONCE):
        some = items[start : start + ITEMS_AT_ONCE]
        yield _columns([(item, item.orders) for item in some], bases, placement, GERMAN)


@functools.lru_cache(maxsize=2)
def draw_items(seed: int = 0, size: int = 1, tables: Path = GERMAN) -> dict[Split, list[DrawnItem]]:
    """The items of both splits; arguments and errors as in `draw`."""
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


def item_columns(items: Sequence[DrawnItem], tables: Path = GERMAN) -> Columns:
    """Columns of config `conll` of items that no draw has together, in all their word orders."""
    whole = [(item, item.orders) for item in items]
    return _columns(whole, _base_items(items), "idiomatic", tables)


def _planned(
    block: Block, triples: Sequence[Triple], tables: Path
) -> list[tuple[Triple, PlannedItem]]:
    """The first triples that a block can take, and their items."""
    # *Teun leest het .    two readings: a Dutch name before a het word's pronoun
    is_choosy = grammar_of(tables) == "dutch"
    found: list[tuple[Triple, PlannedItem]] = []
    for triple in triples:
        item = vary(triple, block, len(found), tables)
        if len(found) < block.items and (not is_choosy or is_fitting(item, block, tables)):
            found.append((triple, item))
    if len(found) < block.items:
        got = f"sorts: items of {block.split}/{block.name}, got {len(found)}"
        raise ValueError(f"{got}; expected {block.items}, as the design has it")
    return found


def _columns(
    items: Sequence[tuple[DrawnItem, tuple[str, ...]]],
    bases: dict[str, str],
    placement: Placement,
    tables: Path,
) -> Columns:
    rows: list[dict[str, Any]] = []
    is_dutch = grammar_of(tables) == "dutch"
    for item, orders in items:
        clause, settled, item_id = item.clause, item.resolved_by, item.item_id
        base = bases.get(item.triple_id, item_id)
        for row in realize(clause, orders, placement, tables):
            order, family = row.word_order, item.block.family
            # Daarom leest de student hem .    has no other order in Dutch: the subject is first
            is_marked = is_marked_order(clause.subject.kind, clause.object.kind, order)
            told = {
                "id": f"{item_id}/{order}",
                "item_id": item_id,
                "base_item_id": base,
                "triple_id": item.triple_id,
                "properties": list(item.block.properties),
                "resolved_by": settled_in_order(settled, clause, order, family, tables),
                "is_marked_order": is_marked and not is_dutch,
            }
            rows.append(told | row._asdict() | clause.frequencies())
    return {name: [row[name] for row in rows] for name in rows[0]}


def _base_items(items: Sequence[DrawnItem]) -> dict[str, str]:
    """Item without modifiers of each triple that has one: the base of all its others."""
    return {item.triple_id: item.item_id for item in items if not item.block.modifiers}
