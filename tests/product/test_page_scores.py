"""What the page of rankings takes: tables, result files of harnesses; and what it refuses."""

import json
from types import ModuleType
from typing import Any

import pytest

from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.ranking_generalizability import RankingGeneralizability
from metrics.ranking_generalizability.scoring import score
from metrics.ranking_generalizability.sources import read_source
from publish.build.pages import TEMPLATE
from tests.support.staged_pages import load_part, space_settings

SETTINGS = space_settings("ranking_generalizability")
METRIC = RankingGeneralizability()
MEANS = {"a": (0.71, 0.70, 0.74, 0.72), "b": (0.60, 0.61, 0.63, 0.60)}


@pytest.fixture(scope="module")
def page() -> ModuleType:
    return load_part(TEMPLATE, "app_scores")


def result_file(model: str, **more: Any) -> bytes:
    tasks = dict(zip("wxyz", MEANS[model], strict=True))
    results = {task: {"acc,none": v, "acc_norm,none": 1 - v} for task, v in tasks.items()}
    return json.dumps({"results": results, "model_name": f"org/{model}", **more}, indent=2).encode()


def record(model: str) -> bytes:
    results = [
        {
            "evaluation_name": task,
            "metric_config": {"metric_id": "acc"},
            "score_details": {"score": value},
        }
        for task, value in zip("wxyz", MEANS[model], strict=True)
    ]
    return json.dumps({"model_info": {"id": model}, "evaluation_results": results}).encode()


def table(model: str) -> bytes:
    lines = [f"{model},{task},{v}" for task, v in zip("wxyz", MEANS[model], strict=True)]
    return "\n".join(["model,task,acc", *lines]).encode()


GIVEN = {
    "results of one harness": [("results_a.json", result_file("a")), ("b.json", result_file("b"))],
    "pasted": [("pasted.jsonl", result_file("a")), ("results_b.json", result_file("b"))],
    "records": [("a.json", record("a")), ("b.json", record("b"))],
    "tables": [("a.csv", table("a")), ("b.csv", table("b"))],
    "kinds together": [("a.json", record("a")), ("b.json", result_file("b"))],
}


@pytest.mark.parametrize("name", GIVEN)
def test_files_are_one_table(page, name):
    source = read_source(page.read_scores(GIVEN[name], None, SETTINGS, METRIC), None)
    found = score(source.inputs, read_options())
    assert found["best_on_average"].removeprefix("org/") == "a"
    assert [row["mean"] for row in found["by_system"]] == pytest.approx([0.7175, 0.61])


def test_the_score_is_chosen(page):
    rows = page.read_scores(GIVEN["results of one harness"], "acc_norm", SETTINGS, METRIC)
    found = METRIC.compute(data=rows, metric="acc_norm")
    assert (found["best_on_average"], found["note"]) == ("org/b", "Score: acc_norm,none.")


def test_what_is_refused(page):
    lines = [{"doc_id": i, "acc": 1.0, "metrics": ["acc"], "filtered_resps": []} for i in range(2)]
    samples = "".join(json.dumps(line) + "\n" for line in lines).encode()
    with pytest.raises(ValueError, match="model, got none: lm-evaluation-harness names it by the"):
        page.read_scores([("samples_arc.jsonl", samples)], None, SETTINGS, METRIC)
    with pytest.raises(ValueError, match="scores, got none named 'bleu'"):
        page.read_scores([("a.json", result_file("a"))], "bleu", SETTINGS, METRIC)
    with pytest.raises(ValueError, match=r"format, got \.xlsx; expected CSV"):
        page.read_scores([("a.xlsx", b"")], None, SETTINGS, METRIC)
    deep = b'{"results": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(ValueError, match=r"deep\.json"):
        page.read_scores([("deep.json", deep)], None, SETTINGS, METRIC)
