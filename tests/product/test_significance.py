"""P values: hand-computed cases, and scipy as an independent oracle."""

import math

import numpy as np
import pytest
from scipy import stats

from metrics._shared.uncertainty import holm, mcnemar_test, sign_flip_test

# --- McNemar


@pytest.mark.parametrize(
    ("first_only", "second_only", "p"),
    [
        (0, 0, 1.0),  # no discordant pair
        (3, 3, 1.0),  # as even as can be; the doubled tail is cut at 1
        (0, 5, 2 / 32),  # 2 * (1/2)^5
        (1, 5, 2 * 7 / 64),  # 2 * (1 + 6) / 2^6
        (2, 8, 2 * 56 / 1024),  # 2 * (1 + 10 + 45) / 2^10
    ],
)
def test_mcnemar_golden(first_only, second_only, p):
    assert mcnemar_test(first_only, second_only) == pytest.approx(p)
    assert mcnemar_test(second_only, first_only) == pytest.approx(p)


def test_mcnemar_equals_scipys_binomial_test():
    for first_only in range(0, 30, 3):
        for second_only in [0, 1, 2, 10, 29, 400]:
            if first_only + second_only:
                oracle = stats.binomtest(first_only, first_only + second_only, 0.5).pvalue
                assert mcnemar_test(first_only, second_only) == pytest.approx(oracle, rel=1e-9)


def test_mcnemar_of_many_pairs_does_not_overflow():
    assert mcnemar_test(4800, 5200) == pytest.approx(
        stats.binomtest(4800, 10_000, 0.5).pvalue, rel=1e-6
    )


# --- sign flips


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([1.0], 1.0),  # either sign is as far from zero
        ([1.0, 2.0, 3.0], 2 / 8),  # only all + and all - reach 6
        ([1.0, 1.0, 1.0, 1.0], 2 / 16),
        ([1.0, 1.0, 1.0, -1.0], 10 / 16),  # |sum| >= 2: all but the six patterns that sum to 0
        ([0.0, 0.0, 1.0], 1.0),  # zeros say nothing
        ([0.0, 0.0], 1.0),
        ([0.1, 0.2, 0.3], 2 / 8),  # rounding of 0.1 + 0.2 changes nothing
    ],
)
def test_sign_flip_golden(differences, p):
    assert sign_flip_test(differences) == pytest.approx(p)


def test_sign_flip_of_nothing_is_nan():
    assert math.isnan(sign_flip_test([]))


def test_sign_flip_exact_equals_scipys_enumeration():
    differences = np.random.default_rng(1).normal(0.4, 1, 11)
    oracle = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip_test(differences) == pytest.approx(oracle.pvalue)


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
    differences = np.full(40, 1.0)
    assert (
        sign_flip_test(differences, 1000, seed=3)
        == sign_flip_test(differences, 1000, seed=3)
        == 1 / 1001
    )


# --- Holm


@pytest.mark.parametrize(
    ("given", "adjusted"),
    [
        ([], []),
        ([0.2], [0.2]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),  # 3 x .01, 2 x .03, and .04 not below it
        ([0.5, 0.9], [1.0, 1.0]),  # cut at 1
        ([0.02, math.nan, 0.01], [0.02, math.nan, 0.02]),  # an untested claim costs nothing
        ([0.01, 0.01], [0.02, 0.02]),
    ],
)
def test_holm_by_hand(given, adjusted):
    assert holm(given) == pytest.approx(adjusted, nan_ok=True)


def test_holm_equals_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    values = np.random.default_rng(1).random(20) ** 3
    oracle = multitest.multipletests(values, method="holm")[1]
    assert holm(values.tolist()) == pytest.approx(oracle)
