"""The committed scores: a config that anyone can ask about, and back into a store and out again."""

import dataclasses
import statistics
from pathlib import Path

import datasets
import pyarrow as pa
import pytest

from builders.morphseg import SCORES_VERSION
from builders.morphseg.columns import SCORE_SCHEMA, SCORES
from builders.morphseg.sampling import Setting
from builders.morphseg.scores import FILES, FOLDER, read_scores, score_table
from builders.morphseg.sources import languages
from builders.morphseg.validity import problems
from dataset_scripts.morphseg import Morphseg
from dataset_scripts.registry import builder_for
from ground.tables import DataFileError
from metrics.ranking_generalizability import scoring
from metrics.ranking_generalizability.options import read_options
from research.studies.__main__ import main
from research.studies.morphseg import score_files
from research.studies.morphseg.generalizability import STAGES, STUDY, stage
from research.studies.morphseg.plan import Plan, published_settings, read_pool, stack_tasks
from research.studies.morphseg.results import StoredRun, best_model, read_new_tests
from research.studies.morphseg.results import read_scores as stored_scores
from research.studies.morphseg.score_files import export_scores, import_scores
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.study_runs import run_of

LANGUAGE = "synthetic"
SMALL = ["--languages", LANGUAGE, "--sizes", "60", "--data-sets", "2", "--models", "0-crf", "1-crf"]


def plan_of(**changes: object) -> Plan:
    n = len(read_pool(LANGUAGE, ""))
    settings = tuple(Setting(LANGUAGE, n, size, "without") for size in (60, 100))
    plan = Plan(settings, ("1-crf", "0-crf"), 2, "", new_tests=())
    return dataclasses.replace(plan, **changes)  # type: ignore[arg-type]


def stored(folder: Path, plan: Plan | None = None) -> StoredRun:
    return StoredRun(plan or plan_of(), run_of(STUDY, folder, "--processes", "1"))


