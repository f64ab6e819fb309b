"""`push.py result`: what is written, by other projects' own schemas, what is refused, and sent."""

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import huggingface_hub.constants
import jsonschema
import pytest
import yaml
from huggingface_hub import EvalResultEntry, HfApi, parse_eval_result_entries

import push
from builders.centerbench import DRAW as CENTERBENCH_VERSION
from dataset_scripts.headlines import cluster_sums
from metrics._shared.option_fields import read_signature
from publish.hub.results import (
    ResultRefusedError,
    check_repo_id,
    hub_file,
    open_pull_request,
    read_result,
    shared_record,
    write_files,
)
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.generated_inputs import metric_class
from tests.support.hub_rules import result_errors
from tests.support.hub_server import HubServer, hub_server
from tests.support.invented_results import RUN, WHEN, eras_result, signature, spoilt_result

pytestmark = [pytest.mark.usefixtures("no_shallow_readers"), pytest.mark.clock]

SCHEMA = json.loads((ROOT / "tests/golden/every_eval_ever/eval.schema.json").read_text("utf-8"))


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[Any], Path]:
    """Writes a result and returns where."""

    def save(result: Any) -> Path:
        path = tmp_path / "RESULT.json"
        path.write_text(json.dumps(result), encoding="utf-8")
        return path

    return save


def test_the_hubs_file_is_what_its_own_reader_takes(saved):
    result = read_result(saved(eras_result()))
    path, text = hub_file(result, "ns/eras", "2026-11-22T00:00:00Z")
    assert path == ".eval_results/eras_simplified_lite.yaml"
    assert result_errors(text) == []
    assert parse_eval_result_entries(yaml.safe_load(text)) == [
        EvalResultEntry(
            dataset_id="ns/eras",
            task_id="simplified_lite",
            value=0.666667,
            date="2026-11-22T00:00:00Z",
            notes=f"95 % interval [0.5000, 0.8000]; null 0.5000; {signature()}",
        )
    ]


def test_the_record_keeps_the_schema_of_every_eval_ever(saved):
    result = read_result(saved(eras_result()))
    path, record = shared_record(result, "org/model", "ns/eras", WHEN)
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    jsonschema.Draft7Validator(SCHEMA).validate(record)
    assert SCHEMA["version"] == record["schema_version"]
    uuid4 = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert re.fullmatch(rf"data/garden-path-eras/org/model/{uuid4}\.json", path)
    assert path == shared_record(result, "org/model", "ns/eras", WHEN)[0]
    (measured,) = record["evaluation_results"]
    assert measured["score_details"]["score"] == 2 / 3
    uncertainty = measured["score_details"]["uncertainty"]
    assert uncertainty["confidence_interval"] == {
        "lower": 0.5,
        "upper": 0.8,
        "confidence_level": 0.95,
        "method": "Wilson over 2 clusters",
    }
    details = measured["score_details"]["details"]
    assert json.loads(details["clusters"]) == {"1": [1.5, 2], "2": [0.5, 1]}
    assert read_signature(details["signature"]).run == RUN
    assert measured["metric_config"]["additional_details"] == {"null": "0.500000"}


def test_a_metrics_own_result_is_taken_and_says_why_it_has_no_interval(saved):
    """One question pair has no interval; that stands in both files instead of an invented one."""
    told = ("dog see cat", "cat kick hen", "hen feed goat", "goat bleat ")
    forms = ("base", "past", "participle", "gerund", "third")
    events = [
        {"subject": who, "verb": dict.fromkeys(forms, verb) | {"tail": ""}, "object": whom or None}
        for who, verb, whom in (event.split(" ") for event in told)
    ]
    asked = {"level": 3, "depth": 2, "question_type": "action_performed", "answer": "kick the hen"}
    rows = [
        {**asked, "pair_id": "1-00000", "condition": name, "events": events}
        for name in ("plausible", "implausible")
    ]
    run = {**RUN, "suite": "centerbench", "config": "questions"}
    run["suite_version"] = CENTERBENCH_VERSION
    metric = metric_class("matched_pair_accuracy")(keep_in_memory=True)
    given = {"predictions": ["kick the hen", "bleat"], "references": rows}
    found = metric.compute(**given, run=run, per_item=True)
    result = read_result(saved(found))
    assert (result.value, result.n, result.clusters) == (0.5, 2, {"1-00000": (1.0, 2)})
    assert math.isnan(result.low)
    assert "95 % interval undefined" in result.notes
    assert "not above it" in result.notes
    _, record = shared_record(result, "org/model", "ns/centerbench", WHEN)
    jsonschema.Draft7Validator(SCHEMA).validate(record)
    assert "uncertainty" not in record["evaluation_results"][0]["score_details"]
    assert "NaN" not in json.dumps(record)


