"""The second reading: its clauses were fixed before, are the suite's, and meet what is asked."""

from math import isnan

import pytest

from builders.sorts.design import blocks
from builders.sorts.review import (
    N_CLAUSES,
    ReviewedClause,
    kappa,
    review_clauses,
    review_counts,
    review_hash,
    reviewed_clauses,
)

FIXED = "40e21458a5d781018823f52e0c5b0c9477a53e9cca3e1760b974c095d9c7f229"  # before the reading


def test_the_clauses_were_fixed_before_they_were_read():
    clauses = review_clauses()
    lines = [f"{name}\t{' '.join(row['tokens'])}" for name, row in clauses.items()]
    assert len(lines) == N_CLAUSES == 400
    assert review_hash(lines) == FIXED
    of_block = {name.rsplit("/", 2)[0] for name in clauses}
    assert of_block == {f"{block.split}/{block.name}" for block in blocks()}


@pytest.mark.parametrize("reader", sorted(reviewed_clauses()))
def test_every_answer_is_there_and_about_these_clauses(reader):
    sentences = {name: " ".join(row["tokens"]) for name, row in review_clauses().items()}
    read = reviewed_clauses()[reader]
    assert {row.id: row.sentence for row in read} == sentences
    for row in read:
        assert row.subject in row.sentence.split(" "), row.id


@pytest.mark.parametrize("reader", sorted(reviewed_clauses()))
def test_at_most_one_percent_is_wrong_and_two_are_nonsense(reader):
    counts = review_counts()[reader]
    assert counts["read"] == N_CLAUSES
    assert counts["wrong"] <= 0.01 * N_CLAUSES
    assert counts["nonsense"] + counts["ungrammatical"] <= 0.02 * N_CLAUSES


def answers(*others: str) -> list[ReviewedClause]:
    return [
        ReviewedClause("first", str(i), "x", "good", "x", other, None)
        for i, other in enumerate(others)
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (answers("impossible", "open"), answers("impossible", "possible"), 1.0),
        (answers("impossible", "open"), answers("open", "impossible"), -1.0),
        # 3 of 4 agree; by chance 1/2 * 1/4 + 1/2 * 3/4 = 1/2
        (
            answers("impossible", "impossible", "open", "open"),
            answers("impossible", "open", "open", "possible"),
            0.5,
        ),
    ],
)
def test_kappa(first, second, expected):
    assert kappa(first, second) == pytest.approx(expected)


def test_kappa_of_one_answer_only_is_undefined():
    assert isnan(kappa(answers("open", "open"), answers("open", "possible")))
