"""Other processes that a test asks: whether a draw is the same there, whether trees are valid."""

import os
import subprocess
import sys
from pathlib import Path

from ground.paths import ROOT


def printed_elsewhere(code: str, hash_seed: str = "7") -> str:
    """What Python code prints in a process of its own, with another order of sets."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def invalid_trees(language: str, *files: Path) -> str:
    """What the validator of Universal Dependencies says at level 5; nothing for valid trees."""
    code = "import sys; from udtools.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "--lang", language, "--level", "5", *map(str, files)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    said = run.stdout + run.stderr
    return "" if run.returncode == 0 and "PASSED" in said else said[-3000:]
