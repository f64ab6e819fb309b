"""The headline of each suite. What it is, its null, and that a null system is never shown above
it."""

import math

import pytest

from dataset_scripts.headlines import HEADLINES, NOT_ABOVE
from research.studies.headline_columns import headline_cell, headline_columns, headline_sentence
from tests.support.cases import cases

pytestmark = pytest.mark.usefixtures("no_shallow_readers")

# pair accuracy of a segmenter that cuts every two characters: high, and worth nothing
TWOS = {"pair_accuracy": 0.538, "pair_accuracy_low": 0.4, "pair_accuracy_high": 0.7}
TWOS |= {"pair_accuracy_chance": 0.544, "pair_accuracy_above_chance_low": -0.02}


@pytest.mark.parametrize(*cases("headlines/a_headline_with_its_null"))
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
