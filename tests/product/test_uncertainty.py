"""Intervals and p values: hand-computed cases, scipy as an independent oracle, simulated coverage.
Where the data cannot say there is no interval."""

import functools
import itertools
import math
import re

import numpy as np
import pytest
from scipy import stats

from metrics._shared import uncertainty
from metrics._shared.uncertainty import (
    beta_quantile,
    cluster_error,
    cluster_interval,
    cluster_intervals,
    cluster_ratio_interval,
    holm,
    mcnemar_test,
    sign_flip_test,
    wilson_interval,
)
from tests.support.cases import cases


def mean_of(values):
    return lambda weights: weights @ values / weights.sum(axis=1)


# --- Wilson
@pytest.mark.parametrize(*cases("uncertainty/wilson_interval_golden"))
def test_wilson_interval_golden(n_successes, n, low, high):
    interval = wilson_interval(n_successes, n)
    assert interval[:2] == pytest.approx((low, high), abs=1e-6)
    assert interval.note == f"Wilson over {n} clusters"


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize(("k", "n"), [(0, 3), (1, 3), (7, 39), (25, 39), (38, 39), (39, 39)])
def test_wilson_interval_equals_scipy(k, n, confidence):
    oracle = stats.binomtest(k, n).proportion_ci(confidence_level=confidence, method="wilson")
    ends = pytest.approx((oracle.low, oracle.high), abs=1e-12)
    assert wilson_interval(k, n, confidence)[:2] == ends


def test_wilson_interval_takes_fractional_successes():
    assert wilson_interval(9.5, 20).low < wilson_interval(9.6, 20).low


MEAN_OF_3 = mean_of(np.arange(3.0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson_interval(4, 3), "wilson_interval: n_successes, got 4; expected a number"),
        (lambda: wilson_interval(-1, 3), "wilson_interval: n_successes, got -1"),
        (lambda: wilson_interval(1, 3, 95), "confidence, got 95; expected a level in (0, 1), such"),
        (lambda: cluster_interval(MEAN_OF_3, 3, confidence=1), "confidence, got 1"),
        (
            lambda: cluster_interval(MEAN_OF_3, 3, n_resamples=10),
            "n_resamples, got 10; expected at",
        ),
        (lambda: cluster_ratio_interval([1, 2], [1, 1], confidence=0), "confidence, got 0"),
    ],
)
def test_uncertainty_rejects_bad_options(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        call()


# --- cluster bootstrap
def test_cluster_interval_is_scipys_bca_expanded_for_few_clusters():
    values = np.random.default_rng(4).exponential(size=40)  # skewed, so that the corrections matter
    level = 2 * stats.norm.cdf(math.sqrt(40 / 39) * stats.t.ppf(0.975, 39)) - 1  # Hesterberg (2015)
    bca = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=0, confidence_level=level
    ).confidence_interval
    interval = cluster_interval(mean_of(values), 40, n_resamples=20_000)
    assert interval[:2] == pytest.approx((bca.low, bca.high), abs=0.02 * (bca.high - bca.low))
    assert interval.note == "BCa bootstrap over 40 clusters"


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
def test_a_tie_of_bca_is_a_tie_whatever_rounding_makes_of_it(size):
    share = mean_of(size * np.array([0.0] * 6 + [1.0] * 4))  # a quarter of the resamples tie
    generator = np.random.default_rng(3)

    def rounded(weights):
        return share(weights) + 1e-15 * max(1.0, size) * generator.choice([-1, 1], len(weights))

    ends = cluster_interval(share, 10)[:2]
    assert cluster_interval(rounded, 10)[:2] == pytest.approx(ends, rel=1e-9)
    one_sided = cluster_interval(lambda w: share(w) + 1e-15 * size * (len(w) > 1), 10)[:2]
    assert one_sided == pytest.approx(ends, rel=1e-9)


# --- ratios
def test_cluster_ratio_interval_agrees_with_a_textbook_bootstrap_t():
    values = np.random.default_rng(5).exponential(size=30)
    samples = values[np.random.default_rng(6).integers(0, 30, (20_000, 30))]
    t = (samples.mean(axis=1) - values.mean()) / (samples.std(axis=1, ddof=1) / math.sqrt(30))
    error = values.std(ddof=1) / math.sqrt(30)
    low, high = values.mean() - np.quantile(t, [0.975, 0.025]) * error
    interval = cluster_ratio_interval(values, np.ones(30), n_resamples=20_000)
    assert interval[:2] == pytest.approx((low, high), abs=0.03 * (high - low))
    assert interval.note == "studentised bootstrap over 30 clusters"


