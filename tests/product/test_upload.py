"""`push.py push` against a local Hub. What it shows, sends, refuses, and how it gets over every
kind of failure."""

import contextlib
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub.constants
import huggingface_hub.utils._http
import pytest
from huggingface_hub import HfApi

import publish.hub.retries
import publish.hub.upload
from dataset_scripts.registry import suite_builder
from publish.build.manifest import read_provenance, write_manifest
from publish.build.metrics import metric_version
from publish.hub.plan import PushRefusedError, local_repository
from publish.hub.retries import without_token
from publish.hub.upload import PushOptions, PushStoppedError, describe, plan_push, push, unlicensed
from tests.support.cases import cases
from tests.support.hub_http import Fault
from tests.support.hub_server import HubServer, hub_server
from tests.support.publishing import METRIC, SUITE, finish, run_elsewhere, run_push

pytestmark = pytest.mark.clock

NAMES = [SUITE, METRIC]
NS = PushOptions("ns")
ONE_EACH = {f"ns/{name}": 1 for name in NAMES}  # commits of this project
COLLECTION = "ns/garden-path-000000000000000000000000"
TAGS = {SUITE: f"v{suite_builder(SUITE).VERSION}", METRIC: f"v{metric_version(METRIC)}"}
USE = f"""
import json, sys
import evaluate
from datasets import load_dataset
rows = load_dataset("ns/{SUITE}", "traditional", split="test")
tagged = load_dataset("ns/{SUITE}", "simplified_lite", split="test", revision="{TAGS[SUITE]}")
first = next(iter(load_dataset("ns/{SUITE}", split="test", streaming=True)))
tree = {{"tokens": ["a", "b", "c"], "heads": [2, 0, 2], "deprels": ["nsubj", "root", "obj"]}}
metric = evaluate.load("ns/{METRIC}")
gold = {{**tree, "subject": 0, "object": 2}}
result = metric.compute(predictions=[tree], references=[gold], confidence=None)
print(json.dumps([rows.num_rows, tagged.num_rows, first["id"], result["las"]]))
"""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HubServer]:
    """A fresh Hub for this process. No caches, no waiting, and `check`, which has its own tests,
    finds nothing."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(publish.hub.retries, "FIRST_WAIT", 0.01)
    hurried = SimpleNamespace(**{**vars(time), "sleep": lambda _: None})
    monkeypatch.setattr(huggingface_hub.utils._http, "time", hurried)  # it waits 23 s by itself
    monkeypatch.setattr(publish.hub.upload, "check", lambda *_, **__: [])
    monkeypatch.setenv("HF_TOKEN", "hf_writer")
    with hub_server() as server:
        yield server


def push_all(
    hub: HubServer, out: Path, options: PushOptions = NS, names: list[str] = NAMES
) -> list[str]:
    api = HfApi(endpoint=hub.url)
    return push(api, plan_push(api, out, names, options), options)


def table(hub: HubServer, out: Path, options: PushOptions = NS) -> str:
    api = HfApi(endpoint=hub.url)
    return describe(api, plan_push(api, out, NAMES, options), options, is_verbose=True)


def n_commits(hub: HubServer) -> dict[str, int]:
    return {repository.id: len(repository.commits) - 1 for repository in hub.repositories.values()}


@pytest.fixture
def copy(small: Path, tmp_path: Path) -> Path:
    shutil.copytree(small, tmp_path / "hub")
    return tmp_path / "hub"


def list_as_ours(repository: Any, path: str) -> None:
    """Writes a file into the published manifest, as if an earlier push had put it there."""
    manifest = json.loads(repository.head.files["MANIFEST.json"])
    manifest["files"][path] = {"size": 5, "sha256": "0" * 64}
    repository.head.files["MANIFEST.json"] = json.dumps(manifest).encode()


def change_provenance(folder: Path, **fields: object) -> None:
    path = folder / "provenance.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **fields}), "utf-8")


def add_to_card(folder: Path, text: str = "\nMore.\n") -> None:
    path = folder / SUITE / "README.md"
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


@contextlib.contextmanager
def refused(message: str) -> Iterator[None]:
    with pytest.raises(PushRefusedError, match=message):
        yield


# --- The round trip
@pytest.mark.slow
def test_a_stranger_can_load_and_compute_what_was_pushed(small, tmp_path):
    arguments = ["push", "--namespace", "ns", "--only", *NAMES, "--out", str(small)]
    with hub_server() as server:
        environment = server.environment(tmp_path / "home")
        pushed = run_push([*arguments, "--yes"], environment)
        assert f"ns/{SUITE}: tagged {TAGS[SUITE]}" in finish(pushed)
        assert "hf_writer" not in pushed.stdout + pushed.stderr
        stranger = {**server.environment(tmp_path / "stranger"), "HF_TOKEN": ""}
        assert json.loads(
            run_elsewhere(USE, stranger, tmp_path / "elsewhere").splitlines()[-1]
        ) == [390, 390, "01-00000", 1.0]


def test_a_dry_run_shows_everything_and_sends_nothing(hub, small):
    shown = table(hub, small)
    assert f"| ns/{SUITE} | add | traditional/test-00000-of-00001.parquet | " in shown
    assert "| 390 |" in shown
    assert f"| ns/{SUITE} | create | (dataset) |" in shown
    assert f"| ns/{METRIC} | tag | {TAGS[METRIC]} |" in shown
    assert "Collection 'Garden Path' of ns: create it with 2 items." in shown
    api = HfApi(endpoint=hub.url)
    short = describe(api, plan_push(api, small, NAMES, NS), NS)
    assert len([line for line in short.splitlines() if line.startswith("| ns/")]) == len(NAMES)
    assert "parquet" not in short
    assert [line for line in hub.requests if not line.startswith(("GET", "HEAD"))] == []
    assert hub.repositories == {}


def test_a_push_is_one_commit_a_tag_and_a_collection_and_the_next_does_nothing(hub, small):
    lines = push_all(hub, small)
    steps = ["created", "committed", "tagged"] * 2
    assert [line.split(" ")[1] for line in lines] == [*steps, f"{COLLECTION}:"]
    assert n_commits(hub) == ONE_EACH
    dataset = hub.repositories["dataset", f"ns/{SUITE}"]
    assert dataset.tags == {TAGS[SUITE]: dataset.head.oid}
    assert dataset.head.files["README.md"] == (small / SUITE / "README.md").read_bytes()
    found = [(item["type"], item["id"]) for item in hub.collections[COLLECTION]["items"]]
    assert found == [("dataset", f"ns/{SUITE}"), ("space", f"ns/{METRIC}")]
    shown = table(hub, small)
    assert f"| ns/{SUITE} | none | as on the Hub, v" in shown
    assert "Collection 'Garden Path' of ns: nothing changes." in shown
    said = [f"ns/{SUITE}", f"ns/{METRIC}", f"collection {COLLECTION}"]
    assert push_all(hub, small) == [f"{one}: nothing changed" for one in said]
    assert n_commits(hub) == ONE_EACH


def test_a_card_may_change_and_stale_files_go_in_the_same_commit(hub, small, copy):
    push_all(hub, small)
    add_to_card(copy, "\nOne more sentence.\n")
    dataset = hub.repositories["dataset", f"ns/{SUITE}"]
    dataset.head.files["simplified/test-00001-of-00002.parquet"] = b"stale"
    list_as_ours(dataset, "simplified/test-00001-of-00002.parquet")
    assert f"| ns/{SUITE} | delete | simplified/test-00001-of-00002.parquet |" in table(hub, copy)
    tagged = dict(dataset.tags)
    assert push_all(hub, copy)[0].endswith("3 files")  # card, stale file, manifest
    assert "simplified/test-00001-of-00002.parquet" not in dataset.head.files
    assert ".gitattributes" in dataset.head.files
    assert dataset.head.files["README.md"].endswith(b"One more sentence.\n")
    assert n_commits(hub)[f"ns/{SUITE}"] == 2
    assert dataset.tags == tagged  # a published tag never moves


# --- What must not go out
def test_changed_content_needs_another_version(hub, small, copy):
    push_all(hub, small)
    hashes = read_provenance(copy / SUITE)["content_hashes"]
    change_provenance(copy / SUITE, content_hashes={**hashes, "traditional/test": "0" * 64})
    with refused("content of traditional/test, got another than the published version"):
        push_all(hub, copy)
    change_provenance(copy / SUITE, content_hashes=hashes, content_hash="0" * 64)
    with refused(r"content, got another than the published version [\d.]+; expected a new VERSION"):
        push_all(hub, copy)
    change_provenance(copy / SUITE, version="99.0.0")
    assert f"ns/{SUITE}: tagged v99.0.0" in push_all(hub, copy)
    tags = hub.repositories["dataset", f"ns/{SUITE}"].tags
    assert sorted(tags) == sorted([TAGS[SUITE], "v99.0.0"])


@pytest.mark.parametrize("namespace", ["", "a/b", "-a", "a b"])
def test_an_id_needs_a_namespace(hub, small, namespace):
    with refused("--namespace, got .*; expected a user or an organisation of the Hub: every id is"):
        push_all(hub, small, PushOptions(namespace))


def test_a_dirty_check_and_an_old_build_are_refused(hub, copy, monkeypatch):
    from publish.check.check import check

    monkeypatch.setattr(publish.hub.upload, "check", check)
    change_provenance(copy / SUITE, source_hash="0" * 64)
    write_manifest(copy / SUITE)
    first = r"1 problems, expected none; see push.py check:\n"
    with refused(f"{first}.*source hash, got 000000000000; expected .*: build it again"):
        push_all(hub, copy)
    assert hub.requests == []


def test_released_rows_without_a_licence_are_refused(monkeypatch):
    builder = suite_builder(SUITE)
    record = replace(builder.CONFIGS[0], name="released_pairs", has_files=Path.is_dir)
    monkeypatch.setattr(builder, "CONFIGS", [*builder.CONFIGS, record])
    rows = {"rows": {"simplified/test": 1, "released_pairs/test": 1}}
    assert unlicensed(SUITE, rows) == [
        f"{SUITE}: released_pairs, got rows of a source without a licence; expected"
        " --accept-unlicensed to publish them"
    ]
    licensed = replace(record, source_licence="cc-by-4.0")
    monkeypatch.setattr(builder, "CONFIGS", [*builder.CONFIGS, licensed])
    assert unlicensed(SUITE, rows) == unlicensed(METRIC, {}) == []


def test_an_unlicensed_edition_goes_out_on_request_only(hub, small, monkeypatch):
    monkeypatch.setattr(publish.hub.upload, "unlicensed", lambda name, _: [f"{name}: no licence"])
    with refused(f"{SUITE}: no licence"):
        push_all(hub, small)
    assert hub.repositories == {}
    assert push_all(hub, small, PushOptions("ns", accepts_unlicensed=True))


def test_somebody_elses_repository_is_left_alone(hub, small):
    api = HfApi(endpoint=hub.url)
    api.create_repo(f"ns/{SUITE}", repo_type="dataset")
    hub.repositories["dataset", f"ns/{SUITE}"].head.files["thesis.csv"] = b"years of work"
    with refused(r"files, got thesis\.csv, which this project did not put there"):
        push_all(hub, small)
    api.create_repo(f"ns/{METRIC}", repo_type="space", space_sdk="docker")
    with refused("Space, got one of type docker; expected gradio or static"):
        push_all(hub, small, names=[METRIC])


@pytest.mark.parametrize(*cases("upload/a_login_that_may_not_write_is_refused_first"))
def test_a_login_that_may_not_write_is_refused_first(
    hub, small, monkeypatch, token, namespace, message
):
    api = HfApi(endpoint=hub.url)
    plans = plan_push(api, small, NAMES, PushOptions(namespace))
    monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(PushRefusedError) as refused:
        push(api, plans, PushOptions(namespace))
    assert message in str(refused.value)
    assert token not in str(refused.value)
    assert hub.repositories == {}


# --- Options
def test_private_repositories_are_seen_by_their_owner_only(hub, small, monkeypatch):
    push_all(hub, small, PushOptions("ns", is_private=True))
    assert all(repository.is_private for repository in hub.repositories.values())
    assert "nothing changed" in push_all(hub, small)[0]
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    with refused("--namespace, got 'ns'"):
        push_all(hub, small)


def test_a_pull_request_is_opened_once(hub, small, copy):
    as_request = PushOptions("ns", as_pull_request=True)
    first = push_all(hub, small, as_request)
    assert any(line.startswith(f"ns/{SUITE}: pull request {hub.url}") for line in first)
    assert f"ns/{SUITE}: pull request 1 is open already" in push_all(hub, small, as_request)
    dataset = hub.repositories["dataset", f"ns/{SUITE}"]
    assert (len(dataset.pulls), len(dataset.commits), dataset.tags) == (1, 1, {})
    add_to_card(copy, "\n")
    push_all(hub, copy, as_request)
    assert len(dataset.pulls) == 2


def test_an_account_without_gradio_gets_static_pages(hub, small):
    assert local_repository(small / METRIC, "ns", "gradio").sdk == "gradio"
    hub.may_create_gradio = False
    why = "because this account may not create Gradio Spaces (status 402)"
    assert f"ns/{METRIC}: created as a static page, {why}" in push_all(hub, small)
    space = hub.repositories["space", f"ns/{METRIC}"]
    assert space.sdk == "static"
    assert b"\nsdk: static\napp_file: index.html\n" in space.head.files["README.md"]
    assert b"<h1>" in space.head.files["index.html"]
    found = push_all(hub, small, PushOptions("ns", space_sdk="static"))[1]
    assert found == f"ns/{METRIC}: nothing changed"
    # stays static: the account still may not
    assert push_all(hub, small)[1] == f"ns/{METRIC}: nothing changed"


# --- Failures
def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(*cases("upload/faults", every=3))
def test_a_failure_is_overcome_or_told_and_the_next_push_completes_it(
    hub, small, pattern, fields, message
):
    hub.part_size = 5000 if re.search("parts|complete", pattern) else None
    hub.faults.append(Fault(pattern, **fields))
    if message is None:
        push_all(hub, small)
    else:
        with pytest.raises(PushStoppedError) as stopped:
            push_all(hub, small)
        said = str(stopped.value)
        again = "Not done, or not whole (run the same command again to complete it):\n  "
        assert all(part in said for part in (message, "Done:", again))
        assert "hf_writer" not in said
        whole = [one for one in hub.repositories.values() if len(one.commits) > 1]
        assert all({"README.md", "provenance.json"} <= set(one.head.files) for one in whole)
    hub.faults.clear()
    push_all(hub, small)
    assert n_commits(hub) == ONE_EACH
    for one in hub.repositories.values():
        assert one.tags == {TAGS[one.id.removeprefix("ns/")]: one.head.oid}
    assert len(hub.collections[COLLECTION]["items"]) == 2


EVERY = [
    Fault("", status=503),
    Fault("", status=400),
    Fault("", cut="during"),
    Fault("", cut="after"),
    *(Fault("", status=status, times=10**6) for status in (503, 403, 429)),
    *(Fault("", cut=cut, times=10**6) for cut in ("during", "after")),
]


def state_of(hub: HubServer) -> dict[str, Any]:
    """What a stranger finds: the files of each repository, what its tags mean, the collection."""
    repositories = {
        one.id: {
            "files": one.head.files,
            "n_commits": len(one.commits),
            "tags": {name: one.at(oid).files for name, oid in one.tags.items()},
        }
        for one in hub.repositories.values()
    }
    return {**repositories, "collection": [c["items"] for c in hub.collections.values()]}


@pytest.mark.parametrize(
    ("faults", "step"),
    [([EVERY[3], EVERY[4]], 12), pytest.param(EVERY, 1, marks=pytest.mark.slow)],
    ids=["sample", "whole"],
)
def test_the_nth_request_of_a_push_fails(hub, small, faults, step):
    """For every n until the push no longer reaches it, once or from then on. Each repository is as
    created or whole, a tag means what was built, and the second push ends with what an undisturbed
    one ends with: one commit each, never two."""
    push_all(hub, small)
    whole, n = state_of(hub), 0
    for fault in faults:
        for skip in range(0, 10**6, step):
            hub.repositories.clear()
            hub.collections.clear()
            n += 1
            hub.faults[:] = [injected := replace(fault, skip=skip)]
            with contextlib.suppress(PushStoppedError, PushRefusedError):
                push_all(hub, small)
            hub.faults.clear()
            for name, found in state_of(hub).items():
                if name != "collection":
                    is_new = found["n_commits"] == 1
                    assert is_new or found["files"] == whole[name]["files"], (injected, name)
                    assert found["tags"] in ({}, whole[name]["tags"]), (injected, name)
            push_all(hub, small)
            assert state_of(hub) == whole, injected
            if injected.skip >= 0:
                break
    print(f"push: {n} faults")
    assert n > 2 * len(faults)


def test_an_interrupted_push_says_what_is_done(hub, small, monkeypatch):
    api = HfApi(endpoint=hub.url)
    plans = plan_push(api, small, NAMES, NS)
    message = rf"ns/{SUITE}: interrupted\nDone:\n  ns/{SUITE}: created\n  ns/{SUITE}: committed .*"
    message += rf"\nNot done, or not whole .*\n  ns/{SUITE}\n  ns/{METRIC}"
    with monkeypatch.context() as patched:
        patched.setattr(api, "create_tag", interrupt)
        with pytest.raises(PushStoppedError, match=message):
            push(api, plans, NS)
    push_all(hub, small)
    assert n_commits(hub) == ONE_EACH


@pytest.mark.parametrize("status", [400, 412, 429])
def test_a_repository_created_without_a_commit_is_said_to_be_created(hub, small, status):
    hub.faults.append(Fault("POST /api/datasets/ns/.*/commit", status=status, times=99))
    with pytest.raises(PushStoppedError, match=rf"Done:\n  ns/{SUITE}: created\nNot done"):
        push_all(hub, small)
    assert n_commits(hub) == {f"ns/{SUITE}": 0}


@pytest.mark.parametrize("more", [{"errors": [{"message": '"license" must be one of'}]}, {}])
def test_a_card_that_the_hub_refuses_is_named_with_its_repository(hub, small, more):
    hub.faults.append(Fault("POST /api/validate-yaml", status=400, more=more, times=99))
    with pytest.raises(PushStoppedError, match=rf"^ns/{SUITE}: Invalid metadata in README.md"):
        push_all(hub, small)


@pytest.mark.parametrize(*cases("upload/what_the_hub_refuses_is_told_with_its_reason"))
def test_what_the_hub_refuses_is_told_with_its_reason(hub, small, copy, path, old, new, message):
    file = copy / SUITE / path
    text = file.read_text(encoding="utf-8").replace(old, new, 1) if old else new
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PushStoppedError, match=message):
        push_all(hub, copy)
    assert n_commits(hub) == {f"ns/{SUITE}": 0}
    push_all(hub, small)
    assert n_commits(hub) == ONE_EACH


def test_a_repository_that_was_renamed_is_not_written_to(hub, small):
    push_all(hub, small)
    repository = hub.repositories.pop(("dataset", f"ns/{SUITE}"))
    repository.id = "ns/old"
    hub.repositories["dataset", "ns/old"] = repository
    hub.renamed["dataset", f"ns/{SUITE}"] = "ns/old"
    with refused(rf"ns/{SUITE}: repository, got one that was renamed to ns/old;"):
        push_all(hub, small)
    assert len(repository.commits) == 2


def test_a_member_who_may_only_read_is_refused_first(hub, small, monkeypatch):
    of_org = PushOptions("org")
    plans = plan_push(HfApi(endpoint=hub.url), small, NAMES, of_org)
    monkeypatch.setenv("HF_TOKEN", "hf_guest")
    with refused("'org', where this login has the role read"):
        push(HfApi(endpoint=hub.url), plans, of_org)
    assert hub.repositories == {}
    monkeypatch.setenv("HF_TOKEN", "hf_member")
    push(HfApi(endpoint=hub.url), plans, of_org)
    assert n_commits(hub) == {f"org/{SUITE}": 1, f"org/{METRIC}": 1}


def test_a_contributor_may_not_change_what_others_made(hub, small, copy, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_member")
    push_all(hub, small, PushOptions("org"))
    add_to_card(copy)
    monkeypatch.setenv("HF_TOKEN", "hf_helper")
    with pytest.raises(PushStoppedError, match="status 403: the login may not write there"):
        push_all(hub, copy, PushOptions("org"))
    assert n_commits(hub) == {f"org/{SUITE}": 1, f"org/{METRIC}": 1}


def test_files_that_others_added_are_kept_unless_asked(hub, small, copy):
    push_all(hub, small)
    dataset = hub.repositories["dataset", f"ns/{SUITE}"]
    dataset.head.files["notes.txt"] = b"by somebody else"
    add_to_card(copy)
    shown = table(hub, copy)
    assert f"| ns/{SUITE} | keep | notes.txt | 0.0 | – |" in shown
    assert "are kept; --delete-foreign deletes them" in shown
    push_all(hub, copy)
    assert dataset.head.files["notes.txt"] == b"by somebody else"
    assert "nothing changed" in push_all(hub, copy)[0]
    push_all(hub, copy, PushOptions("ns", deletes_foreign=True))
    assert "notes.txt" not in dataset.head.files


def test_a_hub_that_cannot_be_read_is_told_before_anything_is_sent(hub, small):
    hub.faults.append(Fault("GET /api/datasets", status=500, times=99))
    with pytest.raises(PushStoppedError, match=rf"{SUITE}: status 500: .*\nNothing was sent\."):
        push_all(hub, small)


def test_of_two_pushes_one_wins_and_the_other_says_so(hub, small, copy):
    push_all(hub, small)
    second = shutil.copytree(copy, copy.parent / "second")
    add_to_card(copy, "first")
    add_to_card(second, "second")
    api = HfApi(endpoint=hub.url)
    both = [plan_push(api, folder, [SUITE], NS) for folder in (copy, second)]
    outcomes = in_parallel([lambda plans=plans: push(api, plans, NS) for plans in both])
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["PushStoppedError", "list"]
    assert "status 412: somebody else changed it meanwhile; run it again" in "".join(
        map(str, outcomes)
    )
    assert n_commits(hub)[f"ns/{SUITE}"] == 2


def test_of_two_pushes_of_the_same_content_both_are_content(hub, small):
    api = HfApi(endpoint=hub.url)
    both = [plan_push(api, small, [SUITE], NS) for _ in range(2)]
    outcomes = in_parallel([lambda plans=plans: push(api, plans, NS) for plans in both])
    assert [type(outcome).__name__ for outcome in outcomes] == ["list", "list"], outcomes
    assert n_commits(hub) == {f"ns/{SUITE}": 1}


def in_parallel(calls: list[Callable[[], object]]) -> list[object]:
    def outcome(call: Callable[[], object]) -> object:
        try:
            return call()
        except PushStoppedError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(outcome, calls))


def test_tokens_are_blotted_out(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "secret-token-of-another-shape")
    found = without_token("Bearer secret-token-of-another-shape and hf_AbCdEf12")
    assert found == "Bearer hf_... and hf_..."
