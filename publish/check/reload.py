"""Loads what was built as a stranger does: in a fresh process, elsewhere, with two libraries only.

A metric that needs more than `datasets` and `evaluate` bring would break on the Hub. Each computes
the examples of its docstring there.
"""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

BROUGHT_BY = ("datasets", "evaluate")
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "HF_EVALUATE_OFFLINE": "1",
    "PYTHONPATH": "",
    "PYTHONIOENCODING": "utf-8",
}
SCRIPT = Path(__file__).with_name("stranger.py")


@contextmanager
def loading(
    rows: Mapping[Path, Mapping[str, int]], metrics: list[Path]
) -> Iterator[Callable[[], list[str]]]:
    """Starts to load splits and to compute metrics' examples outside the repository.

    Yields a function that waits for the end and gives a line for each that is not as it should be.
    Where the block ends before, the process is ended too.
    """
    given = (
        {str(folder.resolve()): dict(splits) for folder, splits in rows.items()},
        [str(folder.resolve()) for folder in metrics],
        sorted(modules_not_brought()),
    )
    with tempfile.TemporaryDirectory() as elsewhere, tempfile.TemporaryFile("w+b") as said:
        process = subprocess.Popen(
            [sys.executable, "-I", str(SCRIPT), json.dumps(given)],
            cwd=elsewhere,
            env={**os.environ, **ENVIRONMENT, "HF_HOME": elsewhere},
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        try:
            yield lambda: _loaded(process, said)
        finally:
            process.kill()
            process.wait()


def _loaded(process: "subprocess.Popen[bytes]", said: IO[bytes]) -> list[str]:
    code = process.wait()
    said.seek(0)
    lines = said.read().decode("utf-8", "replace").split("\n")
    problems = [line for line in lines if "; expected" in line]
    if code:
        last = next((line.strip() for line in reversed(lines) if line.strip()), "nothing")
        got = f"reload: process outside the repository, got {last}"
        problems.append(f"{got}; expected every load to work")
    return problems


def modules_not_brought() -> set[str]:
    """Top-level modules here that are of no distribution that `datasets` or `evaluate` requires."""
    brought, modules = distributions_brought(), importlib.metadata.packages_distributions()
    return {name for name, owners in modules.items() if not brought & {*map(_normalized, owners)}}


def distributions_brought() -> set[str]:
    """Normalized names of the distributions that installing `datasets` and `evaluate` brings."""
    found: set[str] = set()
    waiting = list(BROUGHT_BY)
    while waiting:
        name = _normalized(waiting.pop())
        if name not in found:
            found.add(name)
            with suppress(importlib.metadata.PackageNotFoundError):
                lines = importlib.metadata.requires(name) or []
                own = (line for line in lines if "extra ==" not in line)
                waiting += (re.split(r"[^A-Za-z0-9._-]", line)[0] for line in own)
    return found


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
