"""Command lines and scripts of other projects that cards and examples name, on rows as they are."""

import re
import runpy
import shlex
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from datasets import DatasetDict, load_dataset

import push
from builders.eras.views import read_sentence
from garden_path.models.registry import USERS
from integrations import suites
from metrics.minimal_pair_preference.scoring import score
from tests.conftest import ROOT
from tests.support.tiny_models import make_byte_model


def block_of(path: Path, word: str) -> list[str]:
    """Lines of the one bash block of a text that has a word."""
    text = path.read_text(encoding="utf-8")
    (found,) = [one for one in re.findall(r"```bash\n(.*?)```", text, re.DOTALL) if word in one]
    return found.splitlines()


@pytest.mark.slow
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


KINDS = ("items", "words", "constructions")


def view(hub: Path, suite: str, config: str) -> DatasetDict:
    return load_dataset(str(hub / suite), config)


def text_column(names: list[str]) -> str:
    """What `run_mlm.py` and `run_clm.py` (transformers 4.57 to 5) take for the text."""
    return "text" if "text" in names else names[0]


@pytest.mark.parametrize("kind", KINDS)
def test_language_modelling_sees_sentences_and_not_ids(hub, kind):
    data = view(hub, "eras", f"lm_{kind}")
    assert set(data) == {"train", "validation", "test"}
    name = text_column(data["train"].column_names)
    for text in data["train"][name][:200]:
        assert read_sentence(text)  # a sentence of a template, as no id is


@pytest.mark.parametrize("suite", ["eras", "sorts", "centerbench", "morphseg"])
def test_the_first_column_of_every_view_is_text(hub, suite):
    from dataset_scripts.registry import suite_builder

    for config in suite_builder(suite).BUILDER_CONFIGS:
        if config.kind == "training" and (hub / suite / config.name).is_dir():
            first = next(iter(config.features))
            table = pq.read_table(hub / suite / config.name / "validation-00000-of-00001.parquet")
            assert table.column_names[0] == first not in ("id", "label")
            text = table[first][0].as_py()
            text = text[0]["content"] if first == "messages" else "".join(text)
            assert len(text) > 2
            assert not text.startswith(("items-", "words-", "constructions-"))


@pytest.mark.parametrize("kind", KINDS)
def test_summarization_finds_text_and_target(hub, kind):
    """`run_summarization.py --text_column text --summary_column target` leaves out empty rows."""
    data = view(hub, "morphseg", f"text2text_{kind}")
    assert data["train"].column_names[:2] == ["text", "target"]
    for part in ("train", "validation"):
        for row in data[part].select(range(200)):
            assert row["text"]
            assert row["target"].replace(" ", "") == row["text"]
