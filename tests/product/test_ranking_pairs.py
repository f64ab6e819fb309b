"""Pairs, sets of ranks, regret and certainty: by hand, at ties, and scipy as an oracle."""

import math
import statistics

import numpy as np
import pytest
from scipy import integrate, stats

from metrics._shared.columns import FloatArray
from metrics.ranking_generalizability.agreement import (
    Comparison,
    RankSets,
    Regret,
    comparisons,
    cross_fitted_regret,
    expected_regret,
    flat_draws,
    plug_in_regret,
    rank_sets,
)
from metrics.ranking_generalizability.components import (
    LARGEST_RATIO,
    N_RATIOS,
    SMALLEST_RATIO,
    posterior_of,
)
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


def test_rank_sets_hold_the_rank_and_widen_for_ties():
    means = np.array([5.0, 0.0, 0.05, -5.0])
    scores = np.random.default_rng(7).standard_normal((40, 4)) + means
    ranks = ranks_of(scores)
    assert ranks.rank[[0, 3]].tolist() == ranks.low[[0, 3]].tolist() == [1, 4]
    assert ranks.high[[0, 3]].tolist() == [1, 4]
    assert (ranks.low[[1, 2]].tolist(), ranks.high[[1, 2]].tolist()) == ([2, 2], [3, 3])
    tied = ranks_of(np.ones((5, 3)))
    assert (tied.rank.tolist(), tied.high.tolist()) == ([1, 1, 1], [3, 3, 3])


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
    for name in ("best_holds", "expected_regret"):
        assert lower[name] == higher[name]
    for up, down in zip(higher["by_system"], lower["by_system"], strict=True):
        assert down["mean"] == -up["mean"]
        assert (down["rank"], down["p_best"]) == (up["rank"], up["p_best"])
    assert higher["winner"] == higher["best_on_average"] == "s0"
    assert [row["mean_adjusted"] for row in higher["by_system"]] == pytest.approx(
        SCORES.mean(axis=0).tolist()
    )


def regret_of(scores: FloatArray) -> Regret:
    return expected_regret(scores, joint_posterior(scores, None, 0).shrinkage, 0.95, seed=0)


