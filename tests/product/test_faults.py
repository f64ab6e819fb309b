"""Commands on disks that fail: build, stage, manifest, install, export, result, rank, new. The nth
write, fsync, rename, mkdir, open or unlink fails, for every n until the run no longer reaches it.
After each fault every piece (a file, or a folder that counts as one) is the old one or the new one,
byte for byte; a second run ends with the bytes of an undisturbed one, and nothing beside them."""

import functools
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets.config
import evaluate.loading
import pytest

import publish.build.build
import publish.build.exchange
import publish.hub.install
from garden_path.__main__ import main
from ground.files import write_whole
from ground.paths import ROOT
from publish.build.build import build_suite, metric_folder, stage_metric
from publish.build.exchange import at_work
from publish.build.manifest import MANIFEST, read_provenance, write_manifest
from publish.form.sheets import find_form, write_sheets
from publish.hub.install import install
from publish.hub.results import write_files
from publish.new import new_metric
from tests.support.fault_injection import SHORT, every_fault
from tests.support.invented_results import eras_result
from tests.support.publishing import METRIC, SUITE

pytestmark = pytest.mark.clock

OLD, NEW = "old", "new"
SCORES = "system,unit,f1\n" + "".join(
    f"{system},{unit},{71 + 3 * i + j}\n"
    for i, system in enumerate("abc")
    for j, unit in enumerate("vwxyz")
)
SAMPLE = {"errors": ("ENOSPC", SHORT), "stays": (True,), "step": 7}
WHOLE: dict[str, Any] = {}
SPARSE = {"step": 23}  # seconds a run
TENTH = {"errors": ("ENOSPC", "EACCES", SHORT), "step": 10}
State = dict[str, bytes]


def written(folder: Path, state: str) -> None:
    """An export of two sizes."""
    write_whole(folder / "rows.json", f"{state} " * (9 if state == OLD else 9_000))


def ranked(folder: Path, state: str) -> None:
    """The three files of text of a ranking."""
    table = folder.with_suffix(".csv")
    table.write_text(SCORES if state == NEW else SCORES.replace("71", "70"), encoding="utf-8")
    kinds = {"markdown": "md", "latex": "tex", "json": "json"}
    outputs = [word for kind, end in kinds.items() for word in (f"--{kind}", f"{folder}/r.{end}")]
    if main(["rank", str(table), "--higher-is-better", *outputs]):
        raise OSError("the ranking said why (injected: by its exit code)")


def shared(folder: Path, state: str) -> None:
    """The two files of a result."""
    result = folder.with_suffix(".json")
    result.write_text(json.dumps(eras_result()), encoding="utf-8")
    os.utime(result, (1e9, 1e9 if state == NEW else 1e9 - 86_400))
    write_files(result, "ns/model", "ns", folder)


def staged(folder: Path, state: str) -> None:
    """A staged metric; an older one has a file more."""
    stage_metric(METRIC, folder)
    if state == OLD:
        (folder / METRIC / "older.txt").write_text("older", encoding="utf-8")
        write_manifest(folder / METRIC)


def built(folder: Path, state: str) -> None:
    """A small suite of two seeds."""
    build_suite(SUITE, folder, {"size": 390, "seed": 2 if state == OLD else 1})


def asked(folder: Path, state: str) -> None:
    """Two sheets of a form, of which an older first one is there."""
    for path in write_sheets(find_form("eras-ranking"), 1 if state == OLD else 2, 0, folder):
        if state == OLD:
            path.write_text("older", encoding="utf-8")


def begun(folder: Path, state: str) -> None:
    """A new metric's skeleton; there is no older one."""
    bibliography = folder / "cards" / "references.bib"
    if not bibliography.exists():
        bibliography.parent.mkdir(parents=True)
        shutil.copyfile(ROOT / "cards" / "references.bib", bibliography)
    if state == NEW and not (folder / "metrics" / "depth_of_trees" / "scoring.py").exists():
        new_metric("depth_of_trees", FIRST_KEY, folder)


