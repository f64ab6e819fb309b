"""What blind readers say of places of `natural`: which cut the sentence wants, and who decides.

A sheet shows sentence, string and both cuts without saying which is the text's. Of every place a
reader says which cut the sentence wants (a, b, both or unclear), and whether that is a matter of a
standard of segmentation only: either cut would say the same.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from builders.eras.natural_rows import lite_table
from ground.tables import read_table
from research.readings import DATA

READINGS = DATA / "eras" / "natural_readings.tsv"
Judgement = Literal["gold", "rival", "both", "unclear"]

N_UNFLAGGED, N_FLAGGED = 200, 25
"""Places of the lite subset in a sheet, and places of each flag."""


@dataclass(frozen=True)
class NaturalReading:
    """One row of natural_readings.tsv: what two readers said of a place.

    Attributes:
        id: Its id in `natural` of the texts daily, msr, pku, as and cityu, in this order.
        exclusion: Its flag.
        first, second: Which cut the sentence wants, as each reader says.
        is_first_standard, is_second_standard: Whether a standard alone decides, as each says.
    """

    id: str
    exclusion: str
    first: Judgement
    second: Judgement
    is_first_standard: bool
    is_second_standard: bool


def read_readings() -> list[NaturalReading]:
    """Every place that was read."""
    return read_table(READINGS, NaturalReading)


class SheetRow(NamedTuple):
    """A place as a reader sees it: sentence, string, two cuts; `id` and `gold` are not shown."""

    id: str
    sentence: str
    site: str
    a: str
    b: str
    gold: str


def sheet(table: pa.Table, seed: int = 0) -> list[SheetRow]:
    """Places of `natural` for readers, in the order of their hashes; `seed` says which sheet."""
    flagged = [row for row in table.to_pylist() if row["exclusion"] != "none"]
    flags = sorted({row["exclusion"] for row in flagged})
    groups = [(lite_table(table).to_pylist(), N_UNFLAGGED)]
    groups += [([row for row in flagged if row["exclusion"] == flag], N_FLAGGED) for flag in flags]
    drawn = [
        row
        for rows, n in groups
        for row in sorted(rows, key=lambda row: _digest(seed, row["id"]))[:n]
    ]
    return [_shown(seed, row) for row in sorted(drawn, key=lambda row: _digest(seed, row["id"]))]


def _shown(seed: int, row: dict[str, Any]) -> SheetRow:
    cuts = list(_cuts(row["test_site"]))
    gold = cuts[0 if row["branching"] == "left" else 1]
    if _digest(seed, row["id"])[0] % 2:
        cuts.reverse()
    letter = "ab"[cuts.index(gold)]
    return SheetRow(row["id"], row["test"], row["test_site"], cuts[0], cuts[1], letter)


def _cuts(site: str) -> Iterator[str]:
    """The string cut behind its second and behind its first character."""
    yield f"{site[:2]}|{site[2]}"
    yield f"{site[0]}|{site[1:]}"


def _digest(seed: int, key: str) -> bytes:
    return hashlib.sha256(f"natural sheet|{seed}|{key}".encode()).digest()
