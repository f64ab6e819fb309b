"""P values: hand-computed cases, and scipy as an independent oracle."""

import math

import numpy as np
import pytest
from scipy import stats

from metrics._shared.uncertainty import holm, mcnemar_test, sign_flip_test
from tests.support.cases import cases

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
