"""The lines that a score is read by: NULLs, shortcuts, ceilings, systems, papers and people.

Runs have written scores into `cards/results/SUITE/`; what papers printed and people got stands in
`suite.toml`. In `items/shortcuts.json` stand the shortcuts' scores of items, which `python -m
research shortcuts --write` makes: a number for each item of a test, in the order of the rows' ids,
and a digest of what was asked. A reader that ties has the share in which it is right.
"""

import functools
import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders.shallow import shallow_readers
from builders.suites import SuiteTest, references_of, settings_of
from ground.paths import RESULTS
from metrics._shared.option_fields import read_signature

UNDEFINED = "-"


def kept_items(test: SuiteTest) -> Mapping[str, Any]:
    """Version of the metric, digest, scores and scores of items by system; {} for none."""
    kept = read_result(RESULTS / test.suite / "items" / "shortcuts.json").get("tests", {})
    return dict(kept.get(f"{test.kind}/{test.name}", {}))


@functools.cache
def read_result(path: Path) -> Mapping[str, Any]:
    """A file of JSON that a run wrote; {} for none."""
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def digest_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """SHA-256 of what rows are, in whatever order they come."""
    lines = sorted(json.dumps(row, sort_keys=True, ensure_ascii=False, default=str) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read_cells(text: str) -> list[float]:
    """The numbers that `kept_cells` wrote; nan where there is none."""
    cells = text.split() if " " in text else text
    return [math.nan if cell == UNDEFINED else float(cell) for cell in cells]


SEARCHED = "the best that a search found"
SAME = 0.001  # so near are scores of one reader under two names


@dataclass(frozen=True)
class ScoreLine:
    """A score that another is read by: that of a `references_of` a suite, or of a `system`."""

    name: str
    kind: str
    score: float  # the headline, a share in [0, 1]
    says: str  # what it does; of a system where it was measured, "" on these rows
    config: str


@dataclass(frozen=True)
class Published:
    """Scores by system, shares in [0, 1], that a paper printed for its own rows."""

    score: str  # the field of a result that is the same measure
    title: str
    source: str
    systems: Mapping[str, float]


def lines_of(test: SuiteTest) -> list[ScoreLine]:
    """The lines of a test, best first; empty where nothing was measured on it."""
    found: dict[str, ScoreLine] = {}
    kinds = references_of(test.suite, test.kind)
    for name, score in kept_items(test).get("scores", {}).items():
        if name in kinds:
            kind, says = kinds[name]
            found[name] = ScoreLine(name, kind, score, says, test.config)
    for config in filter(None, (test.config, test.part)):
        for result in test.results:
            for line in _measured(test, RESULTS / test.suite / f"{result}.json", config):
                before = found.get(line.name)
                if before is None or line.config == test.config != before.config:
                    found[line.name] = line
    for one in _searched(test, test.config) or _searched(test, test.part):
        same = (line for line in found.values() if line.kind == one.kind)
        if all(abs(line.score - one.score) > SAME for line in same):  # else it has a name already
            found[one.name] = one
    return sorted(found.values(), key=lambda line: (-line.score, line.name))


def _searched(test: SuiteTest, config: str) -> list[ScoreLine]:
    """The best NULL, shortcut and reader of the rule that a search found on a test's config."""
    says = SEARCHED if config == test.config else f"{SEARCHED} on {config}"
    return [
        ScoreLine(one.reader, one.kind, one.value, says, config)
        for one in shallow_readers(test.suite)
        if (one.config, one.score) == (f"{config}/{test.split}", test.score) and one.kind != "leak"
    ]


def published_of(test: SuiteTest) -> list[Published]:
    """What papers printed for the kind of system and the split of a test."""
    return [
        Published(one["score"], one["title"], one["source"], one["systems"])
        for one in settings_of(test.suite).get("published", ())
        if one["kind"] == test.kind
        and one.get("split", test.split) == test.split
        and test.config in one.get("configs", [test.config])
    ]


def people_of(test: SuiteTest) -> str:
    """What people got, in words; "" where nobody was asked."""
    return str(settings_of(test.suite).get("people", {}).get(test.kind, ""))


def _measured(test: SuiteTest, path: Path, wanted: str) -> Iterator[ScoreLine]:
    kinds, record = references_of(test.suite, test.kind), read_result(path)
    for key, figures in record.get("figures", {}).items():
        name, _, config = key.rpartition("/")
        if not name or config in ("0", "1", "2"):  # a system's own name ends in its seed
            name, config = key, ""
        if config in ("", wanted) and not math.isnan(figures.get(test.score, math.nan)):
            measured = config or signed_config(record.get("signatures", ()), name)
            says = f"on {measured}" if measured not in ("", test.config) else ""
            kind, says = kinds.get(name, ("system", says))
            yield ScoreLine(name, kind, figures[test.score], says, measured or path.stem)


def signed_config(signatures: Iterable[str], system: str, study: str = "") -> str:
    """The config that a study scored a system on, by its signatures; "" for none.

    Of many it is the one that stands in the name of the study's record; "" where none does.

    Example:
        >>> end = "|system:x|metric:subject_object_las|version:2.0.0"
        >>> signed_config([f"config:dutch_lite{end}"], "x")
        'dutch_lite'
        >>> both = [f"config:{name}{end}" for name in ("dutch_lite", "released_dutch_head")]
        >>> signed_config(both, "x", "dutch_parsers_released_dutch_head_amb")
        'released_dutch_head'
    """
    runs = [read_signature(text).run for text in signatures]
    found = {run.get("config", "") for run in runs if run.get("system") == system} - {""}
    named = {config for config in found if f"_{config}_" in study}
    chosen = found if len(found) == 1 else named
    return chosen.pop() if len(chosen) == 1 else ""