def test_plug_in_regret_by_hand():
    # unit 0 is won by b; in the others a has 5, 5, 5 and b 3, 4, 2: trusting it costs 2; the other
    # units name a, the best of the rest
    scores = np.array([[1.0, 2.0], [5.0, 3.0], [5.0, 4.0], [5.0, 2.0]])
    assert plug_in_regret(scores, np.arange(4)) == pytest.approx((5 - 3) / 4)
    scores = np.array([[2.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    assert plug_in_regret(scores, np.arange(3)) == 0


def test_cross_fitted_regret_by_hand():
    # two units: each half is one unit. a wins unit 0 and has 0 in unit 1; b the other way round.
    # best of one half in the other: 0 both times; a unit's winner in the other unit: 0
    assert cross_fitted_regret(np.array([[1.0, 0.0], [0.0, 1.0]]), 0, np.arange(2)) == 0
    # c is never chosen by a unit, but is the best mean: chosen by neither half, so nothing is lost
    scores = np.array([[3.0, 0.0, 2.0], [0.0, 3.0, 2.0]])
    assert plug_in_regret(scores, np.arange(2)) == pytest.approx(3 - 0)  # judged by one other unit
    assert cross_fitted_regret(scores, 0, np.arange(2)) == pytest.approx(0)


def draw_pair(generator: np.random.Generator, gap: float, n_units: int) -> FloatArray:
    return np.array([gap, 0.0]) + generator.standard_normal((n_units, 2))


@pytest.mark.parametrize(("n_units", "allowed"), [(5, 0.14), (50, 0.04)])
@pytest.mark.parametrize("gap", [0.0, 0.5])
def test_winners_curse_is_tamed(n_units, allowed, gap):
    generator = np.random.default_rng(3)
    truth = gap * stats.norm.cdf(-gap / math.sqrt(2))
    found = [regret_of(draw_pair(generator, gap, n_units)) for _ in range(120)]
    values = [f.value for f in found]
    noise = 2.5 * statistics.stdev(values) / math.sqrt(len(values))
    assert abs(statistics.mean(values) - truth) <= 0.1 * truth + allowed + noise
    assert np.mean([f.interval.low <= truth <= f.interval.high for f in found]) >= 0.93
    if gap == 0:  # 1.0 gave the plug-in value: more than half as much again
        assert statistics.mean(values) < 0.6 * statistics.mean(f.plug_in for f in found)


def test_regret_of_a_clear_winner_has_an_upper_bound():
    # ten units all name a, ten points ahead with a noise of one: another unit might not
    scores = np.array([10.0, 0.0]) + np.random.default_rng(1).standard_normal((10, 2))
    found = regret_of(scores)
    assert found.value == 0
    assert found.interval.low == 0
    # at most 1 - .7225 of all units name b (Wilson of 10 in 10), and lose some ten points each
    assert 0.2775 * 9 < found.interval.high < 0.2775 * 12.5
    assert found.interval.note == "Wilson over 10 units that all name one system"


def test_two_units_do_not_judge_each_other():
    found = regret_of(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert math.isnan(found.value)
    assert found.interval.note == "undefined: fewer than three units"
    assert np.isnan(joint_posterior(np.array([[1.0, 2.0], [2.0, 1.0]]), None, 0).p_best).all()


def test_posterior_of_the_ratio_equals_numerical_integration():
    # two systems: the difference d of the means is normal about 0 with variance 2 s^2 (r^2 + 1/U);
    # the squares within have U - 1 degrees of freedom; 1/s^2 is integrated out numerically
    scores = np.array([[0.6, 0.0], [0.9, 0.1], [0.2, 0.3], [1.4, 0.2]])
    differences = scores[:, 0] - scores[:, 1]
    n, d = len(scores), differences.mean()
    squares = ((differences - d) ** 2).sum()

    def likelihood(r: float) -> float:
        def integrand(log_s: float) -> float:
            s = math.exp(log_s)
            between = stats.norm.pdf(d, 0, s * math.sqrt(2 * (r * r + 1 / n)))
            within = s ** -(n - 1) * math.exp(-squares / (4 * s * s))
            return float(between * within)

        return float(integrate.quad(integrand, -6, 4)[0])

    ratios = np.geomspace(SMALLEST_RATIO, LARGEST_RATIO, N_RATIOS)
    weights = np.array([likelihood(r) for r in ratios])
    expected = float(weights @ (1 - 1 / (1 + n * ratios**2)) / weights.sum())
    found = posterior_of(scores, None, seed=0)
    assert found.shrinkage == pytest.approx(expected, rel=1e-4)
    drawn = found.means[:, 0] - found.means[:, 1]
    assert drawn.mean() == pytest.approx(expected * d, abs=0.03)


def test_flat_posterior_is_students_t():
    scores = np.random.default_rng(2).standard_normal((7, 2)) + np.array([0.4, 0.0])
    differences = scores[:, 0] - scores[:, 1]
    drawn = flat_draws(scores, np.arange(len(scores)), 0, 5000)[0]
    error = differences.std(ddof=1) / math.sqrt(7)
    expected = differences.mean() + stats.t.ppf([0.05, 0.5, 0.95], 6) * error
    assert np.quantile(drawn[:, 0] - drawn[:, 1], [0.05, 0.5, 0.95]) == pytest.approx(
        expected, abs=0.05
    )


@pytest.mark.slow
def test_certainty_is_calibrated_over_its_prior():
    generator, certain, is_right = np.random.default_rng(18), [], []
    for _ in range(800):
        ratio = SMALLEST_RATIO * (LARGEST_RATIO / SMALLEST_RATIO) ** generator.random()
        means = ratio * generator.standard_normal(4)
        scores = means + generator.standard_normal((6, 4))
        best = int(scores.mean(axis=0).argmax())
        certain.append(float(joint_posterior(scores, None, 0).p_best[best]))
        is_right.append(float(best == means.argmax()))
    assert statistics.mean(certain) == pytest.approx(statistics.mean(is_right), abs=0.03)
    sure = [right for c, right in zip(certain, is_right, strict=True) if c > 0.8]
    said = [c for c in certain if c > 0.8]
    # each system's noise is taken as its own, which is cautious where all have the same
    assert statistics.mean(sure) - 0.06 <= statistics.mean(said) <= statistics.mean(sure) + 0.01


def test_equal_scores_everywhere_are_undecided():
    assert joint_posterior(np.ones((6, 3)), None, 0).p_best == pytest.approx([1 / 3] * 3)
    assert joint_posterior(np.tile([1.0, 2.0], (6, 1)), None, 0).p_best[1] > 0.99
