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


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(["eras", "--size", "390"], marks=pytest.mark.slow, id="suite"),
        pytest.param(["gper", "matched_pair_accuracy"], id="metrics"),
    ],
)
def test_the_build_without_research_has_the_same_bytes(how, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED, "research"))
    build(ROOT, tmp_path / "whole", *how)
    build(copy, tmp_path / "alone", *how)
    whole = digests(tmp_path / "whole")
    assert whole == digests(tmp_path / "alone")
    assert len(whole) > 5


@pytest.mark.slow
def test_all_suites_and_metrics_build_without_research(hub, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED, "research"))
    build(copy, tmp_path / "alone", "--views")
    assert digests(hub) == digests(tmp_path / "alone")
