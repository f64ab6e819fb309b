"""Intervals within strata: by hand, against textbook loops and scipy, at the ceiling."""

import math

import numpy as np
import pytest
from scipy import stats

from metrics._shared import stratified
from metrics._shared.cluster_tables import PostStrata, divided
from metrics._shared.stratified import resampling_groups, stratified_interval, stratified_intervals
from metrics._shared.uncertainty import cluster_ratio_interval, wilson_interval
from metrics.subject_object_las.inputs import INPUTS, OVS, SVO, read_clauses
from metrics.subject_object_las.scoring import design_cells
from tests.support.cases import cases
from tests.support.scored_clauses import score_rows

RNG = np.random.default_rng(1)
STRATA = np.repeat([0, 1, 2], [8, 12, 20])
VALUES = np.clip(RNG.beta(4, 2, 40) + 0.2 * (STRATA == 2), 0.01, 0.99)
SIZES = RNG.integers(2, 9, 40).astype(float)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def textbook_error(top, bottom, strata):
    """Linearised error of a ratio of sums: squared residuals about their stratum's mean."""
    ratio, total = top.sum() / bottom.sum(), 0.0
    for stratum in np.unique(strata):
        residuals = (top - ratio * bottom)[strata == stratum]
        n = len(residuals)
        total += n / (n - 1) * sum((r - residuals.mean()) ** 2 for r in residuals)
    return math.sqrt(total) / bottom.sum()


def textbook_interval(top, bottom, strata, scale, slope, inverse, n_resamples=4000):
    generator, ratio = np.random.default_rng(9), top.sum() / bottom.sum()
    deviations = []
    for _ in range(n_resamples):
        drawn = np.concatenate(
            [generator.choice(np.flatnonzero(strata == s), (strata == s).sum()) for s in (0, 1, 2)]
        )
        t, b = top[drawn], bottom[drawn]
        drawn_ratio = t.sum() / b.sum()
        error = textbook_error(t, b, strata[drawn]) * slope(drawn_ratio)
        deviations.append((scale(drawn_ratio) - scale(ratio)) / error)
    low, high = np.quantile(deviations, [0.025, 0.975])
    error = textbook_error(top, bottom, strata) * slope(ratio)
    return inverse(scale(ratio) - high * error), inverse(scale(ratio) - low * error)


@pytest.mark.simulation
@pytest.mark.parametrize("is_logit", [False, True])
def test_interval_equals_a_textbook_loop(is_logit):
    top = VALUES * SIZES
    functions = (lambda x: x, lambda _: 1.0, lambda x: x)
    if is_logit:
        functions = (lambda x: math.log(x / (1 - x)), lambda x: 1 / (x * (1 - x)), sigmoid)
    expected = textbook_interval(top, SIZES, STRATA, *functions)
    bounds = (0, 1) if is_logit else None
    found = stratified_interval(top, SIZES, STRATA, bounds=bounds, n_resamples=20_000)
    width = expected[1] - expected[0]
    assert found[:2] == pytest.approx(expected, abs=0.05 * width)
    assert found.note == "studentised bootstrap over 40 clusters within strata"


def test_one_stratum_is_the_interval_without_strata():
    top = VALUES * SIZES
    found = stratified_interval(top, SIZES, np.zeros(40), bounds=None, n_resamples=20_000)
    plain = cluster_ratio_interval(top, SIZES, n_resamples=20_000)
    assert found[:2] == pytest.approx(plain[:2], abs=0.03 * (plain.high - plain.low))


def test_spread_between_strata_does_not_count():
    # two families of ten triples, all right in one and nearly all wrong in the other
    strata = np.repeat([0, 1], 10)
    values = np.where(strata == 0, 0.9, 0.1) + np.tile([-0.05, 0.05], 10)
    within = stratified_interval(values, np.ones(20), strata)
    without = stratified_interval(values, np.ones(20), np.zeros(20))
    # error of the mean: sd sqrt(10 (.05)^2 / 9) in each family of ten, half of each
    error = math.sqrt(2 * (0.05**2 * 10 / 9) / 10) / 2
    assert within.high - within.low == pytest.approx(2 * 2.1 * error, rel=0.15)
    assert without.high - without.low > 5 * (within.high - within.low)


