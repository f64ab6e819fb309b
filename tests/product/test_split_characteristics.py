"""split_characteristics: the figures by hand and as published, type variants, any units."""

import random
import statistics

import pytest

from builders.morphseg.sampling import Setting, split_indices
from builders.morphseg.sources import read_language
from metrics.split_characteristics import split_characteristics as module
from metrics.split_characteristics.scoring import (
    Characteristics,
    characteristics,
    published_characteristics,
    type_characteristics,
    unit_divergence,
)
from tests.support.cases import cases
from tests.support.results import picked

TRAIN = [("un", "do"), ("do",), ("do",), ("re", "read", "ing")]
TEST = [("un", "read"), ("do",), ("boat", "s")]
LISTS = {"train": list(map(list, TRAIN)), "test": list(map(list, TEST))}


@pytest.fixture(scope="module")
def measurement() -> module.SplitCharacteristics:
    return module.SplitCharacteristics()


def test_characteristics_by_hand():
    found = characteristics(TRAIN, TEST)
    assert found.item_overlap == 1 / 3  # "do"; "un read" is new although both units are known
    assert found.unit_overlap == 3 / 5  # un, read, do of un, read, do, boat, s
    assert found.units_per_item_ratio == pytest.approx((7 / 4) / (5 / 3))
    # P(n>=2) 2/4 against 2/3, P(n>=3) 1/4 against 0
    assert found.units_per_item_distance == pytest.approx(1 / 4 * 1 + 1 / 6)
    assert found.unit_length_ratio == pytest.approx(((2 + 2 + 2 + 3) / 4) / ((3 + 2 + 2.5) / 3))


def test_types_count_each_once():
    found = type_characteristics(TRAIN, TEST)
    assert found.item_overlap == 1 / 3
    assert found.unit_overlap == 3 / 5
    assert found.units_per_item_ratio == pytest.approx((6 / 3) / (5 / 3))
    repeated = [*TEST, ("boat", "s"), ("boat", "s")]
    assert characteristics(TRAIN, repeated).unit_overlap == 3 / 9
    assert type_characteristics(TRAIN, repeated).unit_overlap == 3 / 5
    assert type_characteristics(TRAIN, repeated) == found


def test_equal_parts_do_not_differ():
    assert characteristics(TRAIN, TRAIN) == Characteristics(1, 1, 1, 0, 1)
    assert unit_divergence(TRAIN, TRAIN) == 0
    assert unit_divergence([("a",)], [("b",)]) == 1


def test_published_forms_by_hand():
    # mean morpheme lengths per word are rounded first: (2 + 2 + 2 + 3) / 4 = 2.25 over (3 + 2 +
    # 2.5) / 3 = 2.5
    assert published_characteristics(TRAIN, TEST) == (33.33, 60.0, 1.05, 0.42, 0.9)
    # 10 / 3 -> 3.33 before averaging: 3.33 / 1 = 3.33, and (3.33 + 1) / 2 / 1 = 2.165 -> what
    # round() makes of that float
    rounded_first = published_characteristics([("aaaa", "bbb", "ccc"), ("a",)], [("a",)])
    assert rounded_first.ave_morph_len_ratio == round(statistics.mean([3.33, 1.0]) / 1.0, 2)


def published_by_description(
    train: list[tuple[str, ...]], test: list[tuple[str, ...]]
) -> tuple[float, ...]:
    """The five figures as their description has them, in plain Python and scipy."""
    stats = pytest.importorskip("scipy.stats")
    train_morphs = [m for word in train for m in word]
    test_morphs = [m for word in test for m in word]
    lengths = [
        [round(sum(len(m) for m in word) / len(word), 2) for word in part] for part in (train, test)
    ]
    counts = [[len(word) for word in part] for part in (train, test)]
    figures = (
        len([w for w in test if w in train]) * 100 / len(test),
        len([m for m in test_morphs if m in train_morphs]) * 100 / len(test_morphs),
        statistics.mean(counts[0]) / statistics.mean(counts[1]),
        stats.wasserstein_distance(*counts),
        statistics.mean(lengths[0]) / statistics.mean(lengths[1]),
    )
    return tuple(round(figure, 2) for figure in figures)


@pytest.mark.parametrize("seed", range(3))
def test_published_forms_equal_their_description(seed):
    rng = random.Random(seed)

    def item() -> tuple[str, ...]:
        lengths = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
        return tuple("".join(rng.choices("ab", k=n)) for n in lengths)

    parts = [[item() for _ in range(n)] for n in (90, 60)]
    assert published_characteristics(*parts) == published_by_description(*parts)


@pytest.mark.slow
def test_measured_overlap_of_russian_data_sets(released):
    # 250 splits of 500 words without replacement: morpheme overlap 69.6 % (sd 1.35 over splits)
    pool = read_language("rus", released / "segmentation")
    setting = Setting("rus", len(pool), 500, "without")
    splits = [split_indices(setting, k, split) for k in range(1, 21) for split in "ABCDE"]
    parts = ([[pool[i].morphemes for i in part] for part in (s.train, s.test)] for s in splits)
    found = [published_characteristics(*of_split) for of_split in parts]
    assert statistics.mean(f.morph_overlap for f in found) == pytest.approx(69.6, abs=0.7)
    assert all(f.word_overlap == 0 for f in found)


def test_unit_divergence_by_hand():
    items = [("a",), ("b",), ("a",), ("c",)]
    # a b | a c: 1/2 shared; of each part's other half log2(1/2 / 1/4) = 1 bit, halved twice
    assert unit_divergence(items[2:], items[:2]) == pytest.approx(0.5)


def test_result_has_tokens_types_and_published_names(measurement):
    result = measurement.compute(**LISTS)
    names = ("n_train", "n_train_types", "n_test", "n_test_unit_types")
    assert picked(result, *names) == [4, 3, 3, 5]
    names = ("unit_overlap", "unit_overlap_types", "morph_overlap")
    assert picked(result, *names) == [0.6, 0.6, 60.0]
    assert 0 < result["unit_divergence"] < 1


def letters_of(item: str) -> list[str]:
    return sorted(set(item))


def test_any_item_with_any_units(measurement):
    train, test = ["the old man", "a boat"], ["the boat"]
    assert measurement.compute(train=train, test=test, units="whitespace")["unit_overlap"] == 1
    assert measurement.compute(train=train, test=test, units="characters")["n_test_unit_types"] == 7
    result = measurement.compute(train=train, test=test, units=letters_of)
    assert result["options"] == {"units": "letters_of"}
    # distinct letters, the blank among them
    assert result["units_per_item_ratio"] == pytest.approx((10 + 5) / 2 / 7)


def test_added_batches_count_with_what_is_passed(measurement):
    batched = module.SplitCharacteristics()
    batched.add_batch(data=LISTS["train"], part=["train"] * 4)
    added = batched.compute(data=LISTS["test"], part=["test"] * 3)
    assert added == measurement.compute(**LISTS)
    strings = module.SplitCharacteristics()
    strings.add_batch(data=["a boat", "the boat"], part=["train", "test"])
    assert strings.compute(units="whitespace")["unit_overlap"] == 0.5


@pytest.mark.parametrize(*cases("split_characteristics/bad_input_is_refused"))
def test_bad_input_is_refused(measurement, inputs, message):
    with pytest.raises(ValueError, match=message):
        measurement.compute(**inputs)
