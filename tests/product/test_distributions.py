"""Student's t and chi-square: golden values, and scipy as an independent oracle."""

import math

import pytest
from scipy import stats

from metrics._shared.uncertainty import chi_square_quantile, student_probability, student_quantile
from tests.support.cases import cases


@pytest.mark.parametrize(*cases("distributions/student_quantile_golden"))
def test_student_quantile_golden(degrees, quantile):
    assert student_quantile(0.975, degrees) == pytest.approx(quantile, abs=1e-9)
    assert student_quantile(0.025, degrees) == -student_quantile(0.975, degrees)


@pytest.mark.parametrize("degrees", [*range(1, 41), 99, 100, 1000, 10_001, 142_857])
def test_student_quantile_equals_scipy(degrees):
    for level in (0.01, 0.51, 0.9, 0.95, 0.975, 0.995, 0.9999):
        assert student_quantile(level, degrees) == pytest.approx(
            stats.t.ppf(level, degrees), rel=1e-9
        )


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 9, 49, 500, 2000, 2001, 5000, 100_000])
def test_student_probability_equals_scipy(degrees):
    for t in (-5.0, -2.0, -0.3, 0.0, 0.1, 1.0, 2.5, 4.0, 30.0):
        found = student_probability(t, degrees)
        assert found == pytest.approx(stats.t.cdf(t, degrees), abs=1e-8)
    assert student_probability(math.inf, degrees) == 1
    assert student_probability(-math.inf, degrees) == 0


@pytest.mark.parametrize("degrees", [0.7, 1, 2, 3.3, 9, 40, 150, 999])
def test_chi_square_quantile_equals_scipy(degrees):
    for level in (0.001, 0.025, 0.5, 0.975, 0.9999):
        oracle = stats.chi2.ppf(level, degrees)
        assert chi_square_quantile(level, degrees) == pytest.approx(oracle, rel=1e-9)


def test_chi_square_quantile_of_many_degrees_is_wilson_and_hilfertys():
    assert chi_square_quantile(0.975, 5000) == pytest.approx(stats.chi2.ppf(0.975, 5000), rel=1e-6)


@pytest.mark.parametrize(("level", "degrees"), [(0, 3), (1, 3), (0.9, 0), (0.9, -1), (95, 3)])
@pytest.mark.parametrize("quantile", [student_quantile, chi_square_quantile])
def test_what_is_no_level_or_number_is_refused(quantile, level, degrees):
    with pytest.raises(ValueError, match=f"got probability {level}, degrees {degrees}; expected"):
        quantile(level, degrees)


def test_degrees_of_student_are_whole():
    with pytest.raises(ValueError, match=r"got probability 0\.9, degrees 2\.5; expected"):
        student_quantile(0.9, 2.5)