def test_contrast_of_strata_is_that_of_independent_samples():
    rng = np.random.default_rng(3)
    strata = np.repeat([4, 7], [30, 60])  # any whole numbers, in order of size
    top, bottom = rng.random(90), rng.integers(1, 4, 90).astype(float)
    found = stratified_interval(top, bottom, strata, contrast=[1, -1], bounds=None)
    ratios, errors = [], []
    for stratum in (4, 7):
        t, b = top[strata == stratum], bottom[strata == stratum]
        ratios.append(t.sum() / b.sum())
        errors.append(textbook_error(t, b, np.zeros(len(t))))
    half = stats.norm.ppf(0.975) * math.hypot(*errors)
    expected = (ratios[0] - ratios[1] - half, ratios[0] - ratios[1] + half)
    assert found[:2] == pytest.approx(expected, abs=0.15 * half)


def test_percentiles_of_the_resamples_are_scipys_of_independent_samples():
    # scipy resamples each of several samples on its own, which is a bootstrap within strata
    parts = [VALUES[s == STRATA] for s in (0, 1, 2)]

    def mean(*drawn, axis):
        return sum(one.sum(axis=axis) for one in drawn) / 40

    options = {"method": "basic", "n_resamples": 20_000, "rng": 1, "vectorized": True}
    oracle = stats.bootstrap(parts, mean, **options).confidence_interval
    found = stratified_interval(VALUES, np.ones(40), STRATA, bounds=None, n_resamples=20_000)
    width = oracle.high - oracle.low
    assert found[:2] == pytest.approx((oracle.low, oracle.high), abs=0.12 * width)
    assert found.high - found.low > width  # studentised: the spread is estimated too


def test_a_gap_has_the_interval_of_the_share_that_it_is():
    top = VALUES * SIZES
    share = stratified_interval(top, SIZES, STRATA)
    gap = stratified_interval(2 * top - SIZES, SIZES, STRATA, bounds=(-1, 1))
    assert gap[:2] == pytest.approx([2 * end - 1 for end in share[:2]])


def test_ends_stay_in_range_near_the_ceiling():
    values = np.ones(40)
    values[3] = 0.5
    low, high, _ = stratified_interval(values, np.ones(40), STRATA)
    assert 0 <= low < values.mean() < high <= 1
    unbounded = stratified_interval(values, np.ones(40), STRATA, bounds=None)
    assert unbounded.note.startswith("undefined") or unbounded.high > 1


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_all_at_one_end_is_wilson_over_clusters(value):
    found = stratified_interval(np.full(40, value), np.ones(40), STRATA)
    assert found[:2] == wilson_interval(40 * value, 40)[:2]
    assert found.note == "Wilson over 40 clusters"
    gap = stratified_interval(np.full(9, -1.0), np.ones(9), np.zeros(9), bounds=(-1, 1))
    assert gap.low == -1
    assert gap.high == pytest.approx(2 * wilson_interval(0, 9).high - 1)


@pytest.mark.parametrize(*cases("stratified/degenerate_interval_is_nan_and_says_why"))
def test_degenerate_interval_is_nan_and_says_why(top, bottom, bounds, note):
    found = stratified_interval(top, bottom, [0] * len(top), bounds=bounds)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.note.endswith(note)
    assert found.note.startswith("undefined: ")


@pytest.mark.parametrize(*cases("stratified/lone_clusters_are_grouped"))
def test_lone_clusters_are_grouped(strata, groups):
    assert resampling_groups(np.array(strata)).tolist() == groups


