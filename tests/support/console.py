"""Runs what a page of the documentation shows, and compares or refreshes what it prints.

    python -m tests.support.console --hub hub README.md docs/tutorials/*.md    refreshes them

A block `console` has commands behind `$ ` and what each prints. A block `python` is a program whose
output is the block `text` after it. A block of any language with `title="NAME"` is a file of that
name instead, which later commands use. All blocks of a page share one folder. Only standard output
is compared.
"""

import argparse
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ground.paths import ROOT
from tests.support.processes import captured

FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
COMMAND = "garden-path"
SECONDS = 300


@dataclass
class Shown:
    """One run: what was given, what the page shows, and where that stands in it."""

    given: str
    expected: str
    start: int
    end: int
    is_python: bool = False


def steps(text: str) -> Iterator[Shown | tuple[str, str]]:
    """Runs and files (name and content) of a page, in order."""
    blocks = list(FENCE.finditer(text))
    for place, block in enumerate(blocks):
        kind, info, inside = block.groups()
        if title := TITLE.search(info):
            yield title[1], inside
        elif kind == "console":
            yield from _commands(inside, block.start(3))
        elif kind == "python" and "run" not in info:
            after = blocks[place + 1] if place + 1 < len(blocks) else None
            if after is not None and after[1] == "text":
                yield Shown(inside, after[3], after.start(3), after.end(3), is_python=True)
            else:
                yield Shown(inside, "", block.end(), block.end(), is_python=True)


def _commands(inside: str, offset: int) -> Iterator[Shown]:
    starts = [match.start() for match in re.finditer(r"^\$ ", inside, re.MULTILINE)]
    for start, end in zip(starts, [*starts[1:], len(inside)], strict=True):
        line_end = inside.index("\n", start) + 1
        while inside[line_end - 2] == "\\":
            line_end = inside.index("\n", line_end) + 1
        given = inside[start + 2 : line_end].strip()
        yield Shown(given, inside[line_end:end], offset + line_end, offset + end)


def run_page(text: str, folder: Path, environment: Mapping[str, str]) -> str:
    """A page as it should be: every output is what was printed just now.

    Args:
        text: The page.
        folder: Where its commands run; its files are written there.
        environment: Variables of the commands.

    Raises:
        AssertionError: A command fails.
    """
    new, last = [], 0
    for step in list(steps(text)):
        if isinstance(step, tuple):
            (folder / step[0]).write_text(step[1], encoding="utf-8")
            continue
        printed = _run(step, folder, environment)
        if step.start == step.end and not printed:
            continue
        assert step.start != step.end or not step.is_python, (
            f"no block for what it prints: {printed}"
        )
        new += [text[last : step.start], printed]
        last = step.end
    return "".join([*new, text[last:]])


def _run(step: Shown, folder: Path, environment: Mapping[str, str]) -> str:
    command = [sys.executable, "-c", step.given] if step.is_python else ["bash", "-c", step.given]
    run = captured(command, cwd=folder, env=dict(environment), encoding="utf-8", timeout=SECONDS)
    assert run.returncode == 0, f"{step.given}\n{run.stdout}\n{run.stderr}"
    lines = [line.rstrip() for line in run.stdout.split("\n")]
    return "\n".join(lines).strip("\n") + "\n" if run.stdout.strip() else ""


def environment(hub: Path, shims: Path) -> dict[str, str]:
    """Variables under which `garden-path` and `python` are those of this checkout.

    Args:
        hub: Folder of built suites.
        shims: Where the two commands are written.
    """
    shims.mkdir(parents=True, exist_ok=True)
    python = shlex.quote(sys.executable)
    for name, words in ((COMMAND, f"{python} -m garden_path"), ("python", python)):
        (shims / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
        (shims / name).chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{shims}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
        "GARDEN_PATH_HUB": str(hub),
        "HF_HUB_OFFLINE": "1",
        "XDG_CACHE_HOME": str(shims / "cache"),
        "OMP_NUM_THREADS": "1",
    }


def main() -> int:
    """Refreshes pages; prints which changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--hub", type=Path, default=ROOT / "hub")
    options = parser.parse_args()
    for page in options.pages:
        with tempfile.TemporaryDirectory() as folder:
            found = environment(options.hub.resolve(), Path(folder, "bin"))
            text = page.read_text("utf-8")
            new = run_page(text, Path(folder), found)
        print(f"{page}: {'as it was' if new == text else 'changed'}")
        page.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
