"""morpheme_segmentation: every matching by hand, the published evaluator to the bit. Besides an
independent oracle, and the contract of the module."""

import math
import random
import statistics
from itertools import combinations, pairwise, product

import evaluate
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings

from metrics.morpheme_segmentation import morpheme_segmentation as module
from metrics.morpheme_segmentation.inputs import moved
from metrics.morpheme_segmentation.matching import (
    AVERAGES,
    MATCHINGS,
    PRESETS,
    Convention,
    count_best_matches,
    count_matches,
    edit_distances,
    word_scores,
)
from metrics.morpheme_segmentation.options import read_options
from metrics.morpheme_segmentation.scoring import mean_scores, published_percentages, score
from tests.support.cases import cases

PAPER = PRESETS["paper"]
PREDICTIONS, REFERENCES = (
    [word.split() for word in words.split(",")]
    for words in (
        "paper s, un do, tea, un do, boat s, o ats, re do",
        "pap er s, un do, te a, un do, boat s, oat s, re do",
    )
)
WORDS = {"predictions": PREDICTIONS, "references": REFERENCES}


@pytest.fixture(scope="module")
def metric() -> evaluate.Metric:
    return module.MorphemeSegmentation()


@pytest.mark.parametrize(*cases("morpheme_segmentation/counts_by_hand"))
def test_counts_by_hand(predicted, gold, membership, multiset, lcs, boundary, distance):
    for matching, expected in zip(MATCHINGS, (membership, multiset, lcs, boundary), strict=True):
        counts = count_matches([predicted], [gold], Convention(matching))
        found = [counts.n_hits[0], counts.n_predicted[0], counts.n_gold[0]]
        assert found == expected, matching
        assert counts.distance[0] == distance
        assert counts.is_correct[0] == (predicted == gold)


def test_recall_above_100_is_kept_as_published():
    percent = published_percentages(count_matches([["a", "a", "a", "b"]], [["a", "aab"]], PAPER))
    assert percent == (0.0, 75.0, 150.0, 100.0, 2)


def test_published_f1_is_the_mean_of_the_words_rounded_f1():
    # word F1: 2/5 and 2/3 -> 40.0 and 66.67, mean 53.335 -> round() gives what the float is nearest
    # to
    predicted, gold = [["paper", "s"], ["tea"], ["a", "b"]], [["pap", "er", "s"], ["tea"], ["ab"]]
    counts = count_matches(predicted, gold, PAPER)
    assert published_percentages(counts) == (33.33, 50.0, 44.44, 46.67, 0.67)
    assert mean_scores(counts, PAPER) == (0.3333, 0.5, 0.4444, 0.4667, 0.67)


