"""The product stands alone: without the laboratory it builds the same bytes."""

import hashlib
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.mutation import NOT_COPIED
from tests.support.processes import captured

OF_THE_SOURCE = {"MANIFEST.json", "provenance.json"}  # they name the hash of the source


def build(root: Path, out: Path, *names: str) -> None:
    command = [sys.executable, "push.py", "build", *names, "--out", str(out)]
    run = captured(command, cwd=root, env=os.environ | {"TQDM_DISABLE": "1"})
    assert run.returncode == 0, run.stderr


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in OF_THE_SOURCE
    }


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The tree without its laboratory."""
    ignored = shutil.ignore_patterns(*NOT_COPIED, "research")
    return Path(shutil.copytree(ROOT, tmp_path / "copy", ignore=ignored))


@pytest.mark.parametrize(
    "how", [["gper"], pytest.param(["eras", "--size", "390"], marks=pytest.mark.slow)]
)
def test_the_build_without_research_has_the_same_bytes(how, copy, tmp_path):
    build(ROOT, tmp_path / "whole", *how)
    build(copy, tmp_path / "alone", *how)
    whole = digests(tmp_path / "whole")
    assert whole == digests(tmp_path / "alone")
    assert len(whole) > 5


@pytest.mark.slow
def test_all_suites_and_metrics_build_without_research(hub, copy, tmp_path):
    build(copy, tmp_path / "alone", "--views")
    assert digests(hub) == digests(tmp_path / "alone")
