"""What two language models read in Dutch clauses: the card's figures are those of the table."""

from dataclasses import dataclass

import pytest

from ground.tables import read_table
from metrics.subject_object_las.inputs import UNDECIDED
from research.readings import DATA as READINGS
from research.readings.agreement import cohen_kappa
from tests.conftest import ROOT

READERS = ("first", "second")
CARD = (ROOT / "cards" / "datasets" / "sorts.md").read_text(encoding="utf-8")
SAID = CARD.split("**Models' readings of version 2.**")[1].split("No native speaker")[0]


@dataclass(frozen=True)
class DutchReading:
    """One row of review.tsv, whose notes say what the columns hold."""

    round: int
    reader: str
    id: str
    sentence: str
    resolved_by: str
    gold: str
    subject: str
    reverse: str
    grammatical: str
    natural: int


def readings(round: int) -> list[list[DutchReading]]:
    rows = [
        row
        for row in read_table(READINGS / "sorts" / "dutch" / "review.tsv", DutchReading)
        if row.round == round
    ]
    return [[row for row in rows if row.reader == reader] for reader in READERS]


def settled(rows: list[DutchReading]) -> list[DutchReading]:
    return [row for row in rows if row.resolved_by not in UNDECIDED]


def contradicted(rows: list[DutchReading]) -> list[DutchReading]:
    """Another subject than the gold's, or a settled clause that could be reversed."""
    return [
        row
        for row in rows
        if row.subject != row.gold or (row.reverse == "yes" and row in settled(rows))
    ]


@pytest.mark.parametrize("round", [1, 2])
def test_both_read_the_same_clauses(round):
    first, second = readings(round)
    assert [(row.id, row.gold) for row in first] == [(row.id, row.gold) for row in second]
    for rows in (first, second):
        assert len(rows) == len({row.sentence for row in rows}) == 300
        assert len(settled(rows)) == 242
        assert all(row.grammatical == "yes" for row in rows)


def test_no_sentence_was_read_in_both_rounds():
    first, second = ({row.sentence for row in readings(round)[0]} for round in (1, 2))
    assert not first & second


def test_at_most_two_percent_are_contradicted():
    for rows in readings(2):
        assert len(contradicted(rows)) <= 0.02 * 300
        assert len(contradicted(settled(rows))) <= 0.02 * 242


@pytest.mark.parametrize(
    ("round", "agreeing", "contradictions", "low"),
    [
        (1, "in {} and {}", "disagreed with the suite in {} and {} clauses", None),
        (2, "in {} and {}", "is {} and {} (2.0 % and 1.7 %)", "{} and {} got 3 or less"),
    ],
)
def test_the_card_says_what_they_answered(round, agreeing, contradictions, low):
    both = readings(round)
    if round == 2:
        same = [sum(row.subject == row.gold for row in rows) for rows in both]
        assert agreeing.format(*same) in SAID
        kappa = cohen_kappa(*([row.reverse == "yes" for row in rows] for rows in both))
        assert f"kappa {kappa:.2f}." in SAID
    assert contradictions.format(*(len(contradicted(rows)) for rows in both)) in SAID
    if low:
        assert low.format(*(sum(row.natural <= 3 for row in rows) for rows in both)) in SAID


def test_the_card_names_the_settled_clause_that_they_contradict():
    for rows in readings(2):
        (row,) = contradicted(settled(rows))
        assert row.sentence == "Fotografes betoveren de camera's na een poos."
        assert f"*{row.sentence.removesuffix('.')} .*" in SAID
