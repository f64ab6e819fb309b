"""The generalizability study from plan to report, on the invented language. Resumed, interrupted,
failing, on both engines."""

import dataclasses
import errno
import importlib.util
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from builders.morphseg.sampling import SPLITS, Setting, new_test_indices, split_indices
from metrics.morpheme_segmentation.matching import PRESETS, count_best_matches
from metrics.morpheme_segmentation.scoring import mean_scores
from research.engine import ray_engine
from research.engine.loop import Failed
from research.engine.work import ENGINES, Workers
from research.studies.__main__ import main
from research.studies.morphseg import generalizability, jobs, results
from research.studies.morphseg import plan as plans
from research.studies.morphseg.generalizability import STAGES, STUDY, stage
from research.studies.morphseg.jobs import METRICS, do_jobs, score_new_tests
from research.studies.morphseg.report import (
    PUBLISHED_NAMES,
    Compared,
    card_text,
    compare_setting,
    figures,
    make_report,
    percent_verdict,
    published_row,
    setting_section,
)
from research.studies.report import committed_figures
from research.studies.study import Run
from research.systems.morphology.morphological_segmenters import train_segmenter
from tests.support.cases import cases
from tests.support.study_runs import run_of

LANGUAGE = "synthetic"
MODELS = ("0-crf", "1-crf", "morfessor-tokens")
COMMAND = ["morphseg", "generalizability", "--languages", LANGUAGE, "--sizes", "100"]


def small_plan(**changes: object) -> plans.Plan:
    n = len(plans.read_pool(LANGUAGE, ""))
    plan = plans.Plan((Setting(LANGUAGE, n, 100, "without"),), MODELS, 3, "", n_new_tests=5)
    return dataclasses.replace(plan, **changes)  # type: ignore[arg-type]


def stored_run(plan: plans.Plan, folder: Path, *arguments: str) -> results.StoredRun:
    return results.StoredRun(plan, run_of(STUDY, folder, "--processes", "1", *arguments))


def do_here(stored: results.StoredRun) -> None:
    """Does all work in this process."""
    for kind in STAGES:
        for setting in stored.plan.settings:
            work = dataclasses.replace(stage(stored, setting, kind), in_workers=False)
            stored.run.fill(work)


def unfinished(stored: results.StoredRun) -> list[plans.Bundle]:
    """The bundles of scores that have jobs left."""
    (setting,) = stored.plan.settings
    done = stored.store(setting, "scores").keys() | stored.failures(setting).keys()
    return [
        bundle
        for bundle in plans.score_tasks(stored.plan, setting)
        if not done.issuperset(job.key for job in bundle.jobs)
    ]


def report_of(stored: results.StoredRun) -> str:
    return make_report(stored, [compare_setting(stored, s) for s in stored.plan.settings])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> results.StoredRun:
    """A small run."""
    n = len(plans.read_pool(LANGUAGE, ""))
    settings = (Setting(LANGUAGE, n, 100, "without"), Setting(LANGUAGE, n, 120, "with"))
    done = stored_run(small_plan(settings=settings), tmp_path_factory.mktemp("run"))
    do_here(done)
    return done


def scored_alone(segmenter: Any, words: Iterable[int]) -> Any:
    """What a trained segmenter has on words of the pool, as published."""
    gold = [plans.read_pool(LANGUAGE, "")[i] for i in words]
    predicted = segmenter.segment([word.word for word in gold])
    counts = count_best_matches(predicted, [word.alternatives for word in gold], PRESETS["paper"])
    return mean_scores(counts[0], PRESETS["paper"])


def test_generalizability_scores_are_those_of_the_model_alone(run):
    setting = run.plan.settings[0]
    pool, split = plans.read_pool(LANGUAGE, ""), split_indices(setting, 2, "C")
    tasks = [task for task in plans.score_tasks(run.plan, setting) if task.model == "1-crf"]
    (task,) = [task for task in tasks if task.jobs[0].data_set == 2]
    seed = plans.job_seed(setting, "1-crf", task.jobs[2])
    segmenter = train_segmenter("1-crf", [pool[i].morphemes for i in split.train], seed)
    (row,) = [
        r
        for r in results.read_scores(run, setting).rows
        if (r["model"], r["data_set"], r["split"]) == ("1-crf", 2, "C")
    ]
    expected = scored_alone(segmenter, split.test)
    assert tuple(row[metric] for metric in METRICS) == tuple(expected)


