"""Intervals over clusters and seeds: against the t intervals that they come down to."""

import math

import numpy as np
import pytest

from metrics._shared.uncertainty import student_probability, student_quantile
from research.studies.seed_intervals import CrossedMean, crossed_estimate

NOISE = 0.04  # of an error from 4,000 resamples, relatively: three of its standard errors


def mean_of(table: np.ndarray):
    """The mean over clusters, seed by seed, of a table of shape (clusters, seeds)."""
    return lambda w: (w @ table) / w.sum(axis=1, keepdims=True)


def reach_of(found: CrossedMean) -> float:
    assert found.high - found.value == pytest.approx(found.value - found.low)
    return found.high - found.value


def test_seeds_that_differ_alike_in_all_clusters_give_the_t_interval_of_seeds():
    found = crossed_estimate(mean_of(np.tile([1.0, 2.0, 3.0], (19, 1))), 19)
    error, quantile = 1 / math.sqrt(3), student_quantile(0.975, 2)  # 4.30
    assert found.value == pytest.approx(2.0)
    assert reach_of(found) == pytest.approx(quantile * error, rel=NOISE)
    assert found.is_open
    assert found.p == pytest.approx(2 * (1 - student_probability(2 / error, 2)), rel=0.1)
    power = student_quantile(0.8, 2)
    assert found.detectable == pytest.approx((quantile + power) * error, rel=NOISE)


def test_clusters_that_differ_alike_in_all_seeds_give_the_t_interval_of_clusters():
    values = np.arange(19.0)
    found = crossed_estimate(mean_of(np.tile(values[:, None], (1, 4))), 19)
    expected = student_quantile(0.975, 18) * values.std(ddof=1) / math.sqrt(19)
    assert found.value == pytest.approx(9.0)
    assert reach_of(found) == pytest.approx(expected, rel=NOISE)
    assert not found.is_open
    assert found.p < 1e-4


def test_the_same_seed_gives_the_same_interval():
    measure = mean_of(np.random.default_rng(0).normal(size=(19, 3)))
    assert crossed_estimate(measure, 19, 5) == crossed_estimate(measure, 19, 5)
    assert crossed_estimate(measure, 19, 5) != crossed_estimate(measure, 19, 6)


@pytest.mark.parametrize(
    ("table", "note"),
    [
        (np.ones((19, 1)), "1 seeds, 19 clusters"),
        (np.ones((1, 3)), "3 seeds, 1 clusters"),
        (np.ones((19, 3)), "all resamples are equal"),
        (np.full((19, 3), math.nan), "a seed has no value"),
    ],
)
def test_what_has_no_interval_says_why(table, note):
    found = crossed_estimate(mean_of(table), len(table))
    assert found.note == note
    assert math.isnan(found.low)
    assert found.is_open


def test_a_score_that_few_resamples_have_has_no_interval():
    """Defined only where the first of 19 clusters is drawn, in about six of ten resamples."""
    found = crossed_estimate(lambda w: np.where(w[:, :1] > 0, w[:, :3], math.nan), 19)
    assert found.value == 1.0
    assert found.note.endswith("% of the resamples are undefined")


@pytest.mark.slow
@pytest.mark.parametrize("n", [3, 5])
@pytest.mark.parametrize("spreads", [(1, 0, 1), (0, 0.3, 1), (1, 0.3, 1), (0.3, 0.3, 0.3)])
def test_intervals_hold_the_truth_at_least_as_often_as_they_say(n, spreads, monkeypatch):
    """Worlds of clusters, seeds and both together; wide rather than narrow (2,400 simulations)."""
    monkeypatch.setattr("research.studies.seed_intervals.N_RESAMPLES", 500)
    generator = np.random.default_rng(n)
    clusters, seeds, both = spreads
    hits = 0
    for k in range(2400):
        table = clusters * generator.normal(size=(19, 1)) + seeds * generator.normal(size=(1, n))
        found = crossed_estimate(mean_of(table + both * generator.normal(size=(19, n))), 19, k)
        hits += found.low <= 0 <= found.high
    assert 0.94 <= hits / 2400 <= 1
