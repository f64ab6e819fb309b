"""Other processes that a test asks: whether a draw is the same there, whether trees are valid."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ground.paths import ROOT


def captured(command: Sequence[Any], **options: Any) -> subprocess.CompletedProcess[str]:
    """A run of a program with its output as text, whatever code it ends with unless told."""
    check = options.pop("check", False)
    return subprocess.run(command, capture_output=True, text=True, check=check, **options)


def printed_elsewhere(code: str, hash_seed: str = "7") -> str:
    """What Python code prints in a process of its own, with another order of sets."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    run = captured([sys.executable, "-c", code], cwd=ROOT, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def invalid_trees(language: str, *files: Path) -> str:
    """What the validator of Universal Dependencies says at level 5; nothing for valid trees."""
    code = "import sys; from udtools.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "--lang", language, "--level", "5", *map(str, files)]
    run = captured(command)
    said = run.stdout + run.stderr
    return "" if run.returncode == 0 and "PASSED" in said else said[-3000:]
