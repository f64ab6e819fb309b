"""The suites, and what each says of itself in `builders/SUITE/suite.toml`.

A suite is a folder with a VERSION. Its `suite.toml` may have any of these; every reader of one
finds it by what it is for, and no list elsewhere names a suite:

    order        its place in overviews; suites without one come last, by name
    [headline]   the metric and score that lead its tables, and what is worth nothing
    [nulls.KIND] systems of that kind that know nothing of what it asks, and what each does
    [shortcuts]  systems that read one real cue, and which
    [rules]      systems that apply the rule which is asked, told by the suite's own tables
    [ceilings]   systems that have what no other can have, such as the suite's own lexicon
    [shallow]    known: configs that a shallow reader wins today, and will until they are mended
    [scored]     configs for language models: the module of the suite that has their `measures`
    [asked]      the config of which runners make prompts, its split, and the way they ask
    [[tests]]    configs and splits that one kind of system answers: what a user can be scored on
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ground.found import found
from ground.paths import ROOT
from ground.tables import read_settings

FOLDER = ROOT / "builders"
OF_HEADLINE = ("metric", "score", "title", "null", "null_is")  # or a test's own


def suite_names() -> list[str]:
    """Names of the suites, sorted."""
    return list(found(FOLDER, "VERSION"))


@functools.cache
def settings_of(suite: str) -> Mapping[str, Any]:
    """What a suite says of itself; {} where it says nothing."""
    path = FOLDER / suite / "suite.toml"
    return read_settings(path) if path.is_file() else {}


def suites_with(name: str) -> dict[str, Any]:
    """That part of every suite that has it, by suite, in the order of overviews."""
    told = {path.parent.name: settings_of(path.parent.name) for path in FOLDER.glob("*/suite.toml")}
    order = sorted(told, key=lambda suite: (told[suite].get("order", len(told)), suite))
    return {suite: told[suite][name] for suite in order if name in told[suite]}


Reference = Literal["null", "shortcut", "rule", "ceiling", ""]


def reference_kind(suite: str, system: str) -> Reference:
    """What a system is that is never ranked among systems; "" for one that is.

    A name stands for itself, or for all NAME:ARGUMENT.
    """
    for name in (system, system.partition(":")[0]):
        for kind in ("", *settings_of(suite).get("nulls", {})):
            if found := references_of(suite, kind).get(name):
                return found[0]
    return ""


def references_of(suite: str, kind: str) -> dict[str, tuple[Reference, str]]:
    """The systems that are never ranked beside those of a kind: what each is, and what it does."""
    told = settings_of(suite)
    parts: dict[Reference, Mapping[str, str]] = {
        "null": told.get("nulls", {}).get(kind, {}),
        "shortcut": told.get("shortcuts", {}),
        "rule": told.get("rules", {}),
        "ceiling": told.get("ceilings", {}),
    }
    return {name: (what, says) for what, part in parts.items() for name, says in part.items()}


@dataclass(frozen=True)
class SuiteTest:
    """A config and split that one kind of system answers, such as a `segmenter`."""

    suite: str
    config: str
    split: str
    kind: str
    asks: str
    metric: str
    score: str
    title: str
    null: str  # pattern of the result's fields that hold what knowing nothing is worth
    null_is: str
    results: Sequence[str] = field(default=(), hash=False)  # files with the scores of others
    function: str = "score"  # of the metric's `scoring.py`
    where: Mapping[str, Any] = field(default_factory=dict, hash=False)  # values of its rows
    whole: str = ""  # the config that this one is a part of
    part: str = ""  # the config that is a part of this one: its lines stand for those it lacks

    @property
    def name(self) -> str:
        """`CONFIG`, or `CONFIG/SPLIT` where the split is not `test`."""
        return self.config if self.split == "test" else f"{self.config}/{self.split}"


def tests_of(suite: str) -> list[SuiteTest]:
    """The tests of a suite, the default one first; a ValueError where there is no such suite."""
    if suite not in (known := suites_with("tests")):
        raise ValueError(f"suite, got {suite!r}; expected one of {', '.join(known)}")
    told = settings_of(suite)
    usual = {name: told["headline"][name] for name in OF_HEADLINE}
    return [SuiteTest(suite, **{**usual, **one}) for one in told["tests"]]


def find_test(suite: str, name: str = "", kind: str = "") -> SuiteTest:
    """The first of `named_tests`."""
    return named_tests(suite, name, kind)[0]


def named_tests(suite: str, name: str, kind: str) -> list[SuiteTest]:
    """The tests of a suite that have a name and are for a kind of system; "" is any.

    The name of a whole config gives the test of its part, on all rows. A ValueError where there is
    no such suite or test.
    """
    kind = kind.replace(" ", "_")
    parts = tests_of(suite)
    whole = [test for test in parts if test.whole]
    wholes = [replace(test, config=test.whole, whole="", part=test.config) for test in whole]
    named = [test for test in parts if name in ("", test.name, test.config)]
    named = named or [test for test in wholes if name in (test.name, test.config)]
    if not named:
        known = ", ".join(dict.fromkeys(test.name for test in (*parts, *wholes)))
        raise ValueError(f"{suite}: config, got {name!r}; expected one of {known}")
    if not (found := [test for test in named if kind in ("", test.kind)]):
        known = ", ".join(dict.fromkeys(test.kind for test in named))
        raise ValueError(f"{suite}: kind, got {kind!r}; expected one of {known}")
    return found
