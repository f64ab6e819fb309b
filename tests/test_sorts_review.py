"""The second reading: its clauses were fixed before, are the suite's, and meet what is asked."""

from builders.sorts.design import blocks
from builders.sorts.review import (
    N_CLAUSES,
    review_clauses,
    review_counts,
    review_hash,
    reviewed_clauses,
)
from metrics.uncertainty import wilson_interval

FIXED = "40e21458a5d781018823f52e0c5b0c9477a53e9cca3e1760b974c095d9c7f229"  # before the reading


def test_the_clauses_were_fixed_before_they_were_read():
    clauses = review_clauses()
    lines = [f"{name}\t{' '.join(row['tokens'])}" for name, row in clauses.items()]
    assert len(lines) == N_CLAUSES == 400
    assert review_hash(lines) == FIXED
    of_block = {name.rsplit("/", 2)[0] for name in clauses}
    assert of_block == {f"{block.split}/{block.name}" for block in blocks()}


def test_every_answer_is_there_and_about_these_clauses():
    sentences = {name: " ".join(row["tokens"]) for name, row in review_clauses().items()}
    read = reviewed_clauses()
    assert {row.id: row.sentence for row in read} == sentences
    for row in read:
        assert row.subject in row.sentence.split(" "), row.id


def test_at_most_one_percent_is_wrong_and_two_are_nonsense():
    counts = review_counts()
    assert counts["read"] == N_CLAUSES
    assert counts["wrong"] <= 0.01 * N_CLAUSES
    assert counts["nonsense"] + counts["ungrammatical"] <= 0.02 * N_CLAUSES
    # the bounds that the card prints
    assert wilson_interval(counts["wrong"], N_CLAUSES, 0.95)[1] < 0.01
    assert wilson_interval(counts["nonsense"], N_CLAUSES, 0.95)[1] < 0.015
