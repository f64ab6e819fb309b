"""Where the rows of a record lie."""

import pytest

from research.studies.result_lines import place_of
from tests.support.cases import cases


@pytest.mark.parametrize(
    *cases("result_lines/a_record_of_one_split_has_the_place_that_its_name_says")
)
def test_a_record_of_one_split_has_the_place_that_its_name_says(record, config, place):
    text = "suite:sorts|config:conll|split:{}|system:x|metric:m|version:1.0.0"
    signatures = [text.format(split) for split in ("amb", "part_amb")]
    assert place_of(signatures, "x", config, record) == place
