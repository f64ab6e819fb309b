"""Every segmenter by name learns, is deterministic, leaves no trace; how variants differ."""

import random

import pytest

from research.systems.morphology.morphological_segmenters import (
    SEGMENTERS,
    CrfsuiteSegmenter,
    MorfessorSegmenter,
    train_segmenter,
)
from tests.research.test_crf_orders import made_up_words

TRAINING, TEST = made_up_words(150), made_up_words(60, seed=1)
TEST_WORDS = ["".join(m) for m in TEST]
LEARNING = [name for name, method in SEGMENTERS.items() if method.learns]


@pytest.fixture(scope="module")
def segmentations() -> dict[str, list[list[str]]]:
    return {name: train_segmenter(name, TRAINING, seed=1).segment(TEST_WORDS) for name in LEARNING}


@pytest.mark.parametrize("name", sorted(LEARNING))
def test_morphological_segmenters_keep_every_letter(name, segmentations):
    if name != "0-crf-published":  # it can lose letters: that is what it is for
        assert ["".join(morphemes) for morphemes in segmentations[name]] == TEST_WORDS


@pytest.mark.parametrize("name", [f"{order}-crf" for order in range(5)] + ["morfessor-annotations"])
def test_morphological_segmenters_learn(name, segmentations):
    is_right = [a == b for a, b in zip(segmentations[name], TEST, strict=True)]
    unlearned = [gold == [word] for gold, word in zip(TEST, TEST_WORDS, strict=True)]
    assert sum(is_right) > 2 * sum(unlearned) > 0


def test_morphological_segmenters_neighbouring_orders_differ_little_but_differ(segmentations):
    pairs = zip(segmentations["1-crf"], segmentations["2-crf"], strict=True)
    assert 0 < sum(first != second for first, second in pairs) < len(TEST) / 3


def test_morphological_segmenters_are_deterministic(segmentations):
    for name in ("1-crf", "2-crf", "morfessor-annotations", "morfessor-types"):
        random.seed(99)  # not what they use
        assert train_segmenter(name, TRAINING, seed=1).segment(TEST_WORDS) == segmentations[name]


def test_morphological_segmenters_morfessor_leaves_random_as_it_was():
    random.seed(5)
    expected = random.random()
    random.seed(5)
    MorfessorSegmenter(TRAINING[:20], 1, "words")
    assert random.random() == expected


def test_morphological_segmenters_published_morfessor_sees_counts_and_plus_signs():
    # lines "2 ab + c" and "1 c", as the study's program wrote them: their pieces are Morfessor's
    # words
    model = MorfessorSegmenter([["ab", "c"], ["ab", "c"], ["c"]], 0, "tokens").model
    found = {word: count for count, word, _ in model.get_segmentations()}
    assert found == {"ab": 2, "c": 3, "+": 1, "2": 1, "1": 1}
    model = MorfessorSegmenter([["ab", "c"], ["ab", "c"], ["c"]], 0, "types").model
    assert {count for count, _, _ in model.get_segmentations()} == {1}


def test_morphological_segmenters_crfsuite_model_outlives_its_training():
    # the tagger reads from the model's bytes and does not keep them: without a reference, later
    # objects overwrite them
    segmenter = train_segmenter("1-crf", TRAINING)
    assert isinstance(segmenter, CrfsuiteSegmenter)
    assert segmenter.model[:4] == b"lCRF"
    expected = segmenter.segment(TEST_WORDS)
    others = [train_segmenter("1-crf", TRAINING[: 40 + n]) for n in range(5)]
    assert others[0].segment(TEST_WORDS) != expected
    assert segmenter.segment(TEST_WORDS) == expected


def test_morphological_segmenters_empty_word_list():
    for name in ("1-crf", "2-crf", "morfessor-words"):
        assert train_segmenter(name, TRAINING[:20]).segment([]) == []


def test_morphological_segmenters_refuse():
    with pytest.raises(ValueError, match="name, got '5-crf'; expected one of 0-crf, "):
        train_segmenter("5-crf", TRAINING)
    message = "training words of 1-crf, got none; expected at least one"
    with pytest.raises(ValueError, match=message):
        train_segmenter("1-crf", [])
