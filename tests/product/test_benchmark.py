"""`eval.yaml`: what is staged, what our check refuses, and what inspect-ai makes of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from builders import suites
from dataset_scripts.registry import suite_names
from metrics.matched_pair_accuracy.options import read_options
from metrics.matched_pair_accuracy.scoring import score
from publish.build.benchmark import EVAL, benchmark_files, benchmark_problems, first_sentence
from publish.build.build import build_suite
from publish.check.check import check_suite
from tests.support.cases import cases
from tests.support.hub_repository import Repository
from tests.support.hub_server import HubServer, hub_server
from tests.support.publishing import run_inspect

BENCHMARK = "centerbench"
N_ANSWERED = 24
VALIDATE = """
import json, sys
from pydantic import ValidationError
from inspect_ai._eval.task.hf import HFTask
def refused(task):
    try:
        HFTask.model_validate(task)
    except ValidationError as error:
        return str(error)
    return ""
print(json.dumps([refused(task) for task in json.load(sys.stdin)]))
"""
ANSWER = f"""
import json, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import value_to_float
replies = json.load(sys.stdin)
prompts = []
def reply(messages, *_):
    prompts.append([message.text for message in messages])
    answer = ModelOutput.from_content("mockllm", replies[messages[-1].text])
    answer.usage = ModelUsage()  # else it is counted with a vocabulary that is downloaded
    return answer
model = get_model("mockllm/model", custom_outputs=reply)
(log,) = eval("hf/ns/{BENCHMARK}/questions_lite_exact", model=model, limit={N_ANSWERED},
              display="none", log_dir=sys.argv[1], max_connections=1)
