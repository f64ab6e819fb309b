"""GPER: published rows, every rule and tie by hand, models without an effect, inputs, errors."""

import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ground.tables import read_raw
from metrics._shared.paradigms import LAST_ID, PARADIGMS
from metrics.gper.inputs import read_pairs
from metrics.gper.options import read_options
from metrics.gper.rates import count_outcomes, gper, signs
from metrics.gper.scoring import score
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.published import published

PLAIN = read_options(confidence=None)
GOLDEN = ("overall_accuracy", "necessity", "sufficiency", "gper", "gper_reverse", "gper_excess")
SCORES = (*GOLDEN, "gper_joint", "gper_without_degenerate")

# Table 2 of the paper, in percent: accuracy, necessity, sufficiency, GPER
TABLE_2 = {
    "RoBERTa-110M": (41.7, 77.9, 89.4, 45.4),
    "RoBERTa-330M": (52.2, 79.6, 50.3, 38.0),
    "Megatron-1.3B": (43.8, 74.3, 68.7, 41.8),
    "Sentiment Only": (49.5, 71.3, 74.9, 36.0),
    "WWM": (50.8, 66.2, 67.7, 32.6),
    "CWS": (41.3, 40.3, 45.9, 23.7),
    "WWM+CWS": (59.8, 46.8, 34.5, 18.8),
}


def run(predictions, references, options=None, **more):
    given = replace(options, **more) if options else read_options(**more)
    return score({"predictions": predictions, "references": references}, given)


def plain(predictions, references, **options):
    return run(predictions, references, read_options(confidence=None, **options))


def same(first, second):
    return repr(first) == repr(second)


def draw_pairs(seed, n_per_paradigm=30, paradigm_ids=range(1, 40)):
    ids = np.repeat(np.array(list(paradigm_ids)), n_per_paradigm)
    return np.random.default_rng(seed).random((len(ids), 4)), ids


# --- published figures
@pytest.mark.parametrize("system", TABLE_2)
def test_gper_reproduces_the_published_rows(system):
    accuracy, necessity, _, published = TABLE_2[system]
    assert 100 * gper(accuracy / 100, necessity / 100) == pytest.approx(published, abs=0.1)


def test_gper_published_rows_are_those_of_the_papers_table(released):
    names = GOLDEN[:4]
    *table, _ = published(released, "eras_table2")  # the last row is that of people
    assert {row["system"]: tuple(float(row[key]) for key in names) for row in table} == TABLE_2


def test_gper_of_the_human_row_does_not_follow_from_its_own_assumption():
    # accuracy 50.6 and "all misclassifications are garden paths" make 49.4, not the printed 8.7
    # (100 - 91.3); 8.7 needs a necessity of 17.6
    assert 100 * gper(0.506, 1.0) == pytest.approx(49.4)
    assert 100 * gper(0.506, 0.176) == pytest.approx(8.7, abs=0.05)


def test_card_prints_the_published_rows():
    card = (ROOT / "cards" / "metrics" / "gper.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| ([\w.+ -]+) \| (\d[^|]*\|[^|]*\|[^|]*\|[^|]*) \|$", card, re.MULTILINE)
    assert {name: tuple(map(float, cells.split("|"))) for name, cells in found} == TABLE_2


# --- constants
def test_paradigms_equal_the_suites_table():
    raw = read_raw(ROOT / "builders" / "eras" / "data" / "paradigms.tsv")
    rows = [dict(zip(raw.header, cells, strict=True)) for _, cells in raw.rows]
    for paradigm, row in zip(PARADIGMS, rows, strict=True):
        assert not paradigm.has_two_readings
        told = {field: value for field, value in paradigm._asdict().items() if field in row}
        assert len(told) == len(paradigm) - 1  # all but that
        for field, value in told.items():
            written = ("no", "yes")[value] if isinstance(value, bool) else str(value)
            assert row[field] == written, (field, row)


# --- hand-computed cases

# paradigm 1 is positive: an error is a test sentence rated lower than its control; test, control,
# occluded test, occluded control
ERROR_DETECTED = [0.2, 0.6, 0.5, 0.6]
ERROR_UNEXPLAINED = [0.5, 0.6, 0.2, 0.6]
# the difference changes sign under occlusion, but its size shrinks from 0.4 to 0.1
CORRECT_DETECTED = [0.6, 0.2, 0.5, 0.6]
CORRECT_UNEXPLAINED = [0.6, 0.5, 0.6, 0.2]
TIE_WIDENED = [0.5, 0.5, 0.4, 0.6]
TIE_KEPT = [0.5, 0.5, 0.7, 0.7]
# 0.2 both times, though 0.7 - 0.5 and 0.3 - 0.1 differ in the last bit
ERROR_KEPT = [0.5, 0.7, 0.1, 0.3]


