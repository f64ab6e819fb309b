"""The authors' Dutch edition: read like the German one, and scored as two other scorers have it."""

import pytest

from builders.sorts.released import released_tables
from dataset_scripts.registry import split_table
from metrics._shared.treebanks import read_conll
from metrics.subject_object_las.options import read_options
from metrics.subject_object_las.scoring import score
from tests.support.cases import cases
from tests.support.results import across

ARGUMENTS = 12_606  # two a clause
# Strict LAS of the outputs of commit e2ad1d6, in arguments right and in percent; counted by two
# scorers that share no line with this project.


@pytest.fixture(scope="module")
def dutch(sources):
    return released_tables(sources / "sorts")["released_dutch_head"]


def test_the_dutch_clauses_are_whole_items_with_all_their_columns(dutch):
    assert {split: len(columns["id"]) for split, columns in dutch.items()} == {
        "part_amb": 7_812,
        "amb": 6_303,
    }
    for columns in dutch.values():
        assert len(set(columns["id"])) == len(columns["id"])
        assert not any(columns["irregularities"])
        for tokens, fields, order in across(columns, "tokens", "fields", "word_order"):
            assert len(tokens) == len(fields)
            assert (fields[-2] == "VC") or not order.startswith("MF[")


def test_the_auxiliary_of_a_verb_last_clause_is_in_the_verb_complex(dutch):
    # Omdat de generaal aanvallen zal  plannen .
    # C     MF MF       MF        VC   VC      _
    columns = dutch["part_amb"]
    row = columns["id"].index("part_amb/base-aux/00/MF[SO]VC[V]")
    assert columns["tokens"][row][-3:] == ["zal", "plannen", "."]
    assert columns["fields"][row] == ["C", "MF", "MF", "MF", "VC", "VC", "_"]


@pytest.mark.parametrize(*cases("sorts_dutch/published_outputs_score_what_they_score"))
def test_published_outputs_score_what_they_score(sources, system, counts):
    rows = split_table(
        "sorts", "released_dutch_head", "amb", {"released": sources / "sorts"}
    ).to_pylist()
    path = sources / "sorts" / "dutch" / f"head_dutch_amb_{system}.conll.gz"
    trees = {name: lists.to_pylist() for name, lists in read_conll(path).trees().items()}
    names = ("tokens", "heads", "deprels")
    predictions = [
        dict(zip(names, values, strict=True))
        for values in zip(*(trees[name] for name in names), strict=True)
    ]
    options = read_options(confidence=None)
    result = score({"predictions": predictions, "references": rows}, options)
    n_right, percent = counts
    assert result["las"] == pytest.approx(n_right / ARGUMENTS)
    assert round(100 * result["las"], 2) == percent
