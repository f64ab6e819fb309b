"""The likelihood studies: every text once, what stands in the tables, choices, corrections."""

from typing import Any

import numpy as np
import pytest

from research.studies import likelihoods
from research.studies.likelihoods import STUDIES
from tests.support.study_runs import run_of, scored

ERAS, SORTS = STUDIES["eras"], STUDIES["sorts"]


def by_characters(texts: list[str]) -> list[list[tuple[int, int, float]]]:
    """A system of the tests: every character costs as much as its number is large."""
    return [[(i, i + 1, -(ord(c) % 7) / 7) for i, c in enumerate(text)] for text in texts]


SYSTEM = ("--systems", "python:tests.research.test_likelihood_study:by_characters", "uniform")


def test_a_system_of_ones_own_stands_in_the_table(tmp_path):
    arguments = ("--configs", "preference", *SYSTEM)
    found = scored(SORTS, tmp_path, *arguments)
    (rows,) = found.values()
    overall = {row["system"]: row for row in rows if row["construction"] == "all"}
    assert overall["uniform"]["accuracy"] == 0.5
    assert 0 <= overall[SYSTEM[1]]["accuracy"] <= 1
    (shown,) = SORTS.show(found, run_of(SORTS, tmp_path, *arguments).options)
    assert "| uniform | all |" in shown.text
    assert "percent" in shown.text.lower()


def test_a_text_is_scored_once_whatever_it_stands_in(tmp_path, monkeypatch):
    run = run_of(SORTS, tmp_path, "--configs", "preference", "--systems", "uniform")
    parts = SORTS.rows(run.options)
    SORTS.work(parts, run)
    store = run.store("tokens", likelihoods.TOKENS)
    assert len(store.keys()) == len(parts["preference"].texts)

    def refuse(system: Any, texts: Any) -> Any:
        raise AssertionError(texts)

    monkeypatch.setattr(likelihoods, "score_texts", refuse)
    SORTS.work(parts, run)


def test_the_regions_of_eras_are_corrected_for_their_number(tmp_path):
    rows = [
        [{"system": "a", "construction": "all", "effect_p": p}, {"construction": "left"}]
        for p in (0.01, 0.04, 0.03)
    ]
    likelihoods.correct(rows)
    assert [one[0]["effect_p_holm"] for one in rows] == pytest.approx([0.03, 0.06, 0.06])
    assert "effect_p_holm" not in rows[0][1]
    options = run_of(ERAS, tmp_path, *SYSTEM).options
    titles = list(ERAS.rows(options))
    assert titles[0] == "pairs, occluder □"
    assert len(titles) == 4


def test_chance_stands_beside_every_choice():
    asked = {"question_type": "agent_identification", "construction": "center_embedded"}
    rows = [
        {**asked, "condition": condition, "cluster": f"2-{i}", "chance": 0.5}
        | {"answer": "the owl" if i % 2 else "the vole"}
        for i in range(6)
        for condition in ("plausible", "implausible")
    ]
    values = [[[-1.0, 1, 5], [-2.0, 1, 5]]] * len(rows)
    compared = likelihoods.ComparedLikelihoods(rows, values, np.zeros(len(rows), dtype=bool))
    table = likelihoods.choice_rows({"model": compared})
    found = {row["system"]: row["accuracy"] for row in table if row["construction"] == "all"}
    assert found == {"model": 1.0, "chance": 0.5}
    kinds = {f"agent_identification center_embedded {x}" for x in ("plausible", "implausible")}
    assert {row["construction"] for row in table} == {"all", *kinds}


def test_every_suite_has_the_study_and_its_models():
    for study in STUDIES.values():
        assert study.systems[:2] == likelihoods.MODELS
        assert "uniform" in study.systems
