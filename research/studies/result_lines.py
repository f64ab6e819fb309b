"""The committed results of all suites as lines: a system, a task, its score and what that is worth.

Nothing is run and no number is typed: a line is what a record in `cards/results/SUITE/` holds. A
record of another VERSION of suite or metric, or of another draw, is left out and named. A version
and the default draw fix the rows, so that no suite is built for this; `push.py check` compares
hashes.
"""

import functools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from builders.shallow import Shallow, bar, compare_with_bar, null_of
from builders.suites import reference_kind
from dataset_scripts.headlines import HEADLINES
from dataset_scripts.registry import suite_builder, system_and_config
from ground.paths import RESULTS, ROOT
from ground.tables import read_table
from metrics._shared.option_fields import read_signature
from research.studies.headline_columns import best_shallow
from research.studies.report import metric_versions
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
    """Where a system comes from: made by `others`, `trained` here, or from the suite's `tables`.

    Never ranked are a `null`, which knows nothing of what is asked, a `shortcut`, a `rule`, which
    applies what is asked, and a `ceiling`. Of a family only the best stands in short tables; "" is
    one of its own.
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
    runs = [read_signature(text).run for text in record.get("signatures", ())]
    signed = {run["system"]: run.get("revision", "") for run in runs}
    own = listed.get("version") or signed.get(system, "")
    if own or origin_of(suite, system).kind == "null":
        return own, n_parameters
    row = _rows().get(system)
    requirement = packaged.requires[0].replace("==", " ") if packaged else ""
    if not requirement and row and row.package:
        requirement = f"{row.package} {_pins()[row.package]}"
    return f"{requirement} ({PINNED})" if requirement else "", n_parameters


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


PREFERENCE = "accuracy"  # of `minimal_pair_preference` and of choices
REDRAW = "redraw"
Figures = Mapping[str, Any]
Measured = tuple[Any, ...]
"""System, score, value, low, high, null, shortcut and `is_above` of a `Line`."""


@dataclass(frozen=True)
class Line:
    """A system on a task: shares in [0, 1], nan and None where a record does not tell.

    A task is `SUITE/RECORD` with a config or table behind a colon; of its score more is better.
    `null` is what knowing nothing is worth there, `shortcut` the best that a search found, nan
    where none was. `is_above` goes by the rule of `builders.shallow`; of a preference it is whether
    its interval lies above the null; None without an interval.
    """

    suite: str
    task: str
    system: str
    origin: Origin
    score: str
    value: float
    low: float
    high: float
    null: float
    shortcut: float
    is_above: bool | None
    version: str
    n_parameters: int | None
    command: str


@dataclass(frozen=True)
class Diagnosis:
    """A classifier on ERAS, which has no winner: GPER, its excess over the reverse, the effect.

    GPER is a share without a zero, nan where a record has only the others; these have low and high
    ends, and are 0 where there is no garden path.
    """

    system: str
    task: str
    gper: float
    gper_excess: tuple[float, float, float]
    occlusion_effect: tuple[float, float, float]


@dataclass(frozen=True)
class Gathered:
    """What the records hold: lines, diagnoses, and why each other record is left out."""

    lines: Sequence[Line]
    diagnoses: Sequence[Diagnosis]
    left_out: Mapping[str, str]


def gather(folder: Path = RESULTS) -> Gathered:
    """Reads every record `SUITE/RECORD.json` of a suite with a headline."""
    lines: list[Line] = []
    diagnoses: list[Diagnosis] = []
    left_out = {}
    for suite in HEADLINES:
        records = {}
        for path in sorted((folder / suite).glob("*.json")):
            record = json.loads(path.read_text(encoding="utf-8"))
            if why := why_left_out(suite, record):
                left_out[f"{suite}/{path.stem}"] = why
            else:
                records[path.stem] = record
        lines += lines_of(suite, records)
        diagnoses += [found for name in records for found in _diagnoses(suite, name, records[name])]
    return Gathered(lines, diagnoses, left_out)


def why_left_out(suite: str, record: Mapping[str, Any]) -> str:
    """What a record was measured on that is not today's, "" for nothing."""
    today = {"version": suite_builder(suite).newest(record.get("configs", ()))}
    today |= metric_versions(record["metrics"])
    measured = {"version": record["version"], **record["metrics"]}
    differing = [
        f"{suite if name == 'version' else name} {measured[name]}, now {today[name]}"
        for name in today
        if measured[name] != today[name]
    ]
    if record["draw"]:
        differing.append(f"draw {json.dumps(record['draw'])}")
    return ", ".join(differing)


def lines_of(suite: str, records: Mapping[str, Mapping[str, Any]]) -> list[Line]:
    """The lines of a suite's records by name; without the headline anywhere, those of `redraw`."""
    found = [
        _line(suite, task, record, measured)
        for name, record in records.items()
        for task, measured in _measured(suite, name, record)
    ]
    has_headline = any(line.score == HEADLINES[suite].title for line in found)
    if REDRAW in records and not has_headline:
        of_draws = _of_draws(suite, records[REDRAW]["figures"])
        task = f"{suite}/{REDRAW}"
        found += [_line(suite, task, records[REDRAW], measured) for measured in of_draws]
    return found


