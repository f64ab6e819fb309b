"""matched_pair_accuracy. Published level gaps, cells by hand, independent oracles, pairing, inputs
and errors."""

import itertools
import math
import random
import re
import warnings
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.centerbench.events import CenterVerb, Event
from builders.centerbench.questions import ask_questions
from metrics.matched_pair_accuracy import matched_pair_accuracy as module
from metrics.matched_pair_accuracy.decisions import decide
from metrics.matched_pair_accuracy.options import read_options
from metrics.matched_pair_accuracy.scoring import (
    PairTable,
    gap_intervals,
    linear_order_is_right,
    median_gap,
    opening_level,
    pair_table,
    plausibility_gap,
    repairing_null,
    score,
    share_interval,
    trend,
)
from tests.support.cases import cases
from tests.support.centerbench_draw import make_events, question_rows
from tests.support.published import published
from tests.support.results import picked


@pytest.fixture(scope="module")
def metric() -> evaluate.Metric:
    return module.MatchedPairAccuracy()


def make_rows(*chains: tuple[str, int, str, str]) -> list[dict[str, Any]]:
    """Rows of all questions about the given (pair, level, condition, words) sentences."""
    rows = []
    for pair_id, level, condition, words in chains:
        events = make_events(words)
        chain = [Event(e["subject"], CenterVerb(**e["verb"]), e["object"]) for e in events]
        shared = {"pair_id": pair_id, "sentence_id": f"{pair_id}-{condition}", "level": level}
        shared |= {"condition": condition, "events": events}
        for asked in ask_questions(chain, people=()):
            row = {name: getattr(asked, name) for name in ("depth", "question_type", "answer")}
            rows.append(shared | row | {"entity": "not needed"})
    return rows


ROWS = make_rows(
    ("a", 1, "plausible", "farmer: feed -> goat: bleat"),
    ("a", 1, "implausible", "goat: feed -> farmer: bleat"),
    ("b", 1, "plausible", "dog: bite -> clerk: fall over"),
    ("b", 1, "implausible", "clerk: bite -> dog: fall over"),
    ("c", 2, "plausible", "nurse: feed -> horse: neigh at -> goat: bleat"),
    ("c", 2, "implausible", "goat: feed -> horse: neigh at -> nurse: bleat"),
)
GOLD = [row["answer"] for row in ROWS]


def answers(*wrong: int) -> list[Any]:
    """The right answers, but for the rows given."""
    return ["the wrong answer" if i in wrong else gold for i, gold in enumerate(GOLD)]


def index(pair_id: str, condition: str, depth: int, kind: str) -> int:
    keys = [(row["pair_id"], row["condition"], row["depth"], row["question_type"]) for row in ROWS]
    return keys.index((pair_id, condition, depth, kind))


# --- published numbers
LEVEL_GAPS = {
    # table: gap per level in percentage points (mean over difficulties), opening level with delta
    # 0.05
    "centerbench_table4": ([-0.73, 0.50, 8.20, 12.70, 12.50, 12.87], 3),
    "centerbench_table12": ([0.17, 8.93, 11.93, 14.43, 11.27, 11.83], 2),
    "centerbench_table13": ([2.73, 11.17, 10.30, 9.27, 12.20, 9.03], 2),
}


def published_shares(released: Path, table: str) -> np.ndarray:
    """Accuracy by level, difficulty and condition, shape (6, 3, 2)."""
    rows = [row for row in published(released, table) if row["mode"] == "non_think"]
    columns = [
        [float(row[f"{name}_{kind}"]) / 100 for row in rows]
        for name in ("easy", "medium", "hard")
        for kind in ("plausible", "implausible")
    ]
    return np.array(columns).T.reshape(6, 3, 2)


def gap_of(shares: np.ndarray) -> float:
    """The gap of cells whose accuracy is the share of 1,000 answers, by the metric's functions."""
    right = np.arange(1000)[:, None] < np.round(1000 * shares.reshape(-1, 1, 2))
    return plausibility_gap(right.reshape(-1, 2, 1).astype(float))


