"""Items, base items and triples of the authors' clauses, told from the order of their files.

Clauses of one property combination stand together (a block), those of one item stand together in
it, and each item begins with its subject-verb-object clause. A property either modifies another
item (`aux`, `pp`, ...) or brings triples of its own (`sinan`, `psy`, ...):

    # base-acc/03  Der Hund frisst einen Knochen .
    # base-aux/03  Der Hund wird einen Knochen fressen .        partner under aux: base-acc/03
    # aux-pp/03    Der Hund wird in dem Jahr einen Knochen ...  partner under pp: base-aux/03
    #                                                           base item: base-acc/03

A partner is the item of the block without the property that has the same words where the property
changes none, by preference at the same place. Following partners down to an item without modifiers
gives the base item; base items of the two subsets with the same words are one triple.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ground.tables import DataFileError, read_settings
from metrics.subject_object_las.inputs import NO_PROPERTY, SVO, WORD_ORDERS

# A property that modifies another item, and the slot of the clause whose word it replaces ("" for
# none).
MODIFIERS = {
    "aux": "",
    "pp": "",
    "oneg": "",
    "amb": "",
    "spron": "subject",
    "regpol": "subject",
    "sname": "subject",
    "opron": "object",
    "noref": "object",
    "syn": "verb",
}
NO_VARIATION = frozenset((NO_PROPERTY, "acc"))
SLOTS = ("subject", "verb", "object")
UMLAUTS = str.maketrans("äöüß", "aous")
SHORTEST_STEM, PREFIX = 3, 4
SETTINGS = Path(__file__).parent / "data" / "released.toml"


@dataclass(frozen=True)
class Item:
    """One item: the same words in several orders."""

    block: str  # its property combination, such as `aux-pp`
    place: int
    rows: tuple[int, ...]  # its clauses
    words: Mapping[str, str]  # head words of subject, verb and object in the first clause

    @property
    def tags(self) -> frozenset[str]:
        """Its properties without those that say that there is none."""
        return frozenset(self.block.split("-")) - NO_VARIATION

    @property
    def name(self) -> str:
        """Block and place, such as `aux-pp/03`."""
        return f"{self.block}/{self.place:02d}"


def add_ids(
    splits: Mapping[str, Mapping[str, Sequence[Any]]], where: str
) -> dict[str, dict[str, Any]]:
    """Adds `id`, `item_id`, `base_item_id` and `triple_id` to gold clauses in file order.

    A triple that `part_amb` and `amb` share has the name that it has in `part_amb`.
    """
    items = {split: find_items(columns, f"{where} ({split})") for split, columns in splits.items()}
    bases = {split: base_items(found, find_partners(found)) for split, found in items.items()}
    roots = {
        split: [item for item in found if bases[split][item.name] == item.name]
        for split, found in items.items()
    }
    shared = same_triples(roots.get("part_amb", []), roots.get("amb", []))
    result = {}
    for split, columns in splits.items():
        names = [item.name for item in items[split] for _ in item.rows]
        base = [bases[split][name] for name in names]
        triples = [
            f"part_amb/{shared[name]}" if split == "amb" and name in shared else f"{split}/{name}"
            for name in base
        ]
        pairs = zip(names, columns["word_order"], strict=True)
        result[split] = dict(columns) | {
            "item_id": [f"{split}/{name}" for name in names],
            "base_item_id": [f"{split}/{name}" for name in base],
            "triple_id": triples,
            "id": [f"{split}/{name}/{order}" for name, order in pairs],
        }
    return result


def find_items(columns: Mapping[str, Sequence[Any]], where: str) -> list[Item]:
    """Divides gold clauses in file order into items; `where` they are is for messages.

    A DataFileError where a block does not begin with subject-verb-object, an item has an order
    twice, or its clauses have other words.
    """
    items: list[Item] = []
    for block, place, rows in _runs(columns, where):
        orders = [columns["word_order"][row] for row in rows]
        name = f"{where}: item {block}/{place:02d}"
        if len(set(orders)) < len(orders):
            twice = next(order for order in WORD_ORDERS if orders.count(order) > 1)
            raise DataFileError(f"{name}, got {twice} twice; expected each order once")
        bags = []
        for row, order in zip(rows, orders, strict=True):
            # without full stop, and without the adverb or complementizer that some orders have
            opener = 1 if order.startswith(("VF[ADV]", "MF[")) else 0
            bags.append(sorted(token.lower() for token in columns["tokens"][row][opener:-1]))
        if different := [o for o, bag in zip(orders, bags, strict=True) if bag != bags[0]]:
            got = f"{name}, got other words in {different[0]}"
            raise DataFileError(f"{got}; expected those of {SVO}")
        words = {slot: columns["tokens"][rows[0]][columns[slot][rows[0]]] for slot in SLOTS}
        items.append(Item(block, place, tuple(rows), words))
    if len({item.name for item in items}) < len(items):
        got = f"{where}: blocks, got one property combination in two places"
        raise DataFileError(f"{got}; expected all its clauses together")
    return items


def find_partners(items: Sequence[Item]) -> dict[tuple[str, str], Item]:
    """Partner of each item under each of its modifiers, if any, by (name of the item, property)."""
    blocks: dict[frozenset[str], list[Item]] = {}
    for item in items:
        blocks.setdefault(item.tags, []).append(item)
    found = {
        (item.name, tag): _partner(item, tag, blocks.get(item.tags - {tag}, []))
        for item in items
        for tag in modifiers(item)
    }
    return {key: partner for key, partner in found.items() if partner is not None}


def modifiers(item: Item) -> list[str]:
    """Properties of an item that modify another one, sorted."""
    return sorted(item.tags & MODIFIERS.keys())


def base_items(items: Sequence[Item], partners: Mapping[tuple[str, str], Item]) -> dict[str, str]:
    """Name of the base item of each item: where partners lead, itself where it has none."""

    def base(item: Item) -> str:
        steps = [partners.get((item.name, tag)) for tag in modifiers(item)]
        partner = next((one for one in steps if one is not None), None)
        return base(partner) if partner else item.name

    return {item.name: base(item) for item in items}


def same_triples(first: Sequence[Item], second: Sequence[Item]) -> dict[str, str]:
    """Base items of `first` under those of `second` with the same properties and phrases."""
    pairs = {}
    for item in second:
        alike = (other for other in first if other.tags == item.tags)
        same = [one for one in alike if n_same(item, one, ("subject", "object")) == 2]
        if len(same) == 1:
            pairs[item.name] = same[0].name
    return pairs


def n_same(first: Item, second: Item, slots: Sequence[str]) -> int:
    """Number of slots in which two items have forms of one lexeme, as far as endings tell."""
    return sum(is_same_lexeme(first.words[slot], second.words[slot]) for slot in slots)


def is_same_lexeme(first: str, second: str) -> bool:
    """Whether two forms have the same stem or the same beginning.

    Example:
        >>> is_same_lexeme("Hunde", "Hund"), is_same_lexeme("Leserin", "Leser")
        (True, True)
        >>> is_same_lexeme("frisst", "fressen")
        False
    """
    first, second = (form.lower().translate(UMLAUTS) for form in (first, second))
    stems = []
    for form in (first, second):
        fitting = (one for one in _endings() if len(form) - len(one) >= SHORTEST_STEM)
        ending = next((one for one in fitting if form.endswith(one)), "")
        stems.append(form.removesuffix(ending))
    is_prefixed = len(first) >= PREFIX and second.startswith(first[:PREFIX])
    return stems[0] == stems[1] or is_prefixed


@functools.cache
def _endings() -> tuple[str, ...]:
    return tuple(read_settings(SETTINGS)["endings"])


def _runs(columns: Mapping[str, Sequence[Any]], where: str) -> Iterator[tuple[str, int, list[int]]]:
    block, place, rows = "", -1, list[int]()
    for row, (order, tags) in enumerate(
        zip(columns["word_order"], columns["properties"], strict=True)
    ):
        is_new_block = "-".join(tags) != block
        if is_new_block and order != SVO:
            got = f"clause {row + 1}, got {order} at the start of {'-'.join(tags)}"
            raise DataFileError(f"{where}: {got}; expected {SVO}")
        if order == SVO and rows:
            yield block, place, rows
            rows = []
        if order == SVO:
            block, place = "-".join(tags), 0 if is_new_block else place + 1
        rows.append(row)
    yield block, place, rows


def _partner(item: Item, tag: str, candidates: Sequence[Item]) -> Item | None:
    """The candidate of the same words, at the same place or another; else one other word there."""
    changed = "object" if tag == "oneg" and "opron" in item.tags else MODIFIERS[tag]
    # with a psych verb institution and name are the experiencer, the object
    if tag in ("regpol", "sname") and "psy" in item.tags:
        changed = "object"
    slots = [slot for slot in SLOTS if slot != changed]
    there = candidates[item.place] if item.place < len(candidates) else None
    if there and n_same(item, there, slots) == len(slots):
        return there
    same = [candidate for candidate in candidates if n_same(item, candidate, slots) == len(slots)]
    if len(same) == 1:
        return same[0]
    return there if there and n_same(item, there, slots) == len(slots) - 1 else None
