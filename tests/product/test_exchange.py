"""Builds that are killed: never a missing folder, and nothing left over after the next build."""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ground.paths import ROOT
from publish.build import exchange
from publish.build.exchange import recover, replacing, swap
from publish.build.manifest import MANIFEST, manifest_problems
from tests.support.publishing import METRIC, SUITE

pytestmark = pytest.mark.clock

BUILDS = ((METRIC, ()), (SUITE, ("--size", "390")))
KILL_AT = """
import os, signal, sys
from publish.build import exchange
n, rename = [int(sys.argv[2])], os.rename
def killing(*names):
    if n[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    n[0] -= 1
    rename(*names)
exchange._exchange = lambda *_: False
exchange.os.rename = killing
import push
sys.exit(push.main(["build", "{metric}", "--out", sys.argv[1]]))
""".replace("{metric}", METRIC)


def make_build(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).write_text("{}", encoding="utf-8")
    (folder / "a").write_text(text, encoding="utf-8")


def left_over(out: Path) -> list[str]:
    return sorted(path.name for path in out.iterdir() if path.name.startswith("."))


def kill_build(out: Path, seconds: float, name: str, arguments: tuple[str, ...]) -> None:
    """Starts a build and kills it after a while."""
    command = [sys.executable, "push.py", "build", name, "--out", str(out), *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)


def seconds_of(out: Path, name: str, arguments: tuple[str, ...]) -> float:
    start = time.monotonic()
    command = [sys.executable, "push.py", "build", name, "--out", str(out), *arguments]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return time.monotonic() - start


@pytest.mark.slow
def test_killed_builds_leave_every_folder_whole(tmp_path, pytestconfig):
    n_kills = 200 if pytestconfig.getoption("--nightly") else 20
    generator = random.Random(0)
    times = {name: seconds_of(tmp_path, name, arguments) for name, arguments in BUILDS}
    for i in range(n_kills):
        name, arguments = BUILDS[i % 2]
        kill_build(tmp_path, generator.uniform(0, times[name]), name, arguments)
        for folder in (tmp_path / METRIC, tmp_path / SUITE):
            assert manifest_problems(folder) == [], f"kill {i}"
    seconds_of(tmp_path, *BUILDS[0])
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("n_renames", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_build_killed_between_two_renames_is_restored(small, tmp_path, n_renames):
    """Without an exchange of names: killed before the first rename, and before the second."""
    shutil.copytree(small / METRIC, tmp_path / METRIC)
    before = (tmp_path / METRIC / MANIFEST).read_bytes()
    command = [sys.executable, "-c", KILL_AT, str(tmp_path), str(n_renames)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert (tmp_path / METRIC).exists() == (n_renames == 0)
    recover(tmp_path)
    assert (tmp_path / METRIC / MANIFEST).read_bytes() == before
    assert left_over(tmp_path) == []
    assert manifest_problems(tmp_path / METRIC) == []


def test_what_a_killed_build_left_is_named_and_cleared(tmp_path, capsys):
    make_build(tmp_path / ".gper.building-x", "half")
    make_build(tmp_path / ".eras.previous-7", "old")
    make_build(tmp_path / "gper", "whole")
    make_build(tmp_path / ".gper.previous-7", "older")
    recover(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["eras", "gper"]
    assert (tmp_path / "gper" / "a").read_text(encoding="utf-8") == "whole"
    said = capsys.readouterr().err
    assert f"{tmp_path / 'eras'}: restored, an earlier build did not finish" in said
    assert f"{tmp_path / '.gper.building-x'}: cleared, an earlier build did not finish" in said


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_swap_puts_the_new_folder_in_place(tmp_path, monkeypatch, can_exchange):
    if not can_exchange:
        monkeypatch.setattr(exchange, "_exchange", lambda *_: False)
    make_build(tmp_path / "fresh", "new")
    make_build(tmp_path / "gper", "old")
    swap(tmp_path / "fresh", tmp_path / "gper")
    assert (tmp_path / "gper" / "a").read_text(encoding="utf-8") == "new"
    assert left_over(tmp_path) == []


def test_two_names_are_exchanged_in_one_step_where_the_system_can(tmp_path, monkeypatch):
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.write_text("a file", encoding="utf-8")
    if sys.platform.startswith("linux"):
        assert exchange._exchange(one, other)
        assert (one.is_file(), other.is_dir()) == (True, True)
    before = one.is_file()
    monkeypatch.setattr(sys, "platform", "another")
    assert not exchange._exchange(one, other)
    assert one.is_file() == before


def test_a_failure_between_two_renames_puts_the_old_build_back(tmp_path, monkeypatch):
    make_build(tmp_path / "gper", "old")
    monkeypatch.setattr(exchange, "_exchange", lambda *_: False)
    rename, names = os.rename, []

    def failing(source: Path, target: Path) -> None:
        names.append(source)
        if len(names) == 2:
            raise OSError(28, "No space left on device", str(target))
        rename(source, target)

    monkeypatch.setattr(exchange.os, "rename", failing)
    with pytest.raises(OSError, match="No space"), replacing(tmp_path / "gper") as folder:
        make_build(folder, "new")
    assert (tmp_path / "gper" / "a").read_text(encoding="utf-8") == "old"
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_what_is_no_build_is_never_replaced(tmp_path, kind):
    target = tmp_path / METRIC
    if kind == "folder":
        target.mkdir()
        (target / "thesis.tex").write_text("text", encoding="utf-8")
    elif kind == "file":
        target.write_text("text", encoding="utf-8")
    else:
        make_build(tmp_path / "elsewhere", "built")
        target.symlink_to(tmp_path / "elsewhere")
    before = sorted(tmp_path.rglob("*"))
    refused = pytest.raises(ValueError, match="folder, got one that no build made; expected none")
    with refused, replacing(target):
        pass
    assert sorted(tmp_path.rglob("*")) == before


def test_two_builds_at_once_wait_for_each_other(tmp_path, capsys, monkeypatch):
    """The first ends when the second has said that it waits."""
    begun, may_end = threading.Event(), threading.Event()

    def say(text: str, **options: object) -> None:
        print(text, **options)  # type: ignore[call-overload]
        may_end.set()

    monkeypatch.setattr(exchange, "print", say, raising=False)

    def first() -> None:
        with replacing(tmp_path / "gper") as folder:
            make_build(folder, "first")
            begun.set()
            may_end.wait()

    thread = threading.Thread(target=first)
    thread.start()
    begun.wait()
    with replacing(tmp_path / "gper") as folder:
        assert (tmp_path / "gper" / "a").read_text(encoding="utf-8") == "first"
        make_build(folder, "second")
    thread.join()
    assert (tmp_path / "gper" / "a").read_text(encoding="utf-8") == "second"
    assert "another process is at work here; waiting for it" in capsys.readouterr().err