def test_simultaneous_intervals_hold_at_once_and_are_wider():
    columns = np.random.default_rng(6).random((60, 5))
    ones, strata = np.ones((60, 5)), np.repeat([0, 1], 30)
    alone = stratified_intervals(columns, ones, strata)
    joint = stratified_intervals(columns, ones, strata, is_simultaneous=True)
    for a, j in zip(alone, joint, strict=True):
        assert j.low < a.low < a.high < j.high
        assert j.note == "simultaneous studentised bootstrap over 60 clusters within strata"
    (single,) = stratified_intervals(columns[:, :1], ones[:, :1], strata, is_simultaneous=True)
    assert single.high - single.low == pytest.approx(alone[0].high - alone[0].low, rel=0.1)


def test_simultaneous_level_reaches_scores_without_spread():
    columns = np.column_stack([np.random.default_rng(6).random(30), np.ones(30)])
    _, perfect = stratified_intervals(columns, np.ones((30, 2)), np.zeros(30), is_simultaneous=True)
    assert perfect.low == pytest.approx(wilson_interval(30, 30, math.sqrt(0.95)).low)


def test_each_score_gets_what_it_gets_alone():
    columns = np.random.default_rng(8).random((25, 3))
    strata = np.repeat([0, 1], [10, 15])
    together = stratified_intervals(columns, np.ones((25, 3)), strata, seed=4)
    for k, interval in enumerate(together):
        alone = stratified_interval(columns[:, k], np.ones(25), strata, seed=4)
        assert interval[:2] == pytest.approx(alone[:2], rel=1e-12)
    assert together != stratified_intervals(columns, np.ones((25, 3)), strata, seed=5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stratified_interval([1, 2], [1, 1, 1], [0, 0, 0]), "got numerators of shape"),
        (lambda: stratified_interval([1, 2], [1, 1], [0]), r"strata of shape \(1,\); expected"),
        (lambda: stratified_interval([1, 2], [1, 1], [0, 1], contrast=[1]), "contrast, got 1 wei"),
        (lambda: stratified_interval([1], [1], [0], confidence=95), "confidence, got 95"),
        (lambda: stratified_interval([1], [1], [0], n_resamples=9), "n_resamples, got 9"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.simulation
def test_coverage_where_most_clusters_are_perfect():
    # 120 triples in 15 families; one in twenty is weak: a plain bootstrap covers 64 to 90 %
    generator, hits, n = np.random.default_rng(2), 0, 300
    strata = np.repeat(np.arange(15), 8)
    for _ in range(n):
        weak = generator.random(120) < 0.05
        top = generator.binomial(8, np.where(weak, 0.2, 0.995)).astype(float)
        low, high, _ = stratified_interval(top, np.full(120, 8.0), strata, n_resamples=400)
        hits += low <= 0.05 * 0.2 + 0.95 * 0.995 <= high
    assert 0.91 <= hits / n <= 0.99


def both_ways(top, bottom):
    """Interval of twenty clusters in one stratum, without and with the rule for unequal ones."""
    columns = (top[:, None], bottom[:, None], np.zeros(20, int))
    return [stratified_intervals(*columns, is_unequal=is_it)[0] for is_it in (False, True)]


def test_small_clusters_that_stand_apart_are_not_taken_for_the_spread():
    # 12 clusters of two words and 8 of 100, all perfect but half of one small one
    sizes = np.repeat([2.0, 100.0], [12, 8])
    narrow, wide = both_ways(sizes - (np.arange(20) == 0), sizes)
    assert wide.low == pytest.approx(1 - 0.5 * wilson_interval(1, 20).high)  # one in 20, by half
    assert wide.high == narrow.high
    assert narrow.low > 0.98 > 0.9 > wide.low
    # the same at the other end
    low_end = both_ways(1.0 * (np.arange(20) == 0), sizes)[1]
    assert low_end.high == pytest.approx(0.5 * wilson_interval(1, 20).high)
    # clusters alike elsewhere: nothing is to be allowed for
    middle = both_ways(0.5 * sizes + (np.arange(20) == 0), sizes)
    assert middle[0] == middle[1]


def test_resamples_by_kind_of_cluster_give_the_same_interval(monkeypatch):
    generator = np.random.default_rng(5)
    bottom = generator.integers(1, 4, 60).astype(float)
    top, one_stratum = np.minimum(bottom, generator.integers(0, 3, 60)), np.zeros(60, int)
    usual = stratified_interval(top, bottom, one_stratum)
    monkeypatch.setattr(stratified, "CHUNK_CELLS", 1)  # as for many clusters
    monkeypatch.setattr(stratified, "drawn_resamples", None)
    found = stratified_interval(top, bottom, one_stratum)
    assert found[:2] == pytest.approx(usual[:2], rel=1e-12)


# --- post-strata: sums by hand, what divides, and readers whom the design decides
ONE_GROUP = np.zeros(4, int)
TREES = {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "obj"], "subject": 0, "object": 2}
OBJECT_FIRST = {"heads": [2, 0, 2], "deprels": ["obj", "root", "nsubj"], "subject": 2, "object": 0}


