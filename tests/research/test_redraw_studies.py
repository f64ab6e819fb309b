"""The redraw study: draws differ, are scored once, and are compared as data sets are."""

import math
from typing import Any

import numpy as np
import pytest

from builders.eras.draw import capacity
from dataset_scripts.headlines import HEADLINES
from research.engine import loop
from research.studies import levels
from research.studies.__main__ import main
from research.studies.eras.redraw import draw_from_sample
from research.studies.redraw import ITEMS, metric_parts, redrawable, score_draw
from research.studies.sorts.redraw import sample_triples
from research.systems.registry import load

ERAS = ["eras", "redraw", "--processes", "1", "--systems", "jieba"]


def rows_of(suite: str, seed: int, size: int, *systems: str) -> list[dict[str, Any]]:
    """A draw's items, and what each system has in it."""
    return [row for _, row in score_draw(((suite, ""), seed, size, ()), [ITEMS, *systems])]


def test_redraw_samples_of_eras_differ_in_words():
    first, second = draw_from_sample(0, 5, 0.5), draw_from_sample(1, 5, 0.5)
    assert [part.paradigm for part in first] == [part.paradigm for part in second]
    assert all(len(part.picks) == 5 for part in first)
    whole = draw_from_sample(0, 5, 1.0)
    for part, other, full in zip(first, second, whole, strict=True):
        for kept, also, words in zip(part.lists, other.lists, full.lists, strict=True):
            assert len(kept) == -(-len(words) // 2)
            assert set(kept) <= set(words)
            assert len(words) < 4 or set(kept) != set(also)


def test_redraw_samples_of_eras_refuse():
    with pytest.raises(ValueError, match=r"share of words, got 0; expected a number in \(0, 1\]"):
        draw_from_sample(0, 5, 0)
    most = min(capacity(part.lists) for part in draw_from_sample(0, 1, 0.1))
    with pytest.raises(ValueError, match=r"pairs, got \d+; expected at most"):
        draw_from_sample(0, most + 1, 0.1)


def test_redraw_runs_resumes_and_compares(tmp_path, capsys, monkeypatch):
    pytest.importorskip("rjieba")
    arguments = [*ERAS, "jieba-no-hmm", "--size", "4", "--draws", "2", "--store", str(tmp_path)]
    assert main(arguments) == 0
    first = capsys.readouterr().out
    for told in (
        "2 draws of `eras`, 4 pairs per paradigm each.",
        "fillers only",
        "in percent",
        "| model | score | other family | other paradigm | other words |",
        "| jieba − jieba-no-hmm |",
        "another sample of the level family",
    ):
        assert told in first
    monkeypatch.setattr(loop, "run", lambda *_: pytest.fail("scored twice"))
    assert main(arguments) == 0
    assert capsys.readouterr().out == first


def test_redraw_scores_are_the_metrics():
    pytest.importorskip("rjieba")
    rows = rows_of("eras", 2, 3, "jieba")
    suite = redrawable("eras")
    drawn = suite.draw(2, 3)
    assert rows[0]["items"] == drawn["test"].to_pylist()
    found = suite.score(load("segmenter", "jieba"), drawn)
    assert suite.groups is not None
    groups = suite.groups(found, drawn)
    assert rows[1]["group_scores"] == groups.scores.tolist()
    assert len(groups.labels) == 39
    null = HEADLINES["eras"].null(found)  # stored behind the scores
    assert rows[1]["scores"] == [*(found[metric] for metric in suite.metrics), null]
    assert 0 < rows[1]["scores"][0] < 1


def test_redraw_a_failed_draw_is_told(tmp_path, capsys):
    arguments = ["--size", "9999999", "--draws", "1", "--store", str(tmp_path)]
    assert main([*ERAS, *arguments]) == 1
    told = capsys.readouterr().err
    assert "draws of eras: 1 failed; the first: ValueError: eras: paradigm" in told


def test_redraw_centerbench_structure_beats_its_shortcuts():
    draws = [rows_of("centerbench", seed, 2, "structure", "plausibility") for seed in (0, 1)]
    assert not set(draws[0][0]["items"]) & set(draws[1][0]["items"])
    suite = redrawable("centerbench")
    assert suite.levels == ("domain", "relation")
    for row in (row for rows in draws for row in rows[1:]):
        weights = np.array(row["weights"])
        assert np.average(row["group_scores"], weights=weights) == pytest.approx(row["scores"][0])
        assert {domain for domain, _ in row["groups"]} <= {"animals", "people", "vehicles"}
    for _, structure, plausibility in draws:
        assert structure["scores"][0] == 1.0
        assert 0.2 < plausibility["scores"][0] < 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size", "system"),
    [
        ("eras", 2, "jieba"),
        ("eras sentiment", 2, "random"),
        ("sorts", 1, "animacy-first"),
        ("pp_attachment", 400, "adjacent-noun"),
    ],
)
def test_redraw_the_groups_of_a_suite_make_its_headline(name, size, system):
    suite = redrawable(*name.split())
    drawn = suite.draw(1, size)
    found = suite.score(load(suite.kind, system), drawn)
    assert suite.groups is not None
    groups = suite.groups(found, drawn)
    assert groups.mean == pytest.approx(found[next(iter(suite.metrics))])
    assert {len(labels) for labels in groups.labels} == {len(suite.levels)}


