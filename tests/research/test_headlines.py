"""The headline of each suite. What it is, its null, and that a null system is never shown above
it."""

import math

import pytest

from dataset_scripts.headlines import HEADLINES, NOT_ABOVE
from research.studies.headline_columns import headline_cell, headline_columns, headline_sentence

pytestmark = pytest.mark.usefixtures("no_shallow_readers")

# pair accuracy of a segmenter that cuts every two characters: high, and worth nothing
TWOS = {"pair_accuracy": 0.538, "pair_accuracy_low": 0.4, "pair_accuracy_high": 0.7}
TWOS |= {"pair_accuracy_chance": 0.544, "pair_accuracy_above_chance_low": -0.02}


@pytest.mark.parametrize(
    ("suite", "result", "columns"),
    [
        ("eras", TWOS, {"pair accuracy": "53.8 [40.0, 70.0], not above", "NULL": 54.4}),
        (
            "eras",
            TWOS | {"pair_accuracy_chance": 0.3, "pair_accuracy_above_chance_low": 0.01},
            {"pair accuracy": "53.8 [40.0, 70.0]", "NULL": 30.0},
        ),
        # whoever goes by order, or throws coins, has 0: an interval that holds it is not above it
        (
            "sorts",
            {"informedness": 0.03, "informedness_low": -0.02, "informedness_high": 0.08},
            {"informedness": "3.0 [-2.0, 8.0], not above", "NULL": 0.0},
        ),
        (
            "sorts",
            {"informedness": 0.3, "informedness_low": 0.26, "informedness_high": 0.36}
            | {"informedness_chance": 0.2},
            {"informedness": "30.0 [26.0, 36.0]", "NULL": 20.0},
        ),
        (
            "centerbench",
            {"accuracy_middle": 0.3, "accuracy_middle_low": 0.15, "accuracy_middle_high": 0.4}
            | {"chance_middle": 0.2},
            {"middle action": "30.0 [15.0, 40.0], not above", "NULL": 20.0},
        ),
        (
            "morphseg",
            {"f1": 0.5, "f1_low": 0.4, "f1_high": 0.6, "f1_null": 0.07},
            {"F1": "50.0 [40.0, 60.0]", "NULL": 7.0},
        ),
    ],
)
def test_a_headline_with_its_null(suite, result, columns):
    shown = headline_columns(HEADLINES[suite], result)
    assert list(shown) == list(columns)
    for name, value in columns.items():
        assert shown[name] == (pytest.approx(value) if isinstance(value, float) else value)


def test_an_undefined_headline_is_a_dash_and_no_verdict():
    nothing = {"informedness": math.nan, "informedness_low": math.nan}
    assert headline_cell(HEADLINES["sorts"], nothing) == "–"
    for headline in HEADLINES.values():
        assert headline.null_is in headline_sentence(headline)
        assert NOT_ABOVE in headline_sentence(headline)
