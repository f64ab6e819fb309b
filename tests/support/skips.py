"""A skip is an excuse that must be true: where the missing thing is at hand, the run fails. Green
then means that everything ran that this place can run. `conftest.py` hands every report over."""

import importlib.util
import os
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from ground.paths import ROOT

COULD_NOT_IMPORT = re.compile(r"could not import '([\w.]+)'")
NOT_INSTALLED = re.compile(r"(?:the package )?'?([\w.]+?)'? is not installed")
VENVS = Path(os.environ.get("GARDENPATH_VENVS", ROOT / ".venv"))
PYTHON = Path("Scripts" if os.name == "nt" else "bin") / "python"
INSPECT, LIGHTEVAL = (VENVS / name / PYTHON for name in ("inspect", "lighteval"))
"""Pythons of the venvs of tools that want other versions than datasets and the rest."""


def released_folder() -> Path:
    """The folder of the authors' files: GARDENPATH_RELEASED, or ../shared/data of the checkout."""
    return Path(os.environ.get("GARDENPATH_RELEASED", ROOT.parent / "shared" / "data"))


def sources_folder() -> Path:
    """The folder of further sources: GARDENPATH_SOURCES, or ../shared/sources of the checkout."""
    return Path(os.environ.get("GARDENPATH_SOURCES", ROOT.parent / "shared" / "sources"))


def first_pairs() -> Path:
    """The pairs of ERAS 1.0.0 as its commit builds them (the card says how), committed nowhere."""
    return Path(os.environ.get("GARDENPATH_ERAS_1_0_0", ROOT.parent / "eras-1.0.0/hub/eras"))


def authors_script() -> Path:
    """Where a person may put the evaluation of CenterBench's authors, committed nowhere."""
    return sources_folder() / "centerbench" / "generate_response_and_evaluate.py"


def _has_module(name: str) -> bool:
    return importlib.util.find_spec(name.split(".")[0]) is not None


def _has_browser() -> bool:
    return all(shutil.which(name) for name in ("chromium", "chromedriver"))


def interpreter(version: str) -> Path | None:
    """A Python of this version: pyenv's, or what stands on PATH; None for none."""
    of_pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    found = shutil.which(f"python{version}")
    return of_pyenv[-1] if of_pyenv else Path(found) if found else None


AT_HAND: list[tuple[str, Callable[[], bool]]] = [
    ("the authors' files are not at hand", lambda: released_folder().is_dir()),
    ("the further sources are not at hand", lambda: sources_folder().is_dir()),
    ("the authors' script is not at hand", lambda: authors_script().is_file()),
    ("the pairs of ERAS 1.0.0 are not at hand", lambda: first_pairs().is_dir()),
    ("no browser here", _has_browser),
    ("Python 3.10 is not at hand", lambda: interpreter("3.10") is not None),
    ("Python 3.13 is not at hand", lambda: interpreter("3.13") is not None),
    ("frog is not at hand", lambda: shutil.which("frog") is not None),
    ("inspect-ai is not at hand", INSPECT.exists),
    ("lighteval is not at hand", LIGHTEVAL.exists),
    ("the advisories are not at hand", lambda: False),  # the test itself asks for one
]
"""What the reason of a skip says is missing, and whether it is here after all."""


def is_excused(reason: str) -> bool:
    """Whether what a skip calls missing is missing here.

    Args:
        reason: The text of the skip. One that names nothing that can be looked for is no excuse.
    """
    for text, is_at_hand in AT_HAND:
        if text in reason:
            return not is_at_hand()
    match = COULD_NOT_IMPORT.search(reason) or NOT_INSTALLED.search(reason)
    return match is not None and not _has_module(match[1])


def unexcused(skips: Iterable[tuple[str, str]]) -> list[str]:
    """One line for each skipped test that could have run here.

    Args:
        skips: Pairs of a test's id and the reason it gave.
    """
    return [
        f"{test}: skipped with {reason!r}; expected it to run, since what it misses is at hand"
        for test, reason in skips
        if not is_excused(reason)
    ]
