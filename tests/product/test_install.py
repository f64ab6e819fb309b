"""Bare names such as `load_dataset("eras", ...)` from any folder. Against a Hub that lacks them and
offline, and away again."""

import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from datasets import Dataset, load_dataset

import push
from publish.build.build import build_suite
from publish.hub.install import RECORD, default_config, install, module_kind
from tests.conftest import ROOT
from tests.support.hub_server import hub_server
from tests.support.publishing import METRIC, SUITE, finish, run_elsewhere, run_push

pytestmark = pytest.mark.clock

USE = f"""
import json
import evaluate
from datasets import load_dataset
rows = load_dataset("{SUITE}", "traditional", split="test")
assert load_dataset("{SUITE}")["test"].column_names[0] == "id"  # no config: the card's default
first = next(iter(load_dataset("{SUITE}", "traditional", split="test", streaming=True)))
print(json.dumps([rows.num_rows, first["id"], evaluate.load("{METRIC}").name]))
"""
REMOVE_AND_USE = f"""
import subprocess, sys
import evaluate
from datasets import load_dataset
print(subprocess.run(sys.argv[1:], capture_output=True, text=True, check=True).stdout)
for load in (lambda: load_dataset("{SUITE}", "traditional"), lambda: evaluate.load("{METRIC}")):
    try:
        load()
        print("loaded")
    except Exception as error:
        print(type(error).__name__)
"""


@pytest.mark.slow
def test_bare_names_work_from_any_folder_until_they_are_removed(small, tmp_path):
    home = tmp_path / "home"
    with hub_server() as hub:
        online = hub.environment(home)
        offline = {
            **online,
            "HF_HUB_OFFLINE": "1",
            "HF_EVALUATE_OFFLINE": "1",
            "HF_ENDPOINT": "http://127.0.0.1:9",
        }
        names = [SUITE, METRIC, "--out", str(small)]
        printed = finish(run_push(["install", *names], offline))
        assert "HF_HUB_OFFLINE=1" in printed.splitlines()[-1]
        first = pq.read_table(next((small / SUITE / "traditional").glob("test-*.parquet")))["id"][0]
        expected = [390, first.as_py(), METRIC]  # rows are mixed
        assert (
            json.loads(run_elsewhere(USE, online, tmp_path / "online").splitlines()[-1]) == expected
        )
        found = json.loads(run_elsewhere(USE, offline, tmp_path / "offline").splitlines()[-1])
        assert found == expected
    removal = [sys.executable, str(ROOT / "push.py"), "install", *names, "--remove"]
    printed = run_elsewhere(REMOVE_AND_USE, offline, tmp_path / "after", removal)
    assert f"| {METRIC} |" in printed
    assert printed.split()[-2:] == ["ConnectionError", "FileNotFoundError"]
    left = [
        path
        for path in home.rglob("*")
        if path.is_file() and (SUITE in path.parts or f"evaluate-metric--{METRIC}" in path.parts)
    ]
    assert left == []
    assert [path for path in home.rglob("*.lock") if SUITE in path.name] == []
    assert not (home / RECORD).exists()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import datasets.config
    import evaluate.loading

    monkeypatch.setattr(datasets.config, "HF_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")
    monkeypatch.setattr(
        evaluate.loading,
        "init_dynamic_modules",
        lambda: str(tmp_path / "modules" / "evaluate_modules"),
    )
    return tmp_path


@pytest.mark.slow
def test_a_new_install_replaces_the_old_one_and_spares_what_is_not_ours(
    small, home, tmp_path_factory
):
    (home / "datasets" / "mine").mkdir(parents=True)
    before = install(small, [SUITE, METRIC])
    assert install(small, [SUITE, METRIC]) == before
    other = tmp_path_factory.mktemp("other")
    build_suite(SUITE, other, {"size": 390, "seed": 1})
    after = install(other, [SUITE])
    found = sentences(after[SUITE])
    assert found == load_dataset(str(other / SUITE), "simplified", split="test")["test"][:]
    assert (
        sentences(after[SUITE])
        != load_dataset(
            str(small / SUITE), "simplified", split="test", download_mode="force_redownload"
        )["test"][:]
    )
    assert push.main(["install", "--remove", "--out", str(small)]) == 0
    assert not any(path.exists() for path in after[SUITE] + before[METRIC])
    assert (home / "datasets" / "mine").is_dir()


def test_a_bare_name_without_a_config_is_the_default_of_the_card(small, home):
    """Each config has a folder name of its own, and the default one changed last."""
    from datasets.packaged_modules.cache.cache import _find_hash_in_cache

    folders = install(small, [SUITE])[SUITE]
    assert len({path.name for path in folders}) == len(folders) > 1
    found = _find_hash_in_cache(SUITE, None, str(home / "datasets"), {}, None)
    assert found[0] == default_config(small / SUITE) == "simplified"
    assert not list((home / "datasets").glob("*.lock"))


@pytest.mark.slow
def test_two_installs_at_once_are_one_after_the_other(small, home):
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda name: install(small, [name]), [SUITE, METRIC] * 2))
    record = json.loads((home / RECORD).read_text(encoding="utf-8"))
    assert set(record) == {SUITE, METRIC}
    assert record[SUITE] == [str(path) for path in done[2][SUITE]]


def test_a_changed_build_is_not_installed(small, home, tmp_path):
    shutil.copytree(small / METRIC, tmp_path / METRIC)
    (tmp_path / METRIC / "scoring.py").write_text("VERSION = '9'\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"scoring\.py: sha256, got "):
        install(tmp_path, [METRIC])
    assert not (home / RECORD).exists()


def sentences(folders: list[Path]) -> list[str]:
    """The test sentences in the installed copy of the config `simplified`."""
    (folder,) = [folder for folder in folders if "simplified" in folder.parts]
    return Dataset.from_file(str(folder / f"{SUITE}-test.arrow"))["test"][:]


def test_what_is_not_built_is_not_installed(home, tmp_path):
    message = rf"build, got none; expected a folder made by push.py build {SUITE}"
    with pytest.raises(ValueError, match=message):
        install(tmp_path, [SUITE])
    assert not (home / RECORD).exists()


def test_removing_twice_says_so(home, capsys):
    assert push.main(["install", SUITE, "--remove"]) == 0
    assert "None of these was installed." in capsys.readouterr().out


def test_the_kind_of_a_module_is_a_tag_of_its_card(tmp_path):
    card = tmp_path / "README.md"
    card.write_text("---\ntags: [evaluate, comparison]\n---\n", encoding="utf-8")
    assert module_kind(tmp_path) == "comparison"
    card.write_text("---\ntags: [evaluate]\n---\n", encoding="utf-8")
    message = r"tags, got \['evaluate'\]; expected exactly one of metric, comparison, measurement"
    with pytest.raises(ValueError, match=message):
        module_kind(tmp_path)
