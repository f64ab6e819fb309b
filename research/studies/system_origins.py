"""Where a system comes from: others, training here, the suite's own tables, or nothing (a null).

The version that a committed result was made with is told too, where it is known.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from builders.suites import reference_kind
from ground.paths import ROOT
from ground.tables import read_table
from metrics._shared.option_fields import read_signature
from research.systems.nulls import nulls_of
from research.systems.weights import read_weights

TABLE = Path(__file__).resolve().parent / "data" / "origins.tsv"
PINNED = "pinned"
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
Kind = Literal["others", "trained", "tables", "null", "shortcut", "rule", "ceiling"]


@dataclass(frozen=True)
class OriginRow:
    """A line of `origins.tsv`."""

    system: str
    origin: Kind
    family: str | None
    package: str | None
    says: str


@dataclass(frozen=True)
class Origin:
    """Where a system comes from.

    Attributes:
        kind: Made by `others`, `trained` here, reads the suite's own `tables`; or a reference that
            is never ranked: a `null`, which knows nothing of what is asked, a `shortcut`, a
            `rule`, which applies what is asked, a `ceiling`.
        says: What it is, in a few words, "" where nobody said.
        family: Systems of which only the best stands in short tables; "" for a family of its own.
    """

    kind: Kind
    says: str = ""
    family: str = ""


def origin_of(suite: str, system: str) -> Origin:
    """What a system is by its name, or by the part before the colon."""
    for null in nulls_of(suite):
        if null.name == system:
            return Origin("null", null.says)
    reference = reference_kind(suite, system)
    for name in (system, system.partition(":")[0]):
        if row := _rows().get(name):
            return Origin(reference or row.origin, row.says, row.family or "")
    if reference:
        return Origin(reference)
    return Origin("trained" if suite == "morphseg" else "others")


def version_of(suite: str, system: str, record: Mapping[str, Any]) -> tuple[str, int | None]:
    """Version and number of parameters of a system in a record.

    The record's own, from its `systems` or its signatures; of an older record, and said so, what
    is pinned for that system. "" and None where nothing is known.
    """
    listed = record.get("systems", {}).get(system, {})
    n_parameters = listed.get("n_parameters")
    packaged = _packaged(system)
    if n_parameters is None and packaged:
        n_parameters = packaged.n_parameters
    own = listed.get("version") or _signed(record).get(system, "")
    if own or origin_of(suite, system).kind == "null":
        return own, n_parameters
    row = _rows().get(system)
    requirement = packaged.requires[0].replace("==", " ") if packaged else ""
    if not requirement and row and row.package:
        requirement = f"{row.package} {_pins()[row.package]}"
    return f"{requirement} ({PINNED})" if requirement else "", n_parameters


def _signed(record: Mapping[str, Any]) -> dict[str, str]:
    runs = [read_signature(text).run for text in record.get("signatures", ())]
    return {run["system"]: run.get("revision", "") for run in runs}


def _packaged(system: str) -> Any:
    """The weights that a system is made of, by its name or by that behind the colon."""
    for weights in read_weights().values():
        made = {part.split()[-1] for part in weights.system.split(", ")}
        if system in made or system.partition(":")[2] == weights.name:
            return weights
    return None


@functools.cache
def _rows() -> dict[str, OriginRow]:
    return {row.system: row for row in read_table(TABLE, OriginRow)}


@functools.cache
def _pins() -> dict[str, str]:
    return dict(PIN.findall((ROOT / "constraints.txt").read_text(encoding="utf-8")))
