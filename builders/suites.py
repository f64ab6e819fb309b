"""The suites, and what each says of itself in `builders/SUITE/suite.toml`.

A suite is a folder with a VERSION. Its `suite.toml` may have any of these; every reader of one
finds it by what it is for, and no list elsewhere names a suite:

    order        its place in overviews; suites without one come last, by name
    [headline]   the metric and score that lead its tables, and what is worth nothing
    [nulls.KIND] systems of that kind that know nothing of what it asks, and what each does
    [shortcuts]  systems that read one real cue, and which
    [ceilings]   systems that have what no other can have, such as the suite's own lexicon
    [shallow]    known: configs that a shallow reader wins today, and will until they are mended
    [scored]     configs for language models: the module of the suite that has their `measures`
    [asked]      the config of which runners make prompts, its split, and the way they ask
"""

import functools
from collections.abc import Mapping
from typing import Any, Literal

from ground.found import found
from ground.paths import ROOT
from ground.tables import read_settings

FOLDER = ROOT / "builders"


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


Reference = Literal["null", "shortcut", "ceiling", ""]


def reference_kind(suite: str, system: str) -> Reference:
    """What a system is that is never ranked among systems; "" for one that is.

    A name stands for itself, or for all NAME:ARGUMENT.
    """
    told = settings_of(suite)
    nulls = {name for of_kind in told.get("nulls", {}).values() for name in of_kind}
    for name in (system, system.partition(":")[0]):
        if name in nulls:
            return "null"
        if name in told.get("shortcuts", {}):
            return "shortcut"
        if name in told.get("ceilings", {}):
            return "ceiling"
    return ""
