"""The published tables as the cards print them."""

import re

from ground.paths import ROOT
from research.studies.published_tables import segmentation_rows


def test_card_prints_the_published_rows():
    card = (ROOT / "cards" / "metrics" / "garden_path_accuracy.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (\w+) \| (\d.*) \|$", card, re.MULTILINE)
    names = (
        "test",
        "control",
        "difference",
        "left_test",
        "left_control",
        "right_test",
        "right_control",
    )
    rows = {row.system: [getattr(row, name) for name in names] for row in segmentation_rows()}
    assert {system: list(map(float, cells.split(" | "))) for system, cells in found} == rows