def listed(folder: Path, state: str) -> None:
    """A manifest, of which a broken one is there."""
    folder.mkdir(exist_ok=True)
    (folder / "rows.txt").touch()
    write_manifest(folder) if state == NEW else (folder / MANIFEST).write_text("{}", "utf-8")


FIRST_KEY = (ROOT / "cards" / "references.bib").read_text("utf-8").split("{")[1].split(",")[0]


@dataclass(frozen=True)
class Command:
    """What is run on disks that fail.

    Attributes:
        run: Writes into a folder what is old or new.
        is_whole: Whether each folder in it is one piece; otherwise each file is.
        trials: Which faults, in `make test` and in `make slow`; None for none.
    """

    run: Callable[[Path, str], None]
    is_whole: bool = False
    trials: tuple[dict[str, Any] | None, dict[str, Any]] = (SAMPLE, WHOLE)


COMMANDS = {
    "export": Command(written),
    "rank": Command(ranked, trials=(None, WHOLE)),
    "result": Command(shared),
    "form": Command(asked, trials=(SAMPLE, WHOLE)),
    "new": Command(begun, trials=(SAMPLE, WHOLE)),
    "manifest": Command(listed),
    "stage": Command(staged, is_whole=True, trials=(SAMPLE, WHOLE)),
    "build": Command(built, is_whole=True, trials=(None, SPARSE)),
}
TRIALS = [
    pytest.param(
        name,
        trial,
        exchanges,
        id=f"{name} {size} {'exchange' if exchanges else 'renames'}",
        marks=[] if size == "sample" and exchanges else [pytest.mark.slow],
    )
    for name, command in COMMANDS.items()
    for exchanges in ([True, False] if command.is_whole else [True])
    for size, trial in zip(("sample", "whole"), command.trials, strict=True)
    if trial is not None
]


