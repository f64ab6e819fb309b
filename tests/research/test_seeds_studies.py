"""Parsers of several seeds: the mean is that of the metric's own scores; what is refused."""

import math
from typing import Any

import numpy as np
import pytest

from research.studies.sorts.seeds import STUDY as SORTS
from research.studies.sorts.seeds import Hits, by_recipe, crossed_score, in_cell, seeds_of
from research.studies.sorts.subject_object import STUDY as SINGLE
from research.studies.study import Run
from research.systems.registry import load
from tests.support.cases import cases
from tests.support.study_runs import run_of, scored

SEEDS = {"0": "random-roles", "1": "inflection-first", "2": "animacy-first"}  # stand for parsers
NAMES = seeds_of("spacy/german-free")
FAST = ("--gold", "conll_lite/part_amb", "--resamples", "100")


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers of cues for trained parsers, one for each seed."""

    def system(run: Run, name: str) -> Any:
        return load("parser", SEEDS[name.rpartition("/")[2]])

    monkeypatch.setattr(Run, "system", system)


def test_means_are_those_of_the_metric(tmp_path, readers):
    ((gold, found),) = scored(SORTS, tmp_path, *FAST, "--systems", *NAMES)
    ((_, results),) = scored(SINGLE, tmp_path / "single", *FAST, "--systems", *NAMES)
    cells = found["spacy/german-free"]
    pairs = {"svo_ovs": "svo_ovs_score", "las": "las", "item": "item_score"}
    pairs |= {name: name for name in ("informedness", "las_merged", "las_unresolved")}
    for name, score in pairs.items():
        expected = np.mean([result[score] for result in results])
        assert cells["overall", name].value == pytest.approx(expected), name
    for part in ("word_order", "property"):
        for i, row in enumerate(results[0][f"by_{part}"]):
            expected = np.mean([result[f"by_{part}"][i]["las"] for result in results])
            assert cells[part, row[part]].value == pytest.approx(expected), row[part]
    assert cells["overall", "las"].low < cells["overall", "las"].value
    (shown,) = SORTS.show([(gold, found)], run_of(SORTS, tmp_path, *FAST).options)
    assert "| baseline | baseline_pmis | baseline_embeds | sticker1 |" in shown.text
    told = shown.figures["spacy/german-free"]["overall"]["las"]["value"]
    assert told == cells["overall", "las"].value


def test_seeds_that_differ_widen_the_interval():
    clusters = [str(i // 4) for i in range(400)]
    drawn = np.random.default_rng(0).random(400) < 0.5
    same = crossed_score(Hits(np.array([drawn] * 3, float), np.ones(400), clusters))
    shares = np.array([0.2, 0.5, 0.8])[:, None]
    others = np.random.default_rng(1).random((3, 400)) < shares
    spread = crossed_score(Hits(others.astype(float), np.ones(400), clusters))
    assert spread.high - spread.low > 3 * (same.high - same.low)
    assert same.value == drawn.mean()


def test_nothing_counted_and_ends_beyond_a_share():
    none = crossed_score(Hits(np.zeros((3, 0)), np.zeros(0), []))
    assert math.isnan(none.value)
    few = crossed_score(Hits(np.array([[1.0, 1, 1, 0]] * 2), np.ones(4), list("abcd")))
    assert few.high > 1
    assert few.low < 0
    assert in_cell(few) == "75.0 [0.0, 100.0]"


@pytest.mark.parametrize(*cases("seeds_studies/what_is_no_recipe_is_refused"))
def test_what_is_no_recipe_is_refused(systems, message):
    with pytest.raises(ValueError, match=message):
        by_recipe(systems)


def test_systems_of_one_recipe_stand_together():
    found = by_recipe(["trained:spacy/dutch/0", "trained:udpipe/german-free/0", *NAMES[:2]])
    assert [len(own) for own in found.values()] == [1, 1, 2]
