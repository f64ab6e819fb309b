"""The studies of splits and of Morfessor's training, on an invented language."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from builders.columns import IntArray
from builders.morphseg.divergent_splits import divergent_split
from builders.morphseg.sampling import SPLITS, Setting, data_set_indices, split_indices
from builders.morphseg.sources import Word, read_language
from metrics.morpheme_segmentation import scoring
from metrics.morpheme_segmentation.options import read_options
from research.studies.__main__ import main
from research.studies.morphseg import splits
from research.studies.morphseg.morfessor import TrainingWay, score_ways
from research.studies.morphseg.plan import read_pool
from research.studies.morphseg.splits import (
    adversarial_split,
    divided,
    heuristic_split,
)
from research.systems.morphology.morphological_segmenters import MorfessorSegmenter, train_segmenter
from tests.support.cases import cases

LANGUAGE = "synthetic"


@pytest.fixture
def setting() -> Setting:
    return Setting(LANGUAGE, len(read_pool(LANGUAGE, "")), 60, "without")


def test_overlaps_are_shares_of_test_words(setting):
    pool = read_pool(LANGUAGE, "")
    found = splits.adversarial_overlaps(setting, pool)
    overlaps, copies = [], []
    for data_set in (1, 2):
        tests = []
        for split in SPLITS:
            made = divided(setting, data_set, split, "adversarial", pool)
            tests.append(set(made.test.tolist()))
            drawn = set(split_indices(setting, data_set, split).test.tolist())
            overlaps.append(len(tests[-1] & drawn) / 24)
        copies += [len(a & b) / 24 for a, b in itertools.combinations(tests, 2)]
    assert found["overlap"] == pytest.approx(sum(overlaps) / 10)
    assert found["copies"] == pytest.approx(sum(copies) / 20)
    assert found["copies"] > found["overlap"]


def test_f1_is_that_of_the_model_on_the_split(setting):
    pool = read_pool(LANGUAGE, "")
    made = divided(setting, 1, "A", "divergent", pool)
    training, gold = ([list(pool[i].morphemes) for i in part] for part in (made.train, made.test))
    predicted = train_segmenter(splits.MODEL, training).segment(["".join(word) for word in gold])
    inputs = {"predictions": predicted, "references": gold}
    expected = scoring.score(inputs, read_options(preset="paper", confidence=None))["f1"]
    found = splits.f1(setting, 1, "divergent", pool)
    assert found == pytest.approx(expected)
    assert found != splits.f1(setting, 1, "random", pool)


def test_a_language_without_files_is_named(tmp_path, capsys):
    command = ["morphseg", "splits", "--languages", "deu", "--released", str(tmp_path)]
    assert main(command) == 1
    assert "left out, no files in --released: deu" in capsys.readouterr().err


def test_losses_are_of_the_languages_that_were_trained(setting):
    row = {"random": [0.8, 0.6], "adversarial": [0.5, 0.5], "divergent": [0.3, 0.5]}
    of = {name: Setting(name, 9000, 60, "with") for name in ("rus", "zul", "deu")}
    untrained = {"random": [], "adversarial": [], "divergent": []}
    found = splits.lower({of["rus"]: row, of["zul"]: untrained, of["deu"]: row})
    assert found == {"Russian": pytest.approx({"adversarial": 20.0, "divergent": 30.0})}


def test_annotations_weigh_what_they_are_given(setting):
    parts = [(TrainingWay("annotations"), "A"), (TrainingWay("annotations", 0.1), "A")]
    (_, own), (_, light) = score_ways((setting, ""), parts)
    pool, split = read_pool(LANGUAGE, ""), split_indices(setting, 1, "A")
    training = [pool[i].morphemes for i in split.train]
    gold = [pool[i].morphemes for i in split.test]
    for weight, row in ((None, own), (0.1, light)):
        segmenter = MorfessorSegmenter(training, 0, "annotations", weight)
        segmented = segmenter.segment(["".join(word) for word in gold])
        inputs = {"predictions": segmented, "references": gold}
        found = scoring.score(inputs, read_options(preset="paper", confidence=None))["f1"]
        assert row["default"] == pytest.approx(found)
    costs = [
        MorfessorSegmenter(training, 0, "annotations", weight).model.get_cost()
        for weight in (0.1, 10.0)
    ]
    assert costs[0] != costs[1]
    assert TrainingWay("annotations", 0.1).title == "annotations, weight 0.1"


def test_many_settings_are_a_row_a_measure_and_a_fold():
    rows = {
        f"language {i}": {"heuristic": share, "overlap": 0.4, "copies": 1.0}
        for i, share in enumerate((0.0, 0.1, 0.5))
    }
    text = splits.splits_text(rows, {}, 3)
    before, behind = text.split("<details><summary>All 3 settings</summary>")
    assert "| by a threshold | 0.0 | 10.0 | 50.0 |" in before
    assert "| in another adversarial | 100.0 | 100.0 | 100.0 |" in before
    assert "| language 2 | 50.0 | 40.0 | 100.0 |" in behind
    assert "language" not in before


def invented_pool(n: int = 400) -> list[Word]:
    rng = random.Random(5)
    roots = ["".join(rng.choices("ptkaiu", k=4)) for _ in range(60)]
    endings = ["".join(rng.choices("ptkaiu", k=2)) for _ in range(12)]
    words = (
        (rng.choice(roots), *rng.sample(endings, rng.choice([0, 1, 1, 2, 3])))
        for _ in itertools.count()
    )
    pool = {
        "".join(m): Word("".join(m), m, (m,), ("_",) * len(m))
        for m in itertools.islice(words, 4 * n)
    }
    return list(pool.values())[:n]


def morpheme_divergence(segmentations: Sequence[Sequence[str]], test: IntArray) -> float:
    """Jensen-Shannon divergence in bits of the parts' mean distributions over morphemes."""
    places = set(test.tolist())
    parts: list[Counter[str]] = [Counter(), Counter()]
    for i, morphemes in enumerate(segmentations):
        for one in morphemes:
            parts[i in places][one] += 1 / len(morphemes)  # type: ignore[assignment]
    shares = [{m: n / sum(part.values()) for m, n in part.items()} for part in parts]
    mean = {m: sum(share.get(m, 0) for share in shares) / 2 for m in {*shares[0], *shares[1]}}
    return sum(p * math.log2(p / mean[m]) / 2 for share in shares for m, p in share.items())


