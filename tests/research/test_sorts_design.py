"""What the study of SORTS' design says of it, and the clauses that studies score."""

import json
from types import SimpleNamespace

import pytest

from builders.sorts.draw import draw
from dataset_scripts.registry import split_table
from ground.paths import ROOT
from research.studies.sorts.design import (
    describe,
    differing_counts,
    result_text,
    uncounted_readings,
    validate,
)
from research.studies.sorts.subject_object import read_gold
from tests.support.cases import cases


def test_the_committed_description_is_the_suites():
    stored = json.loads(
        (ROOT / "cards" / "results" / "sorts" / "design.json").read_text(encoding="utf-8")
    )["figures"]
    assert stored["validated"] == {"part_amb": "PASSED", "amb": "PASSED"}
    figures = describe(
        {split: split_table("sorts", "conll", split).to_pydict() for split in ("part_amb", "amb")}
    )
    assert json.loads(json.dumps(figures)) == {
        name: value for name, value in stored.items() if name != "validated"
    }
    assert (
        result_text(stored).rstrip()
        == (ROOT / "cards" / "results" / "sorts" / "design.md").read_text(encoding="utf-8").rstrip()
    )


def test_the_study_says_what_differs_and_what_is_no_tree():
    columns = {name: values[:5] for name, values in draw(lite=True)["amb"].items()}
    assert differing_counts("amb", columns)["aux"] == [0, 1270]
    broken = columns | {"heads": [[1] * len(heads) for heads in columns["heads"]]}
    assert validate(columns) == "PASSED"
    assert "FAILED" in validate(broken)


def test_no_german_figure_stands_beside_dutch_clauses(sources):
    gold = read_gold("released_dutch_head/amb", released=sources / "sorts")
    assert gold.split == ""  # by the split the published figures are found
    assert read_gold("conll_lite/amb").split == "amb"


@pytest.mark.parametrize(*cases("sorts_design/uncounted_readings_are_listed"))
def test_uncounted_readings_are_listed(tokens, heads, subject, verb, object_, expected):
    row = SimpleNamespace(
        tokens=tokens.split(), heads=heads, subject=subject, verb=verb, object=object_
    )
    assert uncounted_readings(row) == expected