@pytest.mark.parametrize("table", sorted(LEVEL_GAPS))
def test_level_gaps_of_the_published_tables(released, table):
    expected, opens = LEVEL_GAPS[table]
    gaps = [gap_of(level) for level in published_shares(released, table)]
    assert [round(100 * gap, 2) for gap in gaps] == pytest.approx(expected, abs=0.01)
    assert opening_level(range(1, 7), gaps, delta=0.05) == opens
    if table == "centerbench_table4":  # by difficulty
        found = [gap_of(cell) for cell in published_shares(released, table)[5]]
        assert found == pytest.approx((0.379, -0.017, 0.024), abs=1e-9)


def test_published_medians_do_not_follow_from_the_published_tables(released):
    # paper: 26.8, 22.6 and 14.6; the 18 cells of the tables give these, signed and absolute
    medians = []
    for table in LEVEL_GAPS:
        gaps = -np.diff(published_shares(released, table)).ravel()
        found = (median_gap(gaps), median_gap(gaps, absolute=True))
        medians.append([round(100 * median, 1) for median in found])
    assert medians == [[2.5, 3.6], [4.0, 4.0], [5.4, 5.4]]


# --- cells by hand
def test_all_right(metric):
    result = metric.compute(predictions=GOLD, references=ROWS)
    ones = ("accuracy", "accuracy_core", "accuracy_convention", "accuracy_count", "both_correct")
    zeros = ("gap", "gap_core", "only_plausible", "only_implausible", "neither")
    assert picked(result, *ones, *zeros) == [1.0] * 5 + [0.0] * 5
    assert result["opening_level"] == result["opening_level_core"] == "none"
    assert result["accuracy_core_high"] == 1.0
    assert 0 < result["accuracy_core_low"] < 1  # never a zero-width interval
    assert result["gap_core_low"] < 0 < result["gap_core_high"]
    assert result["gap_core_interval"].startswith("0 of ")
    assert picked(result, "n", "n_pairs", "n_clusters", "n_runs") == [84, 42, 3, 1]


def test_cells_by_hand(metric):
    wrong = [
        index("a", "implausible", 0, "action_performed"),
        index("a", "implausible", 1, "agent_identification"),
        index("b", "plausible", 0, "causal_sequence"),
        index("b", "implausible", 0, "causal_sequence"),
        index("c", "implausible", 0, "entity_count"),
        index("c", "implausible", 2, "nested_dependency"),
    ]
    result = metric.compute(predictions=answers(*wrong), references=ROWS)
    expected = {
        # 3 types x (2 + 2 + 3) entities = 21 questions per condition, 3 wrong in implausible ones
        "accuracy_core": 39 / 42,
        "accuracy_implausible_core": 18 / 21,
        "gap_core": 3 / 21,
        # 2 types x 7 entities x 2 conditions, one pair wrong in both
        "accuracy_convention": 26 / 28,
        # six sentences, one of which is right in two of its three rows
        "accuracy_count": (5 + 2 / 3) / 6,
        "accuracy": 78 / 84,
        "gap": (41 - 37) / 42,
        "accuracy_macro": ((44 / 48) + (34 / 36)) / 2,
        "both_correct": 37 / 42,
        "only_plausible": 4 / 42,
        "only_implausible": 0,
        "neither": 1 / 42,
        "mcnemar_p_assumes_independence": 0.25,  # 3 discordant pairs, all one way
    }
    assert {name: result[name] for name in expected} == pytest.approx(expected)
    by_type = {row["question_type"]: row for row in result["by_question_type"]}
    assert by_type["causal_sequence"]["accuracy"] == pytest.approx(12 / 14)
    assert by_type["causal_sequence"]["neither"] == pytest.approx(1 / 7)
    assert by_type["agent_identification"]["gap"] == pytest.approx(1 / 7)
    by_level = {row["level"]: row for row in result["by_level"]}
    assert by_level[2]["gap_core"] == pytest.approx(1 / 9)
    assert by_level[1]["n"] == 48
    # gaps: (1, action) 1/4, (1, agent) 1/4, (2, count) 1/3, (2, nested) 1/3, all others 0
    gaps = [row["gap"] for row in result["by_level_question_type"]]
    assert sorted(gaps) == pytest.approx([0.0] * 8 + [0.25, 0.25, 1 / 3, 1 / 3])
    assert result["median_gap"] == 0.0
    shares = {
        (row["level"], row["difficulty"]): row["accuracy_implausible"]
        for row in result["by_level_difficulty"]
    }
    assert (shares[1, "easy"], shares[2, "medium"]) == pytest.approx((6 / 8, 4 / 6))


