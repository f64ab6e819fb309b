"""The published tables are those of the papers, and the cards print them."""

import re

import pytest

from ground.paths import ROOT
from research.studies.published_tables import segmentation_rows, sentiment_rows
from tests.support.published import published


@pytest.mark.parametrize(
    ("name", "read"), [("eras_table1", segmentation_rows), ("eras_table2", sentiment_rows)]
)
def test_published_rows_are_those_of_the_paper(name, read, released):
    facts = {row["system"]: row for row in published(released, name)}
    ours = {row.system: row for row in read()}
    assert set(ours) == set(facts)
    for system, fact in facts.items():
        for column, value in fact.items():
            if column not in ("system", "script"):
                found = getattr(ours[system], column.removeprefix("control_minus_test_"))
                assert found == (None if value == "_" else float(value)), (system, column)


def test_card_prints_the_published_rows():
    card = (ROOT / "cards" / "metrics" / "garden_path_accuracy.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (\w+) \| (\d.*) \|$", card, re.MULTILINE)
    names = ("test", "control", "difference")
    names += tuple(f"{side}_{kind}" for side in ("left", "right") for kind in names[:2])
    rows = {row.system: [getattr(row, name) for name in names] for row in segmentation_rows()}
    assert {system: list(map(float, cells.split(" | "))) for system, cells in found} == rows