@pytest.mark.parametrize(*cases("gper/gper_golden"))
def test_gper_golden(rows, options, accuracy, necessity, sufficiency, rate, reverse):
    result = plain(rows, [1] * len(rows), **options)
    expected = [accuracy, necessity, sufficiency, rate, reverse, rate - reverse]
    assert [result[name] for name in GOLDEN] == pytest.approx(expected, nan_ok=True)


def test_gper_orients_by_the_true_sentiment():
    # paradigm 2 is negative: there the error is a test sentence rated higher than its control
    assert plain([[0.6, 0.2, 0.6, 0.5]], [2])["gper"] == 1.0
    assert plain([ERROR_DETECTED], [2])["gper"] == 0.0
    # signed, the occluded difference is oriented as well: 0.4 - (-0.5) > 0
    assert plain([[0.6, 0.2, 0.3, 0.8]], [2], similarity="signed")["gper"] == 1.0
    assert plain([[0.6, 0.2, 0.8, 0.3]], [2], similarity="signed")["gper"] == 0.0


def test_gper_macro_accuracy_and_pooled_necessity():
    # paradigm 1: 4 pairs, 2 wrong, 1 detected; paradigm 2: 1 pair, wrong and detected
    rows = [ERROR_DETECTED, ERROR_UNEXPLAINED, CORRECT_UNEXPLAINED, CORRECT_UNEXPLAINED]
    rows.append([0.6, 0.2, 0.6, 0.5])
    result = plain(rows, [1, 1, 1, 1, 2])
    assert result["overall_accuracy"] == pytest.approx((0.5 + 0) / 2)
    assert result["necessity"] == pytest.approx(2 / 3)
    assert result["gper"] == pytest.approx(0.75 * 2 / 3)
    # what GPER is said to measure; differs as the sizes do
    assert result["gper_joint"] == pytest.approx((1 / 4 + 1) / 2)
    macro = plain(rows, [1, 1, 1, 1, 2], pooling="macro")
    assert macro["necessity"] == pytest.approx((1 / 2 + 1) / 2)
    assert macro["gper"] == pytest.approx(0.75 * 0.75)

    # a paradigm that is all correct has no necessity, which is not 0
    correct = [ERROR_DETECTED, ERROR_UNEXPLAINED, [0.2, 0.6, 0.2, 0.6]]
    assert plain(correct, [1, 1, 2], pooling="macro")["necessity"] == 0.5


def test_gper_without_degenerate_leaves_out_the_identical_occluded_pairs():
    rows = [ERROR_UNEXPLAINED, [0.2, 0.6, 0.5, 0.5]]
    result = plain(rows, [1, 7])
    assert result["gper"] == 0.5
    assert result["gper_without_degenerate"] == 0.0
    assert math.isnan(plain(rows[1:], [7])["gper_without_degenerate"])


def test_gper_control_minus_test_by_sentiment():
    # +/-: two paradigms; a control rated higher by 0.4 and lower by 0.1; -/+: a control rated lower
    # by 0.4, evidence of a garden path
    given = [[0.2, 0.6], [0.2, 0.6], [0.6, 0.5], [0.6, 0.2]], [1, 1, 3, 2]
    result = plain(*given)
    rows = {row["sentiment"]: row["control_minus_test"] for row in result["by_sentiment"]}
    assert rows == pytest.approx({"+/-": 0.7 / 3, "-/+": -0.4})
    macro = plain(*given, pooling="macro")
    assert macro["by_sentiment"][0]["control_minus_test"] == pytest.approx((0.4 - 0.1) / 2)


def test_gper_tables_name_their_rows():
    result = plain(*draw_pairs(0, 4), cluster="paradigm")
    sizes = {"branching": {"left": 23, "right": 16}}
    sizes["sentiment"] = {"+/-": 9, "+/0": 10, "-/0": 11, "-/+": 9}
    for name, expected in sizes.items():
        rows = [(row[name], row["n_clusters"]) for row in result[f"by_{name}"]]
        assert rows == list(expected.items())
    table = pd.DataFrame(result["by_paradigm"])
    assert table["paradigm_id"].tolist() == list(range(1, 40))
    assert table["n"].sum() == result["n"] == 156
    assert len(table.columns) == len(result["by_paradigm"][0])
    assert table["accuracy"].mean() == pytest.approx(result["overall_accuracy"])


