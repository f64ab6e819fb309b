"""From a reply to the answer in it: every kind of wrapping that models put around an answer."""

import pytest

from metrics.matched_pair_accuracy.reading import answer_units
from tests.support.cases import cases


@pytest.mark.parametrize(*cases("answer_cleaning/answers_are_found_in_replies"))
def test_answers_are_found_in_replies(reply, units):
    assert answer_units(reply) == units


def test_a_number_is_an_answer_where_there_are_no_items():
    assert answer_units("4. There are four.", has_items=False) == ["4.", "there are 4."]
