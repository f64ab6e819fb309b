"""The design of the suite: blocks, the families of triples that fill them, how many a draw takes.

A block is a combination of properties with its number of items, and of items that also have the
object first in the middle field. An item is a triple under these properties; it has five word
orders, or eight.

Source: Fischer et al. (2020), section 3; numbers per block from their files, in sum their Tables 7
and 9.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from builders.sorts.items import MODIFIERS
from builders.sorts.lexicon import GERMAN, Number
from ground.tables import check_values, read_table
from metrics.subject_object_las.inputs import NO_PROPERTY, OVS, PROPERTIES

Split = Literal["part_amb", "amb"]
SPLITS: tuple[Split, ...] = ("part_amb", "amb")
ITEM_ORDERS = (  # the authors' sequence of clauses in an item
    "VF[S]LK[V]MF[O]",
    "VF[O]LK[V]MF[S]",
    "VF[ADV]LK[V]MF[SO]",
    "VF[ADV]LK[V]MF[OS]",
    "LK[V]MF[SO]",
    "LK[V]MF[OS]",
    "MF[SO]VC[V]",
    "MF[OS]VC[V]",
)
OBJECT_FIRST_IN_MIDDLE_FIELD = "MF[OS]"
SYNCRETISM = "amb"


@dataclass(frozen=True)
class Block:
    """One combination of properties with its number of items.

    The first `items_os` also have the object first in the middle field, the first `items_ovs`
    before the finite verb.
    """

    split: Split
    block: int
    properties: tuple[str, ...]
    family: str
    items: int
    items_os: int
    items_ovs: int

    @property
    def name(self) -> str:
        """The properties as the authors write them, such as `aux-pp`."""
        return "-".join(self.properties)

    @property
    def modifiers(self) -> frozenset[str]:
        """The properties that change a base sentence; the others bring triples of their own."""
        return frozenset(MODIFIERS).intersection(self.properties)

    @property
    def is_syncretic(self) -> bool:
        """Whether its phrases must tell neither case nor number."""
        return self.split == SYNCRETISM or SYNCRETISM in self.properties

    def word_orders(self, place: int) -> Sequence[str]:
        """Orders of the item at a place, from 0: eight or five, or four without OVS."""
        return [
            order
            for order in ITEM_ORDERS
            if (place < self.items_os or OBJECT_FIRST_IN_MIDDLE_FIELD not in order)
            and (place < self.items_ovs or order != OVS)
        ]


@dataclass(frozen=True)
class Family:
    """A kind of triple: the columns of its parts, what settles its clauses if form does not."""

    family: str
    source: str
    subject: str
    verb: str
    object: str
    synonym: str | None
    replaced: Literal["subject", "object"]
    has_articles: bool
    settled_by: Literal["triple", "lexicalised", "none"]


@dataclass(frozen=True)
class Pool:
    """How many triples a draw takes: with singular syncretic phrases, and with plural ones."""

    source: str
    singular: int
    plural: int


@dataclass(frozen=True)
class PronounChoice:
    """One step of the sequence in which animate phrases get their person."""

    role: Literal["subject", "object"]
    place: int
    person: int
    number: Number


@functools.cache
def blocks(tables: Path = GERMAN) -> tuple[Block, ...]:
    """All blocks, those of part_amb first, each split in the authors' order."""
    path = tables / "blocks.tsv"
    rows = read_table(path, Block)
    tags = (tag for row in rows for tag in row.properties)
    check_values(path, "property", tags, (NO_PROPERTY, *PROPERTIES))
    check_values(path, "family", (row.family for row in rows), families(tables))
    return tuple(row for split in SPLITS for row in rows if row.split == split)


@functools.cache
def families(tables: Path = GERMAN) -> dict[str, Family]:
    """All families, by name."""
    return {row.family: row for row in read_table(tables / "families.tsv", Family)}


@functools.cache
def pools(tables: Path = GERMAN) -> dict[str, Pool]:
    """Number of triples per draw, for each source of triples."""
    rows = {row.source: row for row in read_table(tables / "pools.tsv", Pool)}
    sources = (family.source for family in families(tables).values())
    check_values(tables / "families.tsv", "source", sources, rows)
    return rows


@functools.cache
def pronoun_cycle(role: str, tables: Path = GERMAN) -> tuple[PronounChoice, ...]:
    """Sequence of persons for subjects or objects."""
    choices = read_table(tables / "pronoun_cycles.tsv", PronounChoice)
    return tuple(row for row in choices if row.role == role)
