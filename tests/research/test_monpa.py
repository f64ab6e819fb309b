"""MONPA as a segmenter: characters come back, and its licence is shown."""

import re

import pytest

from research.systems import weights
from research.systems.registry import load
from research.systems.segmenters.packaged_segmenters import with_own_letters
from tests.research.conftest import has_weights
from tests.support.cases import cases

SENTENCES = [
    "司机的右倾倒坦然。",
    "我们在北京大学学习汉语。",
    "",
    "他吃𠮷条。",
    "女士有意见对评委。",
]


@pytest.mark.parametrize(*cases("monpa/unknown_characters_are_the_sentences_own"))
def test_unknown_characters_are_the_sentences_own(sentence, given, words):
    assert with_own_letters(sentence, given) == words


def test_its_licence_stands_in_the_table():
    found = weights.read_weights()["monpa"]
    assert "CC BY-NC-SA 4.0" in found.licence
    assert "commercial" in found.licence


def test_monpa_itself():
    if not has_weights("monpa"):
        pytest.skip("the weights of monpa are not at hand: python -m research systems weights")
    pytest.importorskip("torch")
    with pytest.warns(UserWarning, match=re.escape("CC BY-NC-SA 4.0")):
        segmenter = load("segmenter", "monpa")
    found = segmenter.predict(SENTENCES)
    assert ["".join(words) for words in found] == SENTENCES
    assert found[4] == ["女士", "有意", "见对评委", "。"]  # it falls for 有意见
    assert [segmenter.predict([sentence])[0] for sentence in SENTENCES] == found
