"""What holds for all studies: one command line, what may be written for cards, what they need, how
the work is shared, what their results say."""

import argparse
import ast
import contextlib
import functools
import importlib.metadata
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from builders.morphseg.draw import draw as morphseg_pool
from dataset_scripts.registry import suite_builder
from dataset_scripts.suite import SuiteBuilder
from ground.paths import RESULTS, ROOT
from metrics._shared.option_fields import LONGEST, read_run
from publish.hub.results import read_result
from research.__main__ import main as laboratory
from research.engine.loop import Failed, Loop, MachineError, Stage, Task
from research.engine.store import Store
from research.studies import figures, report
from research.studies.__main__ import main
from research.studies.catalogue import find_study, studies
from research.studies.figures import make_figures
from research.studies.options import Option
from research.studies.study import Study, about_run, file_name, run, signed_results
from tests.product.test_command_faults import FAULTS, assert_one_line, raising
from tests.support.cases import cases
from tests.support.study_runs import STAMP

SCHEMA = pa.schema([("value", pa.int64())])
STUDIES = {study.place: study for study in studies()}
SUITES = ("centerbench", "eras", "pp_attachment", "sorts")
DRAWN = {name for suite in SUITES for name in suite_builder(suite).stamped_configs()}
# what no result depends on; everything else changes rows, settings or scores, or names systems
OF_THE_MACHINE = {
    *("store", "set-aside", "shard", "out", "write", "processes", "engine", "address", "gpus"),
    *("device", "batch-size", "key-variable", "concurrency", "rate", "timeout", "retries"),
    *("released", "export-scores", "import-scores"),
    *("retry-failed", "report-only"),
    "replies",  # where to leave stored answers
}
RESULT_OPTIONS = [
    (name, option)
    for name, study in STUDIES.items()
    for option in study.all_options()
    if option.role == "result" and not (option.rule.kind is bool and option.default)  # set for good
]


def another_value(option: Option) -> list[str]:
    """Arguments that give an option another value than its default."""
    if option.rule.kind is bool:
        return [f"--{option.name}"]
    if option.rule.choices:
        default = option.default if isinstance(option.default, list) else [option.default]
        return [f"--{option.name}", next(c for c in option.rule.choices if [c] != default)]
    parse = option.rule.parse or (option.rule.kind if option.rule.kind in (int, float) else str)
    for text in ("7", '{"a": 1}', "x"):
        with contextlib.suppress(argparse.ArgumentTypeError, ValueError):
            if parse(text) not in (option.default, [option.default]):
                return [f"--{option.name}", text]
    raise AssertionError(f"no other value of --{option.name}")


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_where_its_name_says_and_explains_itself(name, capsys):
    study = STUDIES[name]
    assert find_study(name.split())[0] is study
    assert study.about.split("\n")[0][-1] in ".?"
    assert f"    python -m research {name}" in study.about
    with pytest.raises(SystemExit) as ended:
        main([*name.split(), "--help"])
    assert ended.value.code == 0
    assert study.about.split("\n")[0] in capsys.readouterr().out


@pytest.mark.parametrize("name", STUDIES)
def test_only_options_of_the_machine_leave_a_result_alone(name):
    machine = {option.name for option in STUDIES[name].all_options() if option.role == "machine"}
    assert machine <= OF_THE_MACHINE
    assert {"store", "shard", "out", "write"} <= machine


