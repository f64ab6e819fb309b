"""ERAS for SyntaxGym: its schema, the texts, and predictions that are our effect."""

import json
import random
import re

import numpy as np
import pytest

from builders.eras.likelihoods import MEMBERS
from builders.eras.writers import TABLE_HEADER, region_table, syntaxgym
from ground.tables import read_settings
from metrics.minimal_pair_preference.members import measures
from metrics.minimal_pair_preference.scoring import effects
from tests.conftest import ROOT
from tests.support.cases import golden

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
SCHEMA = ROOT / "tests" / "support" / "syntaxgym.toml"
# 这位|护士服|从未打听过的居民, and a pair that differs in two characters behind its site
ROWS = golden("syntaxgym/rows")
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
REGION = re.compile(r"\(([\d*]);%(\w+)%\)")


def suite():
    return json.loads(syntaxgym(COLUMNS))


def test_the_schema_takes_it():
    jsonschema.validate(suite(), read_settings(SCHEMA))


@pytest.mark.parametrize("field", ["items", "predictions", "region_meta", "meta"])
def test_the_schema_refuses_what_lacks_a_part(field):
    found = suite()
    del found[field]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, read_settings(SCHEMA))


def test_regions_are_those_of_the_study():
    for row, item in zip(ROWS, suite()["items"], strict=True):
        compared = measures(row)
        for place, condition in enumerate(item["conditions"]):
            assert condition["condition_name"] == MEMBERS[place]
            texts = [region["content"] for region in condition["regions"]]
            assert "".join(texts) == row[MEMBERS[place]]
            for name, text in (("site", texts[1]), ("after", texts[2])):
                stretch = compared[name][place]
                assert stretch.text[stretch.start : stretch.end] == text
    first = suite()["items"][0]["conditions"][0]["regions"]
    assert [region["content"] for region in first] == ["这位", "护士服", "从未打听过的居民"]


def holds(formula, surprisals):
    """Whether a prediction holds: numbers in the place of regions, then arithmetic."""

    def number(match):
        places = (1, 2, 3) if match[1] == "*" else (int(match[1]),)
        return repr(sum(surprisals[match[2], place] for place in places))

    return eval(REGION.sub(number, formula))


def test_a_prediction_holds_where_our_effect_is_positive():
    draw = random.Random(0)
    outcomes = []
    for _ in range(200):
        found = {(m, n): draw.uniform(0, 9) for m in MEMBERS for n in (1, 2, 3)}
        for prediction, places in zip(suite()["predictions"], ((3,), (2,), (1, 2, 3)), strict=True):
            sums = np.array([[-sum(found[m, n] for n in places) for m in MEMBERS]])
            outcomes.append(effects(sums)[0] > 0)
            assert holds(prediction["formula"], found) == outcomes[-1]
    assert 200 < sum(outcomes) < 400


def test_the_table_has_a_row_per_item_condition_and_region():
    header, *lines = [line.split("\t") for line in region_table(COLUMNS).splitlines()]
    assert tuple(header) == TABLE_HEADER
    assert len(lines) == 2 * 4 * 3
    assert lines[1] == ["07-00000-1", "test", "2", "site", "护士服"]