def test_several_runs_are_averaged(metric):
    first = index("a", "plausible", 0, "action_performed")
    runs = [[gold, "wrong"] if i == first else [gold, gold] for i, gold in enumerate(GOLD)]
    result = metric.compute(predictions=runs, references=ROWS)
    assert result["n_runs"] == 2
    assert result["accuracy"] == pytest.approx(83.5 / 84)
    assert result["only_implausible"] == pytest.approx(0.5 / 42)  # in one of two runs
    assert math.isnan(result["mcnemar_p_assumes_independence"])
    both = metric.compute(predictions=[[gold, gold] for gold in GOLD], references=ROWS)
    assert both["accuracy"] == 1.0


def test_missing_answers_are_wrong_and_counted(metric):
    given = [None, "  ", *GOLD[2:]]
    result = metric.compute(predictions=given, references=ROWS)
    assert (result["n_missing"], result["n_empty"], result["coverage"]) == (1, 1, 83 / 84)
    assert result["accuracy"] == pytest.approx(82 / 84)


def test_order_of_rows_does_not_matter(metric):
    order = random.Random(1).sample(range(len(ROWS)), len(ROWS))
    given = answers(3, 17, 40, 41)
    shuffled = {"predictions": [given[i] for i in order], "references": [ROWS[i] for i in order]}
    names = ("accuracy_core", "gap", "both_correct", "accuracy_count", "median_absolute_gap")
    straight = metric.compute(predictions=given, references=ROWS)
    turned = metric.compute(**shuffled)
    assert picked(turned, *names) == pytest.approx(picked(straight, *names))


# --- quantities
@pytest.mark.parametrize(*cases("matched_pair_accuracy/opening_level"))
def test_opening_level(gaps, lows, delta, expected):
    assert opening_level([1, 2, 3], gaps, lows, delta) == expected
    gaps, lows = ([column[i] for i in (2, 0, 1)] if column else None for column in (gaps, lows))
    assert opening_level([3, 1, 2], gaps, lows, delta) == expected


@pytest.mark.simulation
def test_a_model_without_a_gap_opens_at_no_level(metric):
    # the same chance of a right answer in both conditions: without delta and intervals, half of all
    # runs would open somewhere
    rows, points, opened = question_rows(), 0, 0
    for seed in range(8):
        generator = random.Random(seed)
        given = [row["answer"] if generator.random() < 0.6 else "wrong" for row in rows]
        result = metric.compute(predictions=given, references=rows, scorer="exact", n_resamples=400)
        opened += result["opening_level_core"] != "none"
        gaps = [row["gap_core"] for row in result["by_level"]]
        points += opening_level(range(1, 7), gaps, None, 0.0) is not None
    assert opened == 0
    assert 1 <= points <= 7


@pytest.mark.simulation
def test_a_gap_from_level_four_is_found(metric):
    rows, generator = question_rows(), random.Random(5)
    hard = {"plausible": 0.7, "implausible": 0.45}
    shares = [hard[row["condition"]] if row["level"] >= 4 else 0.9 for row in rows]
    given = [
        row["answer"] if generator.random() < share else "wrong"
        for row, share in zip(rows, shares, strict=True)
    ]
    result = metric.compute(predictions=given, references=rows, scorer="exact")
    assert result["opening_level_core"] == result["opening_level"] == 4
    assert result["sign_flip_p"] < 0.001
    assert result["by_level"][0]["gap_interval"].startswith("simultaneous studentised")


