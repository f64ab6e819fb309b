"""Signatures: the line by which a result can be done again, written, read back, and in results."""

import importlib
import json
import re

import datasets
import numpy as np
import pandas as pd
import pytest

from metrics._shared.option_fields import (
    Digest,
    Signature,
    hashed,
    read_run,
    read_signature,
    run_of_rows,
)
from publish.build.metrics import metric_names
from tests.support.cases import cases
from tests.support.generated_inputs import examples, metric_class

RUN = {"suite": "eras", "edition": "generated", "suite_version": "1.1.0", "config": "simplified"}
RUN |= {"split": "test", "draw": "0", "system": "org/model 1.0", "revision": "main@0a1b2c"}


@pytest.mark.parametrize(*cases("signature/golden"))
def test_a_signature_is_written_and_read_back(fields, text):
    assert str(Signature(*fields)) == text
    assert read_signature(text) == Signature(*fields)


def test_a_list_a_digest_and_what_is_no_utf_8_are_written_and_read_back():
    options = {"x": [3, 1], "y": 0.5, "w": True, "v": Digest("0123456789ab"), "z": "\ud800"}
    text = str(Signature("s", "1", {}, options))
    assert text.startswith("metric:s|version:1|v=#0123456789ab|w=true|x=[3,1]|y=0.5|z=")
    assert text.isascii()
    assert read_signature(text) == Signature("s", "1", {}, options)


@pytest.mark.parametrize(*cases("signature/what_is_no_signature_is_refused"))
def test_what_is_no_signature_is_refused(text):
    with pytest.raises(ValueError, match=r"^signature, got .*; expected fields joined by \| in"):
        read_signature(text)


@pytest.mark.parametrize(*cases("signature/a_run_that_no_signature_can_hold_is_refused"))
def test_a_run_that_no_signature_can_hold_is_refused(run, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        read_run("run", run)


def test_a_hash_is_that_of_the_values_in_whatever_collection_they_came():
    assert hashed({"b", "a"}) == hashed(frozenset("ab")) == hashed(["a", "b"])
    assert hashed(np.array([[1, 2]])) == hashed([[1, 2]])
    assert hashed([[1, 2]]) != hashed([[2, 1]])
    assert hashed({"b": 1, "a": 2}) == hashed({"a": 2, "b": 1})


def test_rows_say_what_they_are_of():
    rows = datasets.Dataset.from_list([{"a": 1}])
    assert run_of_rows(rows) == run_of_rows([{"a": 1}]) == {}
    rows.info.dataset_name, rows.info.builder_name = "eras", "parquet"
    rows.info.config_name = "lite"
    assert run_of_rows(rows) == {"suite": "eras", "edition": "generated", "config": "lite"}
    rows.info.config_name, rows.info.version = "released_simplified", datasets.Version("1.1.0")
    known = {"suite": "eras", "edition": "released", "config": "released_simplified"}
    assert run_of_rows(rows) == known | {"suite_version": "1.1.0"}
    rows.info.dataset_name, rows.info.version = "parquet", None
    assert run_of_rows(rows) == {}


# --- in results
def result_of(name, **options):
    """The first example of a metric, computed with further options."""
    columns, given = examples(name)[0]
    return metric_class(name)(keep_in_memory=True).compute(**columns, **given, **options)


@pytest.mark.parametrize("name", metric_names())
def test_every_metric_signs_its_results(name):
    options = importlib.import_module(f"metrics.{name}.options").Options
    chosen = {"seed": 7} if "seed" in options.rules() else {}
    assert "signature" not in result_of(name, scalars=True)
    for given in ({}, chosen, {**chosen, "run": RUN}):
        result = result_of(name, **given)
        found = read_signature(result["signature"])
        assert str(found) == result["signature"]
        assert (found.metric, found.version) == (name, result["version"])
        assert found.run == given.get("run", {})
        assert found.options.get("seed") == ({**options.defaults(), **given}).get("seed")
        usual = {key: value for key, value in found.options.items() if key != "seed"}
        assert {key: result["options"][key] for key in usual} == usual
        again = result_of(name, run=found.run, **found.options)
        assert again["signature"] == result["signature"]


def test_options_that_no_result_quotes_are_signed_where_they_change_it():
    columns, _ = examples("garden_path_accuracy")[0]
    metric = metric_class("garden_path_accuracy")(keep_in_memory=True)

    def signed(**options):
        return read_signature(metric.compute(**columns, **options)["signature"]).options

    assert signed(per_item=True) == {"seed": 0}
    assert signed(lexicon={"留心", "心机"}) == signed(lexicon=["心机", "留心"])
    assert signed(lexicon={"留心"})["lexicon"] == hashed(["留心"])
    assert signed(compared_with=columns["predictions"]).keys() == {"compared_with", "seed"}
    assert signed(cluster="family") == signed(cluster=None) == {"seed": 0}
    assert signed(exclude=[7], confidence=None) == {"confidence": None, "exclude": [7], "seed": 0}


def test_rows_of_a_data_set_need_no_run():
    columns, _ = examples("minimal_pair_preference")[0]
    rows = datasets.Dataset.from_list(columns["references"])
    rows.info.dataset_name, rows.info.config_name = "sorts", "pairs"
    metric = metric_class("minimal_pair_preference")(keep_in_memory=True)
    given = {"predictions": columns["predictions"], "references": rows}
    result = metric.compute(**given, run={"system": "bigrams", "config": "mine"})
    known = {"suite": "sorts", "edition": "generated", "config": "mine", "system": "bigrams"}
    assert read_signature(result["signature"]).run == known
    for run in (3, "", np.array([3, 4]), pd.Series([3, 4]), pd.NA):  # some have no truth value
        with pytest.raises(ValueError, match=r"^minimal_pair_preference: run, got .*; expected a "):
            metric.compute(**given, run=run)


@pytest.mark.parametrize("name", metric_names())
def test_a_whole_result_is_json(name):
    rules = importlib.import_module(f"metrics.{name}.options").Options.rules()
    result = result_of(name, **({"per_item": True} if "per_item" in rules else {}))
    assert json.loads(json.dumps(result)).keys() == result.keys()
