"""Every benchmark on a hundredth of its work, so that none rots; and what the command says."""

import pytest

from research.benchmarks import __main__ as command
from research.benchmarks.__main__ import BENCHMARKS, SMOKE, BenchmarkRun, main, run_apart
from research.benchmarks.timing import Goal, at_most, growth

QUICK = ("ranking_generalizability",)  # the others import more, or draw suites


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in BENCHMARKS]
)
def test_a_benchmark_runs_on_a_hundredth_of_its_work(name, hub, monkeypatch):
    monkeypatch.setenv("GARDEN_PATH_HUB", str(hub))
    outcome = run_apart(name, SMOKE)
    assert not outcome.error
    assert outcome.goals or outcome.lacks
    assert all(goal.value >= 0 or "exponent" in goal.what for goal in outcome.goals)
    assert f"`{name}`" in outcome.text()


def test_all_are_found():
    assert len(BENCHMARKS) == 9


def test_a_missed_goal_and_a_failure_are_shown_and_end_in_1(monkeypatch, tmp_path):
    goals = [Goal("function", 13.0, 12, peer="a loop"), at_most("it", 2, 1)]
    outcomes = {
        "gper": BenchmarkRun("gper", goals),
        "eras_build": BenchmarkRun("eras_build", error="ValueError: no"),
        "system_rates": BenchmarkRun("system_rates", [Goal("rate", 5, None, "rows a second")]),
    }
    monkeypatch.setattr(command, "run_apart", lambda name, share: outcomes[name])
    monkeypatch.setattr(command, "BENCHMARKS", tuple(outcomes))
    written = tmp_path / "page.md"
    monkeypatch.setattr(command, "write_whole", lambda _, text: written.write_text(text))
    assert [main([name]) for name in outcomes] == [1, 1, 0]
    assert main(["gper", "--smoke"]) == 0
    assert main(["eras_build", "--smoke"]) == 1
    assert main(["--write"]) == 1
    page = written.read_text()
    assert page.startswith("# Benchmarks")
    assert "Failed: ValueError: no" in page
    assert "| >= 12 " in page
    assert "**no**" in page


def test_a_benchmark_that_raises_says_its_last_line():
    outcome = run_apart("nothing", SMOKE)
    assert "nothing" in outcome.error


def test_growth_has_an_exponent():
    goals = growth("squares", square, (10, 100, 1000), (None, None, None))
    assert goals[3].value == pytest.approx(2)
    assert not goals[3].is_met()


def square(n: int) -> float:
    return float(n * n)