assert log.status == "success", log.error
correct = {{s.metadata["id"]: value_to_float()(s.scores["exact"].value) for s in log.samples}}
(metrics,) = [found.metrics for found in log.results.scores]
print(json.dumps([correct, metrics["mean"].value, prompts]))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("benchmark")
    build_suite(BENCHMARK, folder, {"size": 2})
    return folder / BENCHMARK


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with one split, and an `eval.yaml` in order."""
    rows = pa.table({"id": ["1"], "text": ["x"], "question": ["y?"], "answer": ["z"]})
    (tmp_path / "c").mkdir()
    pq.write_table(rows, tmp_path / "c" / "test-00000-of-00001.parquet")
    write(tmp_path, good())
    return tmp_path


def good() -> dict[str, Any]:
    """The smallest content that Hub, inspect-ai and check take."""
    return {
        "name": "N",
        "description": "D.",
        "evaluation_framework": "inspect-ai",
        "tasks": [
            {
                "id": "t",
                "config": "c",
                "split": "test",
                "field_spec": {"input": "question", "target": "answer", "metadata": ["text"]},
                "solvers": [
                    {"name": "prompt_template", "args": {"template": "{text} {prompt}"}},
                    {"name": "generate"},
                ],
                "scorers": [{"name": "exact"}],
            }
        ],
    }


def write(folder: Path, content: object) -> None:
    (folder / EVAL).write_text(yaml.safe_dump(content), encoding="utf-8")


def doctored(place: str, value: object) -> dict[str, Any]:
    """The same with another value at a place, such as `tasks.0.split`, or with none."""
    content = good()
    inside: Any = content
    *outer, last = place.split(".")
    for key in outer:
        inside = inside[int(key) if key.isdigit() else key]
    inside[last] = inside[last] * 2 if value == "twice" else value
    if value is None:
        del inside[last]
    return content


COLUMNS, DOCTORED = cases("benchmark/what_is_not_in_order_is_named")


def test_what_is_in_order_has_no_problem(small):
    assert benchmark_problems(small) == []
    (small / EVAL).unlink()
    assert benchmark_problems(small) == []


@pytest.mark.parametrize(COLUMNS, DOCTORED)
def test_what_is_not_in_order_is_named(small, place, value, message, is_refused):
    write(small, doctored(place, value))
    found = benchmark_problems(small)
    assert any(message in line for line in found), found
    assert all(line.startswith(f"{small / EVAL}: ") for line in found)


@pytest.mark.parametrize("text", ["- a\n", "a: [", "a"])
def test_what_is_no_mapping_is_said_to_be_none(small, text):
    (small / EVAL).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"eval\.yaml: content, got "):
        benchmark_problems(small)


def test_a_built_suite_with_answers_lists_its_tasks(built):
    content = yaml.safe_load((built / EVAL).read_text(encoding="utf-8"))
    assert content["name"] == "CenterBench: center-embedded sentences in true minimal pairs"
    assert content["description"].startswith("Who did what through one to six nested")
    assert [task["config"] for task in content["tasks"]] == ["questions_lite", "questions"]
    ids = {task["id"] for task in content["tasks"]}
    # of results: another metric
    assert not ids & {test.name for test in suites.tests_of(BENCHMARK)}
    assert benchmark_problems(built) == []


def test_a_doctored_build_fails_its_check(built):
    text = (built / EVAL).read_text(encoding="utf-8")
    try:
        (built / EVAL).write_text(text.replace("inspect-ai", "garden-path"), encoding="utf-8")
        assert any("got 'garden-path'" in line for line in check_suite(BENCHMARK, built))
    finally:
        (built / EVAL).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in suite_names() if name != BENCHMARK])
def test_a_suite_without_answers_has_none(name):
    assert benchmark_files(name, "") == {}


def test_the_first_sentence_is_text():
    assert first_sentence("# Title\n\n> quote\n\nDoes *it* work?\nYes. No.") == "Does it work?"
    assert first_sentence("# Title\n") == ""


# --- inspect-ai itself
def test_inspect_takes_every_task_and_refuses_what_we_refuse(built):
    content = yaml.safe_load((built / EVAL).read_text(encoding="utf-8"))
    changes = [case.values for case in DOCTORED]
    bad = [doctored(*change)["tasks"][0] for *change, _, is_refused in changes if is_refused]
    tasks = [*content["tasks"], *good()["tasks"], *bad]
    found = json.loads(run_inspect(VALIDATE, json.dumps(tasks)))
    n_good = len(tasks) - len(bad)
    assert found[:n_good] == [""] * n_good
    assert all("validation error" in message for message in found[n_good:]), found


@pytest.fixture
def hub(built: Path) -> Iterator[HubServer]:
    """A Hub that has the built suite, whoever pushed it."""
    files = {
        path.relative_to(built).as_posix(): path.read_bytes()
        for path in built.rglob("*")
        if path.is_file()
    }
    with hub_server() as server:
        repository = Repository("dataset", f"ns/{BENCHMARK}", None, False, [])
        repository.commits.append(repository.commit("built", files))
        server.repositories["dataset", f"ns/{BENCHMARK}"] = repository
        yield server


@pytest.mark.slow
@pytest.mark.clock
def test_inspect_asks_and_scores_as_our_exact_scorer(hub, built, tmp_path):
    path = built / "questions_lite" / "test-00000-of-00001.parquet"
    rows = pq.read_table(path).slice(0, N_ANSWERED).to_pylist()
    wanted = ["none" if i % 3 == 0 else row["answer"] for i, row in enumerate(rows)]
    asked = [f"Sentence: {row['sentence']}\nQuestion: {row['question']}\nAnswer:" for row in rows]
    replies = {f"{text}\n": reply for text, reply in zip(asked, wanted, strict=True)}
    said = run_inspect(
        ANSWER, json.dumps(replies), str(tmp_path / "logs"), **hub.environment(tmp_path / "home")
    )
    correct, mean, prompts = json.loads(said.splitlines()[-1])
    assert [prompt[-1] for prompt in prompts] == [f"{text}\n" for text in asked]
    assert all("grammar" in prompt[0] for prompt in prompts)
    ours = score(
        {"predictions": wanted, "references": rows},
        read_options(scorer="exact", per_item=True, confidence=None),
    )
    items = zip(rows, ours["per_item"], strict=True)
    assert correct == {row["id"]: item["correct"] for row, item in items}
    assert mean == pytest.approx(ours["accuracy"])
