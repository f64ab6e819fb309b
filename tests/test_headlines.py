"""The headline of each suite.

What it is, its null, and that a null system is never shown above it.
"""

import math

import pytest

from dataset_scripts.headlines import HEADLINES, NOT_ABOVE

# pair accuracy of a segmenter that cuts every two characters: high, and worth nothing
TWOS = {"pair_accuracy": 0.538, "pair_accuracy_low": 0.4, "pair_accuracy_high": 0.7}
TWOS |= {"pair_accuracy_chance": 0.544, "pair_accuracy_above_chance_low": -0.02}


@pytest.mark.parametrize(
    ("suite", "result", "columns"),
    [
        ("eras", TWOS, {"pair accuracy": "53.8 [40.0, 70.0], not above NULL", "NULL": 54.4}),
        (
            "eras",
            TWOS | {"pair_accuracy_chance": 0.3, "pair_accuracy_above_chance_low": 0.01},
            {"pair accuracy": "53.8 [40.0, 70.0]", "NULL": 30.0},
        ),
        # a coin has a quarter of the pairs of clauses: an interval that holds 25 is not above it
        (
            "sorts",
            {"svo_ovs_score": 0.3, "svo_ovs_score_low": 0.25, "svo_ovs_score_high": 0.36},
            {"SVO and OVS": "30.0 [25.0, 36.0], not above NULL", "NULL": 25.0},
        ),
        (
            "sorts",
            {"svo_ovs_score": 0.3, "svo_ovs_score_low": 0.26, "svo_ovs_score_high": 0.36}
            | {"svo_ovs_score_chance": 0.2},
            {"SVO and OVS": "30.0 [26.0, 36.0]", "NULL": 20.0},
        ),
        # the largest of the readers without structure is the null
        (
            "centerbench",
            {"accuracy_core": 0.3, "accuracy_core_low": 0.2, "accuracy_core_high": 0.4}
            | {"chance_linear_order_core": 0.14, "chance_next_noun_core": 0.33},
            {"core": "30.0 [20.0, 40.0], not above NULL", "NULL": 33.0},
        ),
        (
            "morphseg",
            {"f1": 0.5, "f1_low": 0.4, "f1_high": 0.6, "f1_null": 0.07},
            {"F1": "50.0 [40.0, 60.0]", "NULL": 7.0},
        ),
    ],
)
def test_a_headline_with_its_null(
    suite: str, result: dict[str, float], columns: dict[str, object]
) -> None:
    shown = HEADLINES[suite].columns(result)
    assert list(shown) == list(columns)
    for name, value in columns.items():
        assert shown[name] == (pytest.approx(value) if isinstance(value, float) else value)


def test_an_undefined_headline_is_a_dash_and_no_verdict() -> None:
    nothing = {"svo_ovs_score": math.nan, "svo_ovs_score_low": math.nan}
    assert HEADLINES["sorts"].cell(nothing) == "–"
    for headline in HEADLINES.values():
        assert headline.null_is in headline.sentence
        assert NOT_ABOVE in headline.sentence