def clause(order: str, triple: int, **fields: object) -> dict[str, object]:
    tree = TREES if order == SVO else OBJECT_FIRST
    return tree | {"word_order": order, "triple_id": f"plain/{triple:02d}"} | fields


def test_what_kinds_of_units_explain_is_taken_out_of_the_sums():
    # a has one of each kind, b one of the first, c one of the second; all of the first are right
    strata = PostStrata(np.array([0, 0, 1, 2]), np.zeros(3, int), np.array([0, 1, 0, 1]))
    hits = strata.adjusted(np.arange(4), ONE_GROUP, np.array([1.0, 0.0, 1.0, 0.0]), 1)
    assert hits.tolist() == [pytest.approx([2 / 3] * 3)]
    counts = strata.adjusted(np.arange(4), ONE_GROUP, np.ones(4), 1)
    assert counts.tolist() == [pytest.approx([4 / 3] * 3)]

    # b is wrong: residuals of 1/2, grown by sqrt(2 / 1) for two of a kind over sqrt(3 / 2) for all
    (found,) = strata.adjusted(np.arange(4), ONE_GROUP, np.array([1.0, 0.0, 0.0, 0.0]), 1)
    half = 0.5 * math.sqrt(2 / 1.5)
    assert found.tolist() == pytest.approx([1 / 3 + half, 1 / 3 - half, 1 / 3])


def test_units_that_a_group_lacks_count_as_none_and_strata_keep_their_sums():
    generator = np.random.default_rng(1)
    strata = np.repeat([0, 1], [4, 6])
    clusters = np.append(generator.integers(0, 10, 200), -1)  # the last unit is in no cluster
    cells = np.append(strata, 0)[clusters] * 3 + generator.integers(0, 3, 201)
    units = np.flatnonzero(generator.random(201) < 0.7)
    groups, values = generator.integers(0, 2, len(units)), generator.random(len(units))
    found = PostStrata(clusters, strata, cells).adjusted(units, groups, values, 2)
    assert found.shape == (2, 10)
    for group in (0, 1):
        for stratum in (0, 1):
            chosen = (groups == group) & (np.append(strata, -1)[clusters[units]] == stratum)
            assert found[group, strata == stratum].sum() == pytest.approx(values[chosen].sum())


def test_a_part_of_few_clusters_keeps_the_whole_together():
    clusters = np.arange(6).repeat(2)
    first = np.array([0, 1] * 6)
    second = np.array([0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])  # one cluster has another kind
    levels = (np.zeros(12, int), first, second)
    assert divided(levels[:2], clusters, fewest=6).tolist() == first.tolist()
    assert len(set(divided(levels, clusters, fewest=2).tolist())) == 2  # as before
    assert len(set(divided(levels, clusters, fewest=1).tolist())) == 3
    assert set(divided(levels, clusters, fewest=7).tolist()) == {0}