def test_generalizability_every_job_is_done_once(run):
    for setting in run.plan.settings:
        found = run.store(setting, "scores").read().to_pylist()
        jobs = [(row["model"], row["data_set"], row["split"]) for row in found]
        assert sorted(jobs) == sorted(
            (model, d, s) for model in MODELS for d in (1, 2, 3) for s in SPLITS
        )
    before = [shard for kind in STAGES for shard in run.store(setting, kind).shards()]
    do_here(run)
    assert before == [shard for kind in STAGES for shard in run.store(setting, kind).shards()]


def test_generalizability_keys_depend_on_everything_that_matters():
    plan = small_plan()
    (setting,) = plan.settings
    first = next(plans.score_tasks(plan, setting)).jobs[0].key
    larger = small_plan(n_data_sets=9, models=("0-crf",))
    assert first == next(plans.score_tasks(larger, setting)).jobs[0].key  # it shares its jobs
    changes: Any = ({"size": 90}, {"method": "with"}, {"protocol": "sound"}, {"seed": 1})
    others = [dataclasses.replace(setting, **change) for change in changes]
    assert first not in {next(plans.score_tasks(plan, other)).jobs[0].key for other in others}
    assert (
        len({job.key for task in plans.score_tasks(plan, setting) for job in task.jobs})
        == 3 * 3 * 5
    )
    changes = ({}, {"n_steps": 9}, {"stack_size": 5})
    stacks = [small_plan(models=("seq2seq-gru",), **change) for change in changes]
    # who is trained together is part of the plan
    assert len({next(plans.score_tasks(p, setting)).jobs[0].key for p in stacks}) == 3


def test_generalizability_new_test_sets_are_look_ups_of_the_same_model(run):
    setting = run.plan.settings[0]
    assert results.best_model(run, setting) == "1-crf"
    rows = results.read_new_tests(run, setting)
    assert [(row["model"], row["data_set"], row["split"]) for row in rows] == [
        ("1-crf", d, s) for d in (1, 2, 3) for s in SPLITS
    ]
    assert rows[0]["sizes"] == [50] * 5 + [100] * 5
    pool, task = plans.read_pool(LANGUAGE, ""), next(results.planned_new_tests(run, setting))
    split = split_indices(setting, 1, "A")
    segmenter = train_segmenter("1-crf", [pool[i].morphemes for i in split.train])
    tests = [*new_test_indices(setting, 1, 50, 5), *new_test_indices(setting, 1, 100, 5)]
    expected = [scored_alone(segmenter, test).f1 for test in tests]
    assert rows[0]["f1"] == pytest.approx(expected, abs=1e-6)
    assert score_new_tests(task)(task.jobs[0])["f1"][0] == pytest.approx(rows[0]["f1"][0], abs=1e-6)


def test_generalizability_report_says_everything(run):
    text = report_of(run)
    headings = ("100 words without replacement", "120 words with replacement", "New test sets")
    headings += ("What the first data set is worth", "How sure can you be of the winner?")
    for heading in headings:
        assert f"## {heading}" in text or f", {heading}\n" in text, heading
    assert "seconds" not in text
    scores = results.read_scores(run, run.plan.settings[0])
    f1 = [100 * row["f1"] for row in scores.rows if row["model"] == "1-crf"]
    first = np.mean(f1[: len(SPLITS)])
    assert f"| 1-crf | {first:.2f} | {np.mean(f1):.2f} |" in text
    assert results.compare(scores, "f1")["best_on_average"] == "1-crf"


@pytest.mark.clock
@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")
def test_generalizability_engines_give_the_same_report(tmp_path):
    reports = []
    for engine in ENGINES:
        plan = small_plan(n_data_sets=2, models=("0-crf", "1-crf"), new_tests=())
        run = run_of(STUDY, tmp_path / engine, workers=Workers(2, engine))
        done = results.StoredRun(plan, run)
        run.fill(stage(done, plan.settings[0], "scores"))
        reports.append(report_of(done))
    ray_engine.stop()
    assert reports[0] == reports[1]
    assert "| 1-crf |" in reports[0]


def test_generalizability_a_failing_job_is_recorded_and_left_alone(tmp_path, monkeypatch):
    plan = small_plan(n_data_sets=2, models=("0-crf", "1-crf"), new_tests=())
    failing = stored_run(plan, tmp_path)
    (setting,) = plan.settings
    break_one(monkeypatch, setting, RuntimeError("out of\nluck"))
    do_here(failing)
    (failure,) = results.read_failures(failing, setting)
    assert list(failure.values()) == ["1-crf", 2, "B", "RuntimeError: out of luck"]
    text = report_of(failing)
    assert "Not complete, and left out: 1-crf." in text
    assert "RuntimeError: out of luck" in text
    assert failing.run.loop.n_failed == 1
    assert not unfinished(failing)
    monkeypatch.undo()
    again = stored_run(plan, tmp_path, "--retry-failed")
    do_here(again)
    assert results.read_failures(again, setting) == []
    assert again.run.loop.n_failed == 0
    assert results.read_scores(again, setting).incomplete == []


