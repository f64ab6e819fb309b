"""garden_path_accuracy 2.0: headline and chance, intervals, version 1.0, two systems, refusals."""

import itertools
import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics._shared.paradigms import PARADIGMS
from metrics.garden_path_accuracy.comparison import with_added_signs
from metrics.garden_path_accuracy.options import read_options
from metrics.garden_path_accuracy.scoring import score
from tests.conftest import ROOT
from tests.support.bootstraps import bca_interval, drawn_weights, studentised_interval

TEST, CONTROL, START = "甲乙子丑寅丙丁", "甲乙卯辰巳丙丁", 2
LEFT_TRUE, RIGHT_TRUE = (2, 4), (3, 5)  # cuts around x1x2, and around x2x3
IDS = list(range(1, 40))


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*more than once.*")
        yield


def cut(sentence, *places):
    ends = [0, *sorted(places), len(sentence)]
    return [sentence[a:b] for a, b in itertools.pairwise(ends) if a < b]


def row(paradigm_id):
    return {"paradigm_id": paradigm_id, "site_start": START, "test": TEST, "control": CONTROL}


def true_cut(paradigm_id):
    return LEFT_TRUE if PARADIGMS[paradigm_id - 1].branching == "left" else RIGHT_TRUE


def canary_cut(paradigm_id):
    return RIGHT_TRUE if PARADIGMS[paradigm_id - 1].branching == "left" else LEFT_TRUE


def run(cuts, ids, **options):
    """Scores pairs of cuts, of the test and of the control sentence."""
    words = [[cut(TEST, *test), cut(CONTROL, *control)] for test, control in cuts]
    inputs = {"predictions": words, "references": [row(i) for i in ids]}
    return score(inputs, read_options(**options))


def random_cuts(seed, n):
    generator = np.random.default_rng(seed)
    draws = generator.random((n, 2, 6)) < 0.6
    return [[tuple((np.flatnonzero(side) + 1).tolist()) for side in pair] for pair in draws]


# --- version 1.0
def test_paper_mode_gives_what_version_1_gave():
    golden = json.loads((ROOT / "tests" / "golden" / "garden_path_accuracy_1_0.json").read_text())
    generator = np.random.default_rng(11)
    ids = np.repeat(np.arange(1, 40), 8)
    generator.random((len(ids), 4))

    def segment(sentence):
        places = np.flatnonzero(generator.random(len(sentence) - 1) < 0.6) + 1
        return cut(sentence, *places.tolist())

    rows = [row(int(i)) for i in ids]
    words = [[segment(TEST), segment(CONTROL)] for _ in ids]
    options = read_options(mode="paper", cluster="paradigm", n_resamples=500)
    result = score({"predictions": words, "references": rows}, options)
    for kind in ("", "control_"):  # renamed in 2.0
        for end in ("", "_low", "_high", "_interval"):
            result[f"{kind}true_word_rate{end}"] = result[f"{kind}word_accuracy{end}"]
    expected = golden["paper"]
    tables = [name for name in expected if name.startswith("by_")]
    assert tables == ["by_paradigm", "by_branching"]
    for name in expected.keys() - set(tables):
        assert same(name, result[name], expected[name]), name
    result["by_paradigm"] = result["by_paradigm"][::13]
    for table in tables:
        for new_row, old_row in zip(result[table], expected[table], strict=True):
            for name in old_row.keys() - {key for key in old_row if "true_word_rate" in key}:
                assert same(name, new_row[name], old_row[name]), name


def same(name, new, old):
    if name.endswith(("_low", "_high")):
        return new == pytest.approx(old, abs=1e-12, nan_ok=True)
    return new == old


