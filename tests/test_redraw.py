"""The redraw study: draws differ, are scored once, and are compared as data sets are."""

from pathlib import Path

import pytest

from builders.eras.draw import capacity, draw_from_sample
from studies import redraw
from studies.redraw import Task, main, score_draw, spread_row
from studies.redraw_suites import redrawable

ARGUMENTS = [
    "--suite",
    "eras",
    "--systems",
    "jieba",
    "jieba-no-hmm",
    "--size",
    "4",
    "--draws",
    "2",
    "--processes",
    "1",
]


def test_redraw_samples_of_eras_differ_in_words() -> None:
    first, second = draw_from_sample(0, 5, 0.5), draw_from_sample(1, 5, 0.5)
    assert [part.paradigm for part in first] == [part.paradigm for part in second]
    assert all(len(part.picks) == 5 for part in first)
    whole = draw_from_sample(0, 5, 1.0)
    for part, other, full in zip(first, second, whole, strict=True):
        for kept, also, words in zip(part.lists, other.lists, full.lists, strict=True):
            assert len(kept) == -(-len(words) // 2)
            assert set(kept) <= set(words)
            assert len(words) < 4 or set(kept) != set(also)


def test_redraw_samples_of_eras_refuse() -> None:
    with pytest.raises(ValueError, match=r"share of words, got 0; expected a number in \(0, 1\]"):
        draw_from_sample(0, 5, 0)
    most = min(capacity(part.lists) for part in draw_from_sample(0, 1, 0.1))
    with pytest.raises(ValueError, match=r"pairs, got \d+; expected at most"):
        draw_from_sample(0, most + 1, 0.1)


def test_redraw_runs_resumes_and_compares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rjieba")
    assert main([*ARGUMENTS, "--store", str(tmp_path)]) == 0
    first = capsys.readouterr().out
    assert "2 draws of `eras`, 4 pairs per paradigm each." in first
    assert "fillers only" in first
    assert "**test_accuracy**, in percent" in first
    monkeypatch.setattr(
        redraw,
        "run_tasks",
        lambda call, tasks, *_: iter([]) if not list(tasks) else pytest.fail("scored twice"),
    )
    assert main([*ARGUMENTS, "--store", str(tmp_path)]) == 0
    assert capsys.readouterr().out == first


def test_redraw_scores_are_the_metrics() -> None:
    pytest.importorskip("rjieba")
    scored = score_draw(Task("eras", 2, 3, ("jieba",)))
    suite = redrawable("eras")
    drawn = suite.draw(2, 3)
    assert scored.items == drawn["test"].to_pylist()
    assert scored.scores["jieba"] == {
        metric: suite.score("jieba", drawn)[metric] for metric in suite.metrics
    }
    assert 0 < scored.scores["jieba"]["test_accuracy"] < 1


def test_redraw_a_failed_draw_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "--suite",
                "eras",
                "--systems",
                "jieba",
                "--size",
                "9999999",
                "--draws",
                "1",
                "--processes",
                "1",
                "--store",
                str(tmp_path),
            ]
        )
        == 1
    )
    assert "draw 0: ValueError: eras: paradigm" in capsys.readouterr().err


def test_redraw_refuses_other_suites() -> None:
    with pytest.raises(ValueError, match="suite, got 'blimp'; expected one of centerbench"):
        redrawable("blimp")


def test_redraw_centerbench_structure_beats_its_shortcuts() -> None:
    scored = [
        score_draw(Task("centerbench", seed, 2, ("structure", "plausibility"))) for seed in (0, 1)
    ]
    assert not set(scored[0].items) & set(scored[1].items)
    for found in scored:
        assert found.scores["structure"]["accuracy"] == 1.0
        assert 0.2 < found.scores["plausibility"]["accuracy"] < 1.0


def test_redraw_one_system_has_a_spread_and_no_ranking(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(
            [
                "--suite",
                "sorts",
                "--systems",
                "subject-first",
                "--draws",
                "2",
                "--processes",
                "1",
                "--store",
                str(tmp_path),
            ]
        )
        == 0
    )
    text = capsys.readouterr().out
    assert "| subject-first |" in text
    assert "the winner" not in text
    assert spread_row("s", [0.5])["mean"] == 50
    assert spread_row("s", [0.5, 0.7])["sd"] == pytest.approx(14.142, abs=1e-3)


def test_redraw_write_makes_a_result_of_the_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studies.report.RESULTS", tmp_path / "results")
    monkeypatch.setattr(
        "dataset_scripts.registry.suite_stamp", lambda name: {"version": "1", "content_hash": name}
    )
    arguments = [
        "--suite",
        "centerbench",
        "--size",
        "2",
        "--draws",
        "2",
        "--processes",
        "1",
        "--store",
        str(tmp_path / "store"),
        "--write",
    ]
    assert main(arguments) == 0
    assert {path.name for path in (tmp_path / "results" / "centerbench").iterdir()} == {
        "redraw.md",
        "redraw.json",
        "redraw.png",
    }