def content(folder: Path) -> State:
    """Every file below a folder, by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def pieces(found: State, *, is_whole: bool) -> dict[str, State]:
    """Files by the piece that they belong to; what is under way has a name of its own."""
    of: dict[str, State] = {}
    for path, text in found.items():
        name = path.split("/")[0] if is_whole else path
        if not name.startswith(".") and not name.endswith(".part"):
            of.setdefault(name, {})[path] = text
    return of


@pytest.mark.parametrize(("name", "trial", "exchanges"), TRIALS)
def test_every_piece_is_the_old_one_or_the_new_one(name, trial, exchanges, tmp_path, monkeypatch):
    command, n = COMMANDS[name], 0
    made = functools.cache(metric_folder)  # the same each time; what writes is not spared
    monkeypatch.setattr(publish.build.build, "metric_folder", made)
    if not exchanges:
        monkeypatch.setattr(publish.build.exchange, "_exchange", lambda *_: False)
    states = {}
    for state in (OLD, NEW):
        command.run(tmp_path / state, state)
        states[state] = content(tmp_path / state)
    allowed = [pieces(states[state], is_whole=command.is_whole) for state in (OLD, NEW)]
    for fault in every_fault(**trial):
        n += 1
        folder = tmp_path / "tried"
        shutil.copytree(tmp_path / OLD, folder)
        with fault.injected():
            command.run(folder, NEW)
        if command.is_whole:
            with at_work(folder):  # what the next command does first
                pass
        found = pieces(content(folder), is_whole=command.is_whole)
        assert found.keys() >= allowed[0].keys(), fault
        for piece, files in found.items():
            assert files in [state.get(piece) for state in allowed], (str(fault), piece)
        command.run(folder, NEW)
        assert content(folder) == states[NEW], fault
        shutil.rmtree(folder)
    print(f"{name}: {n} faults, {'exchange' if exchanges else 'renames'}")
    assert n > 5


@pytest.mark.parametrize("trial", [SAMPLE, pytest.param(WHOLE, marks=pytest.mark.slow)])
def test_an_installed_metric_is_the_old_one_or_the_new_one(trial, tmp_path, monkeypatch):
    home, modules = tmp_path / "home", tmp_path / "home" / "modules"
    monkeypatch.setattr(datasets.config, "HF_CACHE_HOME", str(home))
    monkeypatch.setattr(evaluate.loading, "init_dynamic_modules", lambda: str(modules))
    monkeypatch.setattr(publish.hub.install, "is_made", lambda folder: True)
    for state in (OLD, NEW):
        staged(tmp_path / state, NEW)
    (tmp_path / OLD / METRIC / "scoring.py").write_text("VERSION = '0'\n", encoding="utf-8")
    write_manifest(tmp_path / OLD / METRIC)
    (before,) = install(tmp_path / OLD, [METRIC])[METRIC]
    old = content(before)
    shutil.copytree(home, tmp_path / "begun")
    (after,) = install(tmp_path / NEW, [METRIC])[METRIC]
    new, ended = content(after), content(home)
    n = 0
    for fault in every_fault(**trial):
        n += 1
        shutil.rmtree(home)
        shutil.copytree(tmp_path / "begun", home)
        with fault.injected():
            install(tmp_path / NEW, [METRIC])
        found = {path.name: content(path) for path in before.parent.iterdir() if path.is_dir()}
        whole = {name: files for name, files in found.items() if len(name) == len(after.name)}
        allowed = {before.name: old, after.name: new}
        assert whole, fault
        # what is being taken away after the new one is whole may be half gone
        assert after.name in whole or whole[before.name] == old, fault
        assert whole.get(after.name, new) == allowed[after.name], fault
        install(tmp_path / NEW, [METRIC])
        assert content(home) == ended, fault
    print(f"install: {n} faults")
    assert n > 5


ONE_CONFIG = "simplified_lite"


@pytest.mark.parametrize(
    "trial",
    [{**SAMPLE, **SPARSE, "kinds": ("rename",)}, pytest.param(TENTH, marks=pytest.mark.slow)],
)
def test_an_installed_suite_is_the_old_one_or_the_new_one(trial, tmp_path, monkeypatch):
    """What `datasets` itself writes is under the fault too: its copy is never half of one."""
    home = tmp_path / "home"
    monkeypatch.setattr(datasets.config, "HF_CACHE_HOME", str(home))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", home / "datasets")
    monkeypatch.setattr(publish.hub.install, "is_made", lambda folder: True)
    rows = {"rows": {f"{ONE_CONFIG}/test": 1}}
    monkeypatch.setattr(
        publish.hub.install, "read_provenance", lambda at: {**read_provenance(at), **rows}
    )
    for state in (OLD, NEW):
        built(tmp_path / state, state)
    install(tmp_path / OLD, [SUITE])
    old = arrow(home)
    shutil.copytree(home, tmp_path / "begun")
    install(tmp_path / NEW, [SUITE])
    new, n = arrow(home), 0
    assert len(old) == len(new) == 1
    assert old != new
    for fault in every_fault(**trial):
        n += 1
        shutil.rmtree(home)
        shutil.copytree(tmp_path / "begun", home)
        with fault.injected():
            install(tmp_path / NEW, [SUITE])
        whole = arrow(home)
        assert whole, fault
        assert set(whole.values()) <= {*old.values(), *new.values()}, fault
        install(tmp_path / NEW, [SUITE])
        assert arrow(home) == new, fault
    print(f"install of a suite: {n} faults")
    assert n > 1


def arrow(home: Path) -> State:
    """The copies of a data set that are loaded by its name: those under way are left out."""
    return {
        path.parent.name: path.read_bytes()
        for path in sorted((home / "datasets").rglob("*.arrow"))
        if "incomplete" not in path.parent.name
    }