def test_pair_tables_sum_to_one_and_agree_with_counting():
    correct = np.random.default_rng(3).integers(0, 2, (40, 2, 3)).astype(float)
    counts = [0, 0, 0, 0]
    for pair, run in itertools.product(range(40), range(3)):
        plausible, implausible = correct[pair, :, run]
        counts[0 if plausible and implausible else 1 if plausible else 2 if implausible else 3] += 1
    assert pair_table(correct) == pytest.approx(PairTable(*(count / 120 for count in counts)))
    assert all(math.isnan(share) for share in pair_table(np.zeros((0, 2, 1))))


def test_repairing_null_is_the_mean_over_all_pairings():
    generator = np.random.default_rng(4)
    n_sentences, cells = 4, ["x", "y", "z"]
    correct = generator.integers(0, 2, (n_sentences * len(cells), 2, 2)).astype(float)
    clusters = np.repeat(np.arange(n_sentences), len(cells))
    table = correct.reshape(n_sentences, len(cells), 2, 2)
    all_pairings = [
        float(np.mean([table[s, :, 0] * table[t, :, 1] for s, t in enumerate(order)]))
        for order in itertools.permutations(range(n_sentences))
    ]
    null = repairing_null(correct, [1] * len(correct), clusters, cells * n_sentences, 4000, 0)
    assert null.mean == pytest.approx(np.mean(all_pairings))
    observed = pair_table(correct).both_correct
    expected = np.mean([value >= observed - 1e-9 for value in all_pairings])
    assert null.p == pytest.approx(expected, abs=0.05)
    assert min(all_pairings) <= null.low <= null.high <= max(all_pairings)


def test_repairing_null_is_undefined_where_sentences_differ_in_their_questions():
    clusters = np.array([0, 0, 1])
    null = repairing_null(np.ones((3, 2, 1)), [1, 1, 1], clusters, ["x", "y", "x"], 100, 0)
    assert all(math.isnan(value) for value in null)


HOW = {"confidence": 0.95, "n_resamples": 500, "seed": 0}


def gap_interval(*sums: Any) -> Any:
    top, bottom = (column[:, None] for column in sums)
    return gap_intervals(top, bottom, np.zeros(len(top), np.int64), HOW)[0]


def test_intervals_of_constant_clusters():
    ones, n, strata = np.ones(20), np.full(20, 6.0), np.zeros(20, np.int64)
    # Wilson, 20 of 20
    assert share_interval((6 * ones, n), strata, HOW).low == pytest.approx(0.8389, abs=1e-4)
    assert share_interval((0 * ones, n), strata, HOW).high == pytest.approx(0.1611, abs=1e-4)
    interval = gap_interval(-5 * ones, n)
    assert -1 < interval.low < -5 / 6 < interval.high < 0
    # no pair differs: the share of pairs that may is at most .1611, each by two questions of six
    interval = gap_interval(0 * ones, n)
    assert (interval.low, interval.high) == pytest.approx((-0.1611 / 3, 0.1611 / 3), abs=1e-4)
    assert interval.note == "0 of 20 sentence pairs differ: conservative bound"
    one = gap_interval(np.eye(20)[0], n)  # one pair differs by one question
    assert one.low < 0 < one.high
    assert one.low < 1 / 120 < one.high


def right_and_asked(shares: Any, n: int, q: float = 12) -> tuple[Any, Any, Any]:
    """n sentence pairs a level with the given shares right, alternating by half a question."""
    rights = np.concatenate([np.tile(np.array(pair) * q, (n, 1)) for pair in shares])
    rights += np.where(np.arange(len(rights)) % 2, 0.5, -0.5)[:, None] * [1, -1]
    return rights, np.full_like(rights, q), np.repeat(np.arange(len(shares)), n)


