"""Where the words of a clause stand: a template per placement, word order and pronouns.

    # VF[S]LK[V]MF[O], placement paper
    # VF         LK    MF                     VC
    # S          F     PP          O          I
    # Der Leser  wird  in dem Jahr einen Roman  lesen .
    #
    # the same, placement idiomatic, the object a pronoun
    # S          F     O    PP                I
    # Der Leser  wird  ihn  in dem Jahr       lesen .

`paper` and `head` are what the authors did in 2020 and do now; `idiomatic`, the default, puts
personal pronouns before the prepositional phrase, and that phrase between the two arguments where
both stand in the middle field.

Source: Fischer et al. (2020), sections 3.1 and 3.2; the placements paper and head are measured on
their files.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from builders.sorts.lexicon import GERMAN
from ground.tables import DataFileError, check_values, read_table
from metrics.subject_object_las.inputs import WORD_ORDERS

Placement = Literal["idiomatic", "paper", "head"]
Pronouns = Literal["any", "subject", "object", "both"]
PLACEMENTS: tuple[Placement, ...] = ("idiomatic", "paper", "head")
PERSONAL = "personal"
SYMBOLS = ("S", "O", "F", "I", "PP")


class FieldSlot(NamedTuple):
    """One place of a template: its topological field and the symbol of what stands there.

    The field of the punctuation is `_`.
    """

    field: str
    symbol: str


@dataclass(frozen=True)
class Template:
    """One row of `placements.tsv`; `pronouns` says which arguments are personal pronouns."""

    placement: Placement
    word_order: str
    pronouns: Pronouns
    template: tuple[str, ...]


@functools.cache
def slots(
    word_order: str, placement: Placement, pronouns: Pronouns, tables: Path = GERMAN
) -> tuple[FieldSlot, ...]:
    """Places of a clause, in order.

    Raises:
        ValueError: There is no such order or placement.
    """
    templates = _templates(tables)
    if placement not in (known := {name for name, *_ in templates}):
        expected = ", ".join(name for name in PLACEMENTS if name in known)
        raise ValueError(f"placement: got {placement!r}; expected {expected}")
    orders = [order for order in WORD_ORDERS if (placement, order, "any") in templates]
    if word_order not in orders:
        raise ValueError(f"word order: got {word_order!r}; expected {', '.join(orders)}")
    return (
        templates.get((placement, word_order, pronouns)) or templates[placement, word_order, "any"]
    )


def pronouns_among(is_subject_pronoun: bool, is_object_pronoun: bool) -> Pronouns:
    """Name of which of the two arguments are personal pronouns."""
    if is_subject_pronoun and is_object_pronoun:
        return "both"
    return "subject" if is_subject_pronoun else "object" if is_object_pronoun else "any"


def is_marked_order(subject: str, object_: str, word_order: str) -> bool:
    """Whether a full phrase stands before a personal pronoun in the middle field.

    Unstressed pronouns go first there; the order needs stress on the pronoun.
    """
    # Schützt der Helm dich ?     Deshalb stoppt einen Einbrecher er .
    first, second = (object_, subject) if "MF[OS]" in word_order else (subject, object_)
    is_in_middle_field = "MF[SO]" in word_order or "MF[OS]" in word_order
    return is_in_middle_field and first != PERSONAL and second == PERSONAL


def capitalized(word: str) -> str:
    """A word with a capital first letter, the rest as it is."""
    return word[:1].upper() + word[1:]


@functools.cache
def _templates(tables: Path) -> dict[tuple[str, str, str], tuple[FieldSlot, ...]]:
    path = tables / "placements.tsv"
    rows = read_table(path, Template)
    check_values(path, "word order", (row.word_order for row in rows), WORD_ORDERS)
    templates: dict[tuple[str, str, str], tuple[FieldSlot, ...]] = {
        (row.placement, row.word_order, row.pronouns): tuple(_slots(row.template)) for row in rows
    }
    orders = {row.word_order for row in rows}
    for placement in sorted({row.placement for row in rows}):
        for order in (order for order in WORD_ORDERS if order in orders):
            if (placement, order, "any") not in templates:
                raise DataFileError(
                    f"{path}: placement {placement}, got no row any for {order}; "
                    "expected one for each word order"
                )
    return templates


def _slots(chunks: Sequence[str]) -> list[FieldSlot]:
    return [
        FieldSlot(field, symbol)
        for field, *symbols in (chunk.split(" ") for chunk in chunks)
        for symbol in symbols
    ]
