"""Tasks of inspect-ai: run by it on the Hub of the tests, with a model that replies as it is told.
The numbers that it reports are those of our metrics on the same replies."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from integrations import suites
from metrics.garden_path_accuracy import scoring as garden_path_accuracy
from metrics.matched_pair_accuracy import scoring as matched_pair_accuracy
from metrics.morpheme_segmentation import scoring as morpheme_segmentation
from metrics.morpheme_segmentation.inputs import split_segmentations
from metrics.morpheme_segmentation.options import read_options
from tests.conftest import ROOT
from tests.support.publishing import run_inspect
from tests.support.served_suites import NAMESPACE, served

TASKS = ROOT / "integrations" / "inspect" / "tasks.py"
N = 40
CONFIGS = {
    "eras": ["simplified_lite"],
    "sorts": ["questions"],
    "centerbench": ["questions_lite"],
    "morphseg": ["synthetic"],
    "pp_attachment": ["conll"],
}
RUN = """
import json, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
file, hub, n, logs = sys.argv[1:]
replies = json.load(sys.stdin)
def reply(messages, *_):
    assert [message.role for message in messages] == ["system", "user"], messages
    answer = ModelOutput.from_content("mockllm", replies[messages[-1].text])
    answer.usage = ModelUsage()  # else it is counted with a vocabulary that is downloaded
    return answer
found = {}
for suite in ("eras", "sorts", "centerbench", "morphseg", "pp_attachment"):
    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    (log,) = eval(f"{file}@{suite}", model=model, task_args={"hub": hub}, limit=int(n),
                  display="none", log_dir=logs, max_connections=1)
    assert log.status == "success", log.error
    (scorer,) = log.results.scores
    found[suite] = {name: one.value for name, one in scorer.metrics.items()}
print(json.dumps(found))
"""


def reply_to(i: int, row: dict[str, Any]) -> str:
    """Every third reply is wrong, every ninth cannot be read."""
    if i % 9 == 0:
        return "I do not know."
    if i % 3 == 0:
        return re.sub("[- ]", "", row.get("sentence") or row["target"])
    return f"{row['target']}\n"


@pytest.fixture(scope="module")
def asked(hub: Path) -> dict[str, list[dict[str, Any]]]:
    return {suite: suites.asked(suite, str(hub))[:N] for suite in CONFIGS}


@pytest.fixture(scope="module")
def reported(hub: Path, asked: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    replies = {
        row["prompt"]: reply_to(i, row) for rows in asked.values() for i, row in enumerate(rows)
    }
    assert len(replies) == N * len(CONFIGS)
    folder = tmp_path_factory.mktemp("inspect")
    with served(hub, CONFIGS) as server:
        given = (str(TASKS), NAMESPACE, str(N), str(folder / "logs"))
        home = server.environment(folder / "home")
        said = run_inspect(RUN, json.dumps(replies), *given, **home)
    return json.loads(said.splitlines()[-1])


def test_each_task_leads_with_the_headline_of_its_suite(reported):
    first = {suite: next(iter(numbers)) for suite, numbers in reported.items()}
    assert first == dict.fromkeys(("eras", "pp_attachment"), "pair_accuracy") | {
        **{"sorts": "accuracy", "centerbench": "accuracy_core", "morphseg": "f1"}
    }


def test_centerbench_is_our_metric(reported, asked):
    rows = asked["centerbench"]
    inputs = {"predictions": [reply_to(i, r) for i, r in enumerate(rows)], "references": rows}
    ours = matched_pair_accuracy.score(inputs)
    for name in ("accuracy_core", "accuracy_core_low", "accuracy_core_high"):
        assert reported["centerbench"][name] == pytest.approx(ours[name], abs=1e-9)
    assert 0.3 < ours["accuracy_core"] < 1


def test_eras_is_our_metric(reported, asked):
    rows = asked["eras"]
    words = [
        reply_to(i, row).split() if i % 9 and i % 3 else [row[row["member"]]]
        for i, row in enumerate(rows)
    ]
    pairs = [list(pair) for pair in zip(words[::2], words[1::2], strict=True)]
    ours = garden_path_accuracy.score({"predictions": pairs, "references": rows[::2]})
    assert reported["eras"]["pair_accuracy"] == pytest.approx(ours["pair_accuracy"], abs=1e-9)
    assert reported["eras"]["unreadable"] == pytest.approx(len(range(0, N, 9)) / N)
    assert 0 < ours["pair_accuracy"] < 1


def test_morphseg_is_our_metric(reported, asked):
    rows = asked["morphseg"]
    cut = [
        [row["word"]] if i % 3 == 0 else reply_to(i, row).strip().split("-")
        for i, row in enumerate(rows)
    ]
    golds = [split_segmentations(row["alternatives"]) for row in rows]
    inputs = {"predictions": cut, "references": golds}
    ours = morpheme_segmentation.score(inputs, read_options())
    assert reported["morphseg"]["f1"] == pytest.approx(ours["f1"], abs=1e-9)
    assert reported["morphseg"]["unreadable"] == pytest.approx(len(range(0, N, 9)) / N)


def test_pp_attachment_counts_pairs_with_both_heads(reported, asked):
    """Replies 0, 3, 6 ... are wrong: one member of two pairs of three."""
    ours = sum(i % 3 > 0 and (i + 1) % 3 > 0 for i in range(0, N, 2)) / (N / 2)
    found = reported["pp_attachment"]
    assert found["pair_accuracy"] == pytest.approx(ours, abs=1e-9)
    assert found["pair_accuracy_low"] < ours < found["pair_accuracy_high"]
    assert found["unreadable"] == pytest.approx(sum(i % 3 == 0 for i in range(N)) / N)


def test_sorts_counts_right_choices(reported, asked):
    right = sum(i % 3 > 0 for i in range(N)) / N
    assert reported["sorts"]["accuracy"] == pytest.approx(right, abs=1e-9)
