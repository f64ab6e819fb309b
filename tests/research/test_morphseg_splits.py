"""The studies of splits and of Morfessor's training, on an invented language."""

import itertools

import pytest

from builders.morphseg.sampling import SPLITS, Setting, split_indices
from metrics.morpheme_segmentation import scoring
from metrics.morpheme_segmentation.options import read_options
from research.studies.__main__ import main
from research.studies.morphseg import splits
from research.studies.morphseg.morfessor import TrainingWay, score_ways
from research.studies.morphseg.plan import read_pool
from research.studies.morphseg.splits import alternative_split_indices
from research.systems.morphology.morphological_segmenters import MorfessorSegmenter, train_segmenter

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
            made = alternative_split_indices(setting, data_set, split, "adversarial", pool)
            tests.append(set(made.test.tolist()))
            drawn = set(split_indices(setting, data_set, split).test.tolist())
            overlaps.append(len(tests[-1] & drawn) / 24)
        copies += [len(a & b) / 24 for a, b in itertools.combinations(tests, 2)]
    assert found["overlap"] == pytest.approx(sum(overlaps) / 10)
    assert found["copies"] == pytest.approx(sum(copies) / 20)
    assert found["copies"] > found["overlap"]


def test_f1_is_that_of_the_model_on_the_split(setting):
    pool = read_pool(LANGUAGE, "")
    made = alternative_split_indices(setting, 1, "A", "divergent", pool)
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
