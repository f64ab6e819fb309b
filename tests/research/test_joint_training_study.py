"""The study of joint training: what it claims of models whose effect is known, and that it runs."""

import dataclasses
import json
import math
import statistics
from typing import Any

import numpy as np
import pytest

from metrics.gper.inputs import read_pairs
from metrics.gper.occlusion import paradigm_effects
from metrics.gper.options import read_options
from metrics.gper.rates import count_outcomes
from metrics.gper.scoring import score
from research.studies.eras import joint_training
from research.studies.eras.joint_measures import (
    CONTRASTS,
    MEASURES,
    ModelScores,
    compare,
    difference_by_class,
    estimate,
    of_condition,
    shown_estimate,
    tells_polarity,
)
from research.studies.seed_intervals import undefined
from research.systems.classifiers.joint_training import CONDITIONS, Condition
from research.worlds.gper import OcclusionWorld, draw_ratings
from tests.support.cases import cases

LOGITS = read_options(scale="logit", confidence=None)
RATES = np.linspace(0, 1, 39)


def drawn(seed: int, **world: float) -> tuple[np.ndarray, np.ndarray]:
    """Ratings of a world, and their pairs."""
    given = {"wording": 0.3, "polarity": 0.5, "noise": 0.1} | world
    return draw_ratings(OcclusionWorld("", **given), np.random.default_rng(seed))


def model(condition: Condition, seed: int, effect: float) -> ModelScores:
    """A model of a world with this occlusion effect; its wording is the same in all conditions."""
    ratings, ids = drawn(seed, effect=effect)
    pairs = read_pairs(ratings[:, :4], ids, "logit")
    f1, rates = (0.9, RATES) if condition.has_segmentation else (None, None)
    learned = (0.8 + 0.01 * seed, f1, 6.0 + condition.is_by_word, 6.5)
    found = (paradigm_effects(pairs), count_outcomes(pairs), rates)
    return ModelScores(condition, seed, *learned, *found)


def models(*effects: float) -> list[ModelScores]:
    """Three models of each of the four conditions, with its effect."""
    return [
        model(CONDITIONS[i], seed, effect + 0.02 * seed * (i % 2))
        for i, effect in enumerate(effects)
        for seed in range(3)
    ]


def with_effects(given: ModelScores, **values: np.ndarray) -> ModelScores:
    return dataclasses.replace(given, effects=given.effects._replace(**values))


def both(given: list[ModelScores], *more: str) -> dict[str, Any]:
    """Their contrasts by the two measures of the verdict, and by others."""
    names = (joint_training.PRIMARY, "occlusion_effect", *more)
    return {name: compare(given, name) for name in names}


LOWERED = models(0.6, 0.5, 0.2, 0.1)


def test_measures_are_those_of_the_metric():
    """With every family once they give what `gper` gives."""
    (one, *_) = LOWERED
    ratings, ids = drawn(0, effect=0.6)
    result = score({"predictions": ratings[:, :4], "references": ids}, LOGITS)
    for name, measure in MEASURES.items():
        if name != "pair_accuracy":
            assert measure(one, np.ones((1, 39)))[0] == pytest.approx(result[name]), name
    classes = {row["sentiment"]: row["control_minus_test"] for row in result["by_sentiment"]}
    for sentiment, value in classes.items():
        assert difference_by_class([one], sentiment) == pytest.approx(value)
    (segments, *_) = of_condition(LOWERED, "CWS")
    assert MEASURES["pair_accuracy"](segments, np.ones((1, 39)))[0] == pytest.approx(0.5)
    assert math.isnan(MEASURES["pair_accuracy"](one, np.ones((1, 39)))[0])


def test_contrasts_are_differences_within_seeds():
    """Worlds of one seed are alike but for the effect, so that its difference comes out."""
    found = {one.contrast.name: one.estimate.value for one in compare(LOWERED, "occlusion_effect")}
    expected = {"segmentation": -0.4, "CWS": -0.4, "WWM+CWS": -0.48}
    # -.1, and .02 for each seed behind the first
    assert found == pytest.approx(expected | {"whole words": -0.08, "WWM": -0.08}, abs=5e-4)
    assert all(abs(sum(one.weights.values())) < 1e-9 for one in CONTRASTS)
    seeds = [model.seed for model in of_condition(LOWERED[::-1], "CWS")]
    assert seeds == [0, 1, 2]


def test_all_contrasts_but_the_first_are_corrected_by_holm():
    first, *others = compare(LOWERED, joint_training.PRIMARY)
    assert math.isnan(first.p_holm)
    assert all(one.p_holm >= one.estimate.p for one in others)
    least = min(one.estimate.p for one in others)
    assert min(one.p_holm for one in others) == pytest.approx(min(1.0, 4 * least))


