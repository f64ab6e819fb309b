"""A result as plain data: all that the pages show. Shares are in [0, 1], None if undefined."""

import importlib
import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from builders.columns import Row
from builders.mistakes import Mistake, Readers
from builders.reference_lines import people_of, published_of
from builders.suites import FOLDER, settings_of
from garden_path.rank.comparison import item_table
from garden_path.report.given import ScoredTests, language_of
from garden_path.result import Result
from garden_path.rows import build_of
from ground.found import found
from ground.paths import ROOMS

Data = dict[str, Any]
FORMAT = 1
MOST = {"system": 4, "shortcut": 3}  # lines of a kind
ALWAYS = (
    "How other prompts, settings or training runs would score. The interval is over items alone."
)
VERDICTS = {  # by the first word of a conclusion
    "Above": ("above", "above the best shortcut"),
    "Below": ("below", "below the best shortcut"),
    "Not": ("open", "not shown to differ from the best shortcut"),
}


def report_data(found: ScoredTests, *, n_mistakes: int = 10, hub: str | None = None) -> Data:
    """All of a report; no mistakes are shown where rows may not be."""
    sections = [_section(one, n_mistakes, hub) for one in found.scored]
    return {
        "format": FORMAT,
        "system": found.scored[0].system,
        "sections": sections,
        "left_out": found.left_out,
    }


def _section(result: Result, n_mistakes: int, hub: str | None) -> Data:
    test = result.test
    told: Mapping[str, Any] = settings_of(test.suite).get("report", {})
    items = result.get(item_table(test.metric), ())
    n_wrong, shown = find_mistakes(test.metric, result.rows, items, n_mistakes)
    lines = _lines(result)
    bar = max((line["score"] for line in lines if line["kind"] == "shortcut"), default=0.0)
    verdict, found = VERDICTS.get(result.conclusion().split()[0], ("none", "no interval"))
    return {
        "suite": test.suite,
        "test": test.name,
        "asks": test.asks,
        "language": language_of(test),
        "measure": test.title,
        "n": result["n"],
        **_score(result, test.score),
        "null": _known(result.null),
        "bar": bar,
        "lines": lines,
        "published": list(_published(result)),
        "people": people_of(test),
        "verdict": verdict,
        "found": found
        if bar > (_known(result.null) or 0)
        else found.replace("the best shortcut", "NULL"),
        "conclusion": result.conclusion(),
        "not_concluded": [*told.get("not_concluded", {}).get(test.kind, ()), ALWAYS],
        "parts": list(_parts(result, told)),
        "n_wrong": n_wrong,
        "mistakes": [mistake._asdict() for mistake in shown],
        "how": _how(result, hub),
    }


def _score(found: Mapping[str, Any], name: str) -> Data:
    names = {"score": name, "low": f"{name}_low", "high": f"{name}_high"}
    return {end: _known(found.get(field)) for end, field in names.items()}


def _known(value: Any) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def _lines(result: Result) -> list[Data]:
    """The result among the lines that it is read by, best first."""
    null = _known(result.null)
    lines: list[Data] = [{"name": "NULL", "kind": "null", "score": null, "says": result.null_says}]
    own = {"name": result.system, "kind": "own", "says": ""}
    lines.append(own | _score(result, result.test.score))
    for line in result.lines:
        n_same = sum(line.kind == one["kind"] for one in lines)
        is_own = (line.kind, line.name) == ("system", result.system)
        if line.kind != "null" and not is_own and n_same < MOST.get(line.kind, n_same + 1):
            names = ("name", "kind", "score", "says")
            lines.append({name: getattr(line, name) for name in names})
    return sorted(lines, key=lambda line: -(line["score"] or 0))


def _published(result: Result) -> Iterator[Data]:
    """What papers printed in their own measure, and the result in the same."""
    for one in published_of(result.test):
        told = {"measure": one.title, "source": one.source, "systems": dict(one.systems)}
        yield told | _score(result, one.score)


def _parts(result: Result, told: Mapping[str, Any]) -> Iterator[Data]:
    """Other scores of the result, and its break-downs."""
    names = [name for name in told.get("measures", ()) if name in result]
    rows = [{"group": _plain(name), "n": None, **_score(result, name)} for name in names]
    if rows:
        yield {"by": "score", "title": "Other scores", "rows": rows}
    for field, name in told.get("parts", {}).items():
        by = field.removeprefix("by_")
        rows = [
            {"group": _named(by, row[by]), "n": row["n"], **_score(row, name)}
            for row in result.get(field, ())
            if _known(row.get(name)) is not None
        ]
        title = f"{_plain(name)}: {_plain(by).lower()}"
        if len(rows) > 1:
            yield {"by": _plain(by), "title": title, "rows": rows}


def _plain(name: str) -> str:
    """A field's name as a person reads it; LAS and UAS are spelt in capitals."""
    return name.upper() if name in ("las", "uas") else name.replace("_", " ").capitalize()


def _named(by: str, value: Any) -> str:
    return str(value).replace("_", " ") if isinstance(value, str) else f"{_plain(by)} {value}"


def _how(result: Result, hub: str | None) -> dict[str, str]:
    """Versions, draw and options: what it takes to get the same again."""
    test = result.test
    found = build_of(test.suite, hub)
    draw = ", ".join(f"{name} {value}" for name, value in found.get("options", {}).items())
    where, _, how = result.told.replace("\n", "; ").partition(": ")
    sample = result.get("sample", {})
    return {
        "suite": f"{test.suite} {found.get('version', '')}".strip(),
        "draw": draw or ("default" if found else ""),
        "rows": found.get("content_hashes", {}).get(f"{test.config}/{test.split}", ""),
        "sample": f"{sample['n']:,} of {sample['of']:,} rows, seed 0" if sample else "",
        "metric": f"{test.metric} {result['version']}",
        "interval": str(result.get(f"{test.score}_interval", "")),
        "signature": str(result["signature"]),
        "read": f"{Path(where).name}: {how}" if how else "",  # no folder of the reader's machine
    }


def find_mistakes(
    metric: str, rows: Sequence[Row], items: Sequence[Row], limit: int
) -> tuple[int, list[Mistake]]:
    """How many items are wrong, and some of them, no text twice; `items` are one for each row.

    First those in which the row itself misleads; among them one of each group in turn.
    """
    modules = [importlib.import_module(f"{ROOMS}builders.{n}") for n in found(FOLDER, "MISTAKES")]
    readers: Readers = {name: read for one in modules for name, read in one.MISTAKES.items()}
    reader = readers.get(metric)
    if reader is None or len(rows) != len(items):
        return 0, []
    pairs: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        pairs[row.get("pair_id", "")].append(row)
    read = (reader(row, item, pairs) for row, item in zip(rows, items, strict=True))
    wrong = [mistake for mistake in read if mistake is not None]
    turn: dict[Hashable, int] = defaultdict(int)
    ranked = []
    for mistake in sorted(wrong, key=lambda one: not one.is_told):
        ranked.append((not mistake.is_told, turn[mistake.group], mistake))
        turn[mistake.group] += 1
    ranked.sort(key=lambda one: one[:2])
    shown: dict[str, Mistake] = {}
    for *_, mistake in ranked:
        shown.setdefault("".join(piece for piece, _ in mistake.text), mistake)
    return len(wrong), list(shown.values())[:limit]