def recursive_distance(first: str, second: str) -> int:
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        above, row = row, [i]
        for j, b in enumerate(second, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
    return row[-1]


def published_scores(predicted: list[list[str]], gold: list[list[str]]) -> tuple[float, ...]:
    """The published evaluation as its description has it, word by word in plain Python."""
    rows = []
    for p, g in zip(predicted, gold, strict=True):
        hits = len([m for m in p if m in g])
        precision, recall = hits / len(p), hits / len(g)
        f1 = round(2 * (precision * recall) / (precision + recall) * 100, 2) if hits else 0
        shares = (100 if p == g else 0, round(precision * 100, 2), round(recall * 100, 2), f1)
        rows.append((*shares, recursive_distance(" ".join(g), " ".join(p))))
    return tuple(round(statistics.mean(column), 2) for column in zip(*rows, strict=True))


def random_segmentations(rng: random.Random, n: int) -> list[list[str]]:
    return [
        ["".join(rng.choices("ab", k=rng.randint(1, 3))) for _ in range(rng.randint(1, 5))]
        for _ in range(n)
    ]


def divide(rng: random.Random, word: str) -> list[str]:
    cuts = sorted(rng.sample(range(1, len(word)), rng.randint(0, len(word) - 1)))
    return [word[a:b] for a, b in pairwise([0, *cuts, len(word)])]


@pytest.mark.parametrize("seed", range(20))
def test_paper_preset_equals_the_published_evaluation_to_the_bit(seed):
    rng = random.Random(seed)
    gold = random_segmentations(rng, 150)
    predicted = [divide(rng, "".join(g)) if rng.random() < 0.6 else g for g in gold]
    found = published_percentages(count_matches(predicted, gold, PAPER))
    assert tuple(found) == published_scores(predicted, gold)


def longest_common_subsequence(first: list[str], second: list[str]) -> int:
    for k in range(min(len(first), len(second)), 0, -1):
        if set(combinations(first, k)) & set(combinations(second, k)):
            return k
    return 0


def test_lcs_and_multiset_equal_brute_force():
    rng = random.Random(2)
    for p, g in zip(random_segmentations(rng, 300), random_segmentations(rng, 300), strict=True):
        lcs, multiset = (
            count_matches([p], [g], Convention(name)).n_hits[0] for name in ("lcs", "multiset")
        )
        assert lcs == longest_common_subsequence(p, g)
        assert multiset == sum(min(p.count(m), g.count(m)) for m in set(p))


def test_corpus_average_is_the_score_of_the_sums():
    predicted, gold = [["paper", "s"], ["tea"]], [["pap", "er", "s"], ["tea"]]
    for average, expected in (
        ("corpus", (2 / 3, 2 / 4, 4 / 7)),
        ("word", ((1 / 2 + 1) / 2, (1 / 3 + 1) / 2, (2 / 5 + 1) / 2)),
    ):
        convention = Convention("lcs", average)
        found = mean_scores(count_matches(predicted, gold, convention), convention)
        assert found[1:4] == expected


def test_sigmorphon_preset_by_hand():
    # overlaps 1 + 2, predicted 2 + 2, gold 3 + 2; distances of "pap|er|s" and "paper|s": 1, of
    # "un|do": 0
    preset = PRESETS["sigmorphon2022"]
    counts = count_matches(PREDICTIONS[:2], REFERENCES[:2], preset)
    assert mean_scores(counts, preset) == (0.5, 3 / 4, 3 / 5, 2 * 3 / 9, 0.5)


def task_figures(
    predicted: list[list[str]], gold: list[list[str]]
) -> tuple[float, float, float, float]:
    """Distance, precision, recall and F1 as the SIGMORPHON 2022 task describes them."""
    pairs = list(zip(predicted, gold, strict=True))
    distances = [recursive_distance("|".join(g), "|".join(p)) for p, g in pairs]
    hits = sum(longest_common_subsequence(p, g) for p, g in pairs)
    precision, recall = hits / sum(map(len, predicted)), hits / sum(map(len, gold))
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return sum(distances) / len(distances), precision, recall, f1


def test_categories_are_scored_as_the_task_scores_them(metric):
    rng = random.Random(5)
    gold = random_segmentations(rng, 400)
    predicted = [divide(rng, "".join(g)) if rng.random() < 0.7 else g for g in gold]
    category = rng.choices(["000", "110", "010", None], [4, 2, 1, 1], k=400)
    columns = {"predictions": predicted, "references": gold, "category": category}
    result = metric.compute(**columns, preset="sigmorphon2022")
    assert [row["category"] for row in result["by_category"]] == ["000", "010", "110"]
    for row in result["by_category"]:
        own = [i for i in range(400) if category[i] == row["category"]]
        expected = task_figures([predicted[i] for i in own], [gold[i] for i in own])
        figures = [row[name] for name in ("distance", "precision", "recall", "f1")]
        assert figures == pytest.approx(expected, abs=1e-12)
        assert row["n"] == len(own)
        assert row["n_clusters"] == len({"".join(gold[i]) for i in own})
        assert row["f1_low"] < row["f1"] < row["f1_high"]
    # all words count in the overall figures, those of no class too, as if none had one
    without = metric.compute(predictions=predicted, references=gold, preset="sigmorphon2022")
    assert {name: result[name] for name in without} == without
    assert "by_category" not in without


def test_added_batches_keep_their_categories():
    category = ["110", None, "000", "000", "110", None, "000"]
    batched = module.MorphemeSegmentation()
    for part in (slice(0, 3), slice(3, 7)):
        batched.add_batch(
            predictions=PREDICTIONS[part], references=REFERENCES[part], category=category[part]
        )
    whole = module.MorphemeSegmentation().compute(**WORDS, category=pd.Series(category))
    assert batched.compute()["by_category"] == whole["by_category"]
    assert [row["n"] for row in whole["by_category"]] == [3, 2]


def test_boundary_scores_are_undefined_without_boundaries():
    predicted, gold = [["tea"], ["boats"], ["t", "ea"]], [["tea"], ["boat", "s"], ["tea"]]
    by_word, by_sum = Convention("boundary"), Convention("boundary", "corpus")
    counts = count_matches(predicted, gold, by_word)
    scores = word_scores(counts)
    assert np.isnan(scores.precision).tolist() == [True, True, False]
    assert np.isnan(scores.recall).tolist() == [True, False, True]
    assert np.isnan(scores.f1).tolist() == [True, False, False]
    assert mean_scores(counts, by_word)[1:4] == (0.0, 0.0, 0.0)
    first = counts.take(np.array([0]))
    nothing = mean_scores(first, by_word)
    assert nothing.accuracy == 1
    assert all(math.isnan(value) for value in nothing[1:4])
    assert math.isnan(mean_scores(first, by_sum).f1)


def test_best_gold_counts():
    golds = [[["a", "bout"], ["about"]], [["pap", "ers"], ["paper", "s"]], [["tea"], ["te", "a"]]]
    predicted = [["about"], ["paper", "s"], ["t", "ea"]]
    counts, chosen = count_best_matches(predicted, golds, Convention())
    assert counts.is_correct.tolist() == [True, True, False]
    assert chosen.tolist() == [1, 1, 0]  # the last: no hit in either, "tea" is nearer
    first_only, chosen = count_best_matches(predicted, golds, PAPER)
    assert first_only.is_correct.tolist() == [False, False, False]
    assert chosen.tolist() == [0, 0, 0]


def test_best_gold_never_scores_below_the_first():
    rng = random.Random(4)
    words = ["".join(s) for s in random_segmentations(rng, 200)]
    golds = [[divide(rng, w) for _ in range(rng.randint(1, 3))] for w in words]
    predicted = [divide(rng, w) for w in words]
    for matching in MATCHINGS:
        convention = Convention(matching)
        best, chosen = count_best_matches(predicted, golds, convention)
        first = count_matches(predicted, [g[0] for g in golds], convention)
        # membership: a wrong gold may score more than the right one
        at_most_one = np.minimum(np.nan_to_num(word_scores(first).f1, nan=1), 1)
        assert (np.nan_to_num(word_scores(best).f1, nan=1) >= at_most_one).all()
        own = [g[c] for g, c in zip(golds, chosen, strict=True)]
        again = count_matches(predicted, own, convention)
        assert all(np.array_equal(a, b) for a, b in zip(best, again, strict=True))


def test_result_names_its_convention_and_clusters_copies(metric):
    result = metric.compute(**WORDS)
    assert (result["matching"], result["average"], result["preset"]) == ("multiset", "word", None)
    # "undo" twice is one cluster
    assert (result["n"], result["n_clusters"], result["n_other_words"]) == (7, 6, 0)
    assert result["accuracy"] == 4 / 7
    assert result["f1"] == pytest.approx((0.4 + 1 + 0 + 1 + 1 + 0 + 1) / 7)
    for name in ("accuracy", "precision", "recall", "f1", "distance"):
        assert result[f"{name}_low"] < result[name] < result[f"{name}_high"]
        assert "6 clusters" in result[f"{name}_interval"]
    # copies weigh more than once, so it is a ratio of sums
    assert "studentised" in result["accuracy_interval"]
    without_copies = metric.compute(predictions=PREDICTIONS[:3], references=REFERENCES[:3])
    assert without_copies["accuracy_interval"] == "Wilson over 3 clusters"
    assert "f1_low" not in metric.compute(**WORDS, confidence=None)


def test_paper_preset_prints_the_published_percentages(metric):
    word = {"predictions": [["a", "a", "a", "b"]], "references": [["a", "aab"]]}
    result = metric.compute(**word, preset="paper", confidence=None)
    assert (result["recall"], result["recall_percent"]) == (1.5, 150.0)
    assert result["matching"] == "membership"


def test_interval_where_all_is_right_has_a_width(metric):
    result = metric.compute(predictions=[["a"], ["b"]], references=[["a"], ["b"]])
    assert result["f1_low"] == result["accuracy_low"] == pytest.approx(0.342380, abs=1e-6)
    assert result["f1_interval"] == "Wilson over 2 clusters"
    assert math.isnan(result["distance_low"])  # has no upper end: no error, no spread
    assert "no spread" in result["distance_interval"]


def test_per_item_rows_are_a_table(metric):
    rows = pd.DataFrame(metric.compute(**WORDS, per_item=True, confidence=None)["by_word"])
    assert rows["word"].tolist() == ["papers", "undo", "tea", "undo", "boats", "oats", "redo"]
    assert rows["n_hits"].tolist() == [1, 2, 0, 2, 2, 0, 2]
    assert rows["f1"].mean() == pytest.approx(4.4 / 7)


@pytest.mark.parametrize(*cases("morpheme_segmentation/bad_input_is_refused"))
def test_bad_input_is_refused(metric, predictions, references, options, message):
    with pytest.raises(ValueError, match=message):
        metric.compute(predictions=predictions, references=references, **options)


def test_conventions_differ_on_the_same_words():
    words = {"predictions": [["a", "b", "a", "a"], ["tests"]]}
    words["references"] = [["b", "a", "aa"], ["tests"]]
    f1 = {}
    for both in product(MATCHINGS, AVERAGES):
        options = dict(zip(("matching", "average"), both, strict=True))
        f1[both] = score(words, read_options(**options))["f1"]
    # hits of the first word: 4, 2, 2 of 4 predicted and 3 gold; boundaries {1,2,3} and {1,2}
    assert f1["membership", "word"] == pytest.approx((8 / 7 + 1) / 2)
    assert f1["membership", "corpus"] == pytest.approx(10 / 9)
    assert f1["multiset", "word"] == f1["lcs", "word"] == pytest.approx((4 / 7 + 1) / 2)
    assert f1["multiset", "corpus"] == f1["lcs", "corpus"] == pytest.approx(6 / 9)
    # "tests" has no boundary to find
    assert f1["boundary", "word"] == f1["boundary", "corpus"] == pytest.approx(4 / 5)


# --- intervals
def test_three_words_have_the_intervals_of_wilson():
    inputs = {"predictions": [["a"], ["b"], ["c", "d"]], "references": [["a"], ["b"], ["cd"]]}
    result = score(inputs, read_options())
    # 2 of 3 at z = 1.959964: centre (2/3 + 0.640243) / 2.280486, half
    # z sqrt(2/27 + 1.280486 / 12) / 2.280486
    centre = (2 / 3 + 0.640243) / 2.280486
    half = 1.959964 * math.sqrt(2 / 27 + 1.280486 / 12) / 2.280486
    ends = (centre - half, centre + half)
    assert (result["accuracy_low"], result["accuracy_high"]) == pytest.approx(ends, abs=1e-5)
    # F1 of 1, 1 and 0: 6 of 27 resamples are of the first two alone. Error (1/sqrt(3)) / sqrt(3):
    # 2/3 is worth (2/9) / (1/9) = 2 words; t(2) = 4.302653, spread t^2 / 2 = 9.256411
    centre = (2 / 3 + 9.256411 / 2) / 10.256411
    half = 4.302653 * math.sqrt(2 / 9 / 2 + 9.256411 / 8) / 10.256411
    ends = (centre - half, centre + half)
    assert (result["f1_low"], result["f1_high"]) == pytest.approx(ends, abs=1e-5)
    assert result["f1_interval"] == "Wilson for what 3 clusters within strata are worth"


morphemes = st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=3)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(morphemes, morphemes), min_size=1, max_size=12),
    st.sampled_from(MATCHINGS),
    st.sampled_from(AVERAGES),
)
def test_every_interval_holds_its_score_and_stays_in_range(pairs, matching, average):
    predictions, references = zip(*pairs, strict=True)
    found, words = (["".join(parts) for parts in side] for side in (predictions, references))
    assume(not moved(found, words))  # rows in another order are refused
    options = read_options(matching=matching, average=average)
    result = score({"predictions": predictions, "references": references}, options)
    for name in ("accuracy", "precision", "recall", "f1", "distance"):
        low, value, high = (result[f"{name}{end}"] for end in ("_low", "", "_high"))
        assert math.isnan(low) == math.isnan(high)
        assert math.isnan(low) or 0 <= low <= value <= high
        assert math.isnan(low) or low < high, "no interval of zero width"
        if name in ("accuracy", "precision"):
            assert not high > 1


# --- edit distances in numpy: by hand, against rapidfuzz, and the metric axioms
@pytest.mark.parametrize(*cases("morpheme_edit_distance/distance_by_hand"))
def test_distance_by_hand(first, second, distance):
    assert edit_distances([first], [second]).tolist() == [distance]
    filled = ["", "abc" * 40, first, "x"]  # among strings of other lengths it is the same
    assert edit_distances(filled, ["abc", "b", second, "x"])[2] == distance


def strings(rng: random.Random, n: int, longest: int) -> list[str]:
    return ["".join(rng.choices("abс |\0", k=rng.randint(0, longest))) for _ in range(n)]


@pytest.mark.parametrize("longest", [3, 12, 90])
def test_distances_equal_rapidfuzz(longest):
    oracle = pytest.importorskip("rapidfuzz.distance").Levenshtein
    rng = random.Random(longest)
    first, second = strings(rng, 700, longest), strings(rng, 700, longest)
    expected = [oracle.distance(a, b) for a, b in zip(first, second, strict=True)]
    assert edit_distances(first, second).tolist() == expected


def test_nothing_has_no_distances():
    assert edit_distances([], []).shape == (0,)
    with pytest.raises(ValueError, match="shorter"):
        edit_distances(["a"], [])
