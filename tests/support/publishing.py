"""What the tests of publishing share.

A small hub/ of one suite and one metric, and processes that talk to a Hub of the tests.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from publish.build.build import build_suite, stage_metric
from tests.conftest import ROOT

SUITE = "eras"
METRIC = "subject_object_las"


def build_small(folder: Path) -> Path:
    """Builds a suite of 390 pairs and stages a metric."""
    build_suite(SUITE, folder, {"size": 390})
    stage_metric(METRIC, folder)
    return folder


def run_elsewhere(
    code: str, environment: dict[str, str], folder: Path, arguments: Sequence[str] = ()
) -> str:
    """Runs Python code in a clean process outside the repository; gives what it prints."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", code, *arguments]
    return finish(
        subprocess.run(
            command, cwd=folder, env=clean(environment), capture_output=True, text=True, check=False
        )
    )


def run_push(
    arguments: list[str], environment: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    """Runs push.py in a clean process."""
    command = [sys.executable, "push.py", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=clean(environment), capture_output=True, text=True, check=False
    )


def finish(run: "subprocess.CompletedProcess[str]") -> str:
    """What a process printed; fails where the process failed."""
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def clean(environment: dict[str, str]) -> dict[str, str]:
    """The variables of this process without those that the libraries read.

    With the given ones.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HF_", "HUGGING", "PYTHONPATH"))
    }
    return {**kept, **environment}
