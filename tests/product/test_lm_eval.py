"""Tasks of lm-evaluation-harness: task files against the suites, and the tool beside our studies.
The tool runs in a process of its own, offline but for the Hub of the tests, with a tiny model; what
it reports is compared with what the likelihood studies say of the same rows under the same
model."""

import importlib.util
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from dataset_scripts.registry import suite_names
from integrations import scores, suites
from integrations.lm_eval.functions import SCORINGS, load_asked, load_scored
from integrations.scores import Collected
from publish.tasks import read_task
from tests.conftest import ROOT
from tests.support.publishing import run_elsewhere
from tests.support.served_suites import NAMESPACE, read_once, served  # noqa: F401
from tests.support.tiny_models import make_byte_model

FOLDER = ROOT / "integrations" / "lm_eval"
LIMIT = 24
CONFIGS = {
    name: [config for suite, config in suites.SCORED if suite == name]
    + ["questions_lite"] * (name == "centerbench")
    for name in suite_names()
}
EVALUATE = """
import json, sys
import lm_eval
from lm_eval.tasks import TaskManager
folder, model, hub, limit, *tasks = sys.argv[1:]
metadata = {"hub": hub, "pretrained": model}
manager = TaskManager(include_path=folder, include_defaults=False, metadata=metadata)
found = lm_eval.simple_evaluate(
    model="hf", model_args=f"pretrained={model},dtype=float32", device="cpu", batch_size=16,
    tasks=tasks, task_manager=manager, limit=int(limit), log_samples=True,
    gen_kwargs="max_gen_toks=4",
)
ids = {task: [one["doc"]["id"] for one in samples] for task, samples in found["samples"].items()}
print(json.dumps([found["results"], ids]))
"""


FILES = sorted(FOLDER.glob("*.yaml"))
READ = {path.stem: read_task(path) for path in FILES}
TASKS = {name: content for name, content in READ.items() if "task" in content}
SINGLE = {name: task for name, task in TASKS.items() if "group" not in task}
GROUPS = {name: task for name, task in TASKS.items() if "group" in task}
SCORED = {n: t for n, t in SINGLE.items() if t["output_type"] == "multiple_choice"}
ASKED = {n: t for n, t in SINGLE.items() if t["output_type"] == "generate_until"}


pytestmark = pytest.mark.usefixtures("read_once")


def scoring_of(task: Mapping[str, Any]) -> str:
    return re.fullmatch(r"functions\.(\w+)_items", task["process_results"])[1]


