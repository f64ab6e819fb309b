"""Tables of cases in golden/cases: what a test is run on, a case a line, for all to read. A line
that begins with `#` explains the cases below it. A column is text as it stands, or JSON where its
heading ends in `:json`. What a table calls wrong input is data of these tests alone."""

import json
from typing import Any

import pytest

from ground.paths import ROOT


def cases(name: str, every: int = 1) -> tuple[tuple[str, ...], list[Any]]:
    """What `parametrize` takes: the columns of a table, and a parameter set per line.

    Of lines that take long each is slow but `every` second, third and so on, the first among them.
    """
    heading, *rows = cells_of(f"cases/{name}")
    columns = tuple(column.removesuffix(":json") for column in heading)
    readers = [json.loads if column.endswith(":json") else str for column in heading]
    read = [[read(cell) for read, cell in zip(readers, row, strict=True)] for row in rows]
    return columns, [
        pytest.param(*row, marks=pytest.mark.slow if i % every else ())
        for i, row in enumerate(read)
    ]


def cells_of(name: str) -> list[list[str]]:
    """The cells of each line of a table in golden that is no comment, its heading first."""
    text = (ROOT / "tests" / "golden" / f"{name}.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    return [line.split("\t") for line in lines]


def golden(name: str) -> Any:
    """What a test is run on or compared with, of a file in golden/data: JSON, or text as it is."""
    (path,) = (ROOT / "tests" / "golden" / "data").glob(f"{name}.*")
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else text
