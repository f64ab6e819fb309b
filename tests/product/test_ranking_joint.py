"""What is said of systems rests on one joint distribution, with missing and unpaired cells too."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from metrics._shared.columns import FloatArray
from metrics.ranking_generalizability.agreement import near_twins, paired_tests
from metrics.ranking_generalizability.components import (
    evidence_of,
    posterior_of,
    shrinkage_of_noise,
)
from metrics.ranking_generalizability.inputs import Cells, thinned
from metrics.ranking_generalizability.options import LEAST_CERTAINTY, read_options
from metrics.ranking_generalizability.scoring import (
    chance_in_percent,
    note_of,
    read_table,
    score,
    system_table,
)

Draw = Callable[[np.random.Generator], FloatArray]


def columns(scores: FloatArray, **more: list[str]) -> dict[str, object]:
    unit, system = np.nonzero(~np.isnan(scores))
    given = {"system": [f"s{i}" for i in system], "unit": [f"u{i}" for i in unit]}
    found = {name: [names[i] for i in unit] for name, names in more.items()}
    return given | {"score": scores[unit, system]} | found


def result(scores: FloatArray, **more: list[str]) -> dict:
    options = read_options(missing="model" if np.isnan(scores).any() else "refuse")
    return score(columns(scores, **more), options)


def normal(means: list[float], sds: list[float], n_units: int) -> Draw:
    return lambda generator: np.array(means) + sds * generator.standard_normal((n_units, len(sds)))


def twins(generator: np.random.Generator) -> FloatArray:
    scores = generator.normal([0.3, 0, 0, -1, -2], 1.0, (30, 5))
    scores[:, 1] = scores[:, 0] - 0.3 + 0.05 * generator.standard_normal(30)
    return scores


def failing(generator: np.random.Generator) -> FloatArray:
    scores = generator.normal([1, 0.5, 0, 0], 1.0, (12, 4))
    scores[generator.random(12) < 0.2, 0] -= 6
    return scores


def holed(generator: np.random.Generator) -> FloatArray:
    scores = generator.normal([2, 1, 0, 0], 1.0, (15, 4))
    scores[3:][generator.random((12, 4)) < 0.2] = np.nan
    return scores


WORLDS: dict[str, Draw] = {
    "equal noise": normal([1, 0.5, 0, 0, -1], [1] * 5, 10),
    "unequal noise": normal([0.05, 0, -0.5, -1], [0.3, 1.6, 0.5, 1], 10),
    "few units": normal([3, 0, 0], [1, 1, 1], 3),
    "many units": normal([0.5, 0.1, 0, 0, 0, -3], [1] * 6, 200),
    "more systems than units": normal([2.0, *[0.0] * 11], [1] * 12, 6),
    "twins": twins,
    "a system that fails": failing,
    "missing cells": holed,
}


@pytest.mark.parametrize("world", WORLDS)
def test_nothing_that_is_said_contradicts_another_thing(world):
    for seed in range(4):
        found = result(WORLDS[world](np.random.default_rng(seed)))
        rows = {row["system"]: row for row in found["by_system"]}
        chance = {name: row["p_best_on_average"] for name, row in rows.items()}
        best, level = found["best_on_average"], found["confidence"]
        assert sum(chance.values()) == pytest.approx(1)
        assert found["certainty"] == chance[best]
        assert found["winner"] == (best if chance[best] >= LEAST_CERTAINTY else "undecided")
        assert found["verdict"].startswith("Undecided") == (found["winner"] == "undecided")
        shown = {}
        for row in found["by_pair"]:
            first, other = row["system"], row["other"]
            assert chance[first] <= row["p_better"] + 1e-9
            assert chance[other] <= row["p_worse"] + 1e-9
            shares = not set(rows[first]["letters"]).isdisjoint(rows[other]["letters"])
            assert shares == (row["decision"] == "open")
            if row["decision"] != "open":
                ends = (first, other) if row["decision"] == "better" else (other, first)
                shown.setdefault(ends[1], set()).add(ends[0])
        for name, row in rows.items():
            beaten_by = shown.get(name, set())
            assert row["rank_low"] <= row["rank"] <= row["rank_high"]
            assert row["rank_low"] >= min(1 + len(beaten_by), row["rank"])
            if row["rank_low"] > 1 and beaten_by:  # whose ranks exclude the first is not the best
                assert chance[name] <= 1 - level + 1e-9
        if all(best in shown.get(name, set()) for name in rows if name != best):
            assert found["certainty"] >= level


@pytest.mark.parametrize("noise", [1.0, 3.0])
def test_hopeless_systems_leave_the_others_as_they_are(noise):
    """But for the chance that they are the best after all, and draws of those behind."""
    for seed in range(12):
        generator = np.random.default_rng(seed)
        good = generator.standard_normal((9, 4)) * 0.5 + [1, 0.5, 0.3, 0]
        hopeless = noise * generator.standard_normal((9, 2)) - [9, 11]
        scores = np.concatenate([good, hopeless], axis=1)
        moved = posterior_of(good, None, 0).p_best - posterior_of(scores, None, 0).p_best[:4]
        assert np.abs(moved).max() <= 0.005


def test_a_low_confidence_shows_no_more_than_is_named():
    # `s0` is ahead in all four units; paired t p .08, certainty .796
    scores = np.array([[0.2, -0.1], [1.9, -0.5], [-0.7, -1.8], [0.4, -0.4]])
    found = score(columns(scores), read_options(confidence=0.6))
    assert 0.795 <= found["certainty"] < LEAST_CERTAINTY
    assert found["winner"] == "undecided"
    assert found["by_pair"][0]["decision"] == "open"
    assert "leads with a chance of 79 %." in found["verdict"]
    assert "`s0` is not shown to differ from `s1`." in found["verdict"]
    assert "| 79 % |" in system_table(found)
    assert "Holm, 20 %" in note_of(found)
    low, usual = found["by_pair"][0], result(scores)["by_pair"][0]
    assert low["difference_low"] > usual["difference_low"]  # intervals are as asked


@pytest.mark.parametrize(
    ("chance", "shown"),
    [(0.796, "79"), (0.8, "80"), (0.9499, "94"), (0.95, "95"), (0.946, "94"), (0.786, "79")],
)
def test_a_chance_is_not_rounded_up_to_a_mark_that_it_misses(chance, shown):
    assert chance_in_percent(chance) == shown
    assert chance_in_percent(0.897, 0.9) == "89"


def test_named_winners_are_the_best_with_unequal_noise():
    generator, named = np.random.default_rng(0), []
    for _ in range(150):
        ratio = 0.005 * 4000 ** generator.random()
        means = ratio * generator.standard_normal(4)
        scores = means + [0.3, 1.6, 0.5, 1] * generator.standard_normal((8, 4))
        chances = posterior_of(scores, None, 0).p_best
        best = int(scores.mean(axis=0).argmax())
        if chances[best] >= LEAST_CERTAINTY:
            named.append(best == int(means.argmax()))
    assert len(named) >= 30
    assert np.mean(named) >= 0.95


def test_clusters_cover_what_independent_units_would_not():
    """ICC .7, groups of five: without `cluster` differences cover 53 to 67 %."""
    held, usual = [], []
    for seed in range(400):
        generator = np.random.default_rng(seed)
        groups = np.repeat(np.arange(8), 5)
        noise = generator.standard_normal((8, 3))[groups] * 0.7**0.5
        scores = noise + 0.3**0.5 * generator.standard_normal((40, 3)) + [0.4, 0.1, 0]
        for kept, clusters in ((held, groups), (usual, None)):
            low, high, _ = paired_tests(scores[:, :1] - scores[:, 1:2], clusters)[0].interval(0.95)
            kept.append(low <= 0.3 <= high)
    assert np.mean(held) >= 0.92
    assert np.mean(usual) <= 0.75


def test_units_that_cross_two_clusterings_cover_too():
    held = []
    for seed in range(200):
        generator = np.random.default_rng(seed)
        first, second = (axis.ravel() for axis in np.indices((9, 9)))
        effects = generator.standard_normal((2, 9, 2))
        scores = effects[0][first] + effects[1][second] + generator.standard_normal((81, 2))
        apart = scores[:, :1] - scores[:, 1:] + 0.3
        low, high, _ = paired_tests(apart, np.stack([first, second], axis=1))[0].interval(0.95)
        held.append(low <= 0.3 <= high)
    assert np.mean(held) >= 0.92
    more = {"cluster": [f"c{i}" for i in first], "crossed": [f"d{i}" for i in second]}
    row = result(scores + np.array([0.3, 0]), **more)["by_pair"][0]
    assert (row["difference_low"], row["difference_high"]) == pytest.approx((low, high))


def test_each_unit_its_own_cluster_is_no_cluster():
    scores = np.random.default_rng(3).normal([0.5, 0, 0], 1.0, (9, 3))
    found, usual = result(scores, cluster=[f"c{i}" for i in range(9)]), result(scores)
    for name, value in usual.items():
        if isinstance(value, float):
            assert found[name] == pytest.approx(value, nan_ok=True), name
    assert found["n_clusters"] == 9


def test_clusters_are_checked():
    scores = np.random.default_rng(3).standard_normal((6, 2))
    given = columns(scores, cluster=list("aabbcc"))
    given["cluster"][0] = "b"
    with pytest.raises(ValueError, match="unit 'u0': cluster, got 'b' and 'a'; expected one"):
        score(given, read_options())
    with pytest.raises(ValueError, match="clusters, got 1; expected at least 2"):
        result(scores, cluster=["a"] * 6)
    two = result(scores, cluster=list("aaabbb"))
    assert math.isnan(two["certainty"])
    assert two["verdict"].startswith("2 clusters of units are too few to say which is best.")
    unequal = result(
        np.random.default_rng(3).standard_normal((60, 2)), cluster=["a"] * 54 + [*"bcdefg"]
    )
    assert "The largest of 7 clusters has 54 of 60 units" in unequal["verdict"]


def test_units_that_belong_together_are_noticed():
    generator = np.random.default_rng(5)
    scores = generator.standard_normal((12, 3))
    twice = result(np.concatenate([scores, scores]))
    assert "`u0` and `u12` have the same scores (and 11 pairs more)" in twice["verdict"]
    groups = np.repeat(np.arange(8), 4)
    alike = generator.standard_normal((8, 3))[groups] + 0.5 * generator.standard_normal((32, 3))
    given = columns(alike)
    names = {f"u{i}": f"lang{'abcdefgh'[g]}-{500 * (i % 4 + 1)}" for i, g in enumerate(groups)}
    given["unit"] = [names[unit] for unit in given["unit"]]
    assert "intra-class correlation" in score(given, read_options())["verdict"]
    given["cluster"] = [unit.partition("-")[0] for unit in given["unit"]]
    assert score(given, read_options())["warnings"] == []
    assert result(scores)["warnings"] == []


@pytest.mark.parametrize(("n_systems", "noise"), [(2, 0.001), (3, 0.003), (5, 0.01)])
def test_units_given_nearly_twice_are_noticed(n_systems, noise):
    generator = np.random.default_rng(11)
    scores = 70 + 3 * generator.standard_normal((6, 1)) + generator.standard_normal((6, n_systems))
    near = np.repeat(scores, 3, axis=0) + noise * generator.standard_normal((18, n_systems))
    said = "`u0` and `u1` have nearly the same scores (and 17 pairs more)"
    assert said in result(near)["verdict"]
    assert said in result(near / 100)["verdict"]
    assert result(scores)["warnings"] == []
    assert result(near, cluster=[f"c{i // 3}" for i in range(18)])["warnings"] == []


def test_independent_units_are_seldom_taken_for_near_twins():
    found = []
    for seed in range(200):
        generator = np.random.default_rng(seed)
        shape = (generator.choice([6, 12, 30]), generator.choice([2, 3, 8]))
        scores = generator.standard_t(3, shape) + 2 * generator.standard_normal((shape[0], 1))
        found.append(bool(near_twins(np.round(scores, int(generator.choice([0, 1, 9]))))))
    assert np.mean(found) <= 0.01


def test_a_system_that_fails_is_named_with_its_coverage():
    scores = np.random.default_rng(6).standard_normal((20, 3))
    scores[[3, 8], 1] -= 15
    scores[:5, 2] = np.nan
    found = result(scores)
    assert [row["n_failures"] for row in found["by_system"]] == [0, 2, 0]
    assert [row["coverage"] for row in found["by_system"]] == [1, 1, 0.75]
    assert "`s2` has 15 of 20 units." in found["verdict"]
    assert "`s1` fails on 2 of 20 units, far below its own level" in found["verdict"]


def test_noise_of_two_systems_is_that_of_the_paired_t():
    scores = np.random.default_rng(7).standard_normal((9, 2))
    found = evidence_of(scores, None)
    apart = (scores[:, 0] - scores[:, 1]) / math.sqrt(2)
    assert found.estimates == pytest.approx([apart.mean()])
    assert found.covariance == pytest.approx(np.array([[apart.var(ddof=1) / 9]]))
    assert found.degrees == 8


def test_noise_is_shrunken_as_a_left_out_unit_asks():
    """The closed form against leaving each unit out."""
    apart = np.random.default_rng(8).standard_normal((7, 3)) * [1, 1, 4]
    apart -= apart.mean(axis=0)
    n, common = len(apart), float((apart**2).sum()) / 6 / 3
    grid = np.geomspace(1e-5, 0.25, 24)

    def likelihood(share: float) -> float:
        total = 0.0
        for left, unit in enumerate(apart):
            others = np.delete(apart, left, axis=0)
            noise = share * common * np.eye(3) + (1 - share) * np.cov(others.T)
            off = unit - others.mean(axis=0)
            inverse = np.linalg.inv(noise)
            total -= np.linalg.slogdet(noise)[1] + off @ inverse @ off * (n - 1) / n
        return total

    # likely by 2 log-likelihoods, and as heavy as they are large, for a grid of equal steps in logs
    weights = grid * np.exp([likelihood(share) / 2 for share in grid])
    assert shrinkage_of_noise(apart) == pytest.approx(weights @ grid / weights.sum())


SCORES = np.random.default_rng(0).standard_normal((12, 4)) + 0.5 * np.arange(4)
MODEL = read_options(missing="model")


def holes(seed: int = 1, share: float = 0.2) -> np.ndarray:
    scores = SCORES.copy()
    scores[np.random.default_rng(seed).random(scores.shape) < share] = np.nan
    return scores


def test_complete_tables_are_scored_as_without_the_model():
    found, usual = score(columns(SCORES), MODEL), score(columns(SCORES), read_options())
    for name in ("verdict", "certainty", "by_system", "by_component", "n_units_partial"):
        assert str(found[name]) == str(usual[name])


def test_a_lone_hole_changes_little_of_what_the_units_say():
    generator = np.random.default_rng(5)
    scores = generator.standard_normal((60, 4)) * [0.5, 1, 2, 1] + 0.3 * np.arange(4)
    holed = scores.copy()
    holed[0, 1] = np.nan
    whole, partial = evidence_of(scores, None), evidence_of(holed, None)
    assert partial.estimates == pytest.approx(whole.estimates, abs=0.05)
    assert partial.covariance == pytest.approx(whole.covariance, abs=0.01)
    assert partial.degrees == pytest.approx(whole.degrees, rel=0.2)
    chances = [posterior_of(s, None, 0).p_best for s in (scores, holed)]
    assert chances[0] == pytest.approx(chances[1], abs=0.05)


def test_pairs_are_compared_by_the_units_of_both():
    scores = holes()
    for row in score(columns(scores), MODEL)["by_pair"]:
        pair = scores[:, [int(row["system"][1]), int(row["other"][1])]]
        pair = pair[~np.isnan(pair).any(axis=1)]
        assert row["p"] == pytest.approx(stats.ttest_rel(*pair.T).pvalue)
        assert row["difference"] == pytest.approx(np.diff(pair[:, ::-1]).mean())


def test_agreement_is_of_the_units_that_all_systems_scored():
    scores = holes()
    whole = scores[~np.isnan(scores).any(axis=1)]
    found, of_whole = score(columns(scores), MODEL), score(columns(whole), read_options())
    assert found["winner_agreement"] == of_whole["winner_agreement"]
    assert found["n_units"] == len(whole)
    assert found["n_units_partial"] == 12 - len(whole)
    assert found["n_left_out"] == 0
    assert sum(row["p_best_on_average"] for row in found["by_system"]) == pytest.approx(1)


def test_without_a_unit_of_all_systems_agreement_is_undefined_and_the_winner_is_not():
    scores = SCORES.copy()
    scores[np.arange(12), np.arange(12) % 4] = np.nan
    found = score(columns(scores), MODEL)
    assert found["best_on_average"] == "s3"
    assert found["certainty"] > 0.5
    for name in ("winner_agreement", "expected_regret", "n_units_to_settle", "best_holds"):
        assert math.isnan(found[name])
    assert "0 unit(s) that all systems scored" in found["winner_agreement_interval"]
    assert found["by_null"] == []
    assert "Two units" not in found["verdict"]
    assert found["verdict"].startswith("`s3` is probably the best, but 12 units")


def test_systems_that_share_no_unit_are_refused():
    scores = np.full((6, 4), np.nan)
    scores[:3, :2], scores[3:, 2:] = SCORES[:3, :2], SCORES[3:6, 2:]
    with pytest.raises(ValueError, match="two groups of systems that share none"):
        score(columns(scores), MODEL)


def test_repeats_need_no_pairs():
    system, unit, run = (axis.ravel() for axis in np.indices((3, 6, 4)))
    kept = run < 2 + system  # 2, 3 and 4 runs
    values = np.random.default_rng(2).standard_normal(len(kept)) + 3 * system
    rows = {"system": system[kept].astype(str).tolist(), "unit": unit[kept].tolist()}
    found = score({**rows, "score": values[kept]}, MODEL)
    assert found["winner"] == "2"
    means = [values[kept & (system == s) & (unit == 0)].mean() for s in range(3)]
    assert [row["first"] for row in found["by_system"]] == pytest.approx(means)
    of = {row["component"]: row["variance"] for row in found["by_component"]}
    assert math.isnan(of["repeat"])  # no repeat has two systems
    assert of["system_by_repeat"] == pytest.approx(1, abs=0.5)
    with pytest.raises(ValueError, match="got 2 scores; expected one"):
        score({**rows, "score": values[kept]}, read_options())


def test_long_units_are_thinned_for_the_fit_and_keep_two_repeats_of_each_system():
    system, unit, run = (axis.ravel() for axis in np.indices((4, 3, 60)))
    kept = np.random.default_rng(3).random(len(run)) < 0.8
    names = {"system": system[kept].tolist(), "unit": unit[kept].tolist()}
    table = read_table({**names, "repeat": run[kept].tolist(), "score": run[kept]}, MODEL)
    found = thinned(table.cells)
    assert np.bincount(found.unit).tolist() == [60, 60, 60]
    assert np.bincount(found.system).tolist() == [45] * 4
    unit = np.arange(1500)
    many = Cells(unit % 2, unit, np.zeros(1500, int), unit / 1.0)
    assert thinned(many).unit.tolist() == list(range(400))


def test_adjusted_means_are_those_of_all_units():
    scores = holes()
    scores[5:, 0] = np.nan  # the units that it has are not the average ones
    scores += 10 * np.arange(12)[:, None]
    found = score(columns(scores), MODEL)
    unit, system = np.nonzero(~np.isnan(scores))
    design = np.concatenate([np.eye(4)[system], np.eye(12)[unit]], axis=1)
    solved = np.linalg.lstsq(design, scores[unit, system])[0]
    adjusted = [row["mean_adjusted"] for row in found["by_system"]]
    assert adjusted == pytest.approx(solved[:4] + solved[4:].mean())
    assert found["by_system"][0]["mean"] < adjusted[0] - 20
