"""Every data file of the project keeps the tables' contract, whichever suite it belongs to."""

from pathlib import Path

import pytest

from ground.tables import read_raw, read_settings
from tests.conftest import ROOT
from tests.support.cases import cases

TABLES = sorted(
    path
    for folder in ("builders", "garden_path", "research", "metrics", "publish")
    for path in (ROOT / folder).rglob("*.tsv")
)
SETTINGS = sorted([*(ROOT / "builders").rglob("*.toml"), *(ROOT / "publish").rglob("*.toml")])


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", TABLES, ids=name)
def test_table_is_clean(path):
    raw = read_raw(path)  # comments, NFC, LF, no empty cell, unique and sorted keys
    assert path.read_bytes().endswith(b"\n")
    assert not path.read_bytes().endswith(b"\n\n")
    assert len(set(raw.header)) == len(raw.header)


@pytest.mark.parametrize("path", SETTINGS, ids=name)
def test_settings_say_source_and_licence(path):
    assert read_settings(path)


def test_data_lie_in_data_folders():
    assert [path for path in TABLES if "data" not in path.parts] == []
    suffixes = {
        path.suffix
        for path in (ROOT / "builders").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert suffixes <= {".py", ".tsv", ".toml"}


# bad files that a test of its own names, and one that is good
NAMED_ELSEWHERE = {"tables": {"valid.tsv", "broken.toml"}, "eras": {"override_length.tsv"}}


@pytest.mark.parametrize(*cases("data_files/every_bad_file_has_its_message"))
def test_every_bad_file_has_its_message(folder, table):
    named = {case.values[0] for case in cases(f"{table}/bad_files")[1]}
    paths = list((ROOT / "tests" / "invalid" / folder).iterdir())
    others = NAMED_ELSEWHERE.get(folder, set())
    assert {p.name if p.name in named | others else p.stem for p in paths} == named | others
