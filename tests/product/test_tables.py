"""The reader of data files: one small bad file per message. Every data file keeps its contract."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from ground.tables import DataFileError, check_values, read_raw, read_settings, read_table
from tests.conftest import ROOT
from tests.support.cases import cases

INVALID = ROOT / "tests" / "invalid" / "tables"


@dataclass(frozen=True)
class Row:
    name: str
    count: int
    kind: Literal["x", "y"]
    forms: tuple[str, ...]
    rest: float | None


def test_read_table_parses_every_kind_of_cell():
    assert read_table(INVALID / "valid.tsv", Row) == [
        Row("a", 1, "x", ("b", "c"), None),
        Row("b", 2, "y", (), 0.5),
    ]


@pytest.mark.parametrize(*cases("tables/bad_files"))
def test_read_table_names_place_and_expectation(file, message):
    with pytest.raises(DataFileError) as error:
        read_table(INVALID / file, Row)
    assert str(error.value).startswith(str(INVALID / file))
    assert message in str(error.value)


def test_read_settings_refuses_what_is_no_toml():
    message = r"broken\.toml: TOML, got .*; expected a well-formed file"
    with pytest.raises(DataFileError, match=message):
        read_settings(INVALID / "broken.toml")


def test_check_values_names_the_first_value_that_is_not_allowed():
    check_values(Path("t.tsv"), "noun", ["a"], {"a", "b"})
    with pytest.raises(DataFileError, match=r"t\.tsv: noun, got 'c'; expected a or b"):
        check_values(Path("t.tsv"), "noun", ["a", "c"], {"a", "b"})


# --- Every data file of the project, whichever suite it belongs to
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
