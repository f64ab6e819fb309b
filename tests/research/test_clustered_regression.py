"""Least squares and its errors against R's definition, scipy and the written-out formula."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import linalg, stats

from research.studies.morphseg.clustered_regression import ClusteredRows, fit_clustered


def parts_of(
    x: np.ndarray, y: np.ndarray, cluster: np.ndarray, ends: list[int]
) -> Iterator[ClusteredRows]:
    for a, b in zip([0, *ends], [*ends, len(y)], strict=True):
        yield ClusteredRows(x[a:b], y[a:b], cluster[a:b])


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(12), 5)
    feature = 1 + 0.01 * rng.normal(size=60)  # nearly constant, like a ratio of means
    x = np.column_stack([np.ones(60), feature, rng.normal(size=60)])
    return x, x @ [1, 20, 0.5] + rng.normal(size=12)[cluster] + rng.normal(size=60), cluster


def test_clustered_regression_plain_part_is_scipys(data):
    x, y, cluster = data
    fit = fit_clustered(["(Intercept)", "slope"], parts_of(x[:, :2], y, cluster, [20]))
    expected = stats.linregress(x[:, 1], y)
    slope, constant = fit.coefficients["slope"], fit.coefficients["(Intercept)"]
    found = (slope.value, slope.plain_error, slope.plain_p, constant.plain_error)
    theirs = (expected.slope, expected.stderr, expected.pvalue, expected.intercept_stderr)
    assert found == pytest.approx(theirs, rel=1e-8)
    assert (fit.n, fit.n_clusters) == (60, 12)


def test_clustered_regression_robust_part_is_the_written_out_formula(data):
    x, y, cluster = data
    fit = fit_clustered(["a", "b", "c"], parts_of(x, y, cluster, [10, 35]))
    bread = np.linalg.inv(x.T @ x)
    residuals = y - x @ (bread @ x.T @ y)
    meat = np.zeros((3, 3))
    for number in range(12):
        rows = x[cluster == number]
        adjusted = linalg.sqrtm(np.linalg.inv(np.eye(5) - rows @ bread @ rows.T))
        score = rows.T @ adjusted @ residuals[cluster == number]
        meat += np.outer(score, score)
    errors = np.sqrt(np.diag(bread @ meat @ bread))
    assert [c.error for c in fit.coefficients.values()] == pytest.approx(errors, rel=1e-6)
    t = abs(fit.coefficients["b"].value) / errors[1]
    assert fit.coefficients["b"].p == pytest.approx(2 * stats.t.sf(t, 11), rel=1e-6)


def test_clustered_regression_errors_grow_with_copies_only_where_rows_count_as_independent():
    rng = np.random.default_rng(1)
    x, y = np.column_stack([np.ones(40), rng.normal(size=40)]), rng.normal(size=40)
    once = fit_clustered(["a", "b"], parts_of(x, y, np.arange(40), []))
    nine = (np.repeat(values, 9, axis=0) for values in (x, y, np.arange(40)))
    copied = fit_clustered(["a", "b"], parts_of(*nine, []))
    # nine copies, a third of the error: the mistake
    assert copied.coefficients["b"].plain_error < 0.4 * once.coefficients["b"].plain_error
    assert copied.coefficients["b"].error == pytest.approx(once.coefficients["b"].error, rel=1e-6)


def test_clustered_regression_leaves_out_what_others_determine():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(30, 2))
    y = rng.normal(size=30)
    wide = np.column_stack([x[:, 0], 2 * x[:, 0], np.zeros(30), x[:, 1], x[:, 0] - x[:, 1]])
    fit = fit_clustered(list("abcde"), parts_of(wide, y, np.arange(30) // 3, [15]))
    narrow = fit_clustered(list("ad"), parts_of(x, y, np.arange(30) // 3, [15]))
    # as R: the later column goes
    assert [name for name, c in fit.coefficients.items() if math.isnan(c.value)] == list("bce")
    assert fit.coefficients["d"] == pytest.approx(narrow.coefficients["d"], rel=1e-8)


def test_clustered_regression_one_cluster_has_no_robust_error(data):
    x, y, _ = data
    fit = fit_clustered(["a", "b", "c"], parts_of(x, y, np.zeros(60, dtype=np.int64), []))
    assert math.isnan(fit.coefficients["b"].error)
    assert math.isnan(fit.coefficients["b"].p)
    assert fit.coefficients["b"].plain_p >= 0


def test_clustered_regression_refuses_too_few_rows():
    message = "rows, got 2; expected more than the 2 independent columns"
    with pytest.raises(ValueError, match=message):
        fit_clustered(["a", "b"], parts_of(np.eye(2), np.ones(2), np.arange(2), []))