def test_cluster_intervals_give_each_statistic_what_it_gets_alone():
    values = np.random.default_rng(7).random((12, 3))
    together = cluster_intervals(
        lambda weights: weights @ values / weights.sum(axis=1, keepdims=True), 12, seed=5
    )
    for k, interval in enumerate(together):
        alone = cluster_interval(mean_of(values[:, k]), 12, seed=5)
        # one matrix product or three: the last bit may differ
        assert interval[:2] == pytest.approx(alone[:2], rel=1e-12)
        assert interval.note == alone.note
        assert alone != cluster_interval(mean_of(values[:, k]), 12, seed=6)


def test_cluster_intervals_do_not_depend_on_the_size_of_chunks(monkeypatch):
    values = np.random.default_rng(9).random(15)

    def both():
        return cluster_interval(mean_of(values), 15), cluster_ratio_interval(values, range(1, 16))

    whole = both()
    monkeypatch.setattr(uncertainty, "CHUNK_CELLS", 15 * 64)
    assert both() == whole


def test_a_resample_is_as_well_described_by_kinds_of_clusters(monkeypatch):
    top = np.random.default_rng(3).integers(0, 3, 40).astype(float)
    usual = cluster_ratio_interval(top, np.ones(40))
    monkeypatch.setattr(uncertainty, "CHUNK_CELLS", 1)  # as for many clusters
    monkeypatch.setattr(uncertainty, "CELLS_AT_ONCE", 100)
    asked = []
    monkeypatch.setattr(uncertainty, "_resample", lambda *given: asked.append(given))
    assert cluster_ratio_interval(top, np.ones(40))[:2] == pytest.approx(usual[:2], rel=1e-12)
    assert not asked
    assert uncertainty.kinds_of(top[:, None]).of_cluster.tolist() == top.tolist()
    assert uncertainty.kinds_of(np.arange(40.0)[:, None]) is None  # no two are alike


def undefined(weights):
    return np.full(len(weights), math.nan)


@pytest.mark.parametrize(
    ("interval", "reason"),
    [
        (lambda: wilson_interval(0, 0), "no clusters"),
        (lambda: cluster_interval(mean_of(np.array([0.4])), 1), "1 cluster(s)"),
        (lambda: cluster_interval(mean_of(np.full(9, 0.4)), 9), "all resamples are equal"),
        (lambda: cluster_interval(undefined, 9), "the score itself is undefined"),
        (lambda: cluster_ratio_interval([0.5], [1]), "1 cluster(s)"),
        (lambda: cluster_ratio_interval([], []), "0 cluster(s)"),
        (lambda: cluster_ratio_interval([1, 1, 1], [2, 2, 2]), "no spread between clusters"),
        (lambda: cluster_ratio_interval([0, 0, 0], [0, 0, 0]), "empty denominator"),
    ],
)
def test_what_has_no_interval_gives_nan_and_the_reason(interval, reason):
    result = interval()
    assert math.isnan(result.low)
    assert math.isnan(result.high)
    assert result.note == f"undefined: {reason}"


def test_cluster_interval_is_undefined_where_too_many_resamples_are():
    # a resample without the first cluster (8 in 27) has an empty denominator
    only_first = np.array([1.0, 0.0, 0.0])

    def statistic(weights):
        with np.errstate(divide="ignore", invalid="ignore"):
            return weights @ np.array([0.3, 1.0, 1.0]) / (weights @ only_first)

    interval = cluster_interval(statistic, 3)
    assert math.isnan(interval.low)
    assert interval.note.startswith("undefined: ")
    assert interval.note.endswith("of 2000 resamples are undefined")


# --- coverage
def coverage(draw, interval, truth, n_runs=300):
    generator = np.random.default_rng(11)
    hits = 0
    for _ in range(n_runs):
        low, high, _ = interval(draw(generator))
        hits += low <= truth <= high
    return hits / n_runs


# 300 runs at 95 %: the share itself has a standard error of 1.3 points
@pytest.mark.parametrize("n_clusters", [9, 39])
def test_coverage_of_bca_over_few_skewed_clusters(n_clusters):
    interval = functools.partial(cluster_interval, n_clusters=n_clusters, n_resamples=400)
    share = coverage(lambda g: g.beta(2, 5, n_clusters), lambda x: interval(mean_of(x)), 2 / 7)
    assert 0.92 <= share <= 0.98


