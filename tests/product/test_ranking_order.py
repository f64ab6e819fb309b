"""Neither the order of rows nor names of systems and units change what is said."""

import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from metrics._shared.columns import FloatArray
from metrics.ranking_generalizability.agreement import n_failures
from metrics.ranking_generalizability.components import contenders, posterior_of
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import score, verdict

Row = tuple[str, str, str, str, float]  # system, unit, repeat, item, score
BY_NAME = ("first_best", "first_ranking", "best_holds", "ranking_holds", "best_share")
BY_NAME += ("best_holds_low", "best_holds_high", "ranking_holds_low", "ranking_holds_high")
"""Published fields, in which the last name wins a tie."""


def said(rows: list[Row], first: str, **options: object) -> dict:
    names = ("system", "unit", "repeat", "item", "score")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    for name in ("repeat", "item"):
        if len(set(columns[name])) == 1:
            del columns[name]
    return score(columns, read_options(first=first, **options))


def renamed(found: dict, of_system: dict[str, str], of_unit: dict[str, str]) -> dict:
    """A result with other names, its rows in the order of these."""
    kept = {n: v for n, v in found.items() if n not in (*BY_NAME, "signature", "options")}
    kept["first"] = of_unit[kept["first"]]
    systems = [row | {"system": of_system[row["system"]]} for row in kept["by_system"]]
    kept["by_system"] = sorted(
        ({n: v for n, v in row.items() if n not in BY_NAME} for row in systems),
        key=lambda row: row["system"],
    )
    pairs = []
    for row in kept["by_pair"]:
        named = row | {"system": of_system[row["system"]], "other": of_system[row["other"]]}
        pairs.append(named if named["system"] < named["other"] else turned(named))
    kept["by_pair"] = sorted(pairs, key=lambda row: (row["system"], row["other"]))
    kept["best_on_average"] = of_system[kept["best_on_average"]]
    kept["winner"] = of_system.get(kept["winner"], kept["winner"])
    return {n: v for n, v in kept.items() if n not in ("verdict", "warnings")}


def turned(row: dict) -> dict:
    new = row | {"system": row["other"], "other": row["system"]}
    new["difference"] = -row["difference"]
    new["difference_low"], new["difference_high"] = -row["difference_high"], -row["difference_low"]
    new["p_better"], new["p_worse"] = row["p_worse"], row["p_better"]
    new["decision"] = {"better": "worse", "worse": "better"}.get(row["decision"], row["decision"])
    new["wins"] = 1 - row["wins"]
    new["wins_low"], new["wins_high"] = 1 - row["wins_high"], 1 - row["wins_low"]
    return new


