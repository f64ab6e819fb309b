"""The study of the invented languages: its plan, its verdict, and that it goes on where it was stopped."""

from pathlib import Path

import pytest

from ground.store import Store
from studies import segmentation_difficulty as study
from studies.segmentation_difficulty import SCHEMA, Job, characteristics_of, outside, plan


def results_of(**f1: float) -> dict[Job, dict[str, float]]:
    """Makes results of one data set: F1 of the 1-CRF per pool, 10 points more at each size; the 0-CRF is 12 points lower."""
    return {
        Job(pool, size, 1, "A", model): {
            "f1": value + 0.1 * i - (0.12 if model == "0-crf" else 0),
            "overlap": 0.5,
        }
        for pool, value in f1.items()
        for i, size in enumerate(study.SIZES)
        for model in study.MODELS
    }


def test_plan_has_every_size_and_the_convention_setting() -> None:
    jobs = list(plan(["synthetic", "rus"], 3))
    assert len(jobs) == len(set(jobs)) == (2 * 3 + 1) * 3 * 2 * 2
    assert {job.size for job in jobs if job.pool == "rus"} == {500, 1000, 1500, 2000}
    assert len(list(plan(["synthetic"], 3))) == 3 * 3 * 2 * 2


def test_verdict_compares_every_characteristic_with_the_studied_range() -> None:
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
    results[Job("synthetic", 500, 1, "A", "0-crf")]["f1"] -= 0.01
    assert outside(results, "synthetic", ["eng", "fin"]) == [
        "gap 500"
    ]  # 13 points, where both studied languages have 12
    assert "1-CRF 500" in outside(results, "hard", ["eng", "fin"])


def test_stopped_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "SIZES", (60, 100))
    monkeypatch.setattr(study, "BATCH", 3)
    jobs = list(plan(["synthetic"], 1))
    trained: list[Job] = []
    original = study.run_job

    def run_job(job: Job, pool: list[object]) -> dict[str, object]:
        if len(trained) == 4:
            raise KeyboardInterrupt
        trained.append(job)
        return original(job, pool)  # type: ignore[arg-type]

    monkeypatch.setattr(study, "run_job", run_job)
    with pytest.raises(KeyboardInterrupt):
        study.run(jobs, None, Store(tmp_path, SCHEMA))
    monkeypatch.setattr(study, "run_job", original)
    results = study.run(jobs, None, Store(tmp_path, SCHEMA))
    assert "8 of 8 trainings" in capsys.readouterr().err.splitlines()[0]
    assert set(results) == set(jobs)
    assert all(0 < row["f1"] < 1 for row in results.values())
    study.run(jobs, None, Store(tmp_path, SCHEMA))
    assert "0 of 8 trainings" in capsys.readouterr().err


def test_command_prints_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "SIZES", (60, 100))
    assert (
        study.main(["--pools", "synthetic", "eng", "--data-sets", "1", "--store", str(tmp_path)])
        == 0
    )
    printed = capsys.readouterr()
    assert "left out, no files in --released: eng" in printed.err
    assert "| synthetic |" in printed.out
    assert "beside" not in printed.out  # without the studied languages there is no verdict
