"""What two language models read in Dutch clauses: the card's figures are those of the table."""

from collections import defaultdict
from dataclasses import dataclass

from builders.agreement import cohen_kappa
from builders.sorts.lexicon import DUTCH
from ground.tables import read_table
from metrics.subject_object_las.inventory import UNDECIDED
from tests.conftest import ROOT


@dataclass(frozen=True)
class ModelReading:
    reader: str
    id: str
    sentence: str
    resolved_by: str
    gold: str
    subject: str
    reverse: str
    grammatical: str
    natural: int


def test_the_card_says_how_two_models_read_the_clauses():
    card = (ROOT / "cards" / "datasets" / "sorts.md").read_text(encoding="utf-8")
    said = card.split("**Models' readings.**")[1].split("Mended since")[0]
    readings = defaultdict(list)
    for row in read_table(DUTCH / "review.tsv", ModelReading):
        readings[row.reader].append(row)
    first, second = readings["first"], readings["second"]
    assert [(row.id, row.gold) for row in first] == [(row.id, row.gold) for row in second]
    agreeing = [sum(row.subject == row.gold for row in rows) for rows in (first, second)]
    settled = [
        [row for row in rows if row.resolved_by not in UNDECIDED] for rows in readings.values()
    ]
    assert "in {} and {}. Of the 242".format(*agreeing) in said
    for rows in settled:
        assert len(rows) == 242
        assert all(row.subject == row.gold for row in rows)
        assert sum(row.reverse == "yes" for row in rows) == 2
    low = [sum(row.natural <= 3 for row in rows) for rows in (first, second)]
    assert "{} and {} got 3 or less".format(*low) in said
    assert all(row.grammatical == "yes" for row in (*first, *second))
    kappa = cohen_kappa(*([row.reverse == "yes" for row in rows] for rows in (first, second)))
    assert f"kappa {kappa:.2f}." in said