# --- the headline
def test_the_headline_counts_pairs_with_both_words_right():
    cuts = [
        (true_cut(1), true_cut(1)),  # both words come out
        (true_cut(1), (2, 3, 4, 5)),  # the control word is cut up
        (canary_cut(1), true_cut(1)),  # misled
        ((2, 3, 4, 5), (2, 3, 4, 5)),  # cut everywhere
        (true_cut(2), true_cut(2)),
    ]
    result = run(cuts, [1, 1, 1, 1, 2], confidence=None)
    assert result["pair_accuracy"] == pytest.approx((1 / 4 + 1) / 2)
    assert result["word_accuracy"] == pytest.approx((2 / 4 + 1) / 2)
    assert result["control_word_accuracy"] == pytest.approx((2 / 4 + 1) / 2)
    assert result["commitment"] == pytest.approx((3 / 4 + 1) / 2)
    assert result["resolution"] == pytest.approx((2 / 4 + 1) / (3 / 4 + 1))
    # of the two pairs of paradigm 1 with the control word, one is misled; of paradigm 2's none
    assert result["garden_path_rate_given_control"] == pytest.approx((1 / 2 + 0) / 2)
    assert result["n_paradigms_given_control"] == 2
    assert result["garden_path_rate"] == pytest.approx((1 / 4 + 0) / 2)


def test_given_control_leaves_out_paradigms_without_the_control_word():
    result = run([(canary_cut(1), ()), (canary_cut(2), true_cut(2))], [1, 2], confidence=None)
    assert result["garden_path_rate_given_control"] == 1
    assert result["n_paradigms_given_control"] == 1
    nothing = run([(canary_cut(1), ())], [1])
    assert math.isnan(nothing["garden_path_rate_given_control"])
    assert nothing["n_paradigms_given_control"] == 0


@pytest.mark.parametrize("places", [(), (1, 2, 3, 4, 5, 6)])
def test_doing_nothing_wins_the_published_score_and_not_the_headline(places):
    result = run([(places, places)] * 39, IDS)
    assert (result["test_accuracy"], result["garden_path_rate"]) == (1, 0)
    assert (result["pair_accuracy"], result["commitment"]) == (0, 0)
    assert math.isnan(result["resolution"])
    assert result["resolution_interval"].startswith("undefined: ")
    assert result["pair_accuracy_above_chance"] == 0


def test_chance_needs_both_branchings():
    left, _ = run([(true_cut(i), true_cut(i)) for i in IDS], IDS)["by_branching"]
    assert math.isnan(left["pair_accuracy_chance"])
    note = left["pair_accuracy_above_chance_interval"]
    assert note == "undefined: paradigms of one branching only"


def test_cutting_every_two_characters_is_at_chance():
    result = run([((2, 4, 6), (2, 4, 6))] * 39, IDS)  # right wherever the true word comes first
    assert result["pair_accuracy"] == pytest.approx(23 / 39)
    assert result["pair_accuracy_chance"] == pytest.approx(23 / 39)
    assert result["pair_accuracy_above_chance"] == 0
    assert result["resolution"] == pytest.approx(23 / 39)


def test_chance_is_what_the_cuts_would_score_elsewhere():
    perfect = run([(true_cut(i), true_cut(i)) for i in IDS], IDS)
    assert perfect["pair_accuracy"] == 1
    # 23 of 39 are cut as left-branching sites are, and so on
    assert perfect["pair_accuracy_chance"] == pytest.approx((23 / 39) ** 2 + (16 / 39) ** 2)
    assert perfect["pair_accuracy_above_chance_low"] > 0.35
    reversed_ = run([(canary_cut(i), canary_cut(i)) for i in IDS], IDS, confidence=None)
    assert reversed_["pair_accuracy_above_chance"] == pytest.approx(-2 * 23 * 16 / 39**2)


def test_families_are_a_table():
    result = run([(true_cut(i), true_cut(i)) for i in IDS], IDS)
    families = {entry["family"]: entry for entry in result["by_family"]}
    assert len(families) == 19
    assert families["xinji"]["n"] == 6
    assert sum(entry["n"] for entry in families.values()) == 39


# --- intervals against an independent computation
def paradigm_means(cuts, ids, right):
    """Mean of `right(pair of cuts, id)` for each paradigm, in the order of the ids."""
    found = {i: [] for i in ids}
    for pair, i in zip(cuts, ids, strict=True):
        found[i].append(right(pair, i))
    return np.array([np.mean(own) for own in found.values()])


def has(places, word):
    start, end = word
    return {start, end} <= {0, *places, 7} and not any(start < place < end for place in places)