def _measured(suite: str, name: str, record: Figures) -> Iterator[tuple[str, Measured]]:
    headline = HEADLINES[suite]
    for key, found in record["figures"].items():
        if isinstance(found, dict) and f"{headline.score}_low" in found:
            system, config = system_and_config(suite, key)
            task = f"{suite}/{name}:{config}" if config else f"{suite}/{name}"
            place = place_of(record.get("signatures", ()), system, config, name)
            ends = (found[f"{headline.score}{end}"] for end in ("", "_low", "_high"))
            worth = (
                headline.worth_nothing(found, place),
                _searched_shortcut(best_shallow(headline, place)),
                headline.is_above(found, place),
            )
            yield task, (system, headline.title, *ends, *worth)
        elif isinstance(found, list):
            task = f"{suite}/{name}:{key}"
            place = f"{key.partition(':')[0].partition(',')[0]}/test"
            yield from ((task, one) for one in _preferences(suite, place, found))


def _preferences(suite: str, place: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Measured]:
    """All constructions together; NULL is the best of chance, nulls and readers of the search."""
    whole = [row for row in rows if row.get("construction") == "all" and PREFERENCE in row]
    nulls = [row[PREFERENCE] for row in whole if origin_of(suite, row["system"]).kind == "null"]
    nulls += [row["chance"] for row in whole if row.get("chance") is not None]
    if (searched := null_of(suite, place, PREFERENCE)) is not None:
        nulls.append(searched.value)
    null = max(nulls, default=math.nan)
    for row in whole:
        low, high = (row.get(f"{PREFERENCE}_{end}", math.nan) for end in ("low", "high"))
        ends = (row[PREFERENCE], low, high)
        above = compare_with_bar(suite, place, PREFERENCE, ends)
        is_above = low > null if above is None else above.is_above
        shortcut = _searched_shortcut(bar(suite, place, PREFERENCE))
        is_known = low == low
        yield row["system"], "preference", *ends, null, shortcut, is_above if is_known else None


def _searched_shortcut(best: Shallow | None) -> float:
    return best.value if best is not None and best.kind == "shortcut" else math.nan


def _of_draws(suite: str, draws: Mapping[str, Mapping[str, float]]) -> Iterator[Measured]:
    title, unknown = HEADLINES[suite].title, (math.nan, math.nan)
    for system, spread in draws.items():
        mean, null = spread["mean"] / 100, spread["null"] / 100
        yield system, title, mean, *unknown, null, math.nan, None


def _line(suite: str, task: str, record: Mapping[str, Any], measured: Measured) -> Line:
    system, *score = measured
    made: tuple[Any, ...] = (*version_of(suite, system, record), record["command"])
    return Line(suite, task, system, origin_of(suite, system), *score, *made)


def _diagnoses(suite: str, name: str, record: Mapping[str, Any]) -> Iterator[Diagnosis]:
    figures = record["figures"]
    for key, found in figures.get("conditions", figures).items():
        if not isinstance(found, dict):
            continue
        gper, excess, effect = (
            _with_ends(found, part) for part in ("gper", "gper_excess", "occlusion_effect")
        )
        if not math.isnan(excess[1]):  # simulated ones have no interval
            system, config = system_and_config(suite, key)
            task = f"{suite}/{name}:{config}" if config else f"{suite}/{name}"
            yield Diagnosis(system, task, gper[0], excess, effect)


def _with_ends(found: Figures, name: str) -> tuple[float, float, float]:
    """A score and its ends, beside it or in a mapping of their own; nan where there are none."""
    own, names = found.get(name), [f"{name}{end}" for end in ("", "_low", "_high")]
    if isinstance(own, dict):
        found, names = own, ["value", "low", "high"]
    value, low, high = (float(found.get(one, math.nan)) for one in names)
    return value, low, high


def place_of(signatures: Iterable[str], system: str, config: str = "", record: str = "") -> str:
    """`CONFIG/SPLIT` of a system's rows in a record, by its signatures; "" where they say none.

    Example:
        >>> text = "suite:sorts|config:conll|split:amb|system:x|metric:m|version:1.0.0"
        >>> place_of([text], "x")
        'conll/amb'
        >>> both = [text, text.replace("conll", "dutch_lite")]
        >>> place_of(both, "x", record="parsers_dutch_lite_amb")
        'dutch_lite/amb'
    """
    runs = [read_signature(text).run for text in signatures]
    found = {
        f"{run['config']}/{run.get('split', 'test')}"
        for run in runs
        if run.get("system") == system and run.get("config", "") and config in ("", run["config"])
    }
    if len(found) > 1:
        own = {one for one in found if record.endswith(f"_{one.replace('/', '_')}")}
        named = own or {one for one in found if record.endswith(f"_{one.partition('/')[2]}")}
        found = {max(named, key=len)} if named else set()
    return found.pop() if found else ""
