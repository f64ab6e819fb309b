"""The reader of data files: one small bad file per message."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from ground.tables import DataFileError, check_values, read_settings, read_table
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
