"""Variance components of runs and items: statsmodels as an oracle, boundaries, intervals."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from metrics._shared.columns import FloatArray, IntArray
from metrics.ranking_generalizability.components import (
    ALL_NAMES,
    ITEM_NAMES,
    NAMES,
    Fit,
    component_interval,
    fit_components,
    fit_items,
    item_groups,
    kept_groups,
    restricted_components,
)
from metrics.ranking_generalizability.inputs import MOST_CELLS, ItemCells, make_table
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import score

Columns = tuple[IntArray, IntArray, IntArray, FloatArray]


def draw_items(seed: int, sds: tuple[float, ...], shape: tuple[int, int, int, int]) -> ItemCells:
    """Scores of S systems in U units with R repeats on I items, each system half a point better."""
    generator, (s, u, r, i) = np.random.default_rng(seed), shape
    sizes = [(1, u, 1, 1), (s, u, 1, 1), (1, u, r, 1), (s, u, r, 1)]
    sizes += [(1, u, 1, i), (s, u, 1, i), (1, u, r, i), shape]
    scores = np.arange(s)[:, None, None, None] * 0.5 + sum(
        sd * generator.standard_normal(size) for sd, size in zip(sds, sizes, strict=True)
    )
    return ItemCells(*(axis.ravel() for axis in np.indices(shape)), scores.ravel())


def part(cells: ItemCells, kept: np.ndarray) -> ItemCells:
    return ItemCells(*(column[kept] for column in cells))


def split_at_random(cells: ItemCells, seed: int) -> ItemCells:
    """Of a unit's items each repeat has some, as random splits have."""
    shape = [int(column.max()) + 1 for column in (cells.unit, cells.repeat, cells.item)]
    in_split = np.random.default_rng(seed).random(shape) < 0.6
    return part(cells, in_split[cells.unit, cells.repeat, cells.item])


FORMULAS = {
    "system_by_unit": "0 + C(s)",
    "repeat": "0 + C(r)",
    "system_by_repeat": "0 + C(s):C(r)",
    "item": "0 + C(i)",
    "system_by_item": "0 + C(s):C(i)",
    "item_by_repeat": "0 + C(r):C(i)",
}


class MixedModel:
    """The same model by statsmodels: its likelihood, made greatest by scipy from its own fit. Alone
    it stops at some 1e-3 of a variance."""

    def __init__(self, cells: ItemCells, names: list[str], last: str) -> None:
        formula = pytest.importorskip("statsmodels.formula.api")
        frame = pd.DataFrame({"s": cells.system.astype(str), "u": cells.unit, "r": cells.repeat})
        frame = frame.assign(i=cells.item, y=cells.score)
        parts = {name: FORMULAS[name] for name in names}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model = formula.mixedlm(
                "y ~ 0 + s", frame, groups="u", re_formula="1", vc_formula=parts
            )
            fit = self.model.fit(reml=True, method=["lbfgs"])
            start = np.sqrt([float(fit.cov_re.iloc[0, 0]), *fit.vcomp] / fit.scale)
            found = optimize.minimize(self.loss, start, method="BFGS", options={"gtol": 1e-6})
        shares = found.x**2
        unit, others = shares[:1].reshape(1, 1), shares[1:]
        self.means, _ = self.model.get_fe_params(unit, others)
        scale = float(self.model.get_scale(self.means, unit, others))
        names = ["unit", *self.model.exog_vc.names]
        self.variances = dict(zip(names, shares * scale, strict=True)) | {last: scale}

    def parameters(self, roots: np.ndarray) -> object:
        from statsmodels.regression.mixed_linear_model import MixedLMParams

        shares = roots**2
        means, _ = self.model.get_fe_params(shares[:1].reshape(1, 1), shares[1:])
        unit = shares[:1].reshape(1, 1)
        return MixedLMParams.from_components(fe_params=means, cov_re=unit, vcomp=shares[1:])

    def loss(self, roots: np.ndarray) -> float:
        return -float(self.model.loglike(self.parameters(roots), profile_fe=False))


def check(fit: Fit | None, oracle: MixedModel) -> None:
    assert fit is not None
    for name, value in oracle.variances.items():
        assert fit.variances[name] == pytest.approx(value, abs=1e-4), name
    assert fit.means == pytest.approx(oracle.means, abs=1e-4)


def draw(seed: int, sds: tuple[float, ...], shape: tuple[int, int, int]) -> Columns:
    """Scores of S systems in U units with R repeats each."""
    cells = draw_items(seed, (*sds, 0, 0, 0, 0), (*shape, 1))
    return cells.system, cells.unit, cells.repeat, cells.score


def without(columns: Columns, seed: int, share: float) -> Columns:
    kept = np.random.default_rng(seed).random(len(columns[3])) >= share
    system, unit, repeat, scores = (column[kept] for column in columns)
    return system, unit, repeat, scores


RUNS = {
    # name: (runs, components beside `unit`, the one that takes what is left)
    "complete": (draw(0, (1.5, 1.0, 0.8, 0.7), (4, 12, 3)), NAMES[1:3], "system_by_repeat"),
    "missing cells": (
        without(draw(1, (1.5, 1.0, 0.8, 0.7), (4, 12, 3)), 1, 0.2),
        NAMES[1:3],
        "system_by_repeat",
    ),
    "no repeats": (
        without(draw(3, (1.5, 1.0, 0, 0), (5, 15, 1)), 3, 0.2),
        (),
        "system_by_unit",
    ),
    "none between units": (
        without(draw(2, (0.0, 1.0, 0.3, 0.4), (4, 12, 3)), 2, 0.2),
        NAMES[1:3],
        "system_by_repeat",
    ),
}


