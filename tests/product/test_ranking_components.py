"""Variance components by REML: statsmodels as an oracle, missing cells, boundaries, intervals."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metrics._shared.columns import FloatArray, IntArray
from metrics.ranking_generalizability.components import (
    NAMES,
    Fit,
    component_interval,
    fit_components,
    restricted_components,
)
from metrics.ranking_generalizability.inputs import make_table
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import score

Columns = tuple[IntArray, IntArray, IntArray, FloatArray]


def draw(seed: int, sds: tuple[float, ...], shape: tuple[int, int, int]) -> Columns:
    """Scores of S systems in U units with R repeats each."""
    generator, (s, u, r) = np.random.default_rng(seed), shape
    scores = np.arange(s)[:, None, None] * 0.5 + sum(
        sd * generator.standard_normal(size)
        for sd, size in zip(sds, [(1, u, 1), (s, u, 1), (1, u, r), shape], strict=True)
    )
    return *(axis.ravel() for axis in np.indices(shape)), scores.ravel()


def without(columns: Columns, seed: int, share: float) -> Columns:
    kept = np.random.default_rng(seed).random(len(columns[3])) >= share
    system, unit, repeat, scores = (column[kept] for column in columns)
    return system, unit, repeat, scores


def mixed_model(columns: Columns, with_repeats: bool = True) -> tuple[dict[str, float], FloatArray]:
    formula = pytest.importorskip("statsmodels.formula.api")
    system, unit, repeat, scores = columns
    frame = pd.DataFrame({"s": system.astype(str), "u": unit, "r": repeat.astype(str), "y": scores})
    parts = {"system_by_unit": "0 + C(s)", "repeat": "0 + C(r)"} if with_repeats else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = formula.mixedlm("y ~ 0 + s", frame, groups="u", re_formula="1", vc_formula=parts)
        fit = model.fit(reml=True, method=["lbfgs", "powell"], tol=1e-12)
    found = {"unit": float(fit.cov_re.iloc[0, 0])}
    if with_repeats:
        found |= dict(zip(model.exog_vc.names, map(float, fit.vcomp), strict=True))
    last = "system_by_repeat" if with_repeats else "system_by_unit"
    return found | {last: float(fit.scale)}, fit.fe_params.to_numpy()


@pytest.mark.parametrize("share", [0.0, 0.2])
@pytest.mark.parametrize("seed", [0, 1])
def test_components_equal_statsmodels(seed, share):
    columns = without(draw(seed, (1.5, 1.0, 0.8, 0.7), (4, 12, 3)), seed, share)
    expected, means = mixed_model(columns)
    found = fit_components(*columns)
    for name in NAMES:
        assert found.variances[name] == pytest.approx(expected[name], abs=2e-4), name
    assert found.means == pytest.approx(means, abs=1e-4)


def test_components_without_repeats_equal_statsmodels():
    columns = without(draw(3, (1.5, 1.0, 0, 0), (5, 15, 1)), 3, 0.2)
    expected, means = mixed_model(columns, with_repeats=False)
    found = fit_components(*columns)
    for name in ("unit", "system_by_unit"):
        assert found.variances[name] == pytest.approx(expected[name], rel=1e-4)
    assert math.isnan(found.variances["repeat"])
    assert found.means == pytest.approx(means, abs=1e-4)


def test_component_at_zero_equals_statsmodels():
    columns = without(draw(2, (0.0, 1.0, 0.3, 0.4), (4, 12, 3)), 2, 0.2)
    expected, _ = mixed_model(columns)
    found = fit_components(*columns)
    assert found.variances["unit"] == 0
    for name in NAMES:
        assert found.variances[name] == pytest.approx(expected[name], abs=2e-4), name


def fit_table(columns: Columns) -> Fit:
    system, unit, repeat, scores = columns
    names = [f"s{i}" for i in system]
    table = make_table(names, unit.tolist(), repeat.tolist(), scores, missing="drop")
    return restricted_components(table)


def test_complete_table_is_the_analysis_of_variance_and_the_general_fit():
    columns = draw(5, (1.5, 1.0, 0.8, 0.7), (4, 20, 3))
    system, unit, repeat, scores = columns
    table = make_table([f"s{i}" for i in system], unit.tolist(), repeat.tolist(), scores)
    balanced, general = restricted_components(table), fit_components(*columns)
    for name in NAMES:
        assert general.variances[name] == pytest.approx(balanced.variances[name], rel=1e-5)
    residual = scores.reshape(4, 20, 3)
    residual = residual - residual.mean(axis=0) - residual.mean(axis=2, keepdims=True)
    residual += scores.reshape(4, 20, 3).mean((0, 2))[None, :, None]
    assert balanced.variances["system_by_repeat"] == pytest.approx(
        float((residual**2).sum()) / (3 * 20 * 2), rel=1e-6
    )
    assert balanced.means == pytest.approx(table.runs.mean(axis=1))


def test_a_negative_estimate_of_variance_is_zero():
    # units that differ less than their repeats would make them
    rows = [
        (s, u, r, [0.0, 1.0][(u + r) % 2] + 0.1 * s)
        for s in range(2)
        for u in range(6)
        for r in range(2)
    ]
    columns = tuple(np.array(column) for column in zip(*rows, strict=True))
    found = fit_table(columns)  # type: ignore[arg-type]
    assert found.variances["unit"] == 0
    assert found.variances["repeat"] > 0


def test_unpaired_repeats_have_no_component_of_their_own():
    system, unit, repeat, scores = draw(6, (1.0, 1.0, 0.0, 1.0), (3, 10, 2))
    found = fit_components(system, unit, repeat + 10 * system, scores)  # each system its own seeds
    assert math.isnan(found.variances["repeat"])
    assert found.variances["system_by_repeat"] > 0
    assert not math.isnan(found.variances["system_by_unit"])


def test_equal_scores_have_no_variance():
    system, unit, repeat, _ = draw(1, (0, 0, 0, 0), (2, 3, 2))
    found = fit_table((system, unit, repeat, np.ones(len(system))))
    assert set(found.variances.values()) == {0.0}


Z = 1.959964


@pytest.mark.parametrize(
    ("variance", "floor", "low", "high", "note"),
    [
        # without a floor a multiple of chi-square with 18 degrees of freedom
        (3.0, 0.0, 54 / stats.chi2.ppf(0.975, 18), 54 / stats.chi2.ppf(0.025, 18), "18.0 degrees"),
        # the same about a floor, which is left out again
        (3.0, 2.0, 90 / stats.chi2.ppf(0.975, 18) - 2, 90 / stats.chi2.ppf(0.025, 18) - 2, "18.0"),
        (0.0, 2.0, 0.0, 36 / stats.chi2.ppf(0.025, 18) - 2, "from 0"),  # at the boundary
    ],
)
def test_interval_of_a_component(variance, floor, low, high, note):
    error = (variance + floor) / 3
    squares = (variance + error * np.arange(3) + floor) ** 2 / 9
    found = component_interval(variance, squares, 0.95)
    assert found[:2] == pytest.approx((low, high), rel=1e-5)
    assert note in found.note


def test_interval_of_a_component_by_its_rest_alone_is_normal():
    low, high, _ = component_interval(3.0, np.full(3, 0.25), 0.95)
    assert (low, high) == pytest.approx((3 - Z / 2, 3 + Z / 2), rel=1e-5)


def test_a_component_without_spread_has_no_interval():
    nothing = np.full(3, math.nan)
    assert "not told apart" in component_interval(math.nan, nothing, 0.95).note
    assert "no spread" in component_interval(0.0, nothing, 0.95).note


def test_errors_of_missing_cells_are_by_the_expected_information():
    # the balanced table is in closed form; one cell in 240 hardly moves the errors
    columns = draw(5, (1.5, 1.0, 0.8, 0.7), (4, 20, 3))
    whole, general = fit_table(columns), fit_components(*columns)
    lacking = fit_components(*(column[1:] for column in columns))
    for name in NAMES:
        assert general.squares[name] == pytest.approx(whole.squares[name], rel=1e-4)
        assert lacking.squares[name][0] == pytest.approx(whole.squares[name][0], rel=0.2)


def test_missing_cells_are_refused_or_left_to_the_components():
    system, unit, repeat, scores = draw(8, (1.0, 0.5, 0.3, 0.5), (3, 8, 2))
    kept = ~((system == 1) & (unit == 4)) & ~((system == 0) & (unit == 2) & (repeat == 1))
    inputs = {
        "system": [f"s{i}" for i in system[kept]],
        "unit": unit[kept].tolist(),
        "repeat": repeat[kept].tolist(),
        "score": scores[kept],
    }
    with pytest.raises(ValueError, match="missing='drop' leaves the run out"):
        score(inputs, read_options())
    found = score(inputs, read_options(missing="drop"))
    assert (found["n"], found["n_units"], found["n_runs"]) == (45, 7, 13)
    # of unit 4 four scores are left out, of run 2/1 two
    assert found["n_left_out"] == 45 - 3 * 13 == 6
    adjusted = [row["mean_adjusted"] for row in found["by_system"]]
    assert adjusted != pytest.approx([row["mean"] for row in found["by_system"]], abs=1e-3)
    fit = fit_components(system[kept], unit[kept], repeat[kept], scores[kept])
    assert adjusted == pytest.approx(fit.means.tolist())
    only = {name: column[:1] for name, column in inputs.items()}
    with pytest.raises(ValueError, match="systems, got 1; expected at least 2"):
        score(only, read_options(missing="drop"))


def test_units_that_share_no_system_cannot_be_ranked():
    inputs = {"system": ["a", "b", "a", "b"], "unit": [1, 2, 3, 3], "score": [1.0, 2.0, 3.0, 4.0]}
    with pytest.raises(ValueError, match="units that all systems scored, got 1; expected at least"):
        score(inputs, read_options(missing="drop"))