def test_trend_by_hand():
    shares = [(0.9, 0.9), (0.85, 0.75), (0.8, 0.6)]  # gaps 0, .1, .2: .1 a level
    found = trend([1, 2, 3], *right_and_asked(shares, 10), [1 / 3] * 3, HOW, 0)
    odds = [math.log(a / (1 - a) * (1 - b) / b) for a, b in shares]
    assert found["trend_points"] == pytest.approx(0.1)
    assert found["trend_log_odds"] == pytest.approx((odds[2] - odds[0]) / 2)
    assert found["trend_points_low"] < 0.1 < found["trend_points_high"]
    assert found["trend"] == "grows with depth"
    assert found["trend_points_p"] < 0.01
    turned = trend([1, 2, 3], *right_and_asked(shares[::-1], 10), [1 / 3] * 3, HOW, 0)
    assert turned["trend"] == "shrinks with depth"
    flat = trend([1, 2, 3], *right_and_asked([(0.8, 0.7)] * 3, 10), [1 / 3] * 3, HOW, 0)
    assert (flat["trend"], flat["trend_points_p"]) == ("open", 1.0)


@pytest.mark.parametrize(
    *cases("matched_pair_accuracy/a_trend_that_cannot_be_told_is_nan_with_its_reason")
)
def test_a_trend_that_cannot_be_told_is_nan_with_its_reason(shares, reason):
    levels = list(range(1, len(shares) + 1))
    found = trend(levels, *right_and_asked(shares, 10), [1 / 3] * len(shares), HOW, 0)
    assert math.isnan(found["trend_points"])
    assert math.isnan(found["trend_log_odds_low"])
    assert (found["trend"], found["trend_note"]) == ("open", reason)
    assert found["trend_points_interval"] == f"undefined: {reason}"


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 3), st.booleans(), st.booleans()), min_size=1, max_size=20)
)
def test_every_score_lies_in_its_interval(decisions):
    rows, replies = [], []
    for i, (level, *rights) in enumerate(decisions):
        for condition, is_right in zip(("plausible", "implausible"), rights, strict=True):
            rows.append({"pair_id": i, "condition": condition, "level": level, "answer": "x"})
            replies.append("x" if is_right else "y")
    options = read_options(scorer="exact", n_resamples=100)
    result = score({"predictions": replies, "references": rows}, options)
    for row in (result, *result["by_level"], *result["by_condition"]):
        for name in [key.removesuffix("_low") for key in row if key.endswith("_low")]:
            low, high = row[f"{name}_low"], row[f"{name}_high"]
            value = row.get(name, math.nan)
            if name.endswith("repaired"):
                continue
            assert math.isnan(low) == math.isnan(high), name
            assert math.isnan(low) or -1 <= low <= value <= high <= 1, name


def test_missing_members_leave_pairs_incomplete():
    inputs = {"predictions": GOLD[2:], "references": ROWS[2:]}
    result = score(inputs, read_options(confidence=None))
    assert (result["n"], result["n_pairs"], result["n_complete_pairs"]) == (82, 42, 40)
    assert result["pair_coverage"] == 40 / 42
    assert (result["accuracy"], result["gap"], result["both_correct"]) == (1.0, 0.0, 1.0)


def test_one_condition_alone_has_no_gap():
    part = [row for row in ROWS if row["condition"] == "implausible"]
    result = score({"predictions": [row["answer"] for row in part], "references": part})
    assert (result["accuracy"], result["n_complete_pairs"]) == (1.0, 0)
    for name in ("gap", "accuracy_plausible", "sign_flip_p", "both_correct"):
        assert math.isnan(result[name]), name


def test_unparsed_replies_are_counted_by_condition():
    is_odd = [row["condition"] == "implausible" and i % 2 for i, row in enumerate(ROWS)]
    pairs = zip(GOLD, is_odd, strict=True)
    replies = ["I am not sure about that." if odd else gold for gold, odd in pairs]
    result = score({"predictions": replies, "references": ROWS}, read_options(confidence=None))
    names = ("unparsed_rate_plausible", "unparsed_rate_implausible", "unparsed_rate")
    assert picked(result, *names) == [0.0, 0.5, 0.25]