def wrong_test_minus_control(cuts, ids):
    def is_wrong(places, i):  # one of the two inner places is cut, the canary's
        inner = {3: PARADIGMS[i - 1].branching == "left", 4: PARADIGMS[i - 1].branching == "right"}
        return all((place in places) == wanted for place, wanted in inner.items())

    return paradigm_means(
        cuts, ids, lambda pair, i: float(is_wrong(pair[0], i)) - is_wrong(pair[1], i)
    )


def test_the_interval_of_the_difference_is_bca_over_paradigms_in_paper_mode():
    ids = [i for i in IDS for _ in range(4)]
    cuts = random_cuts(5, len(ids))
    differences = wrong_test_minus_control(cuts, ids)
    result = run(cuts, ids, mode="paper", n_resamples=500, seed=3)
    assert result["difference"] == pytest.approx(differences.mean())

    def mean(weights):
        return (weights * differences).sum() / weights.sum()

    low, high = bca_interval(mean, drawn_weights(39, 500, seed=3))
    assert result["difference_low"] == pytest.approx(low)
    assert result["difference_high"] == pytest.approx(high)
    assert -1 < low < result["difference"] < high < 1


def test_half_a_paradigm_of_each_sign_is_added_to_the_difference():
    ids = [i for i in IDS for _ in range(4)]
    cuts = random_cuts(5, len(ids))
    differences = wrong_test_minus_control(cuts, ids)
    names = [paradigm.family for paradigm in PARADIGMS]
    groups = [[d for d, n in zip(differences, names, strict=True) if n == f] for f in set(names)]
    centre = differences.sum() / 40  # 39 paradigms and two halves
    residuals = [sum(group) - len(group) * centre for group in groups]
    residuals += [0.5 - 0.5 * centre, -0.5 - 0.5 * centre]
    error = np.sqrt(sum(r**2 for r in residuals) * 21 / 20) / 40
    half = stats.t.ppf(0.975, 18) * error
    result = run(cuts, ids)
    assert result["difference"] == pytest.approx(differences.mean())
    assert result["difference_low"] == pytest.approx(centre - half)
    assert result["difference_high"] == pytest.approx(centre + half)
    assert result["difference_interval"] == "Agresti & Min over 19 clusters"


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        (np.zeros(19), (-0.0761, 0.0761)),  # nothing seen is not nothing there
        (np.append(np.zeros(18), 0.5), (-0.0674, 0.1174)),
        (np.ones(19), (0.8424, 1.0)),
    ],
)
def test_the_interval_of_the_difference_near_the_ends(differences, expected):
    found = with_added_signs(differences, np.ones(19), 0.95)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-4)
    assert found.low <= differences.mean() <= found.high


def test_one_cluster_has_no_interval_of_the_difference():
    found = with_added_signs(np.ones(1), np.ones(1), 0.95)
    assert math.isnan(found.low)
    assert found.note == "undefined: 1 cluster(s)"


def test_the_interval_of_a_rate_is_wilsons():
    ids = [i for i in IDS for _ in range(4)]
    cuts = random_cuts(6, len(ids))
    share = paradigm_means(
        cuts, ids, lambda pair, i: all(has(places, true_cut(i)) for places in pair)
    ).mean()
    result = run(cuts, ids, cluster="paradigm")
    z = stats.norm.ppf(0.975)
    roots = np.roots([1 + z**2 / 39, -(2 * share + z**2 / 39), share**2])
    assert result["pair_accuracy"] == pytest.approx(share)
    ends = [result["pair_accuracy_low"], result["pair_accuracy_high"]]
    assert sorted(roots.real) == pytest.approx(ends)


def test_the_interval_of_a_ratio_is_studentised_over_families():
    ids = [i for i in IDS for _ in range(6)]
    cuts = random_cuts(7, len(ids))
    true = paradigm_means(cuts, ids, lambda pair, i: has(pair[0], true_cut(i)))
    canary = paradigm_means(cuts, ids, lambda pair, i: has(pair[0], canary_cut(i)))
    names = [paradigm.family for paradigm in PARADIGMS]
    families = sorted(set(names))
    top, bottom = (
        np.array([sum(v for v, n in zip(values, names, strict=True) if n == f) for f in families])
        for values in (true, true + canary)
    )
    result = run(cuts, ids, n_resamples=400, seed=1)
    assert result["resolution"] == pytest.approx(top.sum() / bottom.sum())
    low, high = studentised_interval(top, bottom, drawn_weights(19, 400, seed=1))
    assert (result["resolution_low"], result["resolution_high"]) == pytest.approx((low, high))


