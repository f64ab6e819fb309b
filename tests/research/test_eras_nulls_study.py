"""The null models of GPER. What they draw, that GPER is far from 0 for them and its excess is not,
and what the study writes."""

import numpy as np
import pyarrow as pa
import pytest

from metrics.gper.inputs import to_probabilities
from metrics.gper.scoring import score
from research.studies import report
from research.studies.__main__ import main
from research.studies.eras import nulls
from research.studies.eras.nulls import MODELS, draw_logits, score_draw, scores_table

IDS = np.repeat(np.arange(1, 40), 50)


def run(predictions, references):
    return score({"predictions": predictions, "references": references})


@pytest.fixture(scope="module")
def scores():
    draws = {model.name: [score_draw((model, IDS), seed) for seed in range(20)] for model in MODELS}
    return {
        name: {score: np.array([draw[score] for draw in found]) for score in found[0]}
        for name, found in draws.items()
    }


def test_null_models_have_a_gper_but_no_excess(scores):
    for name, draws in scores.items():
        assert 0.2 < draws["gper"].mean() < 0.46, name
        error = draws["gper_excess"].std(ddof=1) / np.sqrt(20)
        assert abs(draws["gper_excess"].mean()) < 3 * error, name
        # 95 % but for chance; 16 of 20 or fewer have a chance of 0.3 %
        assert draws["excess_holds_zero"].mean() >= 0.8, name


def test_null_models_have_no_occlusion_effect(scores):
    for name, draws in scores.items():
        error = draws["occlusion_effect"].std(ddof=1) / np.sqrt(20)
        assert abs(draws["occlusion_effect"].mean()) < 3 * error, name
        assert draws["effect_holds_zero"].mean() >= 0.8, name


def test_the_published_rule_gives_noise_more_than_the_default_one(scores):
    # 39.4 on the whole suite: more than five of the seven published rows
    assert 0.33 < scores["noise"]["gper_published"].mean() < 0.42
    assert scores["noise"]["gper_published"].mean() > scores["noise"]["gper"].mean() + 0.05


def test_noise_scores_what_can_be_computed_by_hand(scores):
    # an error in half of all pairs; detected in half of them, and always in the six degenerate
    # paradigms
    assert scores["noise"]["gper"].mean() == pytest.approx(0.5 * (33 * 0.5 + 6) / 39, abs=0.005)
    assert scores["noise"]["gper_without_degenerate"].mean() == pytest.approx(0.25, abs=0.005)


def test_draws_are_seeded_and_degenerate_paradigms_have_one_occluded_sentence():
    model = MODELS[1]
    first, again, other = (
        draw_logits(model, IDS, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()
    is_same = first[:, 2] == first[:, 3]
    assert set(IDS[is_same]) == {7, 21, 22, 30, 31, 38}
    assert is_same.sum() == 6 * 50


def test_nothing_in_the_draws_knows_the_canary_words():
    # turning every paradigm's sentiment round is the same as turning every difference round: both
    # directions have the same chances
    logits = draw_logits(MODELS[3], IDS, np.random.default_rng(3))
    mirrored = run(to_probabilities(logits, "logit")[:, [1, 0, 3, 2]], IDS)
    assert mirrored["gper_excess"] == pytest.approx(
        -run(to_probabilities(logits, "logit"), IDS)["gper_excess"]
    )


def test_table_has_a_row_per_model_and_no_minus_zero(scores):
    text = scores_table(scores)
    assert [line.split(" | ")[0].removeprefix("| ") for line in text.splitlines()[2:]] == [
        model.name for model in MODELS
    ]
    assert "-0.0 " not in text
    assert "nan" not in text


def test_study_writes_its_table(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    monkeypatch.setattr(nulls, "split_table", lambda *_: pa.table({"paradigm_id": IDS}))
    command = ["eras", "nulls", "--draws", "3", "--store", str(tmp_path / "store")]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "means over 3 draws of each model, which scores the 1,950 pairs" in printed
    assert main([*command, "--write"]) == 1
    assert "--write, got --draws; expected the defaults" in capsys.readouterr().err
    assert not (tmp_path / "eras").exists()
