"""The study of the whole suite beside its lite config, on pairs and figures that are known."""

from pathlib import Path
from typing import Any

import pytest

from research.engine.table_on_disk import TableOnDisk
from research.studies.eras import segmentation
from research.studies.eras.pairs import split_on_disk
from research.studies.eras.segmentation import largest_gap, show_whole, twins, verdict, width_ratio
from tests.support.study_runs import run_of, scored

STUDY = segmentation.STUDY.variants["whole"]


@pytest.fixture
def lite(tmp_path: Path) -> Any:
    chosen = ("--systems", "cut-in-twos", "--config", "simplified_lite")
    return scored(STUDY, tmp_path, *chosen)[0]


def whole_of(lite: dict[str, Any], **changed: float) -> dict[str, Any]:
    """A result on the whole suite, all of whose figures but these are those of lite."""
    return lite | {"config": "simplified", "n": 203944} | changed


def test_whole_stands_beside_lite(lite):
    narrower = {
        "pair_accuracy": lite["pair_accuracy"] + 0.004,
        "pair_accuracy_low": lite["pair_accuracy"] - 0.1,
        "pair_accuracy_high": lite["pair_accuracy"] + 0.1,
        "commitment": lite["commitment"] - 0.011,
    }
    whole = whole_of(lite, **narrower)
    pairs = twins([whole, lite])
    assert pairs == [(whole, lite)]
    assert largest_gap(pairs, ["pair_accuracy"]) == pytest.approx(0.4)
    ratio = 0.2 / (lite["pair_accuracy_high"] - lite["pair_accuracy_low"])
    assert width_ratio(whole, lite) == pytest.approx(ratio)
    said = verdict(pairs)
    assert "at most 0.4 points in pair accuracy and by at most 1.1 in any other rate" in said
    assert f"are {ratio:.2f} times as wide" in said
    said = verdict([*pairs, (lite, lite)])
    assert f"are {ratio:.2f} to 1.00 times as wide" in said


def test_only_whole_rows_are_figures_of_the_record(lite):
    (shown,) = show_whole([whole_of(lite), lite], run_of(STUDY, Path()).options)
    assert set(shown.figures) == {"cut-in-twos/simplified"}
    rows = [line for line in shown.text.splitlines() if line.startswith("| cut-in-twos")]
    assert [row.split(" | ")[1] for row in rows] == ["203,944", "1,950"]
    (alone,) = show_whole([lite], run_of(STUDY, Path()).options)
    assert set(alone.figures) == {"cut-in-twos/simplified_lite"}
    assert "differ" not in alone.text.replace("difference", "")


def test_configs_of_one_script_are_two_observations_however_alike(tmp_path, monkeypatch):
    def always_lite(suite: str, config: str, *given: Any) -> TableOnDisk:
        return split_on_disk(suite, "simplified_lite", *given)

    monkeypatch.setattr("research.studies.eras.pairs.split_on_disk", always_lite)
    results = scored(STUDY, tmp_path, "--systems", "cut-in-twos")
    assert [(result["config"], result["script"]) for result in results] == [
        ("simplified", "simplified"),
        ("simplified_lite", "simplified"),
    ]
