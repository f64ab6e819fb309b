"""Minimal pair preference: values computed by hand, options, nulls, refusals."""

import math

import numpy as np
import pytest

from metrics.minimal_pair_preference.options import read_options
from metrics.minimal_pair_preference.scoring import best_choices, score
from tests.support.cases import cases


def rows(*clusters, construction="case"):
    return [{"construction": construction, "cluster": name} for name in clusters]


@pytest.mark.parametrize(*cases("minimal_pair_preference/golden_values"))
def test_golden_values(inputs, expected):
    result = score(inputs)
    assert {name: result[name] for name in expected} == pytest.approx(expected)


def test_a_rule_decides_on_effect_and_accuracy():
    inputs = {"predictions": [[-8, -6]], "references": rows("a"), "n_tokens": [[4, 2]]}
    found = score(inputs, read_options(rule="slln"))
    assert found["effect"] == pytest.approx(-8 / 2 + 6 / math.sqrt(2))
    assert score(inputs, read_options(rule="per_token"))["effect"] == pytest.approx(1.0)
    assert score(inputs, read_options(rule="slln", exponent=0))["effect"] == -2


def random_pairs(generator, planted=0.0):
    """Pairs whose clusters prefer one member for reasons of their own, and a planted effect."""
    clusters = [f"c{i}" for i in range(60) for _ in range(5)]
    of_cluster = np.repeat(generator.normal(0, 1, 60), 5)
    sums = generator.normal(-20, 1, (len(clusters), 2))
    sums[:, 0] += of_cluster + planted
    return {"predictions": sums, "references": rows(*clusters)}


@pytest.mark.simulation
def test_the_interval_of_a_random_model_holds_chance_and_a_planted_effect_is_found():
    generator = np.random.default_rng(0)
    options = read_options(n_resamples=200)
    held = found = 0
    for _ in range(40):
        result = score(random_pairs(generator), options)
        held += result["accuracy_low"] <= 0.5 <= result["accuracy_high"]
        planted = score(random_pairs(generator, planted=1.0), options)
        is_held = planted["effect_low"] <= 1.0 <= planted["effect_high"]
        found += is_held and planted["accuracy_low"] > 0.5
    assert held >= 34  # of an interval of 95 %; fewer have a chance of 1 %
    assert found >= 33


def test_nulls_stand_beside_the_model_and_are_compared_pair_by_pair():
    inputs = {
        "predictions": [[-1, -2], [-1, -2], [-2, -1], [-1, -2]],
        "references": rows("a", "b", "c", "d"),
        "n_tokens": [[1, 2], [2, 1], [1, 1], [1, 2]],
    }
    nulls = {"bigram": [[-1, -2], [-2, -1], [-2, -1], [-1, -1]]}
    table = {row["null"]: row for row in score(inputs, nulls=nulls)["by_null"]}
    assert table["length"]["accuracy"] == (1 + 0 + 0.5 + 1) / 4
    assert table["bigram"]["accuracy"] == (1 + 0 + 0 + 0.5) / 4
    assert table["bigram"]["accuracy_above"] == pytest.approx(0.75 - 0.375)


def test_constructions_are_corrected_for_their_number():
    references = [*rows(*"abcdefgh"), *rows(*"abcdefgh", construction="number")]
    result = score({"predictions": [[-1, -2]] * 8 + [[-2, -1]] * 8, "references": references})
    case, number = result["by_construction"]
    assert (case["accuracy"], number["accuracy"]) == (1.0, 0.0)
    assert case["effect_p"] == pytest.approx(2 / 2**8)
    assert case["effect_p_holm"] == pytest.approx(4 / 2**8)
    assert case["n"] == case["n_clusters"] == 8


def test_effects_that_cancel_in_every_cluster_have_a_p_of_one():
    sums = [[-0.3, -0.1 - 0.2 - 1], [-1.3, -0.1 - 0.2], [-0.7, -0.1], [-0.1, -0.7]]
    assert score({"predictions": sums, "references": rows("a", "a", "b", "b")})["effect_p"] == 1


def test_one_row_per_pair_on_request():
    inputs = {"predictions": [[-1, -2]], "references": rows("a")}
    assert "by_pair" not in score(inputs)
    assert score(inputs, read_options(per_item=True))["by_pair"] == [
        {"construction": "case", "cluster": "a", "effect": 1.0}
    ]


@pytest.mark.parametrize(*cases("minimal_pair_preference/what_is_no_pair_is_refused"))
def test_what_is_no_pair_is_refused(inputs, options, nulls, message):
    with pytest.raises(ValueError, match=message):
        score(inputs, read_options(**options), nulls)


def test_a_choice_is_right_where_the_first_has_the_best_slln():
    sums = [[-2.0, -1.5, -9.0], [-2.0, -2.0], [-3.0, -2.0]]
    lengths = [[4, 1, 9], [1, 1], [1, 1]]  # -1, -1.5, -3: right; a tie counts half; wrong
    assert best_choices(sums, lengths, 0.5).tolist() == [1.0, 0.5, 0.0]
    assert best_choices(sums, lengths, 0.0).tolist() == [0.0, 0.5, 0.0]


def test_named_columns_are_found_by_their_names():
    turned = [{"violated": -2.0, "grammatical": -1.0}, {"violated": -1.0, "grammatical": -4.0}]
    found = score({"predictions": turned, "references": rows("0", "1")})
    assert (found["accuracy"], found["effect"]) == (0.5, -1.0)
