"""Runs the ```python blocks of Markdown texts in a clean process, outside the repository."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.support.processes import captured

BLOCK = re.compile(
    r"(?P<skip><!-- not run: (?P<reason>[^>]+) -->\n)?```python\n(?P<code>.*?)```", re.DOTALL
)
RUNNER = """
import contextlib, io, json, os, sys, traceback
for name, code in json.load(sys.stdin):
    print("running", name, file=sys.stderr, flush=True)
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(code, name, "exec"), {"__name__": "__main__"})
    except BaseException:
        print(json.dumps([name, traceback.format_exc(limit=-3)]))
"""


class Example(NamedTuple):
    """A block of code and where it stands."""

    name: str
    code: str


def examples(texts: Mapping[str, str]) -> list[Example]:
    """Blocks to run, named `file:line`; a block after `<!-- not run: reason -->` is left out."""
    found = []
    for file, text in texts.items():
        for match in BLOCK.finditer(text):
            if not match["skip"]:
                found.append(
                    Example(f"{file}:{text.count(chr(10), 0, match.start()) + 2}", match["code"])
                )
    return found


def failures(blocks: list[Example], hub: Path) -> list[str]:
    """Runs the blocks one after the other from inside a copy-free view of hub/. Gives name and
    traceback of those that fail."""
    with tempfile.TemporaryDirectory() as elsewhere:
        for folder in hub.iterdir():
            if folder.is_dir() and not folder.name.startswith("."):
                (Path(elsewhere) / folder.name).symlink_to(folder)
        environment = {
            **os.environ,
            "HF_HOME": f"{elsewhere}/home",
            "HF_HUB_OFFLINE": "1",
            "HF_EVALUATE_OFFLINE": "1",
            "PYTHONPATH": "",
        }
        run = captured(
            [sys.executable, "-c", RUNNER], input=json.dumps(blocks), cwd=elsewhere, env=environment
        )
    if run.returncode:
        return [f"the process died: {run.stderr[-2000:]}"]
    return [": ".join(json.loads(line)) for line in run.stdout.splitlines()]
