"""Folders of tasks that `push.py tasks` writes: they run where nothing of this project is. Beside
them lies a package called `metrics`, which is the user's and may not be looked into."""

import ast
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

import push
from integrations import scores, suites
from integrations.lm_eval.functions import load_asked, load_scored
from publish.tasks import ALL_ROOMS, INTEGRATIONS, PACKAGE, UPSTREAM, read_task, twins, write_tasks
from tests.product.test_lm_eval import ASKED, SCORED
from tests.support.processes import captured
from tests.support.served_suites import read_once  # noqa: F401
from tests.support.skips import LIGHTEVAL
from tests.support.tiny_models import make_byte_model

pytestmark = pytest.mark.usefixtures("read_once")

TOOLS = ("inspect", "lighteval", "lm_eval")
REQUESTS = ("helm", "lighteval", "lm_eval", "opencompass")
WHOLE = "garden_path_sorts_dutch_pairs"
TAKE = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("functions", sys.argv[1])
functions = importlib.util.module_from_spec(spec)
spec.loader.exec_module(functions)
docs = functions.load_scored("sorts", "dutch_pairs", "whole", hub=sys.argv[2])["test"]
items = [functions.preference_items(d, [(-float(i % 3), 0), (-1.0, 0)]) for i, d in enumerate(docs)]
asked = functions.load_asked("centerbench", hub=sys.argv[2], where={"level": 2})["test"]
replies = [functions.core_accuracy_items(d, [d["target"]])["accuracy_core"] for d in asked]
print(json.dumps([
    functions.preference__accuracy([one["accuracy"] for one in items]),
    functions.core_accuracy__accuracy_core(replies),
    sorted(name for name in sys.modules if name.split(".")[0] in sys.argv[3:]),
]))
"""


@pytest.fixture(scope="module")
def folders(hub: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of each tool under its name, and the user's package."""
    place = tmp_path_factory.mktemp("tasks")
    for tool in TOOLS:
        write_tasks(tool, hub, place / tool)
    (place / "metrics").mkdir()
    (place / "metrics" / "__init__.py").write_text("raise ImportError('the user´s own')", "utf-8")
    return place