@pytest.mark.parametrize(*cases("matched_pair_accuracy/one_row_is_decided_without_its_pair"))
def test_one_row_is_decided_without_its_pair(change, message):
    assert decide(ROWS[0]["answer"], ROWS[0]).is_right
    assert not decide("nothing of the kind", ROWS[0]).is_parsed
    with pytest.raises(ValueError, match=re.escape(message)):
        decide("x", ROWS[0] | change)
    with pytest.raises(ValueError, match="decide: row: got no field 'events'; expected events, de"):
        decide("x", {})  # the first that is missing is named


# --- chance
@pytest.mark.parametrize(*cases("matched_pair_accuracy/linear_order_by_hand"))
def test_linear_order_by_hand(n, depth, kind, is_right):
    assert linear_order_is_right(n, depth, kind) == is_right


def test_chance_columns(metric):
    result = metric.compute(predictions=GOLD, references=ROWS, confidence=None)
    by_type = {row["question_type"]: row for row in result["by_question_type"]}
    # "2" in four of six sentences, asked twice each
    assert by_type["entity_count"]["chance_constant"] == pytest.approx(8 / 14)
    for kind in ("causal_sequence", "chain_consequence"):
        assert by_type[kind]["chance_constant"] == pytest.approx(6 / 14)
    assert by_type["entity_count"]["chance_linear_order"] == 1.0
    assert result["chance_linear_order_core"] < 0.2


# --- scorers
def bare_rows(n: int) -> list[dict[str, Any]]:
    """Rows of n pairs with nothing but what any scorer needs."""
    return [
        {"pair_id": str(i), "condition": condition, "answer": "x"}
        for i in range(n)
        for condition in ("plausible", "implausible")
    ]


def test_exact_scorer_needs_three_fields(metric):
    replies, rows = ["X ", "x", "x", "y", "x", "x"], bare_rows(3)
    result = metric.compute(predictions=replies, references=rows, scorer="exact")
    added = module.MatchedPairAccuracy()
    added.add_batch(predictions=replies, references=rows)
    assert added.compute(scorer="exact")["accuracy"] == result["accuracy"]
    assert result["accuracy"] == pytest.approx(5 / 6)
    assert result["gap"] == pytest.approx(1 / 3)
    assert math.isnan(result["accuracy_convention"])
    for name in ("opening_level", "median_gap", "accuracy_macro"):
        assert math.isnan(result[name]), name
    assert result["by_level"] == result["by_question_type"] == []


def test_disagreement_of_two_scorers(metric):
    given = list(GOLD)  # and two right ones in other words
    given[index("a", "plausible", 0, "action_performed")] = "The goat bleated."
    given[index("c", "implausible", 2, "causal_sequence")] = "none"
    result = metric.compute(predictions=given, references=ROWS, compare_with="exact")
    assert result["accuracy"] == 1.0
    assert result["disagreement"] == pytest.approx(2 / 84)
    table = {(row["question_type"], row["condition"]): row for row in result["by_disagreement"]}
    assert table["action_performed", "plausible"]["only_strict"] == pytest.approx(1 / 7)
    assert table["action_performed", "plausible"]["only_exact"] == 0
    assert table["causal_sequence", "implausible"]["disagreement"] == pytest.approx(1 / 7)


def test_per_item_rows(metric):
    items = metric.compute(predictions=answers(5), references=ROWS, per_item=True)["per_item"]
    assert len(items) == len(ROWS)
    assert [item["correct"] for item in items].count(0.0) == 1
    assert items[5]["prediction"] == "the wrong answer"
    assert items[5]["question_type"] == ROWS[5]["question_type"]
    assert "events" not in items[5]


# --- inputs
@pytest.mark.parametrize("runs", [1, 2])
def test_added_batches_are_scored_like_whole_columns(runs):
    metric = module.MatchedPairAccuracy()
    given = [[answer] * runs if runs > 1 else answer for answer in answers(1, 2, 30)]
    for start in range(0, len(ROWS), 10):
        metric.add_batch(predictions=given[start : start + 10], references=ROWS[start : start + 10])
    added = metric.compute(confidence=None)
    assert repr(added) == repr(metric.compute(predictions=given, references=ROWS, confidence=None))


