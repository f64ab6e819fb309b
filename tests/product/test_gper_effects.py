"""The occlusion effect of GPER 2.0: by hand, intervals and p values, two models, rows, 1.0."""

import itertools
import json
import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics._shared.paradigms import PARADIGMS
from metrics._shared.uncertainty import holm
from metrics.gper.inputs import SENTENCES
from metrics.gper.occlusion import Effects, mean_effect, sign_flip_weights
from metrics.gper.options import read_options
from metrics.gper.scoring import score
from tests.conftest import ROOT
from tests.support.bootstraps import bca_interval, drawn_weights, studentised_interval

IDS = np.arange(1, 40)
SIGN = np.array([1 if paradigm.true_sentiment == "+" else -1 for paradigm in PARADIGMS])
USABLE = np.array([not paradigm.is_occlusion_degenerate for paradigm in PARADIGMS])
FAMILIES = np.array([paradigm.family for paradigm in PARADIGMS])


def run(predictions, references, **options):
    options = {"scale": "logit"} | options
    return score({"predictions": predictions, "references": references}, read_options(**options))


def logits_of(effect=0.3, seed=0, n=20, sensitivity=1.0):
    """Raw scores of a model that is pulled by `effect` and tells the controls' polarity."""
    generator = np.random.default_rng(seed)
    ids = np.repeat(IDS, n)
    sign = SIGN[ids - 1]
    wording = generator.normal(size=39)[ids - 1]
    control = sensitivity * sign + generator.normal(size=len(ids))
    occluded = generator.normal(size=len(ids))
    test = control - wording - sign * effect
    values = np.stack([test, control, occluded - wording, occluded], axis=1)
    return values + generator.normal(scale=0.2, size=values.shape), ids


def paradigm_effects(values, ids):
    """Effect of each paradigm, one at a time."""
    effects = []
    for i in IDS:
        test, control, occluded_test, occluded_control = values[ids == i, :4].T
        effects.append(SIGN[i - 1] * np.mean(control - test - (occluded_control - occluded_test)))
    return np.array(effects)


def family_sums(values):
    names = sorted(set(FAMILIES[USABLE]))
    members = [(name == FAMILIES) & USABLE for name in names]
    return np.array([values[m].sum() for m in members]), np.array([m.sum() for m in members])


# --- by hand
def test_the_effect_is_an_oriented_difference_in_differences():
    # paradigm 1 is positive, 2 negative, 7 positive and degenerate
    values = [[0.0, 1.5, 0.5, 1.0], [2.0, 1.0, 1.0, 0.8], [0.0, 4.0, 1.0, 1.0]]
    result = run(values, [1, 2, 7], confidence=None)
    effects = [1.5 - 0.5, -((1.0 - 2.0) - (0.8 - 1.0)), 4.0]
    assert [row["occlusion_effect"] for row in result["by_paradigm"]] == pytest.approx(effects)
    assert result["occlusion_effect"] == pytest.approx((effects[0] + effects[1]) / 2)
    assert result["occlusion_effect_all"] == pytest.approx(sum(effects) / 3)
    assert result["n_effect_paradigms"] == 2


def test_probabilities_are_turned_into_log_odds():
    result = run([[0.2, 0.5, 0.4, 0.5]], [1], scale="probability", confidence=None)
    log_odds = {p: math.log(p / (1 - p)) for p in (0.2, 0.4)}
    assert result["occlusion_effect"] == pytest.approx(-log_odds[0.2] + log_odds[0.4])
    assert result["occlusion_effect_probability"] == pytest.approx(0.3 - 0.1)
    assert result["clipped_share"] == 0


def test_saturated_probabilities_are_clipped_counted_and_told():
    with pytest.warns(UserWarning, match=r"25% are within 1e-06 of 0 or 1, .*scale='logit'"):
        result = run([[0.0, 0.5, 0.4, 0.5]], [1], scale="probability", confidence=None)
    assert result["clipped_share"] == 0.25
    expected = math.log((1 - 1e-6) / 1e-6) + math.log(0.4 / 0.6)
    assert result["occlusion_effect"] == pytest.approx(expected)


def test_a_placebo_takes_away_what_any_mask_does():
    values = [[0.0, 2.0, 0.5, 1.0, 0.2, 1.4]]  # the mask at the site shrinks by 1.5, another by .8
    result = run(values, [3], confidence=None)
    assert result["occlusion_effect"] == pytest.approx(1.5)
    assert result["occlusion_effect_minus_placebo"] == pytest.approx(1.5 - 0.8)
    assert "occlusion_effect_minus_placebo" not in run([values[0][:4]], [3], confidence=None)