def elsewhere(place: Path, *command: str, **variables: str) -> str:
    """What a command prints that runs in a folder without this repository on its path."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = kept | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(place / "home")} | variables
    done = captured(command, cwd=place, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("tool", TOOLS)
def test_a_folder_imports_nothing_but_itself(folders, tool):
    paths = list((folders / tool).rglob("*.py"))
    assert len(paths) > 20
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and not node.level:
                assert str(node.module).split(".")[0] not in ALL_ROOMS, (path, node.module)


def test_a_folder_scores_where_this_project_is_not(folders, hub):
    told = elsewhere(
        folders,
        *(sys.executable, "-c", TAKE, str(folders / "lm_eval" / "functions.py"), str(hub)),
        *ALL_ROOMS,
    )
    accuracy, core, ours = json.loads(told.splitlines()[-1])
    rows = suites.scored("sorts", "dutch_pairs", "whole", str(hub))
    items = [scores.Collected(row, (-float(i % 3), -1.0)) for i, row in enumerate(rows)]
    assert accuracy == scores.preference(items)["accuracy"] == pytest.approx(0.5)
    assert core == 1.0
    assert ours == []


@pytest.mark.parametrize("name", [*SCORED, *ASKED])
def test_the_parts_of_a_task_are_its_rows(folders, hub, name):
    task = SCORED.get(name) or ASKED[name]
    load = load_scored if name in SCORED else load_asked
    column = task["metadata"].get("parts")
    if not column:
        assert name == "garden_path_morphseg_morphemes"  # words of one kind
        return
    group = yaml.safe_load((folders / "lm_eval" / f"{name}_by_{column}.yaml").read_text("utf-8"))
    whole = load(**task["dataset_kwargs"], hub=str(hub))["test"]
    sizes = Counter(whole[column])
    found = {}
    for part in group["task"]:
        own = read_task(folders / "lm_eval" / f"{part}.yaml")
        assert own["task"] == part
        assert own["metric_list"] == task["metric_list"]
        found[own["dataset_kwargs"]["where"][column]] = part
    assert set(found) == set(sizes)
    least = min(sizes, key=lambda value: sizes[value])
    own = read_task(folders / "lm_eval" / f"{found[least]}.yaml")
    assert len(load(**own["dataset_kwargs"], hub=str(hub))["test"]) == sizes[least]


@pytest.mark.parametrize("tool", REQUESTS)
def test_a_pull_request_has_every_pair_with_a_right_member(hub, tmp_path, tool):
    records = list(twins(hub))
    assert len(records) == len({one["name"] for one in records}) >= 9
    found = push.main(["tasks", tool, "--upstream", "ns", "--out", str(hub), "--to", str(tmp_path)])
    assert found == 0
    texts = {path: path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()}
    request = texts.pop(tmp_path / "PULL_REQUEST.md")
    assert request.startswith("Title: ")
    for path, text in texts.items():
        assert "{{" not in text.replace('"{{[', ""), path
        if path.suffix == ".py":
            compile(text, str(path), "exec")
    said = "".join(texts.values())
    assert all(one["construction"] in said and one["config"] in said for one in records)
    assert "ns/" in said


def test_a_tool_that_there_is_not_is_named(hub, tmp_path):
    with pytest.raises(ValueError, match=r"TOOL, got 'helm'; expected one of inspect, lighteval"):
        write_tasks("helm", hub, tmp_path)
    with pytest.raises(ValueError, match=r"TOOL, got 'inspect'; expected one of helm, lighteval"):
        write_tasks("inspect", hub, tmp_path, "ns")
    assert {path.name for path in UPSTREAM.iterdir()} == set(REQUESTS)
    assert PACKAGE not in {path.name for path in INTEGRATIONS.iterdir()}


@pytest.mark.slow
def test_lighteval_lm_eval_and_our_scorer_agree(folders, hub, tmp_path):
    """On all rows, with one model; the two tools run unmodified in the folder."""
    pytest.importorskip("lm_eval", reason="lm_eval is not installed")
    if not LIGHTEVAL.exists():
        pytest.skip("lighteval is not at hand: make .venv/.lighteval")
    model = make_byte_model(tmp_path / "model")
    given = ("--model_args", f"pretrained={model},dtype=float32", "--device", "cpu")
    tasks = ("--include_path", str(folders / "lm_eval"), "--tasks", WHOLE)
    rest = ("--metadata", json.dumps({"hub": str(hub)}), "--output_path", str(tmp_path / "lm"))
    command = (sys.executable, "-m", "lm_eval", "run", "--model", "hf", "--batch_size", "16")
    elsewhere(folders, *command, *given, *tasks, *rest, "--log_samples")
    light = folders / "lighteval"
    elsewhere(
        folders,
        *(str(LIGHTEVAL), str(light / "offline.py"), "accelerate"),
        f"model_name={model},dtype=float32,batch_size=16",
        *("garden_path:sorts_dutch_pairs", "--custom-tasks", str(light / "tasks.py")),
        *("--output-dir", str(tmp_path / "light")),
        GARDEN_PATH_HUB=str(hub),
    )
    theirs = reported(tmp_path / "lm")["results"][WHOLE]
    lights = reported(tmp_path / "light")["results"]["garden_path:sorts_dutch_pairs|0"]
    (samples,) = (tmp_path / "lm").rglob("samples_*.jsonl")
    logged = [json.loads(line) for line in samples.read_text("utf-8").splitlines()]
    items = [
        scores.Collected(one["doc"], [float(value) for value, _ in one["filtered_resps"]])
        for one in logged
    ]
    ours = scores.preference(items)
    assert len(items) == 468
    assert 0 < ours["accuracy"] < 1
    for number in ("accuracy", "accuracy_low", "accuracy_high", "accuracy_stderr"):
        assert theirs[f"{number},none"] == pytest.approx(ours[number], abs=1e-9), number
        assert lights[number] == pytest.approx(ours[number], abs=1e-9), number
    assert lights["effect"] == pytest.approx(ours["effect"], abs=1e-4)


def reported(folder: Path) -> dict[str, Any]:
    """The one file of results that a tool wrote."""
    (path,) = folder.rglob("results_*.json")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found
