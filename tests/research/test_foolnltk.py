"""FoolNLTK as a segmenter: TensorFlow runs its graph, and characters come back."""

import pytest

from research.systems.registry import load
from research.systems.segmenters.packaged_segmenters import by_length
from tests.research.conftest import has_weights
from tests.research.test_monpa import SENTENCES


def test_batches_have_one_length_and_sentences_keep_their_place():
    seen = []

    def cut(alike: list[str]) -> list[list[str]]:
        seen.append(alike)
        return [[one] for one in alike]

    assert by_length(cut, ["bbb", "a", "", "ccc", "a"]) == [["bbb"], ["a"], [], ["ccc"], ["a"]]
    assert seen == [["a"], ["bbb", "ccc"]]


def test_foolnltk_itself():
    if not has_weights("foolnltk"):
        pytest.skip("the weights of foolnltk are not at hand: python -m research systems weights")
    pytest.importorskip("tensorflow")
    segmenter = load("segmenter", "foolnltk")
    found = segmenter.predict(SENTENCES)
    assert ["".join(words) for words in found] == SENTENCES
    # as its own `cut` has them
    assert found[1] == ["我们", "在", "北京大学", "学习", "汉语", "。"]
    assert [segmenter.predict([sentence])[0] for sentence in SENTENCES] == found