@pytest.mark.parametrize(*cases("results/what_would_mislead_is_refused"))
def test_what_would_mislead_is_refused(changes, run, edited, message, saved):
    refused(saved(spoilt_result(changes, run, edited)), message)


def refused(path: Path, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as refusal:
        read_result(path)
    assert str(refusal.value).startswith(f"{path}: ")


def test_what_is_no_result_of_a_metric_is_refused(saved):
    refused(saved([]), "JSON, got list; expected the result of a metric, an object")
    message = "signature, got None; expected the one that every result of `compute`"
    refused(saved({"pair_accuracy": 0.5}), message)


def test_options_that_leave_the_headline_as_it_is_are_taken(saved):
    options = {"confidence": 0.9, "n_resamples": 500, "seed": 3}
    result = read_result(saved(eras_result(signature=signature(options))))
    assert result.notes.startswith("90 % interval [0.5000, 0.8000]; null 0.5000; suite:eras|")


def test_suites_whose_headline_is_no_mean_have_no_clusters():
    assert cluster_sums("sorts", "svo_ovs_score", {"svo_ovs_score": 0.5}) == {}
    assert cluster_sums("centerbench", "accuracy_core", {"accuracy_core": 0.5}) == {}


@pytest.mark.parametrize("repo_id", ["model", "a/b/c", "", "org/", "org/mo del"])
def test_a_model_without_its_owner_is_refused(repo_id):
    with pytest.raises(ValueError, match=r"^--model, got .*; expected owner/name"):
        check_repo_id("--model", repo_id)


# --- the Hub
@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HubServer]:
    """A Hub with one model, of another owner than who sends."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    with hub_server() as server:
        for name, value in server.environment(tmp_path / "home").items():
            monkeypatch.setenv(name, value)
        api_of(server, "hf_other").create_repo("other/model")
        yield server


def api_of(hub: HubServer, token: str = "hf_writer") -> HfApi:
    """A client of the test Hub."""
    return HfApi(endpoint=hub.url, token=token)


def test_a_pull_request_is_opened_on_a_strangers_model_once(hub, saved, tmp_path):
    path, api = saved(eras_result()), api_of(hub)
    sharing = write_files(path, "other/model", "ns", tmp_path / "out")
    opened = open_pull_request(api, sharing)
    assert opened == f"other/model: pull request {hub.url}/other/model/discussions/1"
    model = hub.repositories["model", "other/model"]
    assert len(model.commits) == 1
    assert model.pulls[0].files[sharing.path].decode() == sharing.text
    assert open_pull_request(api, sharing) == "other/model: pull request 1 is open already"
    model.commits.append(model.pulls.pop())  # as its owner merges it
    told = "other/model: nothing changed, .eval_results/"
    assert open_pull_request(api, sharing).startswith(told)
    assert len(model.pulls) == 0


@pytest.mark.parametrize(*cases("results/what_the_hub_does_not_take_is_said_in_a_line"))
def test_what_the_hub_does_not_take_is_said_in_a_line(hub, saved, tmp_path, model, token, message):
    sharing = write_files(saved(eras_result()), model, "ns", tmp_path / "out")
    with pytest.raises(ResultRefusedError, match=rf"^{model}: {message}.*\nNothing was sent\.$"):
        open_pull_request(api_of(hub, token), sharing)
    assert hub.repositories["model", "other/model"].pulls == []


@pytest.mark.parametrize(*cases("results/the_test_hub_refuses_results_that_are_none"))
def test_the_test_hub_refuses_results_that_are_none(text):
    assert result_errors(text)


def test_the_command_writes_and_sends_only_when_asked(hub, saved, tmp_path, capsys):
    given = ["result", str(saved(eras_result())), "--model", "other/model"]
    given += ["--endpoint", hub.url, "--out", str(tmp_path / "out")]
    assert push.main(given) == 0
    shown = capsys.readouterr().out
    assert "eras, simplified_lite: pair accuracy: 0.6667; 95 % interval [0.5000, 0.8000]" in shown
    assert "Nothing was sent. --yes opens a pull request on other/model." in shown
    written = [line.removeprefix("written: ") for line in shown.splitlines()[:2]]
    (entry,) = yaml.safe_load(Path(written[0]).read_text(encoding="utf-8"))
    assert entry["dataset"] == {"id": "ns/eras", "task_id": "simplified_lite"}
    assert json.loads(Path(written[1]).read_text(encoding="utf-8"))["model_info"]["id"]
    assert push.main([*given, "--yes"]) == 0
    assert "other/model: pull request" in capsys.readouterr().out
    assert push.main(["result", str(saved({})), *given[2:]]) == 1
    assert "signature, got None; expected" in capsys.readouterr().err
