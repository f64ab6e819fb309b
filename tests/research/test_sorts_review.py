"""The second reading: its clauses were fixed before, are the suite's, and meet what is asked."""

from math import isnan

import pytest

from research.readings.sorts_decisions import (
    N_CLAUSES,
    ReviewedClause,
    kappa,
    review_counts,
    reviewed_clauses,
)


@pytest.mark.parametrize("reader", sorted(reviewed_clauses()))
def test_every_answer_is_about_the_clauses_that_were_fixed_before_they_were_read(reader):
    read = reviewed_clauses()[reader]
    assert len(read) == N_CLAUSES == 400
    assert sorted(reading.id for reading in read) == sorted(
        reading.id for reading in reviewed_clauses()["author"]
    )
    for row in read:
        assert row.subject in row.sentence.split(" "), row.id
        assert row.gold in row.sentence.split(" "), row.id


@pytest.mark.parametrize("reader", sorted(reviewed_clauses()))
def test_at_most_one_percent_is_wrong_and_two_are_nonsense(reader):
    counts = review_counts()[reader]
    assert counts["read"] == N_CLAUSES
    assert counts["wrong"] <= 0.01 * N_CLAUSES
    assert counts["nonsense"] + counts["ungrammatical"] <= 0.02 * N_CLAUSES


def answers(*others: str) -> list[ReviewedClause]:
    return [
        ReviewedClause("first", str(i), "x", "case", "x", "good", "x", other, None)
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
