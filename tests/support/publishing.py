"""What the tests of publishing share. A small hub/ of one suite and one metric, and processes that
talk to a Hub of the tests."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from publish.build.build import SuiteBuild, WrittenRows, build_suite, stage_metric, write_rows
from tests.conftest import ROOT
from tests.support.processes import captured
from tests.support.skips import INSPECT

SUITE = "eras"
METRIC = "subject_object_las"


def build_small(folder: Path) -> Path:
    """Builds a suite of 390 pairs and stages a metric."""
    build_suite(SUITE, folder, {"size": 390})
    stage_metric(METRIC, folder)
    return folder


@contextmanager
def drawn_once(folder: Path) -> Iterator[None]:
    """While it lasts, `check` makes each draw once and compares with copies of it."""
    known: dict[str, tuple[Path, WrittenRows]] = {}

    def write(suite: SuiteBuild, place: Path) -> WrittenRows:
        draw = repr((suite.name, sorted(suite.options.items()), suite.configs))
        if draw not in known:
            kept = folder / str(len(known))
            known[draw] = kept, write_rows(suite, kept)
        kept, written = known[draw]
        shutil.copytree(kept, place, dirs_exist_ok=True)
        return written

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("publish.check.again.write_rows", write)
        yield


def run_elsewhere(
    code: str, environment: dict[str, str], folder: Path, arguments: Sequence[str] = ()
) -> str:
    """Runs Python code in a clean process outside the repository; gives what it prints."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", code, *arguments]
    return finish(captured(command, cwd=folder, env=clean(environment)))


def run_push(
    arguments: list[str], environment: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    """Runs push.py in a clean process."""
    command = [sys.executable, "push.py", *arguments]
    return captured(command, cwd=ROOT, env=clean(environment))


def finish(run: "subprocess.CompletedProcess[str]") -> str:
    """What a process printed; fails where the process failed."""
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def clean(environment: dict[str, str]) -> dict[str, str]:
    """The variables of this process without those that the libraries read. With the given ones."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HF_", "HUGGING", "PYTHONPATH"))
    }
    return {**kept, **environment}


def run_inspect(code: str, said: str, *arguments: str, **environment: str) -> str:
    """Runs Python code beside inspect-ai with a text as input; gives what it prints."""
    if not INSPECT.exists():
        pytest.skip("inspect-ai is not at hand: make .venv/.inspect")
    return finish(
        captured(
            [str(INSPECT), "-c", code, *arguments],
            input=said,
            env=clean({"INSPECT_DISPLAY": "none", **environment}),
            encoding="utf-8",
        )
    )
