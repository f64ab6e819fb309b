"""Missing, unbalanced and unpaired cells: the model of all scores, and what it leaves undefined."""

import math

import numpy as np
import pytest
from scipy import stats

from metrics.ranking_generalizability.components import (
    evidence_of,
    least_squares_means,
    posterior_of,
)
from metrics.ranking_generalizability.inputs import Cells, thinned
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import read_table, score

SCORES = np.random.default_rng(0).standard_normal((12, 4)) + 0.5 * np.arange(4)
MODEL = read_options(missing="model")


def columns(scores: np.ndarray) -> dict[str, object]:
    unit, system = np.nonzero(~np.isnan(scores))
    names = [f"s{i}" for i in system]
    return {"system": names, "unit": unit.tolist(), "score": scores[unit, system]}


def holes(seed: int = 1, share: float = 0.2) -> np.ndarray:
    scores = SCORES.copy()
    scores[np.random.default_rng(seed).random(scores.shape) < share] = np.nan
    return scores


def test_complete_tables_are_scored_as_without_the_model():
    found, usual = score(columns(SCORES), MODEL), score(columns(SCORES), read_options())
    for name in ("verdict", "certainty", "by_system", "by_component", "n_units_partial"):
        assert str(found[name]) == str(usual[name])


def test_a_lone_hole_changes_little_of_what_the_units_say():
    generator = np.random.default_rng(5)
    scores = generator.standard_normal((60, 4)) * [0.5, 1, 2, 1] + 0.3 * np.arange(4)
    holed = scores.copy()
    holed[0, 1] = np.nan
    whole, partial = evidence_of(scores, None), evidence_of(holed, None)
    assert partial.estimates == pytest.approx(whole.estimates, abs=0.05)
    assert partial.covariance == pytest.approx(whole.covariance, abs=0.01)
    assert partial.degrees == pytest.approx(whole.degrees, rel=0.2)
    chances = [posterior_of(s, None, 0).p_best for s in (scores, holed)]
    assert chances[0] == pytest.approx(chances[1], abs=0.05)


def test_adjusted_means_equal_least_squares_with_unit_effects():
    scores = holes()
    unit, system = np.nonzero(~np.isnan(scores))
    design = np.concatenate([np.eye(4)[system], np.eye(12)[unit]], axis=1)
    solved = np.linalg.lstsq(design, scores[unit, system])[0][:4]
    assert least_squares_means(scores) == pytest.approx(solved - solved.mean())


def test_pairs_are_compared_by_the_units_of_both():
    scores = holes()
    for row in score(columns(scores), MODEL)["by_pair"]:
        pair = scores[:, [int(row["system"][1]), int(row["other"][1])]]
        pair = pair[~np.isnan(pair).any(axis=1)]
        assert row["p"] == pytest.approx(stats.ttest_rel(*pair.T).pvalue)
        assert row["difference"] == pytest.approx(np.diff(pair[:, ::-1]).mean())


def test_agreement_is_of_the_units_that_all_systems_scored():
    scores = holes()
    whole = scores[~np.isnan(scores).any(axis=1)]
    found, of_whole = score(columns(scores), MODEL), score(columns(whole), read_options())
    assert found["winner_agreement"] == of_whole["winner_agreement"]
    assert found["n_units"] == len(whole)
    assert found["n_units_partial"] == 12 - len(whole)
    assert found["n_left_out"] == 0
    assert sum(row["p_best_on_average"] for row in found["by_system"]) == pytest.approx(1)


def test_without_a_unit_of_all_systems_agreement_is_undefined_and_the_winner_is_not():
    scores = SCORES.copy()
    scores[np.arange(12), np.arange(12) % 4] = np.nan
    found = score(columns(scores), MODEL)
    assert found["best_on_average"] == "s3"
    assert found["certainty"] > 0.5
    for name in ("winner_agreement", "expected_regret", "n_units_to_settle", "best_holds"):
        assert math.isnan(found[name])
    assert "0 unit(s) that all systems scored" in found["winner_agreement_interval"]
    assert found["by_null"] == []
    assert "Two units" not in found["verdict"]
    assert found["verdict"].startswith("`s3` is probably the best, but 12 units")


def test_systems_that_share_no_unit_are_refused():
    scores = np.full((6, 4), np.nan)
    scores[:3, :2], scores[3:, 2:] = SCORES[:3, :2], SCORES[3:6, 2:]
    with pytest.raises(ValueError, match="two groups of systems that share none"):
        score(columns(scores), MODEL)


def test_repeats_need_no_pairs():
    system, unit, run = (axis.ravel() for axis in np.indices((3, 6, 4)))
    kept = run < 2 + system  # 2, 3 and 4 runs
    values = np.random.default_rng(2).standard_normal(len(kept)) + 3 * system
    rows = {"system": system[kept].astype(str).tolist(), "unit": unit[kept].tolist()}
    found = score({**rows, "score": values[kept]}, MODEL)
    assert found["winner"] == "2"
    means = [values[kept & (system == s) & (unit == 0)].mean() for s in range(3)]
    assert [row["first"] for row in found["by_system"]] == pytest.approx(means)
    of = {row["component"]: row["variance"] for row in found["by_component"]}
    assert math.isnan(of["repeat"])  # no repeat has two systems
    assert of["system_by_repeat"] == pytest.approx(1, abs=0.5)
    with pytest.raises(ValueError, match="got 2 scores; expected one"):
        score({**rows, "score": values[kept]}, read_options())


def test_long_units_are_thinned_for_the_fit_and_keep_two_repeats_of_each_system():
    system, unit, run = (axis.ravel() for axis in np.indices((4, 3, 60)))
    kept = np.random.default_rng(3).random(len(run)) < 0.8
    names = {"system": system[kept].tolist(), "unit": unit[kept].tolist()}
    table = read_table({**names, "repeat": run[kept].tolist(), "score": run[kept]}, MODEL)
    found = thinned(table.cells)
    assert np.bincount(found.unit).tolist() == [60, 60, 60]
    assert np.bincount(found.system).tolist() == [45] * 4
    unit = np.arange(1500)
    many = Cells(unit % 2, unit, np.zeros(1500, int), unit / 1.0)
    assert thinned(many).unit.tolist() == list(range(400))


def test_adjusted_means_are_those_of_all_units():
    scores = holes()
    scores[5:, 0] = np.nan  # the units that it has are not the average ones
    scores += 10 * np.arange(12)[:, None]
    found = score(columns(scores), MODEL)
    unit, system = np.nonzero(~np.isnan(scores))
    design = np.concatenate([np.eye(4)[system], np.eye(12)[unit]], axis=1)
    solved = np.linalg.lstsq(design, scores[unit, system])[0]
    adjusted = [row["mean_adjusted"] for row in found["by_system"]]
    assert adjusted == pytest.approx(solved[:4] + solved[4:].mean())
    assert found["by_system"][0]["mean"] < adjusted[0] - 20
