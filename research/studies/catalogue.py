"""Finds the studies: a module `studies/<suite>/<study>.py` with a `STUDY` is one.

A module `studies/<study>.py` with `STUDIES` by suite is one of each of these suites.
"""

import argparse
import functools
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ground.found import found
from research.studies.study import Study

FOLDER = Path(__file__).resolve().parent


def studies() -> list[Study]:
    """All studies by suite and name, each before its variants."""
    whole = [_study(*place) for place in _places()]
    return [one for study in whole for one in (study, *study.variants.values())]


def find_study(arguments: Sequence[str]) -> tuple[Study, list[str]]:
    """The study or variant that a command line names, and the rest of the line.

    A folder whose study has its name, such as `coverage`, is named once.
    """
    suite, name = (*arguments, "", "")[:2]
    places = _places()
    if (suite, name) in places:
        return _variant(_study(suite, name), arguments[2:])
    if (suite, suite) in places:
        return _variant(_study(suite, suite), arguments[1:])
    of_suite = [study for folder, study in places if folder == suite]
    if of_suite:
        raise ValueError(f"study of {suite}, got {name!r}; expected one of {', '.join(of_suite)}")
    suites = dict.fromkeys(folder for folder, _ in places)
    raise ValueError(f"suite, got {suite!r}; expected one of {', '.join(suites)}")


def _variant(study: Study, arguments: Sequence[str]) -> tuple[Study, list[str]]:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--variant", nargs="?", const="")
    given, rest = parser.parse_known_args(arguments)
    if given.variant is None:
        return study, rest
    if given.variant not in study.variants:
        known = ", ".join(study.variants) or "none: the study has no variants"
        raise ValueError(f"--variant, got {given.variant!r}; expected one of {known}")
    return study.variants[given.variant], rest


def _places() -> list[tuple[str, str]]:
    """Suite and name of every study."""
    own = {(suite, name) for suite, name in (place.split(".") for place in found(FOLDER, "STUDY"))}
    shared = {(suite, name) for name in _shared() for suite in _module(name).STUDIES}
    return sorted(own | shared)


@functools.cache
def _shared() -> list[str]:
    """Modules of studies that several suites have."""
    return [name for name in found(FOLDER, "STUDIES") if "." not in name]


def _study(suite: str, name: str) -> Study:
    is_shared = name in _shared()
    study: Study = _module(name).STUDIES[suite] if is_shared else _module(f"{suite}.{name}").STUDY
    return study


def _module(name: str) -> Any:
    return importlib.import_module(f"research.studies.{name}")