POOL = invented_pool()
SEGMENTATIONS = [w.morphemes for w in POOL[:120]]


@pytest.mark.parametrize(*cases("morphseg_divergent_splits/heuristic_threshold"))
def test_heuristic_threshold(n_morphemes, threshold, share, is_splittable):
    split = heuristic_split(n_morphemes)
    assert (split.threshold, split.test_share, split.is_splittable) == (
        threshold,
        share,
        is_splittable,
    )
    assert split.test.tolist() == [i for i, n in enumerate(n_morphemes) if n >= threshold]


def test_adversarial_split_equals_the_published_libraries():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    stats = pytest.importorskip("scipy.stats")
    counts = (
        text.CountVectorizer(dtype=np.int8, min_df=1)
        .fit_transform([" ".join(s) for s in SEGMENTATIONS])
        .toarray()
    )
    for seed in (1, 2):
        centroid = np.random.PCG64(seed).random_raw(counts.shape[1]) % np.uint64(counts.max() + 1)
        distances = np.array([stats.wasserstein_distance(centroid, row) for row in counts])
        chosen = adversarial_split(SEGMENTATIONS, 48, seed)
        assert len(chosen) == 48
        # the same neighbours up to ties
        assert np.sort(distances)[:48].tolist() == pytest.approx(
            np.sort(distances[chosen]).tolist()
        )


def jaccard(first: np.ndarray, second: np.ndarray) -> float:
    return len(np.intersect1d(first, second)) / len(np.union1d(first, second))


def test_published_adversarial_splits_are_near_copies(released):
    pool = read_language("fin", released / "segmentation")
    setting = Setting("fin", len(pool), 500, "without")
    tests = [divided(setting, 1, split, "adversarial", pool) for split in "ABCDE"]
    assert min(jaccard(a.test, b.test) for a, b in itertools.combinations(tests, 2)) >= 0.95
    test, train = (
        [len(pool[i].morphemes) for i in part] for part in (tests[0].test, tests[0].train)
    )
    assert np.mean(test) > 1.3 * np.mean(train)  # a split by length


def test_divergent_split_differs_in_morphemes_and_not_by_seed_alone():
    drawn = [divergent_split(SEGMENTATIONS, 48, seed) for seed in range(6)]
    assert all(len(test) == 48 for test in drawn)
    assert np.array_equal(drawn[3], divergent_split(SEGMENTATIONS, 48, 3))
    assert max(jaccard(a, b) for a, b in itertools.combinations(drawn, 2)) < 0.95
    generator = np.random.default_rng(1)
    chance = [
        morpheme_divergence(SEGMENTATIONS, np.sort(generator.permutation(120)[:48]))
        for _ in range(200)
    ]
    assert min(morpheme_divergence(SEGMENTATIONS, test) for test in drawn) > max(chance)
    assert morpheme_divergence(SEGMENTATIONS, adversarial_split(SEGMENTATIONS, 48, 0)) < min(
        morpheme_divergence(SEGMENTATIONS, test) for test in drawn
    )


def test_divergent_split_finds_two_languages():
    words = ("pa-ta", "pa-ka", "ta-ka", "si-li", "si-mi", "li-mi", "ka-pa-ta")
    mixed = [word.split("-") for word in words]
    best = max(
        (divergent_split(mixed, 3, seed) for seed in range(5)),
        key=lambda test: morpheme_divergence(mixed, test),
    )
    assert best.tolist() == [3, 4, 5]
    assert morpheme_divergence(mixed, best) == pytest.approx(1.0)  # nothing shared: one bit


@pytest.mark.parametrize("strategy", ["adversarial", "divergent"])
def test_parts_hold_the_whole_data_set(strategy):
    setting = Setting("invented", len(POOL), 200, "with")
    split = divided(setting, 2, "B", strategy, POOL)
    assert sorted(np.concatenate(split).tolist()) == sorted(data_set_indices(setting, 2).tolist())
    assert (len(split.train), len(split.dev), len(split.test)) == (120, 0, 80)