def test_without_occlusion_there_is_no_effect():
    result = run([[0.0, 2.0]] * 39, IDS)
    assert math.isnan(result["occlusion_effect"])
    assert math.isnan(result["occlusion_effect_p"])
    assert math.isnan(result["occlusion_effect_standardised"])
    assert result["n_effect_paradigms"] == 0


# --- scale, sensitivity, gate
def test_temperature_cancels_in_the_standardised_effect():
    values, ids = logits_of()
    plain, hot = run(values, ids), run(3 * values, ids)
    assert hot["occlusion_effect"] == pytest.approx(3 * plain["occlusion_effect"])
    name = "occlusion_effect_standardised"
    assert hot[name] == pytest.approx(plain[name])
    assert hot[f"{name}_low"] == pytest.approx(plain[f"{name}_low"])
    control = np.array([values[ids == i, 1].mean() for i in IDS])
    assert plain[name] == pytest.approx(plain["occlusion_effect"] / control.std(ddof=1))
    positive = control[SIGN > 0].mean() - control[SIGN < 0].mean()
    assert plain["sensitivity"] == pytest.approx(positive)


@pytest.mark.parametrize(
    ("sensitivity", "reason"),
    [
        (0.0, "undefined: the model does not tell positive from negative control sentences"),
        (-1.0, "undefined: the model rates negative control sentences higher; are these P(pos"),
    ],
)
def test_a_model_that_does_not_tell_the_controls_is_not_ranked(sensitivity, reason):
    result = run(*logits_of(sensitivity=sensitivity))
    assert math.isnan(result["occlusion_effect_standardised"])
    assert result["occlusion_effect_standardised_interval"].startswith(reason)
    assert result["occlusion_effect"] > 0.2
    without = run(*logits_of(sensitivity=sensitivity), confidence=None)
    assert math.isnan(without["occlusion_effect_standardised"])


# --- intervals and p values against an independent computation
def restated_weights(effects, signs, families):
    """V^-1 1 by a matrix of all paradigms, its r from products of two of a family, one by one."""
    before = effects * signs
    alike = families[:, None] == families[None, :]
    two = [(i, j) for i, j in itertools.combinations(range(len(before)), 2) if alike[i, j]]
    moment = np.mean([before[i] * before[j] for i, j in two]) / np.mean(before**2)
    r = 0.25 + 0.5 * min(1, max(0, moment))
    covariance = (1 - r) * np.eye(len(before)) + r * alike * np.outer(signs, signs)
    return np.linalg.solve(covariance, np.ones(len(before)))


def all_signs(n):
    return list(itertools.product((1, -1), repeat=n))


def test_the_p_value_flips_the_signs_of_weighted_families():
    values, ids = logits_of(effect=0.05, seed=3)
    effects, signs, families = (x[USABLE] for x in (paradigm_effects(values, ids), SIGN, FAMILIES))
    weighted = restated_weights(effects, signs, families) * effects
    sums = [weighted[families == name].sum() for name in sorted(set(families))]
    assert len(sums) == 16
    flipped = np.abs(np.array(all_signs(16)) @ sums)
    expected = np.mean(flipped >= abs(sum(sums)) - 1e-12)
    result = run(values, ids, n_resamples=100)
    assert result["occlusion_effect_p"] == pytest.approx(expected)
    assert 0.001 < expected < 1
    assert result["occlusion_effect"] == pytest.approx(effects.mean())  # which has no weights


def test_weights_by_hand():
    # before they are turned by s: 2, 1 and 1, 1; products 2, 1 by a mean square of 7/4: 6/7
    effects, signs = np.array([2.0, 1.0, 1.0, -1.0]), np.array([1.0, 1.0, 1.0, -1.0])
    r = 0.25 + 0.5 * 6 / 7
    weights = sign_flip_weights(effects, signs, np.array([0, 0, 1, 1]))
    assert weights == pytest.approx([1 - 2 * r / (1 + r)] * 2 + [1, 1])
    alone = sign_flip_weights(effects, signs, np.arange(4))
    assert alone.tolist() == [1, 1, 1, 1]
    nothing = sign_flip_weights(np.zeros(4), signs, np.array([0, 0, 1, 1]))
    assert nothing == pytest.approx([1 - 0.5 / 1.25] * 2 + [1, 1])  # r = 1/4


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_the_same_for_every_pattern_of_signs(seed):
    generator = np.random.default_rng(seed)
    families = np.array([0, 0, 0, 1, 1, 2, 3, 3, 4])
    effects, signs = generator.normal(size=9) + 1, generator.choice([-1.0, 1.0], 9)
    weights = sign_flip_weights(effects, signs, families)
    assert (weights > 0).all()
    assert len(set(weights.round(9))) > 1
    for pattern in all_signs(5):
        turned = effects * np.array(pattern)[families]
        assert sign_flip_weights(turned, signs, families) == pytest.approx(weights, rel=1e-12)


