"""Labels of another scheme are an error that says which one, never a plausible score of 0."""

import re

import pytest

from metrics._shared.trees import check_labels
from metrics.subject_object_las.options import read_options
from tests.support.cases import cases
from tests.support.scored_clauses import score_rows

# Die Katze sieht die Maus .
HEADS = [2, 3, 0, 5, 3, 3]
GOLD = {
    "heads": HEADS,
    "deprels": ["det", "nsubj", "root", "det", "obj", "punct"],
    "subject": 1,
    "object": 4,
}


def score(subject: str, object_: str, **options) -> dict:
    tree = {"heads": HEADS, "deprels": ["det", subject, "root", "det", object_, "punct"]}
    return score_rows([tree], [GOLD], read_options(confidence=None, **options))


@pytest.mark.parametrize(*cases("parser_labels/labels_of_another_scheme_are_told_apart"))
def test_labels_of_another_scheme_are_told_apart(subject, object_, scheme, look):
    with pytest.raises(ValueError, match=re.escape(f"they look like {look}") + "$"):
        score(subject, object_, scheme=scheme)


def test_a_label_of_no_scheme_is_named():
    message = (
        "subject_object_las: predictions: deprels, got 'agent'; expected labels of the scheme 'ud'"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        score("agent", "obj")


def test_at_most_five_labels_are_listed():
    with pytest.raises(ValueError, match=r"got 'a1', 'a2', 'a3', 'a4', 'a5' \.\.\.; expected"):
        check_labels("x", "ud", [f"a{i}" for i in range(1, 8)])


@pytest.mark.parametrize(*cases("parser_labels/labels_of_the_scheme_are_scored"))
def test_labels_of_the_scheme_are_scored(subject, object_, las, merged):
    result = score(subject, object_)
    assert (result["las"], result["las_merged"]) == (las, merged)


def test_strange_labels_elsewhere_do_not_matter():
    tree = {"heads": HEADS, "deprels": ["DT", "nsubj", "main", "DT", "obj", "$."]}
    assert score_rows([tree], [GOLD], read_options(confidence=None))["las"] == 1.0