@pytest.mark.parametrize(*cases("joint_training_study/the_verdict_follows_the_interval"))
def test_the_verdict_follows_the_interval(effects, claim):
    given = models(*effects)
    if effects[0] == effects[2]:  # noise of their own, else the difference is 0 to the digit
        for i, one in enumerate(given):
            noise = np.random.default_rng([i, 5]).normal(0, 0.2, 39)
            given[i] = with_effects(one, effect=one.effects.effect + noise)
    compared = both(given)
    found = compared[joint_training.PRIMARY][0].estimate
    text = joint_training.verdict(compared, 3)
    assert text.startswith(f"The paper's claim {claim}")
    assert f"{found.value:z.2f} [{found.low:z.2f}, {found.high:z.2f}]" in text
    assert text.endswith(f"where 3 seeds could have shown {found.detectable:.2f}.")
    assert text.count(". ") == 0  # one sentence


def test_models_that_tell_no_polarity_have_no_standardised_effect():
    deaf, control = list(LOWERED), np.sin(np.arange(39.0) * 7)
    for i, one in enumerate(deaf):
        if one.condition.name == "CWS":
            deaf[i] = with_effects(one, control=control)
    assert not tells_polarity(of_condition(deaf, "CWS"))
    assert tells_polarity(of_condition(deaf, "WWM"))
    assert math.isnan(shown_estimate(of_condition(deaf, "CWS"), joint_training.PRIMARY).value)
    found = {one.contrast.name: one.estimate for one in compare(deaf, joint_training.PRIMARY)}
    assert [name for name, one in found.items() if not one.note] == ["WWM", "WWM+CWS"]
    text = joint_training.verdict(both(deaf), 3)
    assert text == (
        "The paper's claim stays open at this size: CWS does not tell positive from negative"
        " controls, so that there is no standardised effect to compare; learning to segment changes"
        " that in logits by -0.40 (no interval: all resamples are equal)."
    )


def test_published_differences_and_correlations_are_those_of_table_2():
    """CWS 23.7 and WWM+CWS 18.8 against 36.0 and 32.6; r by the standard library."""
    values = {one.name: round(joint_training.published_difference(one), 2) for one in CONTRASTS}
    assert values.pop("segmentation") == -13.05
    assert values == {"whole words": -4.15, "WWM": -3.4, "CWS": -12.3, "WWM+CWS": -17.2}
    reviews = [95.5, 97.0, 96.6, 96.7, 95.4, 95.1, 95.5]
    gper = [23.7, 41.8, 45.4, 38.0, 36.0, 32.6, 18.8]
    r = statistics.correlation(reviews, gper)
    assert f"correlates {r:.2f} with GPER and" in joint_training.correlation_text(LOWERED)
    assert f"{r:.2f}" == "0.69"


def test_ours_stands_above_the_published_row():
    lines = joint_training.result_text(LOWERED).splitlines()
    rows = [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")]
    assert rows[2:] == [
        name for one in CONDITIONS for name in (one.name, f"{one.name} (published)")
    ]
    (published,) = [line for line in lines if line.startswith("| WWM+CWS (published)")]
    assert "| 18.8 |" in published
    (ours,) = [line for line in lines if line.startswith("| CWS |")]
    told = " ".join(lines)
    assert "ended at 6.00 nats a hidden character, 7.00 where words are hidden whole; a" in told
    assert "| 3 | 81.0 (from 80.0) | 90.0 (from 90.0) | 50.0" in ours


def test_what_is_shown_has_figures_and_a_plot():
    (shown,) = joint_training.show(LOWERED, joint_training.STUDY.parser().parse_args([]))
    assert (shown.plot() or b"").startswith(b"\x89PNG")
    compared = both(LOWERED, "gper")
    assert shown.figures == joint_training.figures_of(LOWERED, compared)
    assert shown.figures["verdict"] in shown.text
    assert shown.figures["conditions"]["CWS"]["f1"] == [0.9] * 3
    value = shown.figures["conditions"]["CWS"]["gper"]["value"]
    assert estimate(of_condition(LOWERED, "CWS"), "gper").value == pytest.approx(value)
    json.dumps(shown.figures)
    assert undefined(1.0, "why").is_open


def test_all_conditions_of_a_seed_come_before_the_next():
    options = joint_training.STUDY.parser().parse_args(["--seeds", "2"])
    asked = [(condition.name, seed) for condition, seed in joint_training.wanted(options)]
    assert asked[:5] == [(one.name, 0) for one in CONDITIONS] + [("Sentiment Only", 1)]
