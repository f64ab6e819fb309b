"""The test Hub refuses what the real one refuses, each shown by a doctored input."""

from collections.abc import Callable, Iterator
from pathlib import Path

import huggingface_hub.constants
import pytest
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import BadRequestError, HfHubHTTPError

from dataset_scripts.registry import suite_names
from publish.build.benchmark import benchmark_files
from publish.build.metrics import metric_names
from tests.conftest import ROOT
from tests.support.cases import cases, golden
from tests.support.hub_http import Fault
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
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HubServer]:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with hub_server() as server:
        yield server


def api(hub: HubServer, token: str = "hf_writer") -> HfApi:
    return HfApi(endpoint=hub.url, token=token)


def send(hub: HubServer, repo_id: str, files: dict[str, bytes], token: str = "hf_writer") -> object:
    operations = [CommitOperationAdd(path, content) for path, content in files.items()]
    return api(hub, token).create_commit(
        repo_id, operations, commit_message="files", repo_type="dataset"
    )


# --- Cards and eval.yaml
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
    api(hub).create_repo("ns/eras", repo_type="dataset")
    card = DATASET.replace("cc-by-4.0", "cc-by-5.0").encode()
    with pytest.raises(ValueError, match=r"Invalid metadata in README.md.\n- \"license\" must"):
        send(hub, "ns/eras", {"README.md": card})
    monkeypatch.setattr(HfApi, "_validate_yaml", lambda *_, **__: None)
    with pytest.raises(BadRequestError, match=r"Invalid README.md: \"license\" must"):
        send(hub, "ns/eras", {"README.md": card, "a.txt": b"a"})
    with pytest.raises(BadRequestError, match=r"Invalid eval.yaml: .*\"tasks\" is required"):
        send(hub, "ns/eras", {"eval.yaml": b"name: N\n"})
    assert "a.txt" not in hub.repositories["dataset", "ns/eras"].head.files
    send(hub, "ns/eras", {"README.md": DATASET.encode(), "eval.yaml": EVAL.encode()})


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


# --- Roles
@pytest.mark.parametrize(*cases("hub_server/a_member_may_do_what_the_role_says"))
def test_a_member_may_do_what_the_role_says(hub, token, may_create, may_change):
    """A contributor may change what it created, and nothing else; a stranger nothing."""
    hub.tokens["hf_admin"] = ("admin", "write")
    hub.organisations["org"]["admin"] = "admin"
    api(hub, "hf_admin").create_repo("org/theirs", repo_type="dataset")
    calls: list[tuple[Callable[[], object], bool]] = [
        (lambda: api(hub, token).create_repo("org/own", repo_type="dataset"), may_create),
        (lambda: send(hub, "org/theirs", {"a.txt": b"a"}, token), may_change),
    ]
    if may_create:
        calls.append((lambda: send(hub, "org/own", {"a.txt": b"a"}, token), True))
    for call, is_allowed in calls:
        if is_allowed:
            call()
        else:
            with pytest.raises(HfHubHTTPError, match="required permissions"):
                call()


# --- Renamed repositories
def test_a_renamed_repository_is_found_under_its_old_name(hub, tmp_path):
    api(hub).create_repo("ns/new", repo_type="dataset")
    send(hub, "ns/new", {"README.md": DATASET.encode(), "a.txt": b"text"})
    hub.renamed["dataset", "ns/old"] = "ns/new"
    found = api(hub).repo_info("ns/old", repo_type="dataset")
    assert found.id == "ns/new"
    path = api(hub).hf_hub_download("ns/old", "a.txt", repo_type="dataset")
    assert Path(path).read_bytes() == b"text"
    send(hub, "ns/old", {"b.txt": b"b"})
    assert "b.txt" in hub.repositories["dataset", "ns/new"].head.files
    with pytest.raises(HfHubHTTPError, match="404"):
        api(hub).repo_info("ns/older", repo_type="dataset")


# --- Large files in parts
@pytest.mark.parametrize("part_size", [None, 4, 5, 100])
def test_a_large_file_arrives_whole(hub, part_size):
    hub.part_size = part_size
    api(hub).create_repo("ns/eras", repo_type="dataset")
    send(hub, "ns/eras", {"a.parquet": b"0123456789"})
    assert hub.repositories["dataset", "ns/eras"].head.files["a.parquet"] == b"0123456789"
    n_parts = sum(line.startswith("PUT /parts/") for line in hub.requests)
    assert n_parts == {None: 0, 4: 3, 5: 2, 100: 0}[part_size]


@pytest.mark.parametrize("fault", ["cut", "500"])
def test_an_interrupted_part_is_sent_again(hub, fault):
    hub.part_size = 4
    api(hub).create_repo("ns/eras", repo_type="dataset")
    broken = Fault("PUT /parts/.*/2", cut="during") if fault == "cut" else None
    hub.faults.append(broken or Fault("PUT /parts/.*/2", status=500))
    send(hub, "ns/eras", {"a.parquet": b"0123456789"})
    assert hub.repositories["dataset", "ns/eras"].head.files["a.parquet"] == b"0123456789"
    assert sum(line.startswith("PUT /parts/") for line in hub.requests) == 4


def test_a_part_that_differs_makes_no_file(hub):
    oid = "0" * 64
    hub.parts[oid] = {1: b"ab", 2: b"cd"}
    with pytest.raises(Exception, match="parts of the upload are missing"):
        hub.complete(oid, [{"partNumber": 1, "etag": '"x"'}])
    hub.parts[oid] = {}
    with pytest.raises(Exception, match="content does not match"):
        hub.complete(oid, [])
    assert hub.stored == {}
