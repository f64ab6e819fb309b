"""What blind readers say of places of `natural`: which cut the sentence wants, and who decides.

A sheet shows sentence, string and both cuts without saying which is the text's. Of every place a
reader says which cut the sentence wants (a, b, both or unclear), and whether that is a matter of a
standard of segmentation only: either cut would say the same.
"""

import hashlib
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
    """One row of natural_readings.tsv: which cut two readers said that a sentence wants."""

    id: str  # in `natural` of the texts daily, msr, pku, as and cityu, in this order
    exclusion: str
    first: Judgement
    second: Judgement
    is_first_standard: bool  # whether a standard alone decides
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

    def digest(row: dict[str, Any]) -> bytes:
        return hashlib.sha256(f"natural sheet|{seed}|{row['id']}".encode()).digest()

    drawn = [row for rows, n in groups for row in sorted(rows, key=digest)[:n]]
    return [_shown(row, digest(row)[0] % 2) for row in sorted(drawn, key=digest)]


def _shown(row: dict[str, Any], is_turned: int) -> SheetRow:
    """The string cut behind its second and behind its first character, in this order or turned."""
    site = row["test_site"]
    cuts = [f"{site[:2]}|{site[2]}", f"{site[0]}|{site[1:]}"]
    gold = cuts[0 if row["branching"] == "left" else 1]
    if is_turned:
        cuts.reverse()
    return SheetRow(row["id"], row["test"], site, cuts[0], cuts[1], "ab"[cuts.index(gold)])
