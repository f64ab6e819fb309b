"""A checkout without symbolic links and with a system's own line ends builds the same bytes."""

import json
import os
import subprocess
import sys

import pytest

from publish.build.build import build_suite, stage_metric
from tests.conftest import ROOT
from tests.support.processes import captured

BUILD = """
import json, sys
from pathlib import Path
from publish.build.build import build_suite, stage_metric
out = Path(sys.argv[1])
stage_metric("garden_path_accuracy", out)
build_suite("eras", out, {"size": 390})
"""
SCORE = """
import json, sys
import evaluate
from datasets import load_dataset
pairs = load_dataset(sys.argv[1] + "/eras", "simplified", split="test")
words = [[list(pair["test"]), list(pair["control"])] for pair in pairs]
metric = evaluate.load(sys.argv[1] + "/garden_path_accuracy")
result = metric.compute(predictions=words, references=pairs)
print(json.dumps([pairs.num_rows, result["test_accuracy"], result["word_accuracy"]]))
"""


def run(folder, *arguments, home):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {"HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1"}
    done = captured([sys.executable, *arguments], cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """The committed tree, checked out as on a system without links that ends lines by CR LF."""
    folder = tmp_path_factory.mktemp("checkout") / "clone"
    settings = ["core.symlinks=false", "core.autocrlf=true", "core.eol=crlf"]
    options = [part for setting in settings for part in ("-c", setting)]
    subprocess.run(
        ["git", *options, "clone", "-q", "--no-hardlinks", str(ROOT), str(folder)], check=True
    )
    return folder


def test_text_files_have_one_line_end(clone):
    listed = captured(["git", "ls-files", "--eol"], cwd=clone, check=True).stdout.splitlines()
    assert len(listed) > 100
    odd = [line for line in listed if "w/crlf" in line or "w/mixed" in line]
    assert [line for line in odd if "tests/invalid/" not in line] == []


@pytest.mark.slow
def test_it_builds_loads_and_scores_as_this_one_does(clone, tmp_path):
    out = tmp_path / "hub"
    run(clone, "-c", BUILD, str(out), home=tmp_path / "home")
    shown = json.loads(run(tmp_path, "-c", SCORE, str(out), home=tmp_path / "home"))
    # every character a word: nothing is wrong, no true word is found
    assert shown == [390, 1.0, 0.0]

    dirty = captured(["git", "status", "--porcelain"], cwd=ROOT, check=True).stdout
    if dirty:
        pytest.skip("the tree has changes that a clone does not have")
    here = tmp_path / "here"
    stage_metric("garden_path_accuracy", here)
    build_suite("eras", here, {"size": 390})
    names = sorted(path.relative_to(here) for path in here.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())
    assert [name for name in names if (here / name).read_bytes() != (out / name).read_bytes()] == []
