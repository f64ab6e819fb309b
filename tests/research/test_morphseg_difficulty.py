"""The study of the invented languages. Its plan, its verdict, and that it goes on where it was
stopped."""

import pytest

from research.studies.__main__ import main
from research.studies.morphseg import difficulty as study
from research.studies.morphseg.difficulty import SplitTraining, characteristics_of, outside, plan


def results_of(**f1: float) -> dict[SplitTraining, dict[str, float]]:
    """Makes results of one data set: F1 of the 1-CRF per pool, 10 points more at each size. The
    0-CRF is 12 points lower."""
    return {
        SplitTraining(pool, size, 1, "A", model): {
            "f1": value + 0.1 * i - (0.12 if model == "0-crf" else 0),
            "overlap": 0.5,
        }
        for pool, value in f1.items()
        for i, size in enumerate(study.SIZES)
        for model in study.MODELS
    }


def test_plan_has_every_size_and_the_convention_setting():
    jobs = list(plan(["synthetic", "rus"], 3))
    assert len(jobs) == len(set(jobs)) == (2 * 3 + 1) * 3 * 2 * 2
    assert {job.size for job in jobs if job.pool == "rus"} == {500, 1000, 1500, 2000}
    assert len(list(plan(["synthetic"], 3))) == 3 * 3 * 2 * 2


def test_verdict_compares_every_characteristic_with_the_studied_range():
    results = results_of(eng=0.60, fin=0.50, synthetic=0.55, hard=0.45)
    assert characteristics_of(results, "eng") == pytest.approx(
        {
            "0-CRF 500": 48,
            "1-CRF 500": 60,
            "gap 500": 12,
            "0-CRF 1,000": 58,
            "1-CRF 1,000": 70,
            "gap 1,000": 12,
        }
        | {"0-CRF 1,500": 68, "1-CRF 1,500": 80, "gap 1,500": 12, "growth": 20}
    )
    results[SplitTraining("synthetic", 500, 1, "A", "0-crf")]["f1"] -= 0.01
    # 13 points, where both studied languages have 12
    assert outside(results, "synthetic", ["eng", "fin"]) == ["gap 500"]
    assert "1-CRF 500" in outside(results, "hard", ["eng", "fin"])


def test_command_prints_a_table(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(study, "SIZES", (60, 100))
    command = ["morphseg", "difficulty", "--pools", "synthetic", "eng", "--data-sets", "1"]
    folders = ["--released", str(tmp_path / "none"), "--store", str(tmp_path)]
    assert main([*command, *folders]) == 0
    printed = capsys.readouterr()
    assert "left out, no files in --released: eng" in printed.err
    assert "| synthetic |" in printed.out
    assert "beside" not in printed.out  # without the studied languages there is no verdict


def test_a_pool_that_nobody_knows_is_no_empty_study(tmp_path, capsys):
    folders = ["--released", str(tmp_path / "none"), "--store", str(tmp_path)]
    assert main(["morphseg", "difficulty", "--pools", "nope", *folders]) == 1
    assert "language, got 'nope'; expected one of" in capsys.readouterr().err
    assert main(["morphseg", "difficulty", "--pools", "eng", *folders]) == 1
    assert "rows, got none; expected a selection that has some" in capsys.readouterr().err
