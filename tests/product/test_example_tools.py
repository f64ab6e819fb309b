"""Command lines of cards and examples that call other projects' tools, run as they stand."""

import re
import runpy
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import push
from garden_path.models.registry import USERS
from integrations import suites
from metrics.minimal_pair_preference.scoring import score
from tests.conftest import ROOT
from tests.support.tiny_language_model import make_byte_model


def block_of(path: Path, word: str) -> list[str]:
    """Lines of the one bash block of a text that has a word."""
    text = path.read_text(encoding="utf-8")
    (found,) = [one for one in re.findall(r"```bash\n(.*?)```", text, re.DOTALL) if word in one]
    return found.splitlines()


def test_spacy_evaluates_on_an_export(tmp_path, monkeypatch, capsys):
    spacy = pytest.importorskip("spacy", reason="spacy is not installed")
    from spacy.cli._util import app

    lines = block_of(ROOT / "cards" / "datasets" / "sorts.md", "spacy evaluate")
    export, convert, evaluate = map(shlex.split, lines)
    monkeypatch.chdir(tmp_path)
    assert export[:2] == ["python", "push.py"]
    assert push.main(export[2:]) == 0
    pipeline = spacy.blank("de")
    parser = pipeline.add_pipe("parser")
    for label in ("nsubj", "obj", "ROOT", "det"):
        parser.add_label(label)
    pipeline.initialize()
    pipeline.to_disk("PIPELINE")
    for command in (convert, evaluate):
        assert command[:3] == ["python", "-m", "spacy"]
        app(command[3:], standalone_mode=False)
    said = capsys.readouterr().out
    assert re.search(r"LAS +\d+\.\d+", said), said
    assert re.search(r"nsubj +\d", said), said


def test_minicons_prefers_as_our_own_likelihoods_do(hub, tmp_path, monkeypatch, capsys):
    pytest.importorskip("minicons", reason="minicons is not installed")
    folder = make_byte_model(tmp_path / "model")
    (line,) = block_of(ROOT / "examples" / "README.md", "minicons_pairs")
    script = shlex.split(line)[1].removeprefix("$GARDENPATH/")
    monkeypatch.chdir(hub)
    monkeypatch.setattr(sys, "argv", [script, folder])
    capsys.readouterr()
    runpy.run_path(str(ROOT / script), run_name="__main__")
    theirs = [float(number) for number in capsys.readouterr().out.splitlines()[-1].split()]
    from datasets import Dataset

    rows = Dataset.from_list(suites.rows("sorts", "pairs", hub=str(hub)))
    rows = rows.shuffle(seed=0).select(range(100))
    model = USERS.load("language_model", f"transformers:{folder}")
    sums = [
        [float(one.log_probabilities.sum()) for one in model.predict(list(rows[name]))]
        for name in ("grammatical", "violated")
    ]
    ours = score({"predictions": np.array(sums).T, "references": list(rows)})
    expected = [ours[name] for name in ("accuracy", "accuracy_low", "accuracy_high")]
    assert theirs == pytest.approx(expected, abs=1e-9)