def test_gper_counts_ties_and_saturated_probabilities():
    result = plain([ERROR_KEPT, TIE_KEPT, TIE_WIDENED, [0.9995, 0.0005, 0.5, 0.5]], [1] * 4)
    assert (result["n_ties"], result["n_occlusion_ties"]) == (2, 2)
    assert result["saturated_share"] == 2 / 16


@pytest.mark.parametrize("pair", [[0.1, 0.4, 0.3, 0.6], [0.3, 0.6, 0.1, 0.4]])
def test_gper_takes_what_only_rounding_tells_apart_for_a_tie(pair):
    # 0.4 - 0.1 is 0.30000000000000004 and 0.6 - 0.3 is 0.3
    assert plain([pair], [1])["n_occlusion_ties"] == 1
    assert signs(np.array([0.3 - 0.1 - 0.2, 1e-9, -1e-9, 0.0])).tolist() == [0, 1, -1, 0]


def test_gper_per_item_adds_up_to_the_scores():
    predictions, ids = draw_pairs(1, 5)
    for options in (read_options(), read_options(mode="paper")):
        result = run(predictions, ids, options, per_item=True)
        items = pd.DataFrame(result["per_item"])
        accuracy = items["is_correct"].groupby(items["paradigm_id"]).mean().mean()
        assert accuracy == pytest.approx(result["overall_accuracy"])
        n_both = (items["is_error"] & items["is_detected"]).sum()
        assert n_both / items["is_error"].sum() == pytest.approx(result["necessity"])
        assert n_both / items["is_detected"].sum() == pytest.approx(result["sufficiency"])
    differences = (predictions[:, 1] - predictions[:, 0]).tolist()
    assert items["control_minus_test"].tolist() == pytest.approx(differences)


def test_gper_logits_are_probabilities_after_the_sigmoid():
    logits, ids = np.random.default_rng(2).normal(0, 3, (390, 4)), np.repeat(np.arange(1, 40), 10)
    found, expected = plain(logits, ids, scale="logit"), plain(1 / (1 + np.exp(-logits)), ids)
    assert all(found[name] == expected[name] for name in SCORES)
    assert plain([[-900.0, 900.0, 0.0, 0.0]], [1], scale="logit")["gper"] == 1.0  # no overflow


# --- identities and symmetries
@pytest.mark.parametrize("similarity", ["absolute", "signed"])
@pytest.mark.parametrize("ties", ["strict", "code"])
@pytest.mark.parametrize("pooling", ["micro", "macro"])
def test_negating_both_differences_flips_the_sign_of_the_excess(similarity, ties, pooling):
    predictions, ids = draw_pairs(3)
    predictions = (predictions * [0.8, 1, 0.9, 1]).round(1)  # many ties, and an effect
    options = {"similarity": similarity, "ties": ties, "pooling": pooling}
    result = plain(predictions, ids, **options)
    mirrored = plain(predictions[:, [1, 0, 3, 2]], ids, **options)
    assert result["gper_excess"] == pytest.approx(-mirrored["gper_excess"])
    assert result["gper"] == pytest.approx(mirrored["gper_reverse"])
    assert result["gper_excess"] != 0


def test_on_equal_sizes_gper_is_the_pooled_share_of_detected_errors():
    predictions, ids = draw_pairs(4)
    result = run(predictions, ids, PLAIN, per_item=True)
    pooled = np.mean([row["is_error"] and row["is_detected"] for row in result["per_item"]])
    assert result["gper"] == pytest.approx((1 - result["overall_accuracy"]) * result["necessity"])
    assert result["gper"] == pytest.approx(pooled)
    assert result["gper_joint"] == pytest.approx(pooled)


def test_the_order_of_pairs_does_not_matter():
    predictions, ids = draw_pairs(5, 7)
    order = np.random.default_rng(6).permutation(len(ids))
    first, second = run(predictions, ids), run(predictions[order], ids[order])
    assert all(first[name] == pytest.approx(second[name]) for name in SCORES)
    assert first["gper_low"] == pytest.approx(second["gper_low"])


def test_one_more_copy_of_every_pair_changes_no_score_and_no_interval():
    predictions, ids = draw_pairs(7, 5)
    once, twice = (run(predictions, ids), run(np.vstack([predictions] * 2), np.hstack([ids] * 2)))
    for name in [*SCORES, "gper_low", "gper_high", "necessity_low"]:
        # rows are not what was sampled; paradigms are
        assert once[name] == pytest.approx(twice[name])


