"""Finds the studies: a module `studies/<suite>/<study>.py` with a `STUDY` is one.

There is no list to edit.
"""

import importlib
from collections.abc import Sequence
from pathlib import Path

from studies.study import Study

FOLDER = Path(__file__).resolve().parent


def studies() -> list[Study]:
    """All studies by suite and name."""
    return [_study(*place) for place in _places()]


def find_study(arguments: Sequence[str]) -> tuple[Study, list[str]]:
    """The study that a command line begins with, and the rest of the line.

    A folder whose study has its name, such as `coverage`, is named once.

    Raises:
        ValueError: There is no such study; the message says why where the suite cannot have it.
    """
    suite, name = (*arguments, "", "")[:2]
    places = _places()
    if (suite, name) in places:
        return _study(suite, name), list(arguments[2:])
    if (suite, suite) in places:
        return _study(suite, suite), list(arguments[1:])
    of_suite = [found for folder, found in places if folder == suite]
    if of_suite:
        absent = getattr(importlib.import_module(f"studies.{suite}"), "ABSENT", {})
        why = f" ({absent[name]})" if name in absent else ""
        raise ValueError(
            f"study of {suite}, got {name!r}; expected one of {', '.join(of_suite)}{why}"
        )
    suites = dict.fromkeys(folder for folder, _ in places)
    raise ValueError(f"suite, got {suite!r}; expected one of {', '.join(suites)}")


def _places() -> list[tuple[str, str]]:
    """Folder and module of every study."""
    return [
        (path.parent.name, path.stem)
        for path in sorted(FOLDER.glob("*/*.py"))
        if "\nSTUDY = " in path.read_text(encoding="utf-8")
    ]


def _study(folder: str, module: str) -> Study:
    study: Study = importlib.import_module(f"studies.{folder}.{module}").STUDY
    return study