@pytest.mark.parametrize("world", RUNS)
def test_components_equal_statsmodels(world):
    (system, unit, repeat, scores), names, last = RUNS[world]
    fit = fit_components(system, unit, repeat, scores)
    cells = ItemCells(system, unit, repeat, np.zeros(len(scores), int), scores)
    check(fit, MixedModel(cells, list(names), last))
    assert {n for n in NAMES if math.isnan(fit.variances[n])} == {*NAMES[1:]} - {*names, last}
    assert (fit.variances["unit"] == 0) == (world == "none between units")


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
    cells = draw_items(9, (0.0,) * 8, (2, 4, 1, 3))
    of_items = fit_items(cells._replace(score=np.ones(len(cells.score))))
    assert of_items is not None
    assert {value for value in of_items.variances.values() if value == value} == {0.0}


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


SDS = (1.2, 1.0, 0.8, 0.6, 0.9, 0.7, 0.8, 0.6)
ALL = list(FORMULAS)
OWN_ITEMS = draw_items(2, SDS, (3, 10, 3, 5))
OWN_ITEMS = OWN_ITEMS._replace(item=OWN_ITEMS.item + 100 * OWN_ITEMS.repeat)
LACKING = draw_items(7, SDS, (4, 12, 2, 6))
LACKING = part(
    LACKING,
    ~((LACKING.system == 1) & (LACKING.unit % 3 == 0))
    & ~((LACKING.repeat == 1) & (LACKING.unit > 8)),
)
WORLDS = {
    # name: (cells, components beside `unit`, the one that takes what is left)
    "missing runs": (LACKING, ALL, "system_by_item_by_repeat"),
    "one run": (draw_items(0, SDS, (3, 12, 1, 8)), ["system_by_unit", "item"], "system_by_item"),
    "crossed": (draw_items(3, SDS, (3, 10, 3, 4)), ALL, "system_by_item_by_repeat"),
    # splits with test items of their own: what repeats add to an item is the item's
    "nested": (OWN_ITEMS, ALL[:4], "system_by_item"),
    "random splits": (
        split_at_random(draw_items(6, SDS, (3, 8, 3, 9)), 1),
        ALL,
        "system_by_item_by_repeat",
    ),
}


@pytest.mark.parametrize("world", WORLDS)
def test_components_of_items_equal_statsmodels(world):
    cells, names, last = WORLDS[world]
    oracle, fit = MixedModel(cells, names, last), fit_items(cells)
    check(fit, oracle)
    assert {n for n in ALL_NAMES if not math.isnan(fit.variances[n])} == set(oracle.variances)


def rows_of_items(cells: ItemCells) -> dict:
    names = [f"s{i}" for i in cells.system]
    columns = {"unit": cells.unit, "repeat": cells.repeat, "item": cells.item}
    return {"system": names, "score": cells.score} | {n: c.tolist() for n, c in columns.items()}


def test_shares_are_of_a_run():
    # all that differs between units is which items they have
    cells = draw_items(6, (0, 0, 0, 0, 1.0, 0.5, 0, 0), (3, 30, 1, 25))
    rows = rows_of_items(cells)
    found = {row["component"]: row for row in score(rows, read_options())["by_component"]}
    assert tuple(found) == ALL_NAMES
    assert found["item"]["variance"] == pytest.approx(1.0, rel=0.2)
    assert fit_items(cells).items_per_run == pytest.approx(25)  # type: ignore[union-attr]
    parts = [found[n]["variance"] / (25 if n in ITEM_NAMES else 1) for n in ALL_NAMES]
    shares = [found[n]["share"] for n in ALL_NAMES]
    assert sum(s for s in shares if not math.isnan(s)) == pytest.approx(1)
    assert found["item"]["share"] == pytest.approx(parts[4] / sum(p for p in parts if p == p))
    assert found["unit"]["share"] < 0.2
    rows["repeat"] = rows.pop("item")
    assert len(score(rows, read_options())["by_component"]) == 4


def test_systems_are_numbered_as_the_table_numbers_them():
    cells = draw_items(8, SDS, (11, 6, 1, 5))  # s10 stands before s2
    found = score(rows_of_items(cells), read_options())["by_system"]
    for row in found:  # complete: adjusted means are the means
        assert row["mean_adjusted"] == pytest.approx(row["mean"], abs=1e-8), row["system"]


def test_one_item_a_run_is_left_to_the_model_of_runs():
    cells = draw_items(9, SDS, (3, 8, 2, 1))
    assert fit_items(cells) is None
    assert len(score(rows_of_items(cells), read_options())["by_component"]) == 4


def test_groups_hold_every_score_and_are_thinned_by_unit():
    cells = split_at_random(draw_items(10, SDS, (4, 3, 6, 40)), 2)
    groups = list(item_groups(cells))
    assert sum(g.n_items * len(g.system) for g in groups) == len(cells.score)
    total = sum(g.n_items * float(g.means.sum()) for g in groups)
    assert total == pytest.approx(float(cells.score.sum()))
    kept = kept_groups(groups)
    sizes = np.bincount([g.unit for g in kept], [len(g.system) for g in kept])
    assert (sizes <= MOST_CELLS).all()
    assert len(kept) < len(groups)


def test_thinned_groups_estimate_the_same():
    true = (0.5, 0.5, 0.0, 0.4, 0.8, 0.5, 0.0, 0.6)
    found = []
    for seed in range(4):
        fit = fit_items(split_at_random(draw_items(seed, true, (5, 20, 4, 30)), seed))
        assert fit is not None
        found.append([fit.variances[name] for name in ALL_NAMES])
    means, errors = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert (np.abs(means - np.square(true)) < 4 * errors + 0.003).all()