def test_an_answer_that_contradicts_its_events_is_named():
    """The strict scorer goes by the events, where the agent is the farmer."""
    place = index("a", "plausible", 1, "agent_identification")
    rows = [{**row, "answer": "the zebra"} if i == place else row for i, row in enumerate(ROWS)]
    message = (
        rf"matched_pair_accuracy: references: answer, got 1 of {len(ROWS)} that contradict .* "
        rf"the first 'the zebra' in references\[{place}\]; expected what the events say"
    )
    with pytest.warns(UserWarning, match=message):
        assert score({"predictions": GOLD, "references": rows})["accuracy"] == 1.0
    metric = module.MatchedPairAccuracy()
    metric.add_batch(predictions=GOLD, references=rows)
    with pytest.warns(UserWarning, match=message):
        assert metric.compute()["accuracy"] == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score({"predictions": answers(place), "references": ROWS})
        score({"predictions": answers(place), "references": rows}, read_options(scorer="exact"))


def changed(i: int, **values: Any) -> list[dict[str, Any]]:
    return [{**row, **values} if j == i else row for j, row in enumerate(ROWS)]


def refused(
    metric: evaluate.Metric, message: str, predictions: Any, references: Any, **options: Any
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        metric.compute(predictions=predictions, references=references, **options)
    # what all metrics share says no name before an interval's options
    assert "matched_pair_accuracy" in str(error.value) or "confidence" in message


@pytest.mark.parametrize(*cases("matched_pair_accuracy/wrong_fields_are_refused"))
def test_a_wrong_field_of_a_row_is_refused(metric, i, change, message):
    refused(metric, f"references[{i}]: {message}", GOLD, changed(i, **change))


WRONG_FORMS = {
    "got None as gerund of 'feed'; expected a form of the verb": {"gerund": None},
    # shown on one line
    "got 0 feed dtype: object as base of 0 feed": {"base": pd.Series(["feed"], dtype=object)},
}


@pytest.mark.parametrize("message", WRONG_FORMS)
def test_a_wrong_form_of_a_verb_is_refused(metric, message):
    first, *others = ROWS[0]["events"]
    events = [first | {"verb": first["verb"] | WRONG_FORMS[message]}, *others]
    refused(metric, f"references[0]: events, {message}", GOLD, changed(0, events=events))


@pytest.mark.parametrize(*cases("matched_pair_accuracy/wrong_options_are_refused"))
def test_wrong_options_are_refused(metric, options, message):
    refused(metric, message, GOLD, ROWS, **options)


def without(name: str) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != name} for row in ROWS]


TOO_DEEP = [row | {"depth": row["depth"] + 5} for row in ROWS]
WRONG_COLUMNS = {
    "got 83 predictions but 84 references; expected equal numbers": (GOLD[:-1], ROWS),
    "got no rows; expected at least one": ([], []),
    "got a second plausible member (the first is row 0)": ([*GOLD, "x"], [*ROWS, ROWS[0]]),
    "level of one pair, got 2 in row 0 and 1 in row 12": (GOLD, changed(0, level=2)),
    "got no field 'pair_id'": (GOLD, without("pair_id")),
    "got rows without 'events'; expected rows with events, depth": (GOLD, without("events")),
    "got between 1 and 2 replies per item": ([["x"], ["x", "y"], *GOLD[2:]], ROWS),
    "got between 0 and 0 replies per item": ([[]] * len(GOLD), ROWS),
    "predictions[0]: got 4; expected a list of texts: an answer": ([4, *GOLD[1:]], ROWS),
    "got str; expected a row with": (GOLD, ["a", *ROWS[1:]]),
    "references[0]: depth, got 5; expected 0 to 1, it has 2 events": (GOLD, TOO_DEEP),
}


@pytest.mark.parametrize("message", WRONG_COLUMNS)
def test_wrong_columns_are_refused(metric, message):
    refused(metric, message, *WRONG_COLUMNS[message])