def test_the_weighted_test_is_exact():
    ids = IDS[USABLE & np.isin(FAMILIES, ["xinji", "zoulou", "cizhen", "fucong", "dezi", "yitu"])]
    families = np.unique(FAMILIES[ids - 1], return_inverse=True)[1]
    effects = np.random.default_rng(8).normal(size=len(ids)) + 0.4
    assert len(set(families)) == 6
    known, options = Effects(ids, families, *[np.ones(len(ids))] * 5), read_options(confidence=None)
    is_chosen = np.ones(len(ids), bool)
    found = [
        mean_effect(known, effects * np.array(pattern)[families], is_chosen, options).p
        for pattern in all_signs(6)
    ]
    # of all patterns of signs, which are as likely under the null, a share p has a p so small
    assert [np.mean(np.array(found) <= p + 1e-12) for p in found] == pytest.approx(found)
    assert min(found) == pytest.approx(2 / 64)


def test_the_interval_of_the_effect_is_studentised_over_families():
    values, ids = logits_of(seed=4)
    sums, sizes = family_sums(paradigm_effects(values, ids))
    result = run(values, ids, n_resamples=400, seed=2)
    low, high = studentised_interval(sums, sizes, drawn_weights(16, 400, seed=2))
    assert result["occlusion_effect_low"] == pytest.approx(low)
    assert result["occlusion_effect_high"] == pytest.approx(high)
    assert low < result["occlusion_effect"] < high


def test_the_interval_of_the_standardised_effect_and_of_the_sensitivity_is_bca_over_families():
    values, ids = logits_of(seed=5)
    effects = paradigm_effects(values, ids)
    control = np.array([values[ids == i, 1].mean() for i in IDS])
    place = np.unique(FAMILIES, return_inverse=True)[1]

    def standardised(weights):
        w = weights[place]
        mean = (w * control).sum() / w.sum()
        spread = math.sqrt((w * (control - mean) ** 2).sum() / (w.sum() - 1))
        return (w * USABLE * effects).sum() / (w * USABLE).sum() / spread

    def sensitivity(weights):
        positive, negative = (weights[place] * (sign == SIGN) for sign in (1, -1))
        return positive @ control / positive.sum() - negative @ control / negative.sum()

    result = run(values, ids, n_resamples=400, seed=6)
    weights = drawn_weights(19, 400, seed=6)
    expected = {"occlusion_effect_standardised": standardised, "sensitivity": sensitivity}
    for name, statistic in expected.items():
        ends = bca_interval(statistic, weights)
        assert (result[f"{name}_low"], result[f"{name}_high"]) == pytest.approx(ends), name


def test_paradigms_as_clusters_take_sign_flips_of_paradigms():
    values, ids = logits_of()
    result = run(values, ids, cluster="paradigm")
    assert result["occlusion_effect_interval"] == "studentised bootstrap over 33 clusters"
    assert run(values, ids)["occlusion_effect_interval"].endswith("16 clusters")


def test_claims_over_classes_are_corrected():
    result = run(*logits_of(), confidence=None)
    for table in ("by_sentiment", "by_branching"):
        found = [row["occlusion_effect_p_holm"] for row in result[table]]
        assert found == pytest.approx(holm([row["occlusion_effect_p"] for row in result[table]]))


def test_families_are_a_table():
    rows = {row["family"]: row for row in run(*logits_of(), confidence=None)["by_family"]}
    assert len(rows) == 19
    assert math.isnan(rows["weidao"]["occlusion_effect"])  # its one paradigm is degenerate
    assert rows["xinji"]["n_effect_paradigms"] == 6


VALUES = st.lists(st.floats(-8, 8), min_size=4, max_size=4)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 39), VALUES), min_size=2, max_size=60))
def test_every_interval_holds_its_score(pairs):
    result = run([values for _, values in pairs], [i for i, _ in pairs], n_resamples=200)
    for name in [key.removesuffix("_low") for key in result if key.endswith("_low")]:
        value, low, high = (result[f"{name}{end}"] for end in ("", "_low", "_high"))
        assert math.isnan(low) == math.isnan(high)
        if not math.isnan(low):
            assert low <= value + 1e-9, name
            assert value <= high + 1e-9, name
    for key in (key for key in result if key.endswith("_p")):
        assert math.isnan(result[key]) or 0 < result[key] <= 1


