"""The study of coverage: counting by hand, resuming, worlds that say what the metrics return."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studies.coverage import coverage
from studies.coverage.coverage import OUTCOMES, SIMULATION, STUDY, outcome_of, share
from studies.study import run
from worlds.world import World, metric_names, worlds_of


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (0.4, 0.6, "held"),
        (0.5, 0.6, "held"),  # an end at the truth holds it
        (0.1, 0.4999, "below"),
        (0.51, 0.6, "above"),
        (math.nan, 0.6, "undefined"),
        (math.nan, math.nan, "undefined"),
    ],
)
def test_outcome_by_hand(low: float, high: float, outcome: str) -> None:
    assert outcome_of({"f1_low": low, "f1_high": high}, "f1", 0.5) == outcome


def test_undefined_intervals_count_as_misses() -> None:
    found = np.array([0.0] * 9 + [2.0] + [3.0] * 10)  # 9 held, 1 above, 10 undefined
    shares = [share(found, outcome) for outcome in OUTCOMES]
    assert shares == [0.45, 0.0, 0.05, 0.5]
    assert math.isnan(share(np.array([]), "held"))


@pytest.mark.parametrize("metric", metric_names())
def test_worlds_have_a_truth_for_what_the_metric_returns(metric: str) -> None:
    for name, world in list(worlds_of(metric).items())[:3]:
        truth = world.true_values()
        result = world.simulate(np.random.default_rng(1))
        assert truth, name
        for quantity, value in truth.items():
            assert math.isfinite(value)
            assert outcome_of(result, quantity, value) in OUTCOMES
        again = world.simulate(np.random.default_rng(1))
        assert [again[f"{q}_low"] for q in truth] == pytest.approx(
            [result[f"{q}_low"] for q in truth], nan_ok=True
        )


def coin(generator: np.random.Generator) -> Mapping[str, Any]:
    """An interval that holds 0 nine times in ten."""
    off = 5 if generator.random() < 0.1 else 0
    return {"x_low": off - 1.0, "x_high": off + 1.0}


def test_study_counts_resumes_and_says_how_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = World("a coin", "1 toss", {"x": 0.0}, coin, n_simulations=120)
    monkeypatch.setattr(coverage, "worlds_of", lambda _: {"a coin, 1 toss": world})
    # workers of their own would not know of this world
    monkeypatch.setattr(coverage, "SIMULATION", replace(SIMULATION, in_workers=False))
    arguments = ["--metrics", "morpheme_segmentation", "--store", str(tmp_path)]
    assert run(STUDY, [*arguments, "--stored"]) == 0  # nothing is there yet
    assert "| a coin |" not in capsys.readouterr().out
    assert run(STUDY, [*arguments, "--processes", "1"]) == 0
    text = capsys.readouterr().out
    row = next(line for line in text.splitlines() if line.startswith("| a coin |"))
    assert row.split("|")[-2].strip() == "120"
    actual = float(row.split("|")[5])
    assert 80 <= actual <= 98
    # all is stored: nothing is simulated again
    monkeypatch.setattr(coverage, "SIMULATION", replace(SIMULATION, draw=None, in_workers=False))
    assert run(STUDY, arguments) == 0
    assert row in capsys.readouterr().out


def test_unknown_metric_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="metrics, got 'bleu'; expected any of"):
        run(STUDY, ["--metrics", "bleu", "--store", str(tmp_path)])