def break_one(monkeypatch: pytest.MonkeyPatch, setting: Setting, error: Exception) -> None:
    """Makes the 1-CRF fail on split B of data set 2."""
    train, pool = jobs.train_segmenter, plans.read_pool(LANGUAGE, "")
    broken = [pool[i].morphemes for i in split_indices(setting, 2, "B").train]

    def break_it(name: str, training: Sequence[Sequence[str]], seed: int) -> object:
        if name == "1-crf" and training == broken:
            raise error
        return train(name, training, seed)

    monkeypatch.setattr(jobs, "train_segmenter", break_it)


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(errno.ENOSPC, "No space left on device"), ImportError("x")]
)
def test_generalizability_an_error_of_the_machine_is_no_model_s_failure(
    tmp_path, monkeypatch, error
):
    plan = small_plan(n_data_sets=2, models=("1-crf",), new_tests=())
    stopped = stored_run(plan, tmp_path)
    (setting,) = plan.settings
    break_one(monkeypatch, setting, error)
    with pytest.raises(type(error)):
        do_here(stopped)
    assert results.read_failures(stopped, setting) == []
    monkeypatch.undo()
    do_here(stopped)
    assert results.read_scores(stopped, setting).incomplete == []


def test_generalizability_a_task_that_fails_as_a_whole_names_all_its_jobs():
    plan = small_plan()
    bundle = next(plans.new_test_tasks(plan, plan.settings[0], "1-crf"))._replace(
        options={"test_sizes": (10**6,), "n_new_tests": 1}
    )
    rows = dict(do_jobs(bundle, bundle.jobs))
    assert list(rows) == list(range(len(bundle.jobs)))
    for row in rows.values():
        assert isinstance(row, Failed)
        assert "test_size, got 1000000" in row.error


def test_generalizability_stacks_of_networks_stay_whole(tmp_path, monkeypatch):
    search = pytest.importorskip(
        "research.systems.morphology.seq2seq", reason="torch is not installed"
    )
    monkeypatch.setattr(search, "LONGEST_OUTPUT", 3)  # untrained networks never end
    networks: dict[str, Any] = {"models": ("seq2seq-lstm",), "n_steps": 2, "stack_size": 3}
    plan = small_plan(n_data_sets=1, new_tests=("best",), **networks)
    stored = stored_run(plan, tmp_path)
    first, second = unfinished(stored)
    assert [job.split for job in first.jobs] == ["A", "B", "C"]
    task = plans.as_task(second)
    assert task.without({second.jobs[0].key}) == task
    do_here(stored)
    assert results.read_scores(stored, plan.settings[0]).models == ["seq2seq-lstm"]
    assert "100 words without replacement: seq2seq-lstm is a network" in report_of(stored)


def test_generalizability_sound_protocol_scores_all_golds(tmp_path):
    setting = dataclasses.replace(small_plan().settings[0], protocol="sound", method="with")
    plan = small_plan(settings=(setting,), n_data_sets=1, models=("1-crf",), new_tests=())
    stored = stored_run(plan, tmp_path)
    do_here(stored)
    assert len(results.read_scores(stored, setting).rows) == 5
    assert not jobs.convention_of(setting).is_rounded


def test_generalizability_published_figures_stand_beside_russian_2000_only():
    setting = Setting("rus", 95_922, 2000, "with")
    row = published_row(setting, "1-crf")
    assert row is not None
    assert (row.first, row.mean, row.percent_best) == (74.2, 75.38, 14)
    assert published_row(dataclasses.replace(setting, size=500), "1-crf") is None
    assert published_row(setting, "morfessor-tokens") is None
    assert set(PUBLISHED_NAMES) <= {*plans.SEGMENTERS, *plans.SEQ2SEQ}


def test_generalizability_published_columns_show_beside_models_without_any():
    setting = Setting("rus", 95_922, 2000, "without")
    spread = {"first": 0.7, "mean": 0.7, "min": 0.7, "max": 0.7, "sd": 0.0, "best_share": 0.5}
    result = {
        "by_system": [{"system": name, **spread} for name in ("0-crf", "1-crf")],
        "n_units": 2,
        "n_runs": 10,
    }
    lines = setting_section(
        Compared(results.Scores(setting, [], ["0-crf", "1-crf"], []), {"f1": result})
    ).splitlines()
    assert lines[4].endswith("| published max | published sd | published % best |")
    assert lines[6].startswith("| 0-crf | 70.00 ")
    assert lines[6].endswith("| – | – | – |")
    assert "| 75.08 |" in lines[7]


