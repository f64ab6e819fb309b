"""`check` does not load again what passed before and has not changed; `--again` does."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from tqdm import tqdm

import publish.check.check
import publish.check.verified
import push
from publish.build.manifest import write_manifest
from publish.check.verified import remember, verified_names
from tests.support.publishing import METRIC


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Names of the folders that `check` loads in a fresh process, which is not started here."""
    found: list[str] = []

    @contextmanager
    def load(rows: dict[Path, object], metrics: list[Path]) -> Iterator[Callable[[], list[str]]]:
        found.extend(folder.name for folder in [*rows, *metrics])
        yield list

    monkeypatch.setattr(publish.check.check, "loading", load)
    monkeypatch.setattr(publish.check.verified, "RECORD", tmp_path / "verified.json")
    return found


@pytest.fixture(autouse=True)
def _staged(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small / METRIC, tmp_path / METRIC)


def run_check(out: Path, *more: str) -> int:
    return push.main(["check", METRIC, "--out", str(out), *more])


def test_a_verified_build_is_loaded_once(loads, tmp_path, capsys):
    assert [run_check(tmp_path), loads] == [0, [METRIC]]
    assert "had passed before" not in capsys.readouterr().out
    assert [run_check(tmp_path), loads] == [0, [METRIC]]
    assert "1 had passed before; --again repeats it." in capsys.readouterr().out
    assert [run_check(tmp_path, "--again"), loads] == [0, [METRIC] * 2]


def test_a_changed_build_is_refused_and_not_loaded(loads, tmp_path):
    assert run_check(tmp_path) == 0
    card = tmp_path / METRIC / "README.md"
    card.write_text(card.read_text(encoding="utf-8") + "More.\n", encoding="utf-8")
    assert [run_check(tmp_path), loads] == [1, [METRIC]]  # not as the manifest says
    write_manifest(tmp_path / METRIC)
    assert [run_check(tmp_path), loads] == [1, [METRIC]]  # not as the tree makes it


def test_check_shows_how_far_it_is(loads, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(publish.check.check, "tqdm", partial(tqdm, disable=False, mininterval=0))
    assert run_check(tmp_path) == 0
    shown = capsys.readouterr().err
    assert re.search(r"check: .*1/1", shown), shown
    assert "load in a fresh process" in shown


def test_what_is_no_build_is_not_verified(loads, tmp_path):
    remember([tmp_path / METRIC])
    assert verified_names(tmp_path, [METRIC, "nothing"]) == [METRIC]
    publish.check.verified.RECORD.write_text("{", encoding="utf-8")
    assert verified_names(tmp_path, [METRIC]) == []
