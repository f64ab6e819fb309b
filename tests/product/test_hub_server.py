"""The test Hub refuses what the real one refuses, each shown by a doctored input."""

from collections.abc import Callable, Iterator

import huggingface_hub.constants
import pytest
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import BadRequestError, HfHubHTTPError

from dataset_scripts.registry import suite_names
from publish.build.benchmark import benchmark_files
from publish.build.metrics import metric_names
from tests.conftest import ROOT
from tests.support.cases import cases, golden
from tests.support.hub_rules import card_errors, eval_errors
from tests.support.hub_server import HubServer, hub_server

pytestmark = pytest.mark.clock

DATASET = golden("hub_server/dataset_card")
SPACE = (
    "---\ntitle: T\nemoji: 🌱\ncolorFrom: green\ncolorTo: red\nsdk: static\npinned: false\n---\n"
)
EVAL = """name: N
description: D.
evaluation_framework: inspect-ai
tasks:
- id: t
  field_spec: {input: question, target: answer}
  solvers: [{name: generate}]
  scorers: [{name: exact}]
"""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    with hub_server() as server:
        yield server


def send(api: HfApi, repo_id: str, files: dict[str, bytes]) -> object:
    operations = [CommitOperationAdd(path, content) for path, content in files.items()]
    return api.create_commit(repo_id, operations, commit_message="files", repo_type="dataset")


def test_good_texts_have_no_error():
    assert card_errors(DATASET, "dataset") == card_errors(SPACE, "space") == []
    assert card_errors("# Text only\n", "dataset") == []
    assert eval_errors(EVAL) == []


@pytest.mark.parametrize(*cases("hub_server/a_doctored_card_is_refused"))
def test_a_doctored_card_is_refused(kind, old, new, reason):
    good = DATASET if kind == "dataset" else SPACE
    assert old in good
    assert any(reason in error for error in card_errors(good.replace(old, new, 1), kind))


@pytest.mark.parametrize(*cases("hub_server/a_doctored_eval_yaml_is_refused"))
def test_a_doctored_eval_yaml_is_refused(old, new, reason):
    assert old in EVAL
    assert any(reason in error for error in eval_errors(EVAL.replace(old, new, 1)))


def test_a_commit_with_a_doctored_file_is_refused_whole(hub, monkeypatch):
    api = HfApi(endpoint=hub.url, token="hf_writer")
    api.create_repo("ns/eras", repo_type="dataset")
    card = DATASET.replace("cc-by-4.0", "cc-by-5.0").encode()
    with pytest.raises(ValueError, match=r"Invalid metadata in README.md.\n- \"license\" must"):
        send(api, "ns/eras", {"README.md": card})
    monkeypatch.setattr(HfApi, "_validate_yaml", lambda *_, **__: None)
    with pytest.raises(BadRequestError, match=r"Invalid README.md: \"license\" must"):
        send(api, "ns/eras", {"README.md": card, "a.txt": b"a"})
    with pytest.raises(BadRequestError, match=r"Invalid eval.yaml: .*\"tasks\" is required"):
        send(api, "ns/eras", {"eval.yaml": b"name: N\n"})
    assert "a.txt" not in hub.repositories["dataset", "ns/eras"].head.files
    send(api, "ns/eras", {"README.md": DATASET.encode(), "eval.yaml": EVAL.encode()})


@pytest.mark.parametrize("name", suite_names())
def test_the_card_of_every_suite_is_taken(name):
    text = (ROOT / "cards" / "datasets" / f"{name}.md").read_text(encoding="utf-8")
    assert card_errors(text, "dataset") == []


@pytest.mark.parametrize("name", metric_names())
def test_the_card_of_every_metric_is_taken(name, staged_metrics):
    text = (staged_metrics / name / "README.md").read_text(encoding="utf-8")
    assert card_errors(text, "space") == []


def test_the_eval_yaml_of_a_suite_is_taken():
    card = (ROOT / "cards" / "datasets" / "centerbench.md").read_text(encoding="utf-8")
    assert eval_errors(benchmark_files("centerbench", card)["eval.yaml"].decode()) == []


@pytest.mark.parametrize(*cases("hub_server/a_member_may_do_what_the_role_says"))
def test_a_member_may_do_what_the_role_says(hub, token, may_create, may_change):
    """A contributor may change what it created, and nothing else; a stranger nothing."""
    hub.tokens["hf_admin"] = ("admin", "write")
    hub.organisations["org"]["admin"] = "admin"
    owner, member = (HfApi(endpoint=hub.url, token=one) for one in ("hf_admin", token))
    owner.create_repo("org/theirs", repo_type="dataset")
    calls: list[tuple[Callable[[], object], bool]] = [
        (lambda: member.create_repo("org/own", repo_type="dataset"), may_create),
        (lambda: send(member, "org/theirs", {"a.txt": b"a"}), may_change),
        *([(lambda: send(member, "org/own", {"a.txt": b"a"}), True)] if may_create else []),
    ]
    for call, is_allowed in calls:
        if is_allowed:
            call()
        else:
            with pytest.raises(HfHubHTTPError, match="required permissions"):
                call()