def same(found: object, wanted: object, path: str = "") -> None:
    """Equal to the last digit, but for one less a share, which rounds."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), path
        for name in wanted:
            same(found[name], wanted[name], f"{path}.{name}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), path
        for one, other in zip(found, wanted, strict=True):
            same(one, other, path)
    elif isinstance(wanted, float) and ".wins" in path:
        assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True), path
    else:
        equal = found == wanted or (found != found and wanted != wanted)
        assert equal, (path, found, wanted)


def rows_of(scores: FloatArray, repeats: int = 1, items: int = 1, seed: int = 0) -> list[Row]:
    """Rows of units by systems, with noise of a tenth in steps of a hundredth for each run."""
    steps = np.random.default_rng(seed).integers(-9, 10, (*scores.shape, repeats, items))
    noise = steps / 100 * (repeats * items > 1)
    return [
        (f"s{s}", f"u{u}", f"r{r}", f"i{i}", round(float(scores[u, s] + noise[u, s, r, i]), 2))
        for u, s, r, i in np.ndindex(noise.shape)
        if not math.isnan(scores[u, s])
    ]


def holed(seed: int) -> FloatArray:
    scores = np.round(np.random.default_rng(seed).normal([70.3, 70.1, 70, 69], 0.4, (9, 4)), 1)
    scores[3:][np.random.default_rng(seed + 1).random((6, 4)) < 0.2] = np.nan
    return scores


TABLES: dict[str, tuple[list[Row], dict[str, object]]] = {
    # tenths tie and add up to other floats in another order
    "tenths": (rows_of(np.random.default_rng(1).integers(0, 4, (7, 4)) / 10), {}),
    "more systems than units": (rows_of(np.random.default_rng(2).normal(0, 1, (4, 7))), {}),
    "lower is better": (
        rows_of(np.random.default_rng(3).normal(9, 1, (8, 3))),
        {"higher_is_better": False},
    ),
    "repeats": (rows_of(np.random.default_rng(4).normal(70, 1, (6, 3)), repeats=3), {}),
    "items": (rows_of(np.random.default_rng(5).normal(0.5, 0.1, (5, 3)), items=4), {}),
    "missing cells": (rows_of(holed(6)), {"missing": "model"}),
    "incomplete units": (rows_of(holed(7)), {"missing": "drop"}),
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(2))
def test_names_and_the_order_of_rows_change_no_digit(table, seed):
    rows, options = TABLES[table]
    generator = np.random.default_rng(seed)
    systems, units = (list(dict.fromkeys(row[i] for row in rows)) for i in (0, 1))
    of_system = dict(zip(systems, generator.permutation([*"qwertyu"][: len(systems)]), strict=True))
    of_unit = {unit: f"v{i}" for unit, i in zip(units, generator.permutation(99), strict=False)}
    of_system = {old: str(new) for old, new in of_system.items()}
    whole = {unit for unit in units if sum(row[1] == unit for row in rows) % len(systems) == 0}
    first = next(unit for unit in units if unit in whole)
    moved = [(of_system[row[0]], of_unit[row[1]], *row[2:]) for row in rows]
    moved = [moved[i] for i in generator.permutation(len(moved))]
    found, wanted = said(moved, of_unit[first], **options), said(rows, first, **options)
    same_names = {name: name for name in of_system.values()}
    of_units = {name: name for name in of_unit.values()}
    same(renamed(found, same_names, of_units), renamed(wanted, of_system, of_unit))
    shuffled = said([rows[i] for i in generator.permutation(len(rows))], first, **options)
    same(shuffled, wanted)


@pytest.mark.parametrize("role", ["cluster", "crossed"])
def test_names_of_units_change_no_digit_where_rows_of_different_clusters_are_equal(role):
    for seed in range(5):
        generator = np.random.default_rng(seed)
        scores = generator.integers(0, 3, (12, 2)) / 10
        ways = {"cluster": generator.integers(0, 4, 12)}
        if role == "crossed":
            ways["crossed"] = generator.integers(0, 5, 12)
        found = []
        for names in (np.arange(12), generator.permutation(12)):
            of = [[f"c{number}" for number in way] for way in ways.values()]
            rows = [
                (f"s{s}", f"u{names[u]:02d}", float(scores[u, s]), *(way[u] for way in of))
                for u, s in np.ndindex(12, 2)
            ]
            columns = zip(*rows, strict=True)
            given = dict(zip(("system", "unit", "score", *ways), map(list, columns), strict=True))
            of_unit = {f"u{name:02d}": f"v{u}" for u, name in enumerate(names)}
            result = score(given, read_options(first=f"u{names[0]:02d}"))
            found.append(renamed(result, {n: n for n in ("s0", "s1", "undecided")}, of_unit))
        same(*found)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=7),
    st.randoms(use_true_random=False),
)
def test_a_tie_is_one_in_tenths_whatever_the_order_of_rows(tenths, rng):
    rows = rows_of(np.array(tenths) / 10)
    means = [sum(Fraction(row[s], 10) for row in tenths) for s in range(3)]
    found = said(rng.sample(rows, len(rows)), "u0")
    ranks = [1 + sum(other > mean for other in means) for mean in means]
    assert [row["rank"] for row in found["by_system"]] == ranks
    tied = [f"`s{s}`" for s in range(3) if ranks[s] == 1]
    assert found["best_on_average"] in [name.strip("`") for name in tied]
    assert (" tie: " in found["verdict"]) == (len(tied) > 1)
    assert math.isnan(found["n_units_to_settle"]) == (len(tied) > 1)


def test_means_of_runs_that_differ_by_rounding_tie():
    # .1 + .2 and .3 + 0 are .30000000000000004 and .3
    runs = {"a": (0.1, 0.2), "b": (0.3, 0.0)}
    rows = [(s, f"u{u}", f"r{r}", "", v) for s, of in runs.items() for u in range(4) for r, v in
            enumerate(of)]  # fmt: skip
    found = said(rows, "u0")
    assert found["n_units_with_tied_best"] == 4
    assert [row["p_best"] for row in found["by_system"]] == [0.5, 0.5]
    assert found["verdict"].startswith("`a` and `b` tie: no number of units would part them.")


def test_a_likelier_system_leads_a_tie():
    # equal means; `b` is ahead by a little in all units but one
    scores = np.array([[1.0, 1.1]] * 10 + [[2.0, 1.0]])
    found = said(rows_of(scores), "u0")
    chances = [row["p_best_on_average"] for row in found["by_system"]]
    assert found["certainty"] == max(chances)


def test_a_tie_does_not_hide_a_likelier_system():
    scores = np.array([[70, 70, 69], [70, 70, 69], [67, 67, 71], [72, 72, 67], [67, 67, 69.0]])
    said_of = said(rows_of(scores), "u0")["verdict"]
    assert said_of.startswith(
        "`s0` and `s1` tie: no number of units would part them."
        " `s2`, of a lower mean, is likelier the best: 50 %."
    )


def largest_step(scores: FloatArray, moved: FloatArray) -> float:
    """Of anyone's chances between neighbours of twelve tables on a line from one to the other."""
    line = [scores + part * moved for part in np.linspace(0, 1, 12)]
    chances = np.array([posterior_of(table, None, 0).p_best for table in line])
    return float(np.abs(np.diff(chances, axis=0)).max())


