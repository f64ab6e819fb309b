"""Does a headline follow quality? The table of the overview, and what it says without records."""

import json
import math
from pathlib import Path

import pytest

from research.studies import headline_quality as quality
from tests.support.cases import cases


def write_figures(folder: Path, name: str, figures: object) -> None:
    path = folder / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"figures": figures}), encoding="utf-8")


def test_the_headlines_of_sorts_and_eras_follow_quality():
    found = {(one.suite, one.score): one for one in quality.followings()}
    for name in (
        ("eras", "pair_accuracy, extended"),
        ("eras", "pair_accuracy, two_readings"),
        ("sorts", "informedness, twins"),
        ("sorts", "informedness, amb"),
    ):
        assert found[name].n_systems >= quality.LEAST_SYSTEMS
        assert found[name].spearman > quality.GOAL, name


def test_where_a_score_does_not_follow_quality_the_overview_says_so():
    """On `part_amb` UDPipe, whose LAS is lower, reads more object-first clauses than spaCy."""
    (one,) = (one for one in quality.followings() if one.score == "informedness, part_amb")
    assert one.spearman < quality.GOAL
    told = "`informedness`, part_amb | LAS on a treebank | 9 | 0.42 | does not"
    assert told in quality.quality_text([one])


def test_a_missing_record_is_a_line_that_says_so(tmp_path):
    """Four scores of ERAS, two of SORTS in three tests and a part of one, PP on two treebanks."""
    found = quality.followings(tmp_path)
    assert len(found) == 4 + 8 + len(quality.UNSEEN)
    assert {one.n_systems for one in found} == {0}
    assert all(math.isnan(one.spearman) for one in found)
    assert quality.quality_text(found).count("not measured") == len(found)


@pytest.mark.parametrize(*cases("headline_quality/parsers_are_joined_by_recipe"))
def test_parsers_are_joined_by_recipe(tmp_path, las, spearman):
    """Readers that were not trained, such as subject-first, have no LAS and are left out."""
    values = {"subject-first": 0.9, "trained:a": -0.2, "trained:b": 0.0, "trained:c": 0.1}
    figures = {name: {"informedness": x, "svo_ovs_score": x} for name, x in values.items()}
    write_figures(tmp_path, "sorts/subject_object_amb", figures)
    first, *rest = las
    write_figures(tmp_path, "sorts/train_parser", {first: {"las": las[first]}})
    write_figures(tmp_path, "sorts/train_parser_biaffine", {r: {"las": las[r]} for r in rest})
    (one,) = (one for one in quality.followings(tmp_path) if one.score == "informedness, amb")
    assert one.n_systems == len(las)
    assert one.spearman == pytest.approx(spearman, nan_ok=True)


@pytest.mark.parametrize(*cases("headline_quality/verdicts"))
def test_verdicts(n, spearman, verdict):
    text = quality.quality_text([quality.Following("s", "score, part", "quality", n, spearman)])
    assert f"`score`, part | quality | {n} | {spearman:.2f} | {verdict} |" in text
