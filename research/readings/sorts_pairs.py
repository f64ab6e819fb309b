"""Minimal pairs: clauses of one triple that differ in word order alone, or in one property alone.

    # part_amb/base-acc/03/VF[S]LK[V]MF[O]   Der Leser liest einen Roman .
    # part_amb/base-acc/03/VF[O]LK[V]MF[S]   Einen Roman liest der Leser .         by word order
    # part_amb/base-aux/03/VF[S]LK[V]MF[O]   Der Leser wird einen Roman lesen .    by aux

Everything comes from ids and columns of config `conll`, so that the authors' edition has pairs too.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from builders.sorts.columns import ClauseColumns
from builders.sorts.items import MODIFIERS, SLOTS, is_same_lexeme

UNKNOWN = "_"


class MinimalPair(NamedTuple):
    """Two clauses as row numbers, and what the second has more: a property, or `word_order`."""

    first: int
    second: int
    contrast: str


def word_order_pairs(columns: ClauseColumns) -> Iterator[MinimalPair]:
    """All pairs of clauses of one item: 10 for an item of five orders, 28 for one of eight."""
    items: dict[str, list[int]] = defaultdict(list)
    for row, item in enumerate(columns["item_id"]):
        items[item].append(row)
    for rows in items.values():
        yield from (
            MinimalPair(first, second, "word_order") for first, second in combinations(rows, 2)
        )


def property_pairs(columns: ClauseColumns) -> Iterator[MinimalPair]:
    """All pairs of clauses that differ in one modifying property.

    They have the same split, triple and word order; the second has one modifier more.
    """
    rows: dict[tuple[str, str, str, frozenset[str]], int] = {}
    keys = []
    names = ("item_id", "triple_id", "word_order", "properties")
    for item, triple, order, tags in zip(*(columns[name] for name in names), strict=True):
        keys.append((item.split("/")[0], triple, order, frozenset(MODIFIERS).intersection(tags)))
        rows[keys[-1]] = len(keys) - 1
    for second, (split, triple, order, modifiers) in enumerate(keys):
        for tag in sorted(modifiers):
            first = rows.get((split, triple, order, modifiers - {tag}))
            if first is not None and _is_minimal(columns, first, second, tag):
                yield MinimalPair(first, second, tag)


def changed_slots(properties: Sequence[str], tag: str) -> frozenset[str]:
    """Slots whose words a property changes: with a psych verb institution and name the object."""
    if tag == "amb":
        return frozenset(("subject", "object"))
    if tag in ("regpol", "sname") and "psy" in properties:
        return frozenset(("object",))
    if tag == "oneg" and "opron" in properties:
        return frozenset(("object",))
    return frozenset((MODIFIERS[tag],)) - {""}


def _is_minimal(columns: ClauseColumns, first: int, second: int, tag: str) -> bool:
    """Whether two clauses have the same words where the property changes none."""
    kept = set(SLOTS) - changed_slots(columns["properties"][second], tag)
    return all(_is_same(columns, first, second, slot) for slot in kept)


def _is_same(columns: ClauseColumns, first: int, second: int, slot: str) -> bool:
    lemmas = [columns["lemmas"][row][columns[slot][row]] for row in (first, second)]
    if UNKNOWN not in lemmas:
        return bool(lemmas[0] == lemmas[1])
    return is_same_lexeme(*(columns["tokens"][row][columns[slot][row]] for row in (first, second)))