def test_generalizability_committed_means_are_the_published_ones():
    figures = committed_figures("morphseg/generalizability")
    found = figures["Russian, 2,000 words without replacement"]
    setting = Setting("rus", 95_922, 2000, "without")
    for model in ("0-crf-published", "1-crf", "2-crf", "3-crf", "4-crf"):
        assert found[model] == pytest.approx(published_row(setting, model).mean, abs=0.5)  # type: ignore[union-attr]
    assert found["0-crf"] > found["0-crf-published"] + 4  # the decoder's part of the published gap


@pytest.mark.parametrize(*cases("morphseg_generalizability/generalizability_refuses"))
def test_generalizability_refuses(changes, message):
    with pytest.raises(ValueError, match=message):
        small_plan(**changes)


def test_generalizability_leaves_out_what_a_pool_cannot_fill(capsys):
    options = STUDY.parser().parse_args([*COMMAND[2:], "10000000"])
    assert [setting.size for setting in generalizability.make_plan(options).settings] == [100]
    assert "10000000 words left out" in capsys.readouterr().err
    assert main([*COMMAND[:-1], "10000000"]) == 1
    assert "rows, got none; expected a selection that has some" in capsys.readouterr().err


def test_generalizability_languages_may_have_sizes_of_their_own(capsys):
    given = ["--languages", f"{LANGUAGE}:100,200", "synthetic", "--sizes", "300"]
    settings = generalizability.make_plan(STUDY.parser().parse_args(given)).settings
    assert [(setting.language, setting.size) for setting in settings] == [
        (LANGUAGE, 100),
        (LANGUAGE, 200),
        ("synthetic", 300),
    ]
    assert main([*COMMAND[:2], "--languages", "rus:many"]) == 1
    found = capsys.readouterr().err
    assert "--languages rus:many: sizes, got 'many'; expected numbers with commas between" in found


def test_generalizability_command_line(tmp_path, capsys, monkeypatch):
    common = [*COMMAND, "--data-sets", "2", "--store", str(tmp_path / "store"), "--processes", "1"]
    assert main([*common, "--models", "1-crf", "--report-only"]) == 0
    assert "Not complete, and left out: 1-crf." in capsys.readouterr().out

    def interrupt(run: Run, stage: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "fill", interrupt)
    assert main([*common, "--models", "1-crf"]) == 130
    assert "the same command goes on from there" in capsys.readouterr().err


def test_generalizability_card_is_a_part_of_the_report(run):
    compared = [compare_setting(run, setting) for setting in run.plan.settings]
    text, card = make_report(run, compared), card_text(compared)
    assert "How sure can you be of the winner?" in card
    # headings within a section of the card
    assert all(line.replace("#### ", "## ") in text for line in card.splitlines())
    assert "\n## " not in f"\n{card}"
    assert set(figures(compared)["Synthetic, 100 words without replacement"]) == set(MODELS)


def test_generalizability_advice_says_how_sure_one_can_be():
    result = {
        "best_on_average": "b",
        "certainty": 0.99,
        "n_units": 50,
        "winner_agreement": 0.25,
        "by_null": [{"noise": "repeat", "winner_agreement": 0.2}],
        "by_system": [{"system": "b", "mean": 0.65}],
        "expected_regret": 0.0031,
        "n_units_to_settle": 40.0,
        "n_units_to_settle_low": 9.0,
        "n_units_to_settle_high": 1500.0,
        "certainty_wanted": 0.95,
        "confidence": 0.95,
    }
    text = percent_verdict(result)
    for part in (
        "`b` is the best of these, with 99 % certainty over 50 data sets. Two data sets name the"
        " same winner 25 times in 100",
        "the noise of the splits alone would leave 20.",
        "costs 0.31 points of F1",
        "95 % certainty takes about 40 data sets (95 % interval 9 to 1,500).",
    ):
        assert part in text
    for certainty, said in ((0.85, "is probably the best"), (0.6, "do not tell which is best")):
        assert said in percent_verdict(result | {"certainty": certainty})
    assert percent_verdict(result | {"n_units_to_settle": 1.0}, "draw", "LAS").endswith(
        "One draw is enough for 95 % certainty."
    )
    means = [{"system": name, "mean": mean} for name, mean in (("a", 0.1), ("b", 0.7), ("c", 0.7))]
    tied = percent_verdict(result | {"n_units_to_settle": math.nan, "by_system": means})
    assert tied.startswith("`b` and `c` tie: no number of data sets would part them. Two data sets")
    assert tied.endswith("points of F1 on average.")