def test_clauses_are_divided_by_order_properties_and_person():
    words = ("Ich", "Er", "Du", "Wir")  # "ihr" could be of the third person
    rows = [
        clause(order, triple, properties=tags, tokens=[words[triple % 4 * (tags[-1] == "spron")]])
        for triple in range(20)
        for order in (SVO, OVS)
        for tags in (["base", "spron"], ["base", "pp"])
    ]
    for row in rows:
        own = [str(row["tokens"][0]), "sieht", "ihn"]  # type: ignore[index]
        row["tokens"] = own if row["word_order"] == SVO else [own[2], own[1], own[0].lower()]
    found = INPUTS.read({"predictions": rows, "references": rows})["references"]
    clauses = read_clauses("test", found)
    cells = design_cells(clauses, np.zeros(20, int))
    # of spron two in each order; the words of pp are all of one kind
    assert len(set(cells.tolist())) == 6


def ordered_rows() -> list[dict[str, object]]:
    """20 triples, of which some have more clauses with the object first; two are undecided."""
    rows = [clause(SVO, i, resolved_by="case") for i in range(20) for _ in range(6)]
    rows += [clause(OVS, i, resolved_by="case") for i in range(20) for _ in range(1 + i % 5)]
    rows += [clause(OVS, i, resolved_by="none") for i in (3, 9)]
    return rows


def without_orders(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{k: v for k, v in row.items() if k != "word_order"} for row in rows]


def width(result: dict[str, float]) -> float:
    return result["las_high"] - result["las_low"]


def test_a_reader_of_order_varies_by_what_is_decided_alone():
    rows = ordered_rows()
    predicted = [TREES] * len(rows)
    bare = without_orders(rows)
    found, other = score_rows(predicted, rows), score_rows(predicted, bare)
    assert found["las"] == other["las"] == 2 / 3
    assert 0 < width(found) < 0.6 * width(other)
    # a parser whose errors lie in triples keeps its interval
    by_triple = [row | {"deprels": ["dep"] * 3} if i % 4 == 0 else row for i, row in index(rows)]
    found, other = score_rows(by_triple, rows), score_rows(by_triple, bare)
    assert found["las"] == other["las"]
    assert 0.8 < width(found) / width(other) < 1.1


def index(rows: list[dict[str, object]]) -> list[tuple[int, dict[str, object]]]:
    return [(int(str(row["triple_id"])[-2:]), row) for row in rows]


def test_an_interval_does_not_depend_on_the_order_of_rows():
    rows = [row | {"item_id": f"{i // 2}"} for i, row in enumerate(ordered_rows())]
    right = [row if i % 7 else row | {"deprels": ["dep"] * 3} for i, row in enumerate(rows)]
    places = np.random.default_rng(0).permutation(len(rows)).tolist()
    found = score_rows(right, rows)
    moved = score_rows([right[i] for i in places], [rows[i] for i in places])
    assert math.isclose(found["item_score"], moved["item_score"])
    # families of one stratum are resampled in the order of first appearance: about the same
    assert width(found) == pytest.approx(width(moved), rel=0.1)


def test_near_an_end_the_few_that_stand_apart_decide():
    rows = ordered_rows()
    predicted = [row | {"deprels": ["dep"] * 3} if i == 7 else row for i, row in index(rows)]
    found, other = score_rows(predicted, rows), score_rows(predicted, without_orders(rows))
    assert 0.9 < found["las"] < 1
    names = ("las_low", "las_high", "las_interval")
    assert [found[name] for name in names] == [other[name] for name in names]


def test_no_spread_but_the_designs_leaves_the_wider_interval():
    rows = [row for row in ordered_rows() if row["resolved_by"] == "case"]
    predicted = [TREES] * len(rows)
    found, other = score_rows(predicted, rows), score_rows(predicted, without_orders(rows))
    assert width(found) == pytest.approx(width(other), rel=0.1)
