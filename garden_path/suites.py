"""What a user can be scored on: the tests of each suite, and the lines that a score is read by.

A test is a config and split of a suite that one kind of system answers: `[[tests]]` of the suite's
`suite.toml`. Its lines are the scores of what is no competitor (NULLs, shortcuts, ceilings) and of
systems that were measured here; a run has written them into `cards/results/SUITE/`.
"""

import functools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from builders.shallow import shallow_readers
from builders.suites import settings_of, suites_with
from ground.paths import ROOT
from ground.tables import read_table
from metrics._shared.option_fields import read_signature

RATES = Path(__file__).parent / "models" / "data" / "rates.tsv"
BUILDERS, RESULTS = ROOT / "builders", ROOT / "cards" / "results"
SEARCHED = "the best that a search found"
SAME = 0.001  # so near are scores of one reader under two names
OF_HEADLINE = ("metric", "score", "title", "null", "null_is")  # or a test's own


@dataclass(frozen=True)
class ScoreLine:
    """A score that another is read by.

    Attributes:
        name: Whose it is.
        kind: `null` (knows nothing), `shortcut` (one real cue), `ceiling`, or `system`.
        score: The headline, a share in [0, 1].
        says: What it does, in a few words; of a system where it was measured, "" on these rows.
        config: The config that it was measured on.
    """

    name: str
    kind: str
    score: float
    says: str
    config: str


@dataclass(frozen=True)
class Published:
    """Scores that a paper printed for its own rows, in its own measure.

    Attributes:
        score: The field of a result that is the same measure.
        title: How it is called.
        source: Paper and table.
        systems: Shares in [0, 1] by system.
    """

    score: str
    title: str
    source: str
    systems: Mapping[str, float]


@dataclass(frozen=True)
class SuiteTest:
    """A config and split that one kind of system answers.

    Attributes:
        suite, config, split: Where its rows are.
        kind: Kind of system, such as `segmenter`.
        asks: What it asks, one sentence.
        metric, score: The metric, and the name of its headline.
        title: How the headline is called.
        null, null_is: Pattern of the result's fields that hold what knowing nothing is worth, and
            what that is.
        results: Files of `cards/results/SUITE` with the scores of others.
        function: Function of the metric's `scoring.py`.
        where: Values that its rows have, by column.
        whole: The config that this one is a part of; "" where it is whole.
        part: The config that is a part of this one, whose lines stand for those that it lacks.
    """

    suite: str
    config: str
    split: str
    kind: str
    asks: str
    metric: str
    score: str
    title: str
    null: str
    null_is: str
    results: Sequence[str] = field(default=(), hash=False)
    function: str = "score"
    where: Mapping[str, Any] = field(default_factory=dict, hash=False)
    whole: str = ""
    part: str = ""

    @property
    def name(self) -> str:
        """`CONFIG`, or `CONFIG/SPLIT` where the split is not `test`."""
        return self.config if self.split == "test" else f"{self.config}/{self.split}"


@dataclass(frozen=True)
class Rate:
    """Inputs of a suite that a system of a kind reads in a second of one core, as measured."""

    suite: str
    kind: str
    system: str
    rate: float


@functools.cache
def rates() -> tuple[Rate, ...]:
    """Measured rates; one system of each kind stands for it."""
    return tuple(read_table(RATES, Rate)) if RATES.is_file() else ()


def suites() -> list[str]:
    """Suites with tests, in their order."""
    return list(suites_with("tests"))


def tests_of(suite: str) -> list[SuiteTest]:
    """The tests of a suite, the default one first.

    Raises:
        ValueError: There is no such suite.
    """
    if suite not in suites():
        raise ValueError(f"suite, got {suite!r}; expected one of {', '.join(suites())}")
    told = settings_of(suite)
    usual = {name: told["headline"][name] for name in OF_HEADLINE}
    return [SuiteTest(suite, **{**usual, **one}) for one in told["tests"]]


def find_test(suite: str, name: str = "", kind: str = "") -> SuiteTest:
    """A test by its name and kind of system; the first that fits for "".

    Raises:
        ValueError: There is no such suite or test.
    """
    return named_tests(suite, name, kind)[0]


def named_tests(suite: str, name: str, kind: str) -> list[SuiteTest]:
    """The tests of a suite that have a name and are for a kind of system; "" is any.

    The name of a whole config gives the test of its part, on all rows.

    Raises:
        ValueError: There is no such suite or test.
    """
    kind = kind.replace(" ", "_")
    parts = tests_of(suite)
    wholes = [
        replace(test, config=test.whole, whole="", part=test.config) for test in parts if test.whole
    ]
    named = [test for test in parts if name in ("", test.name, test.config)]
    named = named or [test for test in wholes if name in (test.name, test.config)]
    if not named:
        known = ", ".join(dict.fromkeys(test.name for test in (*parts, *wholes)))
        raise ValueError(f"{suite}: config, got {name!r}; expected one of {known}")
    if not (found := [test for test in named if kind in ("", test.kind)]):
        known = ", ".join(dict.fromkeys(test.kind for test in named))
        raise ValueError(f"{suite}: kind, got {kind!r}; expected one of {known}")
    return found


def lines_of(test: SuiteTest) -> list[ScoreLine]:
    """The lines of a test, best first; empty where nothing was measured on it."""
    found: dict[str, ScoreLine] = {}
    kinds = _kinds(test)
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
    """The best NULL and the best shortcut that a search found on a config of a test."""
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


def kept_items(test: SuiteTest) -> Mapping[str, Any]:
    """Scores of items of the shortcuts on a test, see `garden_path.shortcuts`; {} for none."""
    kept = _read_json(RESULTS / test.suite / "items" / "shortcuts.json").get("tests", {})
    return dict(kept.get(f"{test.kind}/{test.name}", {}))


@functools.cache
def _read_json(path: Path) -> Mapping[str, Any]:
    """A file of JSON; {} for none."""
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _measured(test: SuiteTest, path: Path, wanted: str) -> Iterator[ScoreLine]:
    kinds, record = _kinds(test), _read_json(path)
    for key, figures in record.get("figures", {}).items():
        name, _, config = key.rpartition("/")
        if not name or config in ("0", "1", "2"):  # a system's own name ends in its seed
            name, config = key, ""
        if config in ("", wanted) and not math.isnan(figures.get(test.score, math.nan)):
            measured = config or _config_of(record, name)
            says = f"on {measured}" if measured not in ("", test.config) else ""
            kind, says = kinds.get(name, ("system", says))
            yield ScoreLine(name, kind, figures[test.score], says, measured or path.stem)


def _config_of(record: Mapping[str, Any], system: str) -> str:
    """The config that a system of a record was measured on; "" where its signatures say none."""
    runs = (read_signature(text).run for text in record.get("signatures", ()))
    found = {run["config"] for run in runs if run.get("system") == system and run.get("config")}
    return found.pop() if len(found) == 1 else ""


def _kinds(test: SuiteTest) -> dict[str, tuple[str, str]]:
    """Kind and description of what is no system, by name."""
    told = settings_of(test.suite)
    parts = {
        "null": told.get("nulls", {}).get(test.kind, {}),
        "shortcut": told.get("shortcuts", {}),
        "ceiling": told.get("ceilings", {}),
    }
    return {name: (kind, says) for kind, part in parts.items() for name, says in part.items()}