def fill(run: StoredRun) -> StoredRun:
    for kind in STAGES:
        for setting in run.plan.settings:
            run.run.fill(dataclasses.replace(stage(run, setting, kind), in_workers=False))
    return run


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A whole run of two settings."""
    return fill(stored(tmp_path_factory.mktemp("done")))


def texts(folder: Path) -> dict[str, bytes]:
    return {name: (folder / f"{name}.tsv").read_bytes() for name in FILES}


def test_scores_go_out_and_back_under_their_keys(done, tmp_path):
    written = export_scores(done, tmp_path / "out")
    assert (len(written.scores), len(written.runs), len(written.splits)) == (40, 4, 20)
    first = texts(tmp_path / "out")
    export_scores(done, tmp_path / "out")
    assert texts(tmp_path / "out") == first
    other = stored(tmp_path / "other")
    assert import_scores(other, tmp_path / "out") == 60
    assert import_scores(other, tmp_path / "out") == 0
    for setting in done.plan.settings:
        for kind in ("scores", "characteristics"):
            assert other.store(setting, kind).keys() == done.store(setting, kind).keys()
        columns = [
            [{name: row[name] for name in ("model", "data_set", "split", *SCORES)} for row in rows]
            for rows in (stored_scores(run, setting).rows for run in (done, other))
        ]
        assert columns[0] == columns[1]
        described = [run.store(setting, "characteristics").read() for run in (done, other)]
        assert described[0].sort_by("key") == described[1].sort_by("key")
    export_scores(other, tmp_path / "again")
    assert texts(tmp_path / "again") == first


def test_an_export_adds_to_what_is_there(done, tmp_path):
    """Half a plan after the other gives the same files as all of it at once."""
    for half in (
        plan_of(models=("1-crf",)),
        plan_of(models=("0-crf",), n_data_sets=1),
        plan_of(settings=plan_of().settings[1:]),
    ):
        export_scores(StoredRun(half, done.run), tmp_path / "parts")
    export_scores(done, tmp_path / "parts")
    export_scores(done, tmp_path / "whole")
    assert texts(tmp_path / "parts") == texts(tmp_path / "whole")


def test_a_plan_takes_in_its_own_part(done, tmp_path):
    export_scores(done, tmp_path)
    small = plan_of(settings=plan_of().settings[:1], models=("1-crf",), n_data_sets=1)
    assert import_scores(stored(tmp_path, small), tmp_path) == 5 + 5


def test_data_sets_with_missing_splits_are_left_out(done, tmp_path):
    setting = done.plan.settings[0]
    part = stored(tmp_path, plan_of(settings=(setting,)))
    rows = {row.pop("key"): row for row in done.store(setting, "scores").read().to_pylist()}
    lacking = next(
        key for key, row in rows.items() if (row["model"], row["split"]) == ("1-crf", "C")
    )
    del rows[lacking]
    part.store(setting, "scores").append_rows(rows)
    assert len(export_scores(part, tmp_path).scores) == 15


def test_networks_go_out_and_come_back_as_whole_stacks(tmp_path):
    """Two data sets in one stack of ten: half of them, or other stacks, are another training."""
    plan = plan_of(settings=plan_of().settings[:1], models=("seq2seq-gru",), stack_size=10)
    (setting,), run = plan.settings, stored(tmp_path, plan)
    (stack,) = stack_tasks(plan, setting, "seq2seq-gru")
    run.store(setting, "scores").append_rows(
        {
            job.key: {"data_set": job.data_set, "split": job.split, "model": "seq2seq-gru"}
            | dict.fromkeys(SCORES, 0.5)
            | {"seconds": 1.0}
            for job in stack.jobs
        }
    )
    tables = tmp_path / "tables"
    (made_by,) = export_scores(run, tables).runs
    assert (made_by.library, made_by.n_steps, made_by.stack_size) == ("torch", 10_000, 10)
    other = stored(tmp_path / "other", plan)
    assert import_scores(other, tables) == 10
    assert other.store(setting, "scores").keys() == run.store(setting, "scores").keys()
    first = dataclasses.replace(plan, n_data_sets=1)
    assert import_scores(stored(tmp_path / "first", first), tables) == 0  # a stack of five
    third = dataclasses.replace(plan, n_data_sets=3)
    assert import_scores(stored(tmp_path / "third", third), tables) == 10  # the third follows
    more = dataclasses.replace(plan, n_data_sets=3, stack_size=15)
    with pytest.raises(ValueError, match="got stack_size 10; expected stack_size 15"):
        import_scores(stored(tmp_path / "more", more), tables)


def test_new_tests_are_summed_up(done, tmp_path):
    """A row for every trained model of the best kind and size of its test sets."""
    plan = plan_of(settings=done.plan.settings[:1], new_tests=("best",), n_new_tests=3)
    run = fill(StoredRun(plan, done.run))
    (setting,) = plan.settings
    found = export_scores(run, tmp_path).new_tests
    assert [(row.data_set, row.split, row.test_size) for row in found[:3]] == [
        (1, "A", 50),
        (1, "A", 100),
        (1, "B", 50),
    ]
    assert len(found) == 2 * 5 * 2
    assert {(row.model, row.n_tests) for row in found} == {(best_model(run, setting), 3)}
    raw = [
        row for row in read_new_tests(run, setting) if (row["data_set"], row["split"]) == (1, "A")
    ]
    own = [f1 for size, f1 in zip(raw[0]["sizes"], raw[0]["f1"], strict=True) if size == 50]
    figures = (statistics.mean(own), statistics.stdev(own), min(own), max(own))
    first = found[0]
    shown = (first.f1_mean, first.f1_sd, first.f1_lowest, first.f1_highest)
    assert shown == pytest.approx(figures, abs=1e-5)
    before = texts(tmp_path)
    assert export_scores(run, tmp_path).new_tests == found
    assert texts(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("REVISION", 2, "got revision 1; expected revision 2"),
        (
            "describe_segmenter",
            lambda model: {"name": model, "library": "python-crfsuite", "version": "9.9"},
            "expected library_version 9.9",
        ),
        ("pool_hash", lambda *_: "f" * 64, "expected pool ffffffffffffffff"),
    ],
)
def test_rows_of_another_version_are_refused(done, tmp_path, monkeypatch, name, value, message):
    export_scores(done, tmp_path)
    before = texts(tmp_path)
    monkeypatch.setattr(score_files, name, value)
    with pytest.raises(ValueError, match=message):
        import_scores(stored(tmp_path), tmp_path)
    monkeypatch.setattr(
        score_files,
        "describe_segmenter",
        lambda model: {"name": model, "library": "python-crfsuite", "version": "9.9"},
    )
    with pytest.raises(ValueError, match="remove the rows that are not of this run"):
        export_scores(done, tmp_path)
    assert texts(tmp_path) == before


def test_other_scores_of_the_same_job_are_refused(done, tmp_path):
    export_scores(done, tmp_path)
    path = tmp_path / "scores.tsv"
    line = path.read_text(encoding="utf-8").splitlines()[4]
    other = line.rpartition("\t")[0] + "\t9.5"
    path.write_text(path.read_text(encoding="utf-8").replace(line, other), encoding="utf-8")
    with pytest.raises(ValueError, match=r"got distance 9\.5; expected distance"):
        export_scores(done, tmp_path)


def test_scores_need_a_line_that_says_what_made_them(done, tmp_path):
    export_scores(done, tmp_path)
    (tmp_path / "score_runs.tsv").unlink()
    with pytest.raises(DataFileError, match="run, got none of 0-crf in synthetic"):
        read_scores(tmp_path)


@pytest.mark.slow
def test_the_command_line_writes_and_reads(tmp_path, capsys):
    begin = ["morphseg", "generalizability", *SMALL, "--processes", "1"]
    assert main([*begin, "--store", str(tmp_path / "one")]) == 0
    tables = tmp_path / "tables"
    capsys.readouterr()
    assert main([*begin, "--store", str(tmp_path / "one"), "--export-scores", str(tables)]) == 0
    assert capsys.readouterr().out == "20 scores, 10 splits\n"
    again = ["--store", str(tmp_path / "two"), "--import-scores", str(tables), "--report-only"]
    assert main([*begin, *again]) == 0
    shown = capsys.readouterr()
    assert f"30 rows of {tables} taken in" in shown.err
    assert main([*begin, "--store", str(tmp_path / "one"), "--report-only"]) == 0
    assert capsys.readouterr().out == shown.out


def test_the_table_has_a_row_for_every_score(done, tmp_path):
    export_scores(done, tmp_path)
    table = score_table(tmp_path)
    assert table.schema == SCORE_SCHEMA
    assert problems(table) == []
    row = table.to_pylist()[0]
    assert row["id"] == "synthetic-60-without-paper-0/0-crf/1/A"
    assert (row["library"], row["revision"], row["word_overlap"]) == ("python-crfsuite", 1, 0.0)
    assert table["id"].to_pylist() == list(dict.fromkeys(table["id"].to_pylist()))


@pytest.mark.parametrize(*cases("morphseg_scores/a_wrong_row_is_told"))
def test_a_wrong_row_is_told(done, tmp_path, change, message):
    export_scores(done, tmp_path)
    row = score_table(tmp_path).to_pylist()[0] | change
    (problem,) = problems(pa.Table.from_pylist([row], schema=SCORE_SCHEMA))
    assert problem.startswith(f"{row['id']}: ")
    assert message in problem


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> datasets.Dataset:
    """The config as `load_dataset` gives it."""
    cache = str(tmp_path_factory.mktemp("cache"))
    builder = builder_for(Morphseg, "morphseg", "morphseg_scores", {}, cache)
    builder.download_and_prepare()
    return builder.as_dataset(split="scores")


def test_anyone_can_ask_whether_the_ranking_holds(loaded):
    rows = loaded.filter(lambda row: row["language"] == "deu" and row["size"] == 500)
    rows = rows.filter(lambda row: row["method"] == "without").to_pandas()
    columns = {
        "system": rows["model"].tolist(),
        "unit": rows["data_set"].tolist(),
        "repeat": rows["random_split"].tolist(),
        "score": rows["f1"].tolist(),
    }
    found = scoring.score(columns, read_options(first=1))
    assert found["n_units"] == 10
    means = {row["system"]: row["mean"] for row in found["by_system"]}
    assert set(means) == set(rows["model"])
    assert means["1-crf"] == pytest.approx(rows[rows["model"] == "1-crf"]["f1"].mean())
    assert means["1-crf"] - means["0-crf-published"] > 0.1


def test_the_committed_rows_are_of_the_plan(loaded):
    assert loaded.num_rows == len(read_scores().scores) > 0
    settings = set(zip(loaded["language"], loaded["size"], loaded["method"], strict=True))
    assert settings <= set(published_settings())
    assert set(loaded["library"]) <= {"python-crfsuite", "scipy", "morfessor", "torch"}
    assert len(list(published_settings())) == 82
    assert {code for code, _, _ in settings} <= set(languages())


def test_the_card_says_its_version():
    card = (ROOT / "cards" / "datasets" / "morphseg.md").read_text(encoding="utf-8")
    assert f"version of its own, {SCORES_VERSION}" in card
    assert FOLDER == ROOT / "builders" / "morphseg" / "data"
