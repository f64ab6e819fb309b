"""Where scores vary: components of variance of worlds whose truth is known, and drawn levels."""

import math

import numpy as np
import pytest

from research.studies import levels

TWO = ("family", "paradigm")
LABELS = [(f"f{i // 2}", f"p{i}") for i in range(6)]


def groups(scores, labels=LABELS, weights=None):
    values = np.array(scores, float)
    return levels.GroupScores(labels, np.ones(len(values)) if weights is None else weights, values)


def test_components_of_a_balanced_table_are_those_of_its_mean_squares():
    # two classes of three: between 13.5 on 1 degree, within 1 on 4; (13.5 - 1) / 3
    score = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    found = levels.variance_components({"a": np.array([0, 0, 0, 1, 1, 1])}, score)
    assert found == {"a": pytest.approx(12.5 / 3), levels.REST: pytest.approx(1.0)}


@pytest.mark.slow
def test_components_are_found_where_cells_are_missing():
    generator = np.random.default_rng(0)
    places = (np.repeat(np.arange(20), 60), np.repeat(np.arange(120), 10))
    places += (np.tile(np.arange(10), 120), np.arange(1200))
    found = []
    for _ in range(100):
        deviations = zip((2.0, 1.0, 0.5, 1.5), places, strict=True)
        score = sum(generator.normal(0, sd, at.max() + 1)[at] for sd, at in deviations)
        kept = generator.random(1200) < 0.7
        names = ("family", "member", levels.DRAWS)
        factors = {name: at[kept] for name, at in zip(names, places[:3], strict=True)}
        found.append(list(levels.variance_components(factors, score[kept]).values()))
    assert np.mean(found, axis=0) == pytest.approx([4.0, 1.0, 0.25, 2.25], rel=0.1)


def test_what_cannot_be_told_apart_is_undefined():
    factors = {"a": np.array([0, 1, 2]), "b": np.zeros(3, int)}
    found = levels.variance_components(factors, np.arange(3.0))
    assert all(math.isnan(value) for value in found.values())


def test_spread_is_that_of_the_level_that_varies():
    fixed = [0.1, 0.3, 0.2, 0.8, 0.9, 0.4]
    same = levels.spread_by_level([groups(fixed)] * 4, TWO)
    assert same[levels.DRAWS] == pytest.approx(0.0, abs=1e-6)
    assert same["paradigm"] > 0
    # every family has one score: nothing is left for its paradigms
    families = levels.spread_by_level([groups([0.1, 0.1, 0.5, 0.5, 0.9, 0.9])] * 4, TWO)
    assert families["paradigm"] == pytest.approx(0.0, abs=1e-6)
    # variance .16 between families, three of which are averaged
    assert families["family"] == pytest.approx(math.sqrt(0.16 / 3))
    shifts = levels.spread_by_level([groups([x] * 6) for x in (0.2, 0.4, 0.6)], TWO)
    assert shifts[levels.DRAWS] == pytest.approx(0.2)
    assert shifts["family"] == pytest.approx(0.0, abs=1e-6)


def test_a_level_drawn_anew_takes_whole_groups_with_their_weights():
    one = groups([1, 1, 0, 0, 0, 0], weights=np.array([3.0, 1, 1, 1, 1, 1]))
    assert one.mean == 0.5
    found = {round(one.redrawn(0, seed), 6) for seed in range(60)}
    # 0 to 3 of three picks are the family of weight 4, the others have weight 2
    assert found == {0.0, 0.5, 0.8, 1.0}
    assert one.redrawn(0, 5) == one.redrawn(0, 5)
    assert len({one.redrawn(1, seed) for seed in range(20)}) > 4


def test_labels_are_told_apart_by_what_stands_above_them():
    one = groups([0, 1], labels=[("animals", "chase"), ("people", "chase")])
    assert one.at(1) == ["animals/chase", "people/chase"]


def test_tables_show_systems_by_rank_and_their_neighbours():
    low, high = [0.1, 0.1, 0.2, 0.2, 0.3, 0.3], [0.5, 0.5, 0.5, 0.5, 0.8, 0.8]
    by = {"a": [groups(low)] * 3, "b": [groups(high)] * 3, "flat": [groups([0.4] * 6)] * 3}
    assert levels.in_order(by) == ["b", "flat", "a"]
    assert [row["model"] for row in levels.level_rows(by, TWO)] == ["b", "a"]
    del by["flat"]
    rows = levels.level_rows(by, TWO)
    assert [row["model"] for row in rows] == ["b", "a", "b − a"]
    assert rows[1]["other family"] == "5.77 (100 %)"
    assert rows[2]["score"] == pytest.approx(40.0)
    assert levels.level_rows(by, TWO, higher_is_better=False)[0]["model"] == "a"
    assert "| b − a |" in levels.level_text(by, TWO, "score")


def test_what_varies_at_no_level_is_named_beneath_the_table():
    by = {"a": [groups([0.1, 0.1, 0.2, 0.2, 0.3, 0.3])] * 3, "b": [groups([0.5] * 6)] * 3}
    rows = levels.level_rows(by, TWO)
    assert [row["model"] for row in rows] == ["a"]  # b − a varies as a does
    text = levels.level_text(by, TWO, "score")
    assert text.endswith("Nothing of it varies, so not in the table: b.\n")
    assert levels.level_text({"b": by["b"]}, TWO, "score") == ""
    assert levels.level_text({}, ("family",), "score") == ""
    [gap] = {one.mean for one in levels.difference(by["b"], by["a"])}
    assert gap == pytest.approx(0.3)


def test_all_systems_are_scored_on_the_same_groups():
    by = {"a": [groups([0.1, 0.1, 0.2, 0.2, 0.3, 0.3])] * 5}
    by["b"] = [levels.GroupScores(one.labels, one.weights, one.scores + 0.01) for one in by["a"]]
    found = levels.redrawn_scores(by, 0)
    assert np.array(found["b"]) - np.array(found["a"]) == pytest.approx(0.01)
    assert len(set(found["a"])) > 1