@pytest.mark.parametrize(
    ("name", "option"), RESULT_OPTIONS, ids=[f"{name} --{o.name}" for name, o in RESULT_OPTIONS]
)
def test_a_card_gets_nothing_but_the_default(name, option, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    assert main([*name.split(), *another_value(option), "--write"]) == 1
    told = rf"research {name}: --write, got --{option.name}; expected the defaults.*\n"
    assert re.fullmatch(told, capsys.readouterr().err)
    assert not list(tmp_path.iterdir())


def test_a_card_gets_no_system_that_only_this_machine_has(tmp_path, capsys):
    (tmp_path / "words.txt").write_text("字", encoding="utf-8")
    name = f"maxmatch:{tmp_path / 'words.txt'}"
    assert main(["eras", "segmentation", "--systems", name, "--write"]) == 1
    assert "a file of this machine; expected one by a name" in capsys.readouterr().err


COMMITTED = sorted(RESULTS.glob("*/*.json"))


@pytest.mark.parametrize("path", COMMITTED, ids=[f"{p.parent.name}/{p.stem}" for p in COMMITTED])
def test_a_committed_result_says_how_it_is_made_again(path):
    stamp = json.loads(path.read_text(encoding="utf-8"))
    assert stamp["suite"] == path.parent.name
    assert stamp["draw"] == {}
    words = stamp["command"].split()
    assert words[:3] == ["python", "-m", "research"]
    assert words[-1] == "--write"
    study, rest = find_study(words[3:])
    options = study.parser().parse_args(rest)
    assert study.changed(options) == []
    assert study.command(options) == stamp["command"]
    assert list(study.configs(options)) == stamp.get("configs", [])


class _ReadError(Exception):
    """Rows were asked for: those of a suite's config."""


@pytest.mark.parametrize("place", [place for place in STUDIES if place.split()[0] in SUITES])
def test_a_stamp_covers_the_rows_that_are_read(place, monkeypatch):
    """By the first that are read. Studies of morphseg draw pools, which are the draw."""

    def read(builder: SuiteBuilder) -> Any:
        raise _ReadError(builder.record)

    monkeypatch.setattr(SuiteBuilder, "split_batches", read)
    study = STUDIES[place]
    options = study.parser().parse_args([])
    try:
        rows = study.rows(options)
        for part in rows.values() if isinstance(rows, dict) else ():
            assert not part.rows  # read when they are asked for
    except _ReadError as error:
        (config,) = error.args
        named = study.configs(options)
        assert config.kind == "released" or config.name in (named or DRAWN)


def test_figures_of_other_versions_are_listed_with_their_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(figures, "RESULTS", tmp_path)
    monkeypatch.setattr(figures.registry, "suite_stamp", lambda suite, configs=(): STAMP)
    today = STAMP | {"metrics": report.metric_versions(["gper"])}
    (tmp_path / "eras").mkdir()
    for name, stamp in (
        ("fresh", today),
        ("other_rows", today | {"content_hash": "x"}),
        ("other_scores", STAMP | {"metrics": {"gper": "0.9"}}),
    ):
        text = json.dumps(stamp | {"command": f"python -m research eras {name} --write"})
        (tmp_path / "eras" / f"{name}.json").write_text(text, encoding="utf-8")
    assert main(["figures", "--list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "python -m research eras other_rows --write  # another suite",
        "python -m research eras other_scores --write  # another version of a metric",
    ]
    assert main(["figures", "--list", "sorts"]) == 0
    assert main(["figures", "--list", "--all", "eras"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    ran: list[list[str]] = []

    def run_one(words: list[str], **_: object) -> Any:
        ran.append(words[1:])
        return argparse.Namespace(returncode=int("other_rows" in words))

    monkeypatch.setattr(figures.subprocess, "run", run_one)
    assert main(["figures"]) == 1  # one of them fails, the other is made nevertheless
    assert [words[3] for words in ran[:-1]] == ["other_rows", "other_scores"]
    assert ran[-1] == ["-m", "research", "overview", "--write"]
    assert "failed: python -m research eras other_rows --write" in capsys.readouterr().err


@pytest.mark.parametrize(*cases("studies/what_cannot_be_mended_ends_in_one_line"))
def test_what_cannot_be_mended_ends_in_one_line(given, told, capsys):
    assert main(given.split()) == 1
    shown = capsys.readouterr().err
    assert told in shown
    assert shown.count("\n") == 1


def test_an_interrupt_says_how_to_go_on(monkeypatch, capsys):
    monkeypatch.setattr("research.studies.__main__.run", raising(KeyboardInterrupt()))
    assert main(["eras", "nulls"]) == 130
    assert "the same command goes on from there" in capsys.readouterr().err


def test_a_variant_differs_in_what_it_names():
    whole, lite = STUDIES["centerbench answers"], STUDIES["centerbench answers --variant lite"]
    assert whole.variants["lite"] is lite
    defaults = {option.name: option.default for option in lite.options}
    assert defaults["limit"] == 5
    assert {option.name: option.default for option in whole.options}["limit"] is None
    assert lite.score is whole.score
    assert lite.parser().parse_args([]).failures
    assert not whole.parser().parse_args([]).failures
    assert lite.command(lite.parser().parse_args([])) == (
        "python -m research centerbench answers --variant lite --write"
    )


def test_the_list_names_every_study(capsys):
    assert main(["--list"]) == 0
    name = r"^\| (\w+(?: \w+)?(?: --variant \w+)?) \| "
    shown = re.findall(name, capsys.readouterr().out, re.MULTILINE)
    assert sorted(shown[1:]) == sorted(STUDIES)  # below the head of the table


# --- the loop
def squares(given: object, parts: Sequence[int]) -> Iterator[tuple[int, dict[str, int]]]:
    yield from enumerate({"value": part**2} for part in parts)


def stage(folder: Path, call: Any, n: int, **more: Any) -> Stage:
    """Numbers below n, three to a task."""
    places = [range(start, start + 3) for start in range(0, n, 3)]
    tasks = [Task(tuple(f"{i:032x}" for i in place), tuple(place)) for place in places]
    return Stage("squares", Store(folder / "rows", SCHEMA), lambda: tasks, call, **more)


def failures(folder: Path) -> Store:
    return Store(folder / "failures", pa.schema([("error", pa.string())]))


@pytest.mark.clock
def test_shards_share_the_work_and_leave_nothing(tmp_path):
    work, done, left = stage(tmp_path, squares, 30), [], []
    for i in (1, 2):
        loop = Loop(shard=(i, 2))
        loop.fill(work)
        done.append(len(work.store.keys()))
        left.append(loop.n_elsewhere)
    assert sorted(work.store.read()["value"].to_pylist()) == [i**2 for i in range(30)]
    assert 0 < done[0] < done[1] == 30
    assert left == [30 - done[0], 0]


def test_a_row_that_is_missing_is_an_error_not_an_endless_loop(tmp_path):
    lazy = stage(tmp_path, lambda given, parts: [(0, {"value": 1})], 12)
    with pytest.raises(ValueError, match="squares: rows, got 1; expected 3, one per piece of work"):
        Loop().fill(lazy)


def dies(given: object, parts: Sequence[int]) -> Iterator[tuple[int, dict[str, int]]]:
    """For one part; a module's function, since it runs in another process."""
    if 4 in parts:
        os._exit(9)
    return squares(given, parts)


@pytest.mark.clock
@pytest.mark.slow
def test_a_dead_worker_is_told_and_not_recorded(tmp_path):
    work = stage(tmp_path, dies, 6, failures=failures(tmp_path), in_workers=True)
    with pytest.raises(MachineError, match=r"squares: 1 not done, .* the worker process died"):
        Loop().fill(work)
    assert len(work.store.keys()) == 3  # the other task is stored
    assert failures(tmp_path).keys() == set()


def test_a_failure_of_a_model_is_kept_and_tried_again_only_when_asked(tmp_path):
    tried: list[int] = []

    def call(given: object, parts: Sequence[int]) -> Iterator[tuple[int, Any]]:
        for place, part in enumerate(parts):
            tried.append(part)
            yield place, Failed("too odd") if part % 2 else {"value": part}

    for retries, expected in ((False, [0, 1, 2, 3, 4, 5]), (False, []), (True, [1, 3, 5])):
        tried.clear()
        loop, failed = Loop(), failures(tmp_path)
        loop.fill(stage(tmp_path, call, 6, failures=failed, retries_failed=retries))
        assert tried == expected
        assert loop.n_failed == 3
    assert set(failed.read()["error"].to_pylist()) == {"too odd"}


def test_a_study_without_rows_is_refused(tmp_path):
    parts = (lambda options: [], pytest.fail, pytest.fail)
    study = Study("research.studies.eras.none", "", *parts)
    with pytest.raises(ValueError, match="rows, got none; expected a selection that has some"):
        run(study, ["--store", str(tmp_path)])


def test_planning_the_published_study_hashes_what_is_common_once():
    """143,500 jobs are planned twice in a run; the words of a language are hashed once in all."""
    from builders.morphseg.sampling import Setting
    from research.studies.morphseg import plan

    n = len(morphseg_pool(pool="synthetic"))
    setting = Setting("synthetic", n, 500, "without")
    planned = plan.Plan((setting,), plan.PAPER_MODELS, 10, "")
    plan.pool_hash.cache_clear()
    keys = [job.key for bundle in plan.score_tasks(planned, setting) for job in bundle.jobs]
    assert len(keys) == len(set(keys)) == len(plan.PAPER_MODELS) * 10 * 5
    assert plan.pool_hash.cache_info().misses == 1


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_study_is_one_line(fault, capsys, monkeypatch):
    monkeypatch.setattr("research.studies.__main__.run", raising(fault))
    code = main(["eras", "nulls"])
    assert_one_line(code, capsys.readouterr().err, "research eras nulls", fault)


def test_a_fault_of_the_list_of_systems_is_one_line_too(capsys, monkeypatch):
    monkeypatch.setattr("research.systems.__main__.main", raising(ValueError("x")))
    assert laboratory(["systems"]) == 1
    assert capsys.readouterr().err == "systems: x\n"


def test_figures_of_no_suite_are_refused(capsys):
    assert make_figures(["nope"]) == 1
    assert "SUITE, got 'nope'; expected centerbench" in capsys.readouterr().err


STATISTICS = {"scipy", "statsmodels"}
REPORT = "research.studies.morphseg.report"  # others take its rows alone, not its regressions


@functools.cache
def imports(path: Path, *, late: bool) -> set[str]:
    """Names of what a file imports, at its top or also inside its functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree) if late else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{one.name}" for one in node.names)}
    return found


def reached(path: Path, seen: set[Path]) -> set[Path]:
    """The files of `research/studies` that a file imports, and those that these import."""
    seen.add(path)
    for name in imports(path, late=False):
        other = ROOT / f"{name.replace('.', '/')}.py"
        is_new = other.exists() and other not in seen
        if name.startswith("research.studies") and name != REPORT and is_new:
            reached(other, seen)
    return seen


def test_studies_declare_the_packages_of_their_statistics():
    seen = 0
    for study in studies():
        path = ROOT / f"{study.module.replace('.', '/')}.py"
        files = reached(path, set()) if path.exists() else ()  # a study of every suite has none
        late = {name.split(".")[0] for path in files for name in imports(path, late=True)}
        assert late & STATISTICS <= set(study.packages), study.place
        seen += len(study.packages)
    assert seen


@pytest.mark.parametrize(*cases("study_packages/a_study_says_what_it_needs_before_it_reads_a_row"))
def test_a_study_says_what_it_needs_before_it_reads_a_row(
    arguments, package, capsys, monkeypatch, tmp_path
):
    def version(name: str) -> str:
        if name == package:
            raise importlib.metadata.PackageNotFoundError(name)
        return "1"

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.metadata, "version", version)
    assert main(arguments) == 1
    shown = capsys.readouterr()
    assert f"package {package} is not installed; pip install" in shown.err
    assert shown.out == ""


BIGRAMS = SimpleNamespace(name="bigram:de", version="text 0a1b")
KNOWN = {"system": "bigram:de", "revision": "text 0a1b"}


def test_a_run_is_told_as_far_as_it_is_known():
    version = suite_builder("sorts").version_of("conll")
    config = {"config": "conll", "split": "amb"}
    generated = {"suite": "sorts", "edition": "generated", "suite_version": version}
    told = generated | config | {"draw": "3"} | KNOWN
    assert about_run("sorts", BIGRAMS, **config, seed=3) == told
    # rows of somebody's file are of no draw
    assert about_run("sorts", BIGRAMS) == {"suite": "sorts", **KNOWN}
    # a released edition is no draw
    released = about_run("sorts", BIGRAMS, config="released_paper", split="amb")
    assert released["edition"] == "released"
    assert "draw" not in released
    # studies that are about no suite
    assert about_run("coverage", BIGRAMS, config="conll") == KNOWN


def test_a_long_version_is_told_apart_by_its_hash():
    versions = (" " + "v" * LONGEST + end for end in "12")
    systems = (SimpleNamespace(name="a", version=version) for version in versions)
    first, second = (about_run("sorts", system) for system in systems)
    assert first["revision"] != second["revision"]
    assert read_run("run", first) == first
    # a system without a version has no revision
    assert "revision" not in about_run("sorts", SimpleNamespace(name="a", version=""))


def test_results_are_found_wherever_they_stand():
    mine = {"signature": "system:a|metric:gper|version:2.0.0", "by": [{"system": "b"}]}
    ranking = {"signature": "suite:eras|metric:ranking_generalizability|version:1.0.0"}
    scored = [("part", [mine]), {"x": {"y": [ranking]}, "name": "a"}, 3.0]
    assert list(signed_results(scored)) == [mine]


def test_files_of_two_results_differ():
    lines = [
        f"suite:eras|config:{config}|split:test|system:a:b/c|metric:gper|version:2.0.0|seed={seed}"
        for config in ("lite", "traditional")
        for seed in (0, 1)
    ]
    names = [file_name(line) for line in lines]
    assert len(set(names)) == len(lines)
    assert all(name.startswith("a-b-c.") and "/" not in name for name in names)


def test_what_a_study_leaves_is_what_push_shares(tmp_path):
    given = ["eras", "segmentation", "--systems", "maxmatch", "--config", "simplified_lite"]
    given += ["--store", str(tmp_path / "store")]
    assert main([*given, "--out", str(tmp_path / "out")]) == 0
    (path,) = (tmp_path / "out").glob("maxmatch.*.json")
    shared = read_result(path)
    assert shared.value == json.loads(path.read_text(encoding="utf-8"))["pair_accuracy"]
    assert shared.signature.run["config"] == shared.task == "simplified_lite"