def test_redraw_what_no_draw_changes_is_no_finding():
    suite = redrawable("eras")
    scored = {"scores": {"x": {"a": [0.5, 0.5], "b": [0.25, 0.25]}}, "compared": {}}
    [text] = metric_parts(suite, scored, "x")
    assert text.endswith("a 50.00, b 25.00. That is no finding.\n")
    assert text.startswith("**x** is the same in all draws, or undefined")
    undefined = {"scores": {"x": {"a": [math.nan, 0.5], "b": [math.nan] * 2}}, "compared": {}}
    assert "a 50.00, b –." in metric_parts(suite, undefined, "x")[0]
    scored["scores"]["x"]["b"] = [0.25, 0.26]
    title, table, *_ = metric_parts(suite, scored, "x")
    assert title == "**x**, in percent:\n"
    assert "| b |" in table
    assert "| a |" not in table
    assert table.endswith("The same in every draw, so not in the table: a 50.00.\n")
    scored["scores"]["x"] = {"a": [0.5], "b": [0.25]}  # of a single draw nothing is known
    assert "| a |" in metric_parts(suite, scored, "x")[1]


@pytest.mark.slow
def test_redraw_one_system_has_a_spread_and_no_ranking(tmp_path, capsys):
    arguments = ["--systems", "subject-first", "--draws", "2", "--processes", "1"]
    assert main(["sorts", "redraw", *arguments, "--store", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "| subject-first |" in text
    assert "the winner" not in text


def test_a_spread_is_of_the_draws_that_have_a_score():
    assert levels.spread_row("s", [0.5])["mean"] == 50
    undefined = levels.spread_row("s", [0.5, math.nan, 0.7])
    assert undefined["mean"] == pytest.approx(60)
    assert undefined["sd"] == pytest.approx(14.142, abs=1e-3)
    assert math.isnan(float(str(levels.spread_row("s", [math.nan])["mean"])))
    assert levels.spread_row("s", [0.5, 0.7])["sd"] == pytest.approx(14.142, abs=1e-3)


@pytest.mark.slow
def test_redraw_morphseg_learns_what_no_null_knows():
    rows = rows_of("morphseg", 3, 100, "1-crf", "cut-nowhere")
    assert len(rows[0]["items"]) == 100
    trained, null = (row["scores"] for row in rows[1:])  # F1, accuracy, the null's F1
    assert trained[0] > 2 * trained[-1] > 0
    assert null[0] <= null[-1] == trained[-1]


def test_what_intervals_imply_stands_beside_what_draws_show():
    found = {"las_low": 0.5, "las_high": 0.5 + 2 * 1.959963984540054 * 0.03}
    assert levels.implied_error(found, "las") == pytest.approx(0.03)
    assert math.isnan(levels.implied_error(found, "uas"))
    assert levels.implied_ratio([0.02, 0.04], [0.5, 0.5 + 0.03 * 2**0.5]) == pytest.approx(1.0)
    assert math.isnan(levels.implied_ratio([0.02, 0.04], [0.5, 0.5]))  # does not vary
    scored = {"scores": {"las": {"a": [0.1, 0.2]}}, "errors": {"las": {"a": [math.nan, math.nan]}}}
    assert levels.implied_text(scored) == ""
    scored["errors"]["las"]["a"] = [0.1, 0.1]
    assert "| a | 1.41 |" in levels.implied_text(scored)
    assert levels.implied_figures(scored, "a") == {"implied_las": pytest.approx(2**0.5)}
    scored["scores"]["las"]["a"] = [0.1, 0.1]
    assert levels.implied_figures(scored, "a") == {}


def test_an_endless_supply_has_one_size():
    suite = redrawable("sorts", "endless")
    with pytest.raises(ValueError, match="size, got 2; expected 1"):
        suite.draw(0, 2)


def test_an_endless_supply_gives_triples_twice():
    drawn = [sample_triples(seed) for seed in (1, 2)]
    assert drawn[0] != drawn[1]
    assert drawn[0] == sample_triples(1)
    for found in drawn:
        assert [triple.number for triple in found["prov"]] == list(range(15))
    subjects = [triple.subject for found in drawn for triple in found["plain"]]
    assert len(set(subjects)) < len(subjects) == 32
