"""Garden path accuracy: patterns of cuts by hand, published shares, gold templates, errors."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ground.tables import read_raw
from metrics._shared.paradigms import PARADIGMS
from metrics.garden_path_accuracy.inputs import PATTERN_FLAGS, boundary_pattern, describe_pattern
from metrics.garden_path_accuracy.options import read_options
from metrics.garden_path_accuracy.scoring import score
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.results import picked

SIDES = {
    "left": [p.paradigm_id for p in PARADIGMS if p.branching == "left"],
    "right": [p.paradigm_id for p in PARADIGMS if p.branching == "right"],
}
RATES = ("canary_rate", "both_rate", "neither_rate", "crossing_rate")

# 甲 乙 [子 丑 寅] 丙 丁 against 甲 乙 [卯 辰 巳] 丙 丁: nothing in these sentences but places
TEST, CONTROL, START = "甲乙子丑寅丙丁", "甲乙卯辰巳丙丁", 2


def cut(sentence, *places):
    """The words of a sentence that is cut at some places."""
    ends = [0, *places, len(sentence)]
    return [sentence[a:b] for a, b in itertools.pairwise(ends)]


def reference(paradigm_id):
    return {"paradigm_id": paradigm_id, "site_start": START, "test": TEST, "control": CONTROL}


def canary_cut(sentence, paradigm_id):
    return cut(sentence, 2, 3 if paradigm_id in SIDES["left"] else 4, 5)


def true_cut(sentence, paradigm_id):
    return cut(sentence, 2, 4 if paradigm_id in SIDES["left"] else 3, 5)


def run(predictions, references, options=None, **more):
    given = replace(options, **more) if options else read_options(**more)
    return score({"predictions": predictions, "references": references}, given)


def plain(predictions, references, **options):
    return run(predictions, references, read_options(confidence=None, **options))


def canary_cut_at(row):
    start, side = row["site_start"], 2 - (row["paradigm_id"] in SIDES["left"])
    return cut(row["test"], start, start + side, start + 3)


@pytest.fixture(scope="module")
def suite():
    """One pair of each paradigm with its gold segmentation: the same word in every slot."""
    raw = read_raw(ROOT / "builders" / "eras" / "data" / "paradigms.tsv")
    rows, gold = [], []
    for _, cells in raw.rows:
        row = dict(zip(raw.header, cells, strict=True))
        words = [
            ["某某" if "{" in word else word for word in row[f"{side}_template"].split(" ")]
            for side in ("test", "control")
        ]
        both = row["true_word"], row["canary_word"]
        first, second = both if row["branching"] == "left" else reversed(both)
        test, control = map("".join, words)
        rows.append({"paradigm_id": int(row["paradigm_id"]), "test": test, "control": control})
        rows[-1]["site_start"] = test.index(first + second[1])
        gold.append(words)
    return rows, gold


# --- patterns
@pytest.mark.parametrize(*cases("garden_path_accuracy/boundary_pattern_golden"))
def test_boundary_pattern_golden(words, pattern):
    assert boundary_pattern(words, 2) == pattern


def test_boundary_pattern_at_the_ends_of_a_sentence():
    # the sentence's start is a boundary, and so is its end
    assert boundary_pattern(["子丑", "寅"], 0) == 0b1101
    assert boundary_pattern(["子丑寅"], 0) == 0b1001


# cuts around and inside [x1 x2 x3] -> what holds; the paper's rule is `wrong` alone
@pytest.mark.parametrize(*cases("garden_path_accuracy/patterns"))
def test_patterns_golden(branching, picture, expected):
    pattern, place = 0, 0
    for mark in picture:
        if mark == "|":
            pattern |= 1 << place
        place += mark == "x"
    found = {name for name, holds in describe_pattern(pattern, branching).items() if holds}
    assert found == set(expected)


def test_patterns_are_nested_as_documented():
    flags = PATTERN_FLAGS
    assert not (flags["true_word"] & flags["crossing"]).any()
    assert not (flags["wrong"] & ~flags["crossing"]).any()
    assert not (flags["canary"] & ~flags["wrong"]).any()
    assert not (flags["both"] & flags["neither"]).any()
    assert not (flags["wrong"] & (flags["both"] | flags["neither"])).any()


def test_left_and_right_are_mirror_images():
    for pattern in range(16):
        mirrored = int(f"{pattern:04b}"[::-1], 2)
        assert describe_pattern(pattern, "left") == describe_pattern(mirrored, "right")


# --- accuracies
def test_accuracy_reproduces_maxmatch_of_table_1():
    # 19 of 23 left-branching and 6 of 16 right-branching paradigms: 82.6, 37.5 and 64.1; controls
    # 100
    right = SIDES["left"][:19] + SIDES["right"][:6]
    ids = SIDES["left"] + SIDES["right"]
    predictions = [
        [true_cut(TEST, i) if i in right else canary_cut(TEST, i), true_cut(CONTROL, i)]
        for i in ids
    ]
    result = run(predictions, list(map(reference, ids)), read_options(mode="paper"))
    assert result["test_accuracy"] == pytest.approx(25 / 39)
    assert (result["control_accuracy"], result["difference"]) == pytest.approx((1, 14 / 39))
    rows = {row["branching"]: row for row in result["by_branching"]}
    shares = [row["test_accuracy"] for row in (rows["left"], rows["right"], result)]
    assert shares[:2] == pytest.approx([19 / 23, 6 / 16])
    assert [round(100 * share, 1) for share in shares] == [82.6, 37.5, 64.1]
    assert [round(100 * row["difference"], 1) for row in rows.values()] == [17.4, 62.5]


def test_accuracy_is_a_mean_over_paradigms_not_over_pairs():
    right = [true_cut(TEST, 1), true_cut(CONTROL, 1)]
    predictions = [[canary_cut(TEST, 1), right[1]], right, right]
    predictions.append([canary_cut(TEST, 2), canary_cut(CONTROL, 2)])
    result = plain(predictions, list(map(reference, [1, 1, 1, 2])))
    assert result["test_accuracy"] == pytest.approx((2 / 3 + 0) / 2)
    assert result["control_accuracy"] == pytest.approx((1 + 0) / 2)
    assert result["difference"] == pytest.approx(0.5 - 1 / 3)
    # the second paradigm's control is wrong, too
    assert result["garden_path_rate"] == pytest.approx((1 / 3 + 0) / 2)
    assert result["canary_rate"] == pytest.approx((1 / 3 + 1) / 2)
    assert (result["n"], result["n_clusters"]) == (4, 1)  # one family


def test_gold_segmentations_of_all_templates_are_right(suite):
    rows, gold = suite
    result = run(gold, rows, read_options(mode="paper"))
    wrong = ("garden_path_rate", *RATES, *(f"control_{name}" for name in RATES))
    assert set(picked(result, *wrong)) == {0}
    # the control's word stands where the true word does
    right = ("test_accuracy", "control_accuracy", "word_accuracy", "control_word_accuracy")
    right += ("pair_accuracy", "resolution", "commitment")
    assert set(picked(result, *right)) == {1}


def test_extreme_segmenters(suite):
    rows, _ = suite
    characters = plain([[list(row["test"]), list(row["control"])] for row in rows], rows)
    assert picked(characters, "test_accuracy", "both_rate", "word_accuracy") == [1, 1, 0]
    assert picked(characters, "crossing_rate", "canary_rate") == [0, 0]
    mixed = plain([[list(row["test"]), [row["control"]]] for row in rows], rows)
    assert picked(mixed, "both_rate", "neither_rate") == [1, 0]
    assert picked(mixed, "control_both_rate", "control_neither_rate") == [0, 1]
    uncut = plain([[[row["test"]], [row["control"]]] for row in rows], rows)
    assert picked(uncut, "test_accuracy", "neither_rate") == [1, 1]
    assert picked(uncut, "word_accuracy", "crossing_rate") == [0, 0]


def test_rates_are_nested_on_random_segmentations(suite):
    rows, _ = suite
    generator = np.random.default_rng(0)

    def segment(sentence):
        places = np.flatnonzero(generator.random(len(sentence) - 1) < 0.6) + 1
        return cut(sentence, *places.tolist())

    rows = rows * 20
    segmented = [[segment(row["test"]), segment(row["control"])] for row in rows]
    result = run(segmented, rows, per_item=True)
    assert result["word_accuracy"] < 1 - result["crossing_rate"] < result["test_accuracy"]
    assert result["canary_rate"] < 1 - result["test_accuracy"]
    items = pd.DataFrame(result["per_item"])
    means = items.groupby("paradigm_id").mean().mean()
    found = [means[f"is_{name}"] for name in ("test_correct", "garden_path", "crossing")]
    names = ("test_accuracy", "garden_path_rate", "crossing_rate")
    assert found == pytest.approx(picked(result, *names))
    paradigms = pd.DataFrame(result["by_paradigm"])
    assert paradigms["test_accuracy"].mean() == pytest.approx(result["test_accuracy"])


# --- options
def test_lexicon_scores_known_and_unknown_canaries_apart(suite):
    rows, gold = suite
    known = {"心机", "信心", "回击"}  # canaries of 1, 3, 5; 2; 7
    result = run(gold, rows, lexicon=known)
    table = {row["is_canary_in_lexicon"]: row for row in result["by_is_canary_in_lexicon"]}
    misled = [
        [canary_cut_at(row), words[1]] if row["paradigm_id"] == 8 else words
        for row, words in zip(rows, gold, strict=True)
    ]
    # the canary of 8, the true word of 7
    (one, _) = run(misled, rows, lexicon={"争回"})["by_is_canary_in_lexicon"]
    assert (one["is_canary_in_lexicon"], one["n"], one["canary_rate"]) == (True, 1, 1.0)
    assert (table[True]["n"], table[False]["n"]) == (5, 34)
    assert table[True]["n_clusters"] == 2  # families: 1, 2, 3 and 5 share words, 7
    assert "by_is_canary_in_lexicon" not in run(gold, rows)
    for kind in (list(known), dict.fromkeys(known, 1), frozenset(known)):
        assert run(gold, rows, lexicon=kind) == result


def test_paper_mode_wants_all_paradigms(suite):
    rows, gold = suite
    message = r"got no pair of paradigms \[39\] with mode='paper'; expected all 39"
    with pytest.raises(ValueError, match=message):
        plain(gold[:-1], rows[:-1], mode="paper")
    assert plain(gold, rows, mode="paper")["options"]["mode"] == "paper"


def test_exclude_leaves_paradigms_out(suite):
    rows, gold = suite
    result = plain(gold, rows, exclude=[36])
    assert (result["n"], result["options"]["exclude"]) == (38, [36])
    assert 36 not in [row["paradigm_id"] for row in result["by_paradigm"]]


def test_intervals_are_over_clusters(suite):
    rows, gold = suite
    predictions = [
        [list(row["test"]), words[1]] if row["paradigm_id"] < 20 else words
        for row, words in zip(rows, gold, strict=True)
    ]
    for i in range(10):
        predictions[i] = [canary_cut_at(rows[i]), gold[i][1]]
    result = run(predictions, rows, cluster="paradigm")
    assert result["test_accuracy_interval"] == "Wilson over 39 clusters"
    # 39 of 39 does not mean certainty
    assert result["control_accuracy_low"] == pytest.approx(0.910, abs=1e-3)
    published = run(predictions, rows, mode="paper")
    assert published["difference_interval"] == "BCa bootstrap over 39 clusters"
    names = [name for name in result if name.startswith("difference_")]
    assert len(names) == 3
    names += ["options", "signature", "by_branching"]
    assert result == published | {name: result[name] for name in names}
    family = run(predictions, rows)
    assert [result["n_clusters"], family["n_clusters"]] == [39, 19]
    assert family["control_accuracy_interval"] == "Wilson over 19 clusters"
    assert family["both_rate"] == result["both_rate"]
    assert family["both_rate_low"] < result["both_rate_low"]
    assert run(gold, rows)["difference_interval"] == "Agresti & Min over 19 clusters"
    perfect = run(gold, rows, mode="paper")
    assert math.isnan(perfect["difference_low"])
    assert perfect["difference_interval"] == "undefined: all resamples are equal"


# --- inputs

GOOD, ROW = [cut(TEST, 2, 4), cut(CONTROL, 2, 4)], reference(1)


def refused(predictions, references, message, **options):
    with pytest.raises(ValueError, match=message):
        run(predictions, references, read_options(**options))


@pytest.mark.parametrize(*cases("garden_path_accuracy/a_wrong_prediction_is_refused"))
def test_a_wrong_prediction_is_refused(prediction, message):
    refused([prediction], [ROW], f"garden_path_accuracy: predictions.*{message}")


@pytest.mark.parametrize(*cases("garden_path_accuracy/a_wrong_field_of_a_row_is_refused"))
def test_a_wrong_field_of_a_row_is_refused(change, message):
    refused([GOOD], [ROW | change], rf"references\[0\].*{message}")


@pytest.mark.parametrize(*cases("garden_path_accuracy/wrong_columns_are_refused"))
def test_wrong_columns_are_refused(predictions, references, message):
    refused(predictions, references, f"garden_path_accuracy: .*{message}")


@pytest.mark.parametrize(*cases("garden_path_accuracy/wrong_options_are_refused"))
def test_wrong_options_are_refused(options, message):
    refused([GOOD], [ROW], message, **options)