# --- two models
def test_two_models_are_compared_pair_by_pair():
    first, ids = logits_of(effect=0.6)
    other, _ = logits_of(effect=0.1)
    result = run(first, ids, compared_with=other)
    sums, sizes = family_sums(paradigm_effects(first, ids) - paradigm_effects(other, ids))
    assert result["occlusion_effect_difference"] == pytest.approx(sums.sum() / sizes.sum())
    assert result["occlusion_effect_difference"] == pytest.approx(0.5)
    assert result["occlusion_effect_difference_p"] < 0.01
    own, others = run(first, ids), run(other, ids)
    name = "occlusion_effect_standardised"
    assert result[f"{name}_difference"] == pytest.approx(own[name] - others[name])
    assert result[f"{name}_difference_low"] < own[name] - others[name]
    assert "compared_with" not in result["options"]


def test_a_model_does_not_differ_from_itself():
    values, ids = logits_of()
    result = run(values, ids, compared_with=values)
    assert result["occlusion_effect_difference"] == 0
    assert result["occlusion_effect_difference_p"] == 1
    assert math.isnan(result["occlusion_effect_difference_low"])


def test_a_model_without_a_standardised_effect_is_not_compared_by_it():
    result = run(*logits_of(), compared_with=logits_of(sensitivity=0.0)[0])
    assert math.isnan(result["occlusion_effect_standardised_difference"])
    assert result["occlusion_effect_difference_p"] > 0


# --- what comes in
def rows_of(ids):
    return [
        {"id": f"{i:02}-{place:05}", "paradigm_id": int(i), "site_start": 1}
        | {"test": f"有信心机{place}", "control": f"有自信机{place}"}
        for place, i in enumerate(ids)
    ]


def same(first, second):
    return repr(first) == repr(second)


def test_named_columns_are_taken_by_their_names():
    values, ids = logits_of()
    frame = pd.DataFrame(dict(zip(SENTENCES[:4], values.T, strict=True)))
    reordered = frame[list(reversed(SENTENCES[:4]))].assign(model="m")
    assert same(run(reordered, ids), run(values, ids))
    assert same(run(pd.DataFrame(values), ids), run(values, ids))  # numbered columns: by place
    with pytest.raises(ValueError, match="got columns p_test, control; expected test, control, "):
        run({"p_test": [1.0], "control": [1.0]}, [1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"test": "有信心機x", "id": "x"}, "got the site 信心機 beside 信心机"),
        ({"id": "01-00000"}, "id, got '01-00000' again"),
    ],
)
def test_both_scripts_at_once_and_an_id_twice_are_refused(change, message):
    first, second = rows_of([1, 1])
    with pytest.raises(ValueError, match=rf"references\[1\]: {message}"):
        run(logits_of(n=1)[0][:2], [first, second | change])


def test_a_sentence_twice_is_told():
    rows = [{**row, "test": "有信心机", "id": None} for row in rows_of([1, 1])]
    with pytest.warns(UserWarning, match="got 1 sentences more than once"):
        run(logits_of(n=1)[0][:2], rows)


@pytest.mark.parametrize(
    ("predictions", "scale", "message"),
    [
        ([[0, 1, 0, 1]], "probability", "all 0 or 1; expected probabilities"),
        ([[0.2, 0.4, 0.1, 0.9]], "logit", "all in [0, 1] with scale='logit'; expected raw"),
    ],
)
def test_odd_values_are_told(predictions, scale, message):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run(predictions, [1], scale=scale, confidence=None)
    assert any(message in str(warning.message) for warning in told)


# --- version 1.0
@pytest.mark.parametrize(
    ("name", "options"),
    [("paper", {}), ("paper", {"cluster": "paradigm"}), ("paper_family", {"cluster": "family"})],
)
def test_paper_mode_gives_what_version_1_gave(name, options):
    path = ROOT / "tests" / "golden" / "gper_1_0.json"
    expected = json.loads(path.read_text(encoding="utf-8"))[name]
    values = np.random.default_rng(11).random((39 * 8, 4)).round(2)
    options |= {"scale": "probability", "mode": "paper", "n_resamples": 500}
    result = run(values, np.repeat(IDS, 8), **options)
    if name == "paper":
        result["by_paradigm"] = result["by_paradigm"][::13]
    assert expected["gper"] > 0
    for key, old in expected.items():
        if isinstance(old, list):
            for new_row, old_row in zip(result[key], old, strict=True):
                for field in old_row:
                    assert is_close(field, new_row[field], old_row[field]), field
        else:
            assert is_close(key, result[key], old), key


def is_close(name, new, old):
    if re.search(r"_(low|high)$", name):  # values of two digits tie: a bound may be the next one
        return new == pytest.approx(old, abs=1e-4, nan_ok=True)
    if isinstance(old, float):  # the last digit of a sum depends on the processor's vectors
        return new == pytest.approx(old, rel=1e-13, abs=1e-15, nan_ok=True)
    return new == old
