"""The baseline that takes the first argument for the subject, against published figures."""

import pytest

from metrics.subject_object_las.options import read_options
from research.systems.parsers.sorts_readers import subject_first
from research.systems.registry import load
from tests.product.test_parsers import GOLD, tables  # noqa: F401
from tests.support.cases import cases
from tests.support.scored_clauses import score_rows


def test_subject_first_takes_the_first_argument_for_the_subject():
    trees = subject_first(GOLD)
    assert trees["deprels"] == [["det", "nsubj", "root", "det", "obj", "punct"]] * 2
    assert trees["heads"] == GOLD["heads"]
    assert load("parser", "subject-first").predict(GOLD) == trees


@pytest.mark.parametrize(*cases("subject_first/subject_first_has_its_published_scores"))
def test_subject_first_has_its_published_scores(tables, config, split, n_right, n, published):  # noqa: F811
    clauses = tables[config][split]
    result = score_rows(
        subject_first(clauses), clauses, read_options(mode="paper", confidence=None)
    )
    assert (round(2 * n * result["las"]), result["n"]) == (2 * n_right, n)
    assert 100 * result["las"] == pytest.approx(published, abs=0.005)
    assert result["swap_rate"] == pytest.approx(1 - result["las"])
    assert result["svo_ovs_score"] == 0


@pytest.mark.parametrize(
    ("config", "n_right", "n", "published"),
    [("released_paper", 6564, 9504, 69.07), ("released_head", 6396, 9222, 69.36)],
)
def test_subject_first_without_amb(tables, config, n_right, n, published):  # noqa: F811
    columns = tables[config]["part_amb"]
    rows = [i for i, tags in enumerate(columns["properties"]) if "amb" not in tags]
    clauses = {name: [column[i] for i in rows] for name, column in columns.items()}
    result = score_rows(
        subject_first(clauses), clauses, read_options(mode="paper", confidence=None)
    )
    assert (round(2 * n * result["las"]), result["n"]) == (2 * n_right, n)
    assert 100 * result["las"] == pytest.approx(published, abs=0.005)