def test_blocks_do_not_show(monkeypatch):
    predictions, ids = draw_pairs(9)
    whole = count_outcomes(read_pairs(predictions, ids))
    monkeypatch.setattr("metrics.gper.rates.BLOCK", 7)
    parts = count_outcomes(read_pairs(predictions, ids))
    assert (whole.table == parts.table).all()
    assert whole.differences == pytest.approx(parts.differences)


def test_exclude_is_the_same_as_leaving_the_rows_out():
    predictions, ids = draw_pairs(10, 5)
    kept = ~np.isin(ids, [7, 36])
    excluded = plain(predictions, ids, exclude=[36, 7])
    left_out = plain(predictions[kept], ids[kept])
    assert excluded["options"]["exclude"] == [7, 36]
    assert "exclude=[7,36]" in excluded["signature"]
    own = {name: left_out[name] for name in ("options", "signature")}
    assert same(excluded | own, left_out)


# --- intervals
def test_an_effect_has_an_excess_whose_interval_does_not_hold_zero():
    ids = np.repeat(np.arange(1, 40), 20)
    logits = np.random.default_rng(0).normal(0, 1, (len(ids), 4))
    # the canary word sways the test sentence, unless it is occluded
    logits[:, 0] += [1.0 if PARADIGMS[i - 1].true_sentiment == "-" else -1.0 for i in ids]
    result = run(logits, ids, read_options(scale="logit"))
    assert result["gper_excess_low"] > 0.2


def test_intervals_are_over_clusters_and_name_their_method():
    predictions, ids = draw_pairs(11, 5)
    result = run(predictions, ids, read_options(cluster="paradigm"))
    assert (result["n_clusters"], result["gper_interval"]) == (39, "BCa bootstrap over 39 clusters")
    family = run(predictions, ids)
    assert (family["n_clusters"], family["gper_interval"]) == (19, "BCa bootstrap over 19 clusters")
    for name in SCORES:
        assert result[f"{name}_low"] < result[name] < result[f"{name}_high"]
        assert family[name] == result[name]

    one = run([ERROR_DETECTED, CORRECT_DETECTED], [1, 1])
    assert math.isnan(one["gper_low"])
    assert one["gper_interval"] == "undefined: 1 cluster(s)"


def test_intervals_are_left_out_on_request_and_seeded():
    predictions, ids = draw_pairs(12, 5)
    names = run(predictions, ids, PLAIN)
    assert not [name for name in names if name.endswith(("_low", "_interval"))]
    first, again, other = (run(predictions, ids, read_options(seed=seed)) for seed in (1, 1, 2))
    assert same(first, again)
    assert first["gper_low"] != other["gper_low"]


# --- inputs
def test_gper_without_occlusion_is_nan_with_a_reason():
    predictions, ids = draw_pairs(16, 3)
    full, result = run(predictions, ids), run(predictions[:, :2], ids)
    assert result["overall_accuracy"] == full["overall_accuracy"]
    assert result["overall_accuracy_low"] == full["overall_accuracy_low"]
    for name in SCORES[1:]:
        assert math.isnan(result[name])
        assert result[f"{name}_interval"] == "undefined: no occluded sentences were scored"
    # all correct, but nobody can say that nothing was detected
    assert math.isnan(run([[0.6, 0.2]], [1])["gper"])
    assert "n_occlusion_ties" not in result
    assert "is_detected" not in run(predictions[:, :2], ids, per_item=True)["per_item"][0]


GOOD = ERROR_DETECTED


@pytest.mark.parametrize(*cases("gper/wrong_predictions_are_refused"))
def test_wrong_predictions_are_refused(predictions, message):
    with pytest.raises(ValueError, match=f"gper: predictions{message}"):
        run(predictions, [1] * len(predictions))


@pytest.mark.parametrize(*cases("gper/wrong_references_are_refused"))
def test_wrong_references_are_refused(predictions, references, message):
    with pytest.raises(ValueError, match=f"gper: {message}"):
        run(predictions, references)


@pytest.mark.parametrize(*cases("gper/wrong_options_are_refused"))
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=f"gper: .*{message}"):
        run([GOOD], [1], read_options(**options))


def test_paradigms_end_with_the_last():
    rest = f"got {LAST_ID + 1}; .* from 1 to {LAST_ID}"
    with pytest.raises(ValueError, match=rf"gper: references\[1\]: paradigm_id, {rest}"):
        plain([GOOD, GOOD], [1, LAST_ID + 1])
    with pytest.raises(ValueError, match=f"gper: exclude, {rest}"):
        plain([GOOD], [1], exclude=[LAST_ID + 1])
