"""Variance components of items: statsmodels as an oracle, crossed, nested and partly shared."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from metrics.ranking_generalizability.components import (
    ALL_NAMES,
    ITEM_NAMES,
    Fit,
    fit_components,
    fit_items,
    item_groups,
    kept_groups,
)
from metrics.ranking_generalizability.inputs import MOST_CELLS, ItemCells
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import score

Shape = tuple[int, int, int, int]


def draw(seed: int, sds: tuple[float, ...], shape: Shape) -> ItemCells:
    """Scores of S systems in U units with R repeats on I items, each system half a point better."""
    generator, (s, u, r, i) = np.random.default_rng(seed), shape
    sizes = [(1, u, 1, 1), (s, u, 1, 1), (1, u, r, 1), (s, u, r, 1)]
    sizes += [(1, u, 1, i), (s, u, 1, i), (1, u, r, i), shape]
    scores = np.arange(s)[:, None, None, None] * 0.5 + sum(
        sd * generator.standard_normal(size) for sd, size in zip(sds, sizes, strict=True)
    )
    return ItemCells(*(axis.ravel() for axis in np.indices(shape)), scores.ravel())


def part(cells: ItemCells, kept: np.ndarray) -> ItemCells:
    columns = (cells.system, cells.unit, cells.repeat, cells.item, cells.score)
    return ItemCells(*(column[kept] for column in columns))


def own_items(cells: ItemCells) -> ItemCells:
    """The same scores where every repeat has items of its own."""
    item = cells.item + 100 * cells.repeat
    return ItemCells(cells.system, cells.unit, cells.repeat, item, cells.score)


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


SDS = (1.2, 1.0, 0.8, 0.6, 0.9, 0.7, 0.8, 0.6)
ALL = list(FORMULAS)
NESTED = ALL[:4]
WORLDS = {
    # name: (cells, components beside `unit`, the one that takes what is left)
    "one run": (draw(0, SDS, (3, 12, 1, 8)), ["system_by_unit", "item"], "system_by_item"),
    "crossed": (draw(3, SDS, (3, 10, 3, 4)), ALL, "system_by_item_by_repeat"),
    # splits with test items of their own: what repeats add to an item is the item's
    "nested": (own_items(draw(2, SDS, (3, 10, 3, 5))), NESTED, "system_by_item"),
    "random splits": (
        split_at_random(draw(6, SDS, (3, 8, 3, 9)), 1),
        ALL,
        "system_by_item_by_repeat",
    ),
}


@pytest.mark.parametrize("world", WORLDS)
def test_components_equal_statsmodels(world):
    cells, names, last = WORLDS[world]
    oracle, fit = MixedModel(cells, names, last), fit_items(cells)
    assert fit is not None
    assert {n for n in ALL_NAMES if not math.isnan(fit.variances[n])} == set(oracle.variances)
    check(fit, oracle)


def check(fit: Fit, oracle: MixedModel) -> None:
    for name, value in oracle.variances.items():
        assert fit.variances[name] == pytest.approx(value, abs=1e-4), name
    assert fit.means == pytest.approx(oracle.means, abs=1e-4)


def test_missing_runs_equal_statsmodels():
    cells = draw(7, SDS, (4, 12, 2, 6))
    kept = ~((cells.system == 1) & (cells.unit % 3 == 0)) & ~(
        (cells.repeat == 1) & (cells.unit > 8)
    )
    cells = part(cells, kept)
    fit = fit_items(cells)
    assert fit is not None
    check(fit, MixedModel(cells, ALL, "system_by_item_by_repeat"))


def test_complete_tables_give_the_analysis_of_variance():
    # two crossed factors a unit: mean squares of items, and of systems by items, in closed form
    cells = draw(4, SDS, (3, 15, 1, 20))
    values = cells.score.reshape(3, 15, 20)
    apart = values - values.mean(axis=2, keepdims=True)
    shared = apart.mean(axis=0)
    of_item = 3 * (shared**2).sum() / (15 * 19)
    rest = ((apart - shared) ** 2).sum() / (2 * 15 * 19)
    fit = fit_items(cells)
    assert fit is not None
    assert fit.variances["system_by_item"] == pytest.approx(rest, rel=1e-6)
    assert fit.variances["item"] == pytest.approx((of_item - rest) / 3, rel=1e-6)
    of_runs = fit_components(
        *(axis.ravel() for axis in np.indices((3, 15, 1))), values.mean(2).ravel()
    )
    for name, of_items in [("unit", "item"), ("system_by_unit", "system_by_item")]:
        # what runs of 20 items see of units holds a twentieth of the items' own
        whole = fit.variances[name] + fit.variances[of_items] / 20
        assert whole == pytest.approx(of_runs.variances[name], rel=1e-5)
    assert fit.items_per_run == pytest.approx(20)


def rows(cells: ItemCells) -> dict:
    names = [f"s{i}" for i in cells.system]
    columns = {"unit": cells.unit, "repeat": cells.repeat, "item": cells.item}
    return {"system": names, "score": cells.score} | {n: c.tolist() for n, c in columns.items()}


def test_shares_are_of_a_run():
    # all that differs between units is which items they have
    cells = draw(6, (0, 0, 0, 0, 1.0, 0.5, 0, 0), (3, 30, 1, 25))
    found = {row["component"]: row for row in score(rows(cells), read_options())["by_component"]}
    assert tuple(found) == ALL_NAMES
    assert found["item"]["variance"] == pytest.approx(1.0, rel=0.2)
    parts = [found[n]["variance"] / (25 if n in ITEM_NAMES else 1) for n in ALL_NAMES]
    shares = [found[n]["share"] for n in ALL_NAMES]
    assert sum(s for s in shares if not math.isnan(s)) == pytest.approx(1)
    assert found["item"]["share"] == pytest.approx(parts[4] / sum(p for p in parts if p == p))
    assert found["unit"]["share"] < 0.2
    without = score(
        {n: c for n, c in rows(cells).items() if n != "item"} | {"repeat": cells.item.tolist()},
        read_options(),
    )
    assert len(without["by_component"]) == 4


def test_systems_are_numbered_as_the_table_numbers_them():
    cells = draw(8, SDS, (11, 6, 1, 5))  # s10 stands before s2
    found = score(rows(cells), read_options())["by_system"]
    for row in found:  # complete: adjusted means are the means
        assert row["mean_adjusted"] == pytest.approx(row["mean"], abs=1e-8), row["system"]


def test_one_item_a_run_is_left_to_the_model_of_runs():
    cells = draw(9, SDS, (3, 8, 2, 1))
    assert fit_items(cells) is None
    assert len(score(rows(cells), read_options())["by_component"]) == 4


def test_equal_scores_have_no_variance():
    cells = draw(9, (0.0,) * 8, (2, 4, 1, 3))
    flat = ItemCells(cells.system, cells.unit, cells.repeat, cells.item, np.ones(len(cells.score)))
    fit = fit_items(flat)
    assert fit is not None
    assert {v for v in fit.variances.values() if v == v} == {0.0}


def test_groups_hold_every_score_and_are_thinned_by_unit():
    cells = split_at_random(draw(10, SDS, (4, 3, 6, 40)), 2)
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
    for seed in range(8):
        fit = fit_items(split_at_random(draw(seed, true, (5, 20, 4, 30)), seed))
        assert fit is not None
        found.append([fit.variances[name] for name in ALL_NAMES])
    means, errors = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert (np.abs(means - np.square(true)) < 4 * errors + 0.003).all()
