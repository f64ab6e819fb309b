"""The reader of data files: one small bad file per message."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from ground.tables import DataFileError, check_values, read_settings, read_table
from tests.conftest import ROOT

INVALID = ROOT / "tests" / "invalid" / "tables"


@dataclass(frozen=True)
class Row:
    name: str
    count: int
    kind: Literal["x", "y"]
    forms: tuple[str, ...]
    rest: float | None


def test_read_table_parses_every_kind_of_cell() -> None:
    assert read_table(INVALID / "valid.tsv", Row) == [
        Row("a", 1, "x", ("b", "c"), None),
        Row("b", 2, "y", (), 0.5),
    ]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("no_source.tsv", "comments, got no '# source:' line; expected one before the header"),
        ("no_header.tsv", "header, got the end of the file; expected one line of column names"),
        ("wrong_header.tsv", "header, got name number; expected name count kind forms rest"),
        ("too_few_columns.tsv", ":4: columns, got 4; expected 5"),
        ("empty_cell.tsv", ":4: forms, got ''; expected a value without outer blanks, or _"),
        ("outer_blank.tsv", ":4: name, got 'a '; expected a value without outer blanks, or _"),
        ("not_a_number.tsv", ":4: count, got 'one'; expected a whole number"),
        ("unknown_value.tsv", ":4: kind, got 'z'; expected x or y"),
        (
            "not_applicable.tsv",
            ":4: name, got '_'; expected a value; this column has no 'not applicable'",
        ),
        ("twice.tsv", ":5: key, got a twice; expected one row for each"),
        ("unsorted.tsv", ":5: order, got a after a later key; expected sorted rows"),
        ("decomposed.tsv", ":4: text, got a decomposed character; expected NFC"),
        ("crlf.tsv", ":1: line end, got CR; expected LF"),
        ("latin1.tsv", "encoding, got the byte 0xe4; expected UTF-8"),
    ],
)
def test_read_table_names_place_and_expectation(file: str, message: str) -> None:
    with pytest.raises(DataFileError) as error:
        read_table(INVALID / file, Row)
    assert str(error.value).startswith(str(INVALID / file))
    assert message in str(error.value)


def test_read_settings_refuses_what_is_no_toml() -> None:
    with pytest.raises(
        DataFileError, match=r"broken\.toml: TOML, got .*; expected a well-formed file"
    ):
        read_settings(INVALID / "broken.toml")


def test_check_values_names_the_first_value_that_is_not_allowed() -> None:
    check_values(Path("t.tsv"), "noun", ["a"], {"a", "b"})
    with pytest.raises(DataFileError, match=r"t\.tsv: noun, got 'c'; expected a or b"):
        check_values(Path("t.tsv"), "noun", ["a", "c"], {"a", "b"})