# --- task files
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_task_file_says_where_it_is_from(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# source: ")
    assert lines[1].startswith("# licence: ")


@pytest.mark.parametrize("name", SINGLE)
def test_a_task_shows_the_numbers_of_its_scoring(name):
    task = SINGLE[name]
    assert task["task"] == name
    scoring = scoring_of(task)
    shown = {one["metric"]: one["aggregation"] for one in task["metric_list"]}
    assert shown == {number: f"functions.{scoring}__{number}" for number in SCORINGS[scoring].names}
    assert list(shown) == list(SCORINGS[scoring].names)
    assert task["metadata"]["version"] == 1.0


def test_groups_are_of_tasks_and_every_task_is_in_one():
    assert all(name == group["group"] for name, group in GROUPS.items())
    members = {task for group in GROUPS.values() for task in group["task"]}
    assert members == set(SINGLE)
    assert {f"garden_path_{suite}" for suite in suite_names()} <= set(GROUPS)


def test_every_config_for_language_models_and_every_suite_has_a_task():
    asked = {(t["dataset_kwargs"]["suite"], t["dataset_kwargs"]["config"]) for t in SCORED.values()}
    assert asked == set(suites.SCORED)
    assert {t["dataset_kwargs"]["suite"] for t in ASKED.values()} == set(suite_names())


@pytest.mark.parametrize("name", SCORED)
def test_a_scored_task_asks_for_the_texts_of_the_study(name, hub):
    arguments = SCORED[name]["dataset_kwargs"]
    docs = load_scored(**arguments, hub=str(hub), version=1.0)["test"]
    measures = suites.SCORED[arguments["suite"], arguments["config"]]
    assert len(docs) > 100
    for doc in docs.select(range(20)):
        stretches = measures(doc)[arguments["measure"]]
        pairs = requests(SCORED[name], doc)
        assert [before + text for before, text in pairs] == [
            one.text[: one.end] for one in stretches
        ]
        if arguments["measure"] != "crossed":
            assert [len(before) for before, _ in pairs] == [one.start for one in stretches]


def requests(task: Mapping[str, Any], doc: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Context and continuation of each member, as lm-eval makes them of a task file."""
    choices = doc[task["doc_to_choice"]]
    assert task["target_delimiter"] == ""
    if isinstance(task["doc_to_text"], int):
        return [(choice, doc[task["doc_to_target"]]) for choice in choices]
    return [(doc[task["doc_to_text"]], choice) for choice in choices]


@pytest.mark.parametrize("name", ASKED)
def test_an_asked_task_is_right_with_its_own_targets(name, hub):
    task = ASKED[name]
    docs = load_asked(**task["dataset_kwargs"], hub=str(hub))["test"].select(range(200))
    assert {task["description"], task["doc_to_text"], task["doc_to_target"]} <= set(docs[0])
    scoring = SCORINGS[scoring_of(task)]
    items = [scoring.items(doc, [doc["target"]])[scoring.names[0]] for doc in docs]
    found = scoring.score(items)
    assert found[scoring.names[0]] == 1.0
    assert found["unreadable"] == 0.0
    wrong = scoring.score([item._replace(reply="no idea") for item in items])
    assert wrong[scoring.names[0]] < 0.2
    assert wrong["unreadable"] == 1.0 or name == "garden_path_centerbench_questions"


def test_the_first_rows_are_a_sample_of_all(hub):
    rows = suites.scored("eras", "pairs", "after", str(hub), {"occluder": "□"})[:100]
    assert len({row["paradigm_id"] for row in rows}) > 30
    asked = suites.asked("centerbench", str(hub))[:100]
    assert {row["level"] for row in asked} == set(range(1, 7))
    assert all(a["pair_id"] == b["pair_id"] for a, b in zip(asked[::2], asked[1::2], strict=True))


def test_an_odd_number_of_sentences_is_no_fault(hub):
    docs = suites.asked("eras", str(hub))[:9]
    found = scores.pair_accuracy([Collected(doc, reply=doc["target"]) for doc in docs])
    assert found["pair_accuracy"] == 1.0


def test_no_text_is_asked_for_in_two_divisions(hub):
    """lm-eval 0.4.13 scores texts once, by the continuation of the first that asks for them."""
    found: dict[str, tuple[str, str]] = {}
    for task in SCORED.values():
        for doc in load_scored(**task["dataset_kwargs"], hub=str(hub))["test"]:
            for before, text in requests(task, doc):
                assert found.setdefault(before + text, (before, text)) == (before, text)
    assert len(found) > 10_000


def test_what_no_task_file_may_call_is_named():
    from integrations.lm_eval import functions

    with pytest.raises(AttributeError, match="function, got 'gper_items'; expected of preference"):
        functions.gper_items  # noqa: B018
    with pytest.raises(AttributeError, match="got 'preference__f1'"):
        functions.preference__f1  # noqa: B018


# --- the tool
@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_byte_model(tmp_path_factory.mktemp("bytes"))


Evaluated = tuple[dict[str, dict[str, Any]], dict[str, list[str]]]


def evaluate(hub: Path, model: str, folder: Path, tasks: Iterable[str]) -> Evaluated:
    """What lm-eval reports of some tasks, and whom it asked."""
    if importlib.util.find_spec("lm_eval") is None:
        pytest.skip("lm_eval is not installed")
    with served(hub, CONFIGS) as server:
        arguments = [str(FOLDER), model, NAMESPACE, str(LIMIT), *tasks]
        home = server.environment(folder / "home")
        said = run_elsewhere(EVALUATE, home, folder / "work", arguments)
    results, ids = json.loads(said.splitlines()[-1])
    return results, ids


@pytest.fixture(scope="module")
def evaluated(hub: Path, model: str, tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    """What lm-eval reports of the tasks that the studies compare with themselves."""
    return evaluate(hub, model, tmp_path_factory.mktemp("lm_eval"), SCORED)


def test_the_tool_generates_and_scores_by_our_metric(hub, model, tmp_path):
    name = "garden_path_centerbench_questions"
    results, ids = evaluate(hub, model, tmp_path, [name])
    assert len(set(ids[name])) == LIMIT
    assert results[name]["accuracy_core,none"] == 0.0  # four bytes of random weights
    assert results[name]["unreadable,none"] > 0.5


def test_a_folder_is_meant_as_the_shell_means_it(tmp_path, monkeypatch):
    """inspect-ai changes into the folder of its task file before a task is made."""
    asked: list[str] = []
    load = lambda place, *_, **__: asked.append(place) or []  # noqa: E731
    monkeypatch.setattr(suites.datasets, "load_dataset", load)
    monkeypatch.setenv("PWD", str(tmp_path))
    for hub in ("hub", "", "somebody"):
        (tmp_path / "hub").mkdir(exist_ok=True)
        suites.rows("eras", "pairs", hub=hub)
    (tmp_path / "eras").mkdir()
    suites.rows("eras", "pairs")
    assert asked == [f"{tmp_path}/hub/eras", "eras", "somebody/eras", f"{tmp_path}/eras"]


def test_no_number_without_a_direction_has_an_arrow():
    """`chance` and the ends of an interval have none; nor have pairs of which neither is right."""
    unsigned = {"eras_pairs", "sorts_preference", "sorts_dutch_preference"}
    for task, content in SINGLE.items():
        for metric in content["metric_list"]:
            name = metric["metric"]
            has_none = name == "chance" or name.endswith(("_low", "_high", "_stderr", "_p"))
            has_none |= task.removeprefix("garden_path_") in unsigned
            assert (metric["higher_is_better"] is None) == has_none, (task, name)