def test_coverage_of_the_studentised_interval_of_a_skewed_ratio():
    def draw(generator):
        sizes = generator.geometric(0.05, 30).astype(float)
        return sizes * generator.beta(1, 4, 30), sizes

    share = coverage(draw, lambda x: cluster_ratio_interval(*x, n_resamples=400), 1 / 5)
    assert 0.91 <= share <= 0.98


def test_the_error_of_a_clustered_mean_is_that_of_a_regression_on_a_constant():
    statsmodels = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")
    generator = np.random.default_rng(0)
    clusters = generator.integers(0, 12, 90)
    values = generator.normal(clusters / 12, 1)
    options = {"cov_type": "cluster", "cov_kwds": {"groups": clusters}}
    expected = statsmodels.OLS(values, np.ones(90)).fit(**options).bse[0]
    for names in (clusters, [f"c{number}" for number in clusters]):
        assert cluster_error(values, names) == pytest.approx(expected)


def test_the_error_within_strata_leaves_out_what_differs_between_them():
    # two clusters of 1 and 3 in each stratum; the strata's means are 2 and 12
    values, clusters = [1, 3, 11, 13], ["a", "b", "c", "d"]
    assert cluster_error(values, clusters, [1, 1, 2, 2]) == pytest.approx(math.sqrt(8) / 4)
    assert cluster_error(values, clusters) > 2
    assert math.isnan(cluster_error(values, clusters, [1, 1, 2, 3]))
    assert math.isnan(cluster_error([1, 2], ["a", "a"]))


def test_beta_quantiles_equal_scipys():
    for probability, a, b in itertools.product(
        (1e-9, 0.001, 0.3, 0.999), (0.01, 0.3, 1, 90), (0.4, 1, 11, 50_000)
    ):
        expected = stats.beta.ppf(probability, a, b)
        assert beta_quantile(probability, a, b) == pytest.approx(expected, rel=1e-9)


# --- McNemar


@pytest.mark.parametrize(*cases("significance/mcnemar_golden"))
def test_mcnemar_golden(first_only, second_only, p):
    assert mcnemar_test(first_only, second_only) == pytest.approx(p)
    assert mcnemar_test(second_only, first_only) == pytest.approx(p)


def test_mcnemar_equals_scipys_binomial_test():
    for first_only in range(0, 30, 3):
        for second_only in [0, 1, 2, 10, 29, 400]:
            if first_only + second_only:
                oracle = stats.binomtest(first_only, first_only + second_only, 0.5).pvalue
                assert mcnemar_test(first_only, second_only) == pytest.approx(oracle, rel=1e-9)

    many = stats.binomtest(4800, 10_000, 0.5).pvalue  # does not overflow
    assert mcnemar_test(4800, 5200) == pytest.approx(many, rel=1e-6)


# --- sign flips
@pytest.mark.parametrize(*cases("significance/sign_flip_golden"))
def test_sign_flip_golden(differences, p):
    assert sign_flip_test(differences) == pytest.approx(p)


def test_sign_flip_exact_equals_scipys_enumeration():
    differences = np.random.default_rng(1).normal(0.4, 1, 11)
    options = {"permutation_type": "samples", "n_resamples": np.inf}
    oracle = stats.permutation_test((differences,), np.mean, **options)
    assert sign_flip_test(differences) == pytest.approx(oracle.pvalue)
    assert math.isnan(sign_flip_test([]))


def test_sign_flip_random_comes_close_to_the_exact_value():
    differences = np.random.default_rng(2).integers(-4, 7, 30)
    reached = {0: 1}  # number of sign patterns for each sum, by dynamic programming
    for d in differences.tolist():
        grown: dict[int, int] = {}
        for total, n in reached.items():
            for step in (d, -d):
                grown[total + step] = grown.get(total + step, 0) + n
        reached = grown
    exact = sum(n for total, n in reached.items() if abs(total) >= abs(differences.sum())) / 2**30
    assert 0.001 < exact < 0.5
    assert sign_flip_test(differences, n_flips=20_000) == pytest.approx(exact, abs=0.01)


def test_sign_flip_is_seeded_and_never_zero():
    first, again = (sign_flip_test(np.full(40, 1.0), 1000, seed=3) for _ in range(2))
    assert first == again == 1 / 1001


# --- Holm
@pytest.mark.parametrize(*cases("significance/holm_by_hand"))
def test_holm_by_hand(given, adjusted):
    assert holm(given) == pytest.approx(adjusted, nan_ok=True)


def test_holm_equals_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    values = np.random.default_rng(1).random(20) ** 3
    oracle = multitest.multipletests(values, method="holm")[1]
    assert holm(values.tolist()) == pytest.approx(oracle)
