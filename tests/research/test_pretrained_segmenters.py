"""Segmenters that learn nothing here: how labels and analyses cut, and the figures of the card."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from builders.morphseg.draw import draw
from ground.paths import ROOT
from metrics.morpheme_segmentation import scoring
from metrics.morpheme_segmentation.options import read_options
from research.systems import weights
from research.systems.morphology import pretrained_segmenters
from research.systems.morphology.pretrained_segmenters import Hanta, Slovorez, cut_at_labels
from research.systems.registry import load
from tests.research.conftest import needs_weights
from tests.support.cases import cases


@pytest.mark.parametrize(*cases("pretrained_segmenters/labels_cut_words"))
def test_labels_cut_words(word, labels, morphemes):
    assert cut_at_labels(word, labels) == morphemes


class FakeSession:
    """Labels the first letter as a prefix, the others as a root, whatever they are."""

    def __init__(self, *_: Any, **options: Any) -> None:
        self.given: list[np.ndarray] = []

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name="letters")]

    def run(self, _: None, given: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.given.append(given["letters"])
        scores = np.zeros((*given["letters"].shape, 3))
        scores[:, 0, 0] = scores[:, 1, 1] = 1
        scores[:, 2:, 2] = 1
        return [scores]


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("onnxruntime")
    config = tmp_path / "config.json"
    mapping = {"tokenizer_vocab": {"<UNK>": 1, "а": 4, "б": 5}}
    mapping["id2label"] = {"0": "S-PREF", "1": "B-ROOT", "2": "I-ROOT"}
    config.write_text(json.dumps({"mapping": mapping}), encoding="utf-8")
    monkeypatch.setattr(weights, "paths", lambda name: [tmp_path / "network.onnx", config])
    monkeypatch.setattr("onnxruntime.InferenceSession", FakeSession)
    return config


@pytest.mark.usefixtures("packaged")
def test_words_go_through_by_length_and_keep_their_letters():
    model = Slovorez()
    words = ["Аб", "б", "абба", "", "ба", "Аб"]
    assert model.segment(words) == [["А", "б"], ["б"], ["а", "бба"], [], ["б", "а"], ["А", "б"]]
    assert model.segment([]) == []
    seen = [batch.tolist() for batch in model.session.given]
    pad = [0] * 8
    assert seen == [[[5, *pad]], [[4, 5, *pad], [5, 4, *pad]], [[4, 5, 5, 4, *pad]]]
    model.segment(["ж"])
    assert model.session.given[-1].tolist() == [[1, *pad]]


def test_another_configuration_is_refused(packaged):
    packaged.write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"config\.json: got KeyError\('mapping'\); expected its"):
        Slovorez()


class FakeTagger:
    """Analyses of four words, in the letters of the tagger's own language."""

    def __init__(self, file: str) -> None:
        self.file = file

    def analyze(self, word: str, *, taglevel: int, casesensitive: bool) -> Any:
        assert (taglevel, casesensitive) == (3, False)
        known = {"übung": ["üb", "ung"], "bauer": ["bau", "er"], "sah": ["seh"]}
        surfaces = known.get(word, [word])
        return word, [*((surface, "X") for surface in surfaces), ("", "END")], "NN"


def test_the_tagger_reads_umlauts_and_keeps_letters(tmp_path, monkeypatch):
    code = tmp_path / "tagger.py"
    told = "from tests.research.test_pretrained_segmenters import FakeTagger as HanoverTagger\n"
    code.write_text(told, encoding="utf-8")
    files = [code, tmp_path / "german", tmp_path / "english"]
    monkeypatch.setattr(weights, "paths", lambda name: files)
    german, english = Hanta("german"), Hanta("english")
    assert [Path(model.tagger.file).name for model in (german, english)] == ["german", "english"]
    words = ["Uebung", "Bauer", "sah", ""]
    assert german.segment(words) == [["Ueb", "ung"], ["Bau", "er"], ["sah"], []]
    assert english.segment(words[:2]) == [["Uebung"], ["Bau", "er"]]


ANALYSES = {
    "ağaçlar": [["ağaçlar"], ["ağa", "", "çlar"], ["ağaç", "lar"], ["ağa", "ç", "la"]],
    "ev": [["e"]],
}


class FakeAnalyser:
    """Analyses of two words, as the package gives them: pairs of a morpheme and its surface."""

    def analyze(self, word: str) -> list[Any]:
        found = ([(None, surface) for surface in cut] for cut in ANALYSES.get(word, []))
        return [SimpleNamespace(morphemes=morphemes) for morphemes in found]


def test_the_finest_whole_analysis_cuts_a_word(monkeypatch):
    monkeypatch.setattr(pretrained_segmenters, "_analyser", FakeAnalyser)
    found = pretrained_segmenters.Zeyrek().segment(["aGaClar", "ağaçlar", "ev", "x", ""])
    assert found == [["aGaC", "lar"], ["ağaç", "lar"], ["ev"], ["x"], []]


@pytest.mark.parametrize(
    ("name", "pool", "place", "n"),
    [
        ("slovorez", "rus", "released", 4000),  # most of which the network has been shown
        ("hanta-german", "deu", "sources", None),
        ("hanta-english", "eng", "released", None),
        pytest.param("zeyrek", "tur", "sources", None, marks=pytest.mark.slow),
    ],
)
def test_the_cards_figures(name, pool, place, n, request):
    """On the words of a pool, or the first n of them."""
    needs_weights(name.partition("-")[0])
    folder = request.getfixturevalue(place) / "segmentation"
    gold = [word.morphemes for word in draw(pool=pool, folder=folder)][:n]
    words = ["".join(morphemes) for morphemes in gold]
    segmenter = load("morphological_segmenter", name).train([["a"]], 0)
    predicted = segmenter.predict(words)
    inputs = {"predictions": predicted, "references": gold}
    result = scoring.score(inputs, read_options(confidence=None))
    card = (ROOT / "cards" / "datasets" / "morphseg.md").read_text(encoding="utf-8")
    said = re.findall(rf"`{name}` has F1 (\d\d\.\d)(?: and\s+(\d\d\.\d) % of words)?", card)
    assert len(said) == 1
    figures = (f"{100 * result['f1']:.1f}", f"{100 * result['accuracy']:.1f}")
    assert all(own in ("", figure) for own, figure in zip(said[0], figures, strict=True))
    assert segmenter.predict(words[99::-1]) == predicted[99::-1]
