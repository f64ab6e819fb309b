"""Pairs of systems and sets of ranks: by hand, and scipy as an independent oracle."""

import math

import numpy as np
import pytest
from scipy import stats

from metrics._shared.columns import FloatArray
from metrics.ranking_generalizability.agreement import Comparison, RankSets, comparisons, rank_sets
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import joint_posterior, score

SCORES = np.random.default_rng(4).standard_normal((12, 3)) + np.array([1.5, 0.0, -0.2])


def pairs_of(scores: FloatArray, rope: float = 0.0, confidence: float = 0.95) -> list[Comparison]:
    return comparisons(scores, None, joint_posterior(scores, None, 0), rope, confidence)


def ranks_of(scores: FloatArray) -> RankSets:
    return rank_sets(pairs_of(scores), scores.mean(axis=0))


def test_pairs_equal_scipys_paired_t_test():
    found = pairs_of(SCORES, confidence=0.9)
    assert [(pair.first, pair.second) for pair in found] == [(0, 1), (0, 2), (1, 2)]
    for pair in found:
        oracle = stats.ttest_rel(SCORES[:, pair.first], SCORES[:, pair.second])
        assert pair.p == pytest.approx(oracle.pvalue, rel=1e-9)
        low, high = oracle.confidence_interval(0.9)
        assert pair.difference.interval[:2] == pytest.approx((low, high))
        assert pair.p_better + pair.p_worse == pytest.approx(1)
        # the prior draws the probability towards one half, and never past it
        flat = 1 - oracle.pvalue / 2 if oracle.statistic > 0 else oracle.pvalue / 2
        assert min(flat, 0.5) - 0.03 <= pair.p_better <= max(flat, 0.5) + 0.03
    ps = sorted(pair.p for pair in found)
    assert sorted(pair.p_holm for pair in found)[0] == pytest.approx(3 * ps[0])


def test_region_of_practical_equivalence_counts_the_draws():
    (pair,) = pairs_of(scores := np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]), rope=1.0)
    apart = np.diff(joint_posterior(scores, None, 0).means[:, ::-1])
    assert pair.p_better == pytest.approx((apart > 1).mean())
    assert pair.p_worse == pytest.approx((apart < -1).mean())
    assert pair.p_better + pair.p_equivalent + pair.p_worse == pytest.approx(1)
    assert pair.wins.value == 1
    assert pair.wins.interval.low == pytest.approx(0.025 ** (1 / 3))  # Clopper-Pearson of 3 in 3
    assert pair.difference.interval.note == (
        "Student's t over 3 units, few for scores that are not normal"
    )


def test_differences_without_spread_have_no_interval():
    (pair,) = pairs_of(np.array([[1.0, 0.0]] * 4))
    assert math.isnan(pair.p)
    assert math.isnan(pair.p_holm)
    assert math.isnan(pair.difference.interval.low)
    assert pair.p_better == 1
    (tied,) = pairs_of(np.ones((4, 2)))
    assert (tied.p_better, tied.p_worse, tied.wins.value) == (0.5, 0.5, 0.5)


def test_two_units_compare_nothing():
    (pair,) = pairs_of(np.array([[1.0, 0.0], [3.0, 0.0]]))
    assert math.isnan(pair.p)
    assert math.isnan(pair.p_better)
    ranks = ranks_of(np.array([[1.0, 0.0], [3.0, 0.0]]))
    assert (ranks.low.tolist(), ranks.high.tolist()) == ([1, 1], [2, 2])
    assert ranks.note == "undefined: fewer than three units"


def test_rank_sets_of_two_systems_are_those_of_the_t_test():
    for gap in (0.4, 0.8, 1.2):
        scores = np.random.default_rng(6).standard_normal((10, 2)) + np.array([gap, 0.0])
        p = stats.ttest_rel(scores[:, 0], scores[:, 1]).pvalue
        ranks = ranks_of(scores)
        if not 0.01 < p < 0.07:  # the prior asks for a little more than the test
            assert ranks.high[0] == (1 if p < 0.05 else 2)
            assert ranks.low[1] == (2 if p < 0.05 else 1)


def test_rank_sets_hold_the_rank_and_widen_for_ties():
    means = np.array([5.0, 0.0, 0.05, -5.0])
    scores = np.random.default_rng(7).standard_normal((40, 4)) + means
    ranks = ranks_of(scores)
    assert ranks.rank[[0, 3]].tolist() == ranks.low[[0, 3]].tolist() == [1, 4]
    assert ranks.high[[0, 3]].tolist() == [1, 4]
    assert (ranks.low[[1, 2]].tolist(), ranks.high[[1, 2]].tolist()) == ([2, 2], [3, 3])
    tied = ranks_of(np.ones((5, 3)))
    assert (tied.rank.tolist(), tied.high.tolist()) == ([1, 1, 1], [3, 3, 3])


def test_rank_set_covers_the_true_rank():
    generator, hits, n = np.random.default_rng(8), 0, 150
    for _ in range(n):
        scores = generator.standard_normal((15, 5)) + 0.3 * np.arange(5)[::-1]
        ranks = ranks_of(scores)
        hits += int(((ranks.low <= np.arange(1, 6)) & (np.arange(1, 6) <= ranks.high)).sum())
    assert hits / (5 * n) >= 0.95


def test_result_rows_are_in_the_direction_of_the_scores():
    unit, system = (axis.ravel().tolist() for axis in np.indices(SCORES.shape))
    inputs = {"system": [f"s{i}" for i in system], "unit": unit, "score": SCORES.ravel()}
    higher = score(inputs, read_options(rope=0.1))
    lower = score(
        inputs | {"score": -SCORES.ravel()}, read_options(rope=0.1, higher_is_better=False)
    )
    for up, down in zip(higher["by_pair"], lower["by_pair"], strict=True):
        assert down["difference"] == -up["difference"]
        assert down["difference_low"] == -up["difference_high"]
        assert [down[n] for n in ("p", "p_better", "p_equivalent", "wins")] == [
            up[n] for n in ("p", "p_better", "p_equivalent", "wins")
        ]
    assert [row["rank"] for row in higher["by_system"]] == [r["rank"] for r in lower["by_system"]]
    assert higher["winner"] == higher["best_on_average"] == "s0"
    assert [row["mean_adjusted"] for row in higher["by_system"]] == pytest.approx(
        SCORES.mean(axis=0).tolist()
    )