PLACES = st.lists(st.integers(1, 6), unique=True).map(tuple)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 39), PLACES, PLACES), min_size=1, max_size=40))
def test_low_score_high_and_the_range_of_every_score(pairs):
    result = run([(test, control) for _, test, control in pairs], [i for i, *_ in pairs])
    for name in [key.removesuffix("_low") for key in result if key.endswith("_low")]:
        value, low, high = (result[f"{name}{end}"] for end in ("", "_low", "_high"))
        if not math.isnan(low) and name not in ("difference", "pair_accuracy_above_chance"):
            assert 0 <= low <= value + 1e-9, name
            assert value - 1e-9 <= high <= 1, name
        assert math.isnan(low) == math.isnan(high)
    assert result["pair_accuracy"] <= min(result["word_accuracy"], result["control_word_accuracy"])
    assert result["word_accuracy"] <= result["commitment"] <= 1


# --- two systems
def test_two_systems_are_compared_on_the_pairs_where_both_commit():
    ids = [1, 1, 1, 2, 2, 9]
    first = [true_cut(1), true_cut(1), (), true_cut(2), canary_cut(2), true_cut(9)]
    other = [canary_cut(1), true_cut(1), true_cut(1), canary_cut(2), canary_cut(2), ()]
    words = [[cut(TEST, *places), cut(CONTROL)] for places in other]
    result = run([(places, ()) for places in first], ids, compared_with=words)
    # both commit on the first two pairs of 1 and on those of 2
    assert result["n_both_commit"] == 4
    assert result["resolution_difference"] == pytest.approx((1 / 2 + 1 / 2) / 2)
    assert result["pair_accuracy_difference"] == 0
    assert math.isnan(result["resolution_difference_p"])  # paradigms 1 and 2 are one family


def test_the_p_value_of_a_comparison_flips_signs_of_families():
    cuts = [(true_cut(i), true_cut(i)) for i in IDS]
    words = [[cut(TEST, *canary_cut(i)), cut(CONTROL, *true_cut(i))] for i in IDS]
    result = run(cuts, IDS, compared_with=words)
    assert (result["resolution_difference"], result["pair_accuracy_difference"]) == (1, 1)
    assert result["resolution_difference_p"] < 0.001
    assert "compared_with" not in result["options"]


def test_a_comparison_reads_the_second_system_like_the_first():
    with pytest.raises(ValueError, match="got 1 predictions but 2 references"):
        run([((), ())] * 2, [1, 2], compared_with=[[cut(TEST), cut(CONTROL)]])
    with pytest.raises(ValueError, match="compared_with, got str; expected a sequence with one"):
        run([((), ())], [1], compared_with="jieba")


# --- rows
def two_rows(**second):
    return [row(1) | {"id": "01-1"}, row(1) | {"id": "01-2"} | second]


def test_both_scripts_at_once_are_refused():
    rows = two_rows(test="甲乙子醜寅丙丁")
    words = [[cut(one["test"]), cut(one["control"])] for one in rows]
    message = r"references\[1\]: got the site 子醜寅 beside 子丑寅 of paradigm 1; expected one"
    with pytest.raises(ValueError, match=message):
        score({"predictions": words, "references": rows})


def test_an_id_that_occurs_twice_is_refused():
    rows = two_rows(id="01-1")
    words = [[cut(TEST), cut(CONTROL)]] * 2
    with pytest.raises(ValueError, match=r"references\[1\]: id, got '01-1' again; expected each"):
        score({"predictions": words, "references": rows})


def test_sentences_that_occur_twice_are_told():
    words = [[cut(TEST), cut(CONTROL)]] * 2
    with pytest.warns(UserWarning, match="got 1 sentences more than once"):
        score({"predictions": words, "references": [row(1), row(1)]})