@pytest.mark.parametrize(("n_units", "n_systems"), [(4, 4), (4, 6), (6, 6), (6, 12)])
def test_chances_move_little_as_scores_do_with_no_more_units_than_systems(n_units, n_systems):
    """Axes of equal noise, two shares as likely and a line that a system crosses: .16 to .27."""
    steps = []
    for seed in range(4):
        generator = np.random.default_rng([n_units, n_systems, seed])
        shared = np.repeat(generator.standard_normal((n_units, n_systems // 2)), 2, axis=1)
        scores = 0.9**0.5 * shared + 0.1**0.5 * generator.standard_normal((n_units, n_systems))
        scores += 0.5 * generator.standard_normal(n_systems)
        steps.append(largest_step(scores, 0.02 * generator.standard_normal(scores.shape)))
    assert max(steps) <= 0.06


def test_a_rounding_moves_no_chance():
    scores = np.random.default_rng(3).standard_normal((5, 8))
    nudged = scores * (1 + 1e-13 * np.random.default_rng(4).standard_normal(scores.shape))
    assert largest_step(scores, nudged - scores) <= 1e-3


def test_lines_between_the_hopeless_and_the_others_are_nested():
    kept = contenders(np.random.default_rng(5).standard_normal((6, 9)) - np.arange(9), None)
    assert kept[0].sum() > kept[-1].sum()
    assert (kept[:-1] >= kept[1:]).all()
    assert kept.any(axis=1).all()


# --- which units a field is of, and who lacks some
def test_a_result_says_which_units_its_fields_are_of():
    scores = holed(6)
    n_whole = int((~np.isnan(scores)).all(axis=1).sum())
    found = said(rows_of(scores), "u0", missing="model")
    of = {row["fields"].split(", ")[0]: row for row in found["based_on"]}
    assert (of["best_holds"]["n_units"], of["best_on_average"]["n_units"]) == (n_whole, 9)
    assert "units of both systems" in of["by_pair"]["units"]
    for row in found["by_pair"]:
        both = scores[:, [int(row["system"][1]), int(row["other"][1])]]
        assert row["n_units"] == (~np.isnan(both)).all(axis=1).sum()
    assert f"Of the {n_whole} units that all systems have, two units name" in found["verdict"]
    dropped = said(rows_of(scores), "u0", missing="drop")
    assert {row["n_units"] for row in dropped["based_on"]} == {n_whole, 9}
    fields = [field for row in found["based_on"] for field in row["fields"].split(", ")]
    assert len(fields) == len(set(fields))
    rows = {*found["by_system"][0], *found}
    assert set(fields) <= rows


def test_units_needed_are_not_those_of_another_leader():
    # `s1` leads where all have scores, `s0` over all units
    scores = np.random.default_rng(8).normal([0, 0, -1], 0.3, (12, 3))
    scores[:4] += [0, 1, 0]
    scores[4:] += [2, 0, 0]
    scores[4:, 2] = np.nan
    found = said(rows_of(scores), "u0", missing="model")
    assert found["best_on_average"] == "s0"
    assert math.isnan(found["n_units_to_settle"])
    assert "another best mean" in found["n_units_to_settle_interval"]
    assert "tie" not in found["verdict"]


@pytest.mark.parametrize(
    ("certainty", "needed", "sentence"),
    [
        (0.44, 4, "95 % certainty takes more units than these."),  # four of five, and not sure
        (0.44, 8, "95 % certainty takes about 8 units"),
        (0.97, 4, "95 % certainty takes about 4 units"),
        (0.97, 8, "95 % certainty takes no more units than these."),
    ],
)
def test_units_needed_do_not_contradict_the_certainty(certainty, needed, sentence):
    # two of five units have all systems
    scores = np.array(
        [[72, 69.4, 69.7], [71.8, 71.5, 70], [np.nan, 68, 71.4], [69.2, 70.4, np.nan]]
    )
    scores = np.vstack([scores, [np.nan, 70.2, 69.9]])
    found = said(rows_of(scores), "u0", missing="model")
    assert verdict(found).endswith("95 % certainty takes more units than these.")
    given = {"certainty": certainty, "n_units_to_settle": needed}
    assert sentence in verdict(found | given)


def test_failures_are_seen_where_they_are_four_and_a_half_times_the_noise():
    seen, false = [], []
    for seed in range(200):
        scores = np.random.default_rng(seed).standard_normal((30, 5))
        false.append(n_failures(scores).any())
        scores[:3, 2] -= 8
        seen.append(n_failures(scores)[2] > 0)
    assert np.mean(seen) >= 0.9
    assert np.mean(false) <= 0.04
