"""Vectors of words from a model's embeddings: by hand, and in a pipeline that is trained."""

from pathlib import Path

import numpy as np
import pytest

from research.systems.parsers import piece_vectors, spacy_parser
from research.systems.parsers.piece_vectors import COMPONENT, LENGTH, Embeddings, PieceVectors
from research.systems.registry import load
from tests.research.conftest import conll

spacy = pytest.importorskip("spacy")
safetensors = pytest.importorskip("safetensors.numpy")
tokenizers = pytest.importorskip("tokenizers")

PIECES = {"a": [4.0, 0.0, 0.0], "b": [0.0, 2.0, 0.0], "ab": [0.0, 0.0, 8.0], "c": [1.0, 1.0, 1.0]}


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of transformers with four pieces, in the place of the language model."""
    folder = tmp_path / "model"
    folder.mkdir()
    numbers = {piece: i for i, piece in enumerate(PIECES)}
    cutter = tokenizers.Tokenizer(tokenizers.models.BPE(numbers, [("a", "b")]))
    cutter.save(str(folder / "tokenizer.json"))
    matrix = np.array(list(PIECES.values()), np.float32)
    safetensors.save_file({piece_vectors.EMBEDDINGS: matrix}, folder / "model.safetensors")
    monkeypatch.setattr(piece_vectors.gguf, "packaged_folder", lambda name: folder)
    return folder


def test_a_word_is_the_mean_of_its_pieces(model):
    found = Embeddings(model).of(["a", "ab", "aba", "ca", "xyz"])
    expected = [[4, 0, 0], [0, 0, 8], [2, 0, 4], [2.5, 0.5, 0.5], [0, 0, 0]]
    assert found.tolist() == expected
    assert Embeddings(model).of([]).shape == (0, 3)


def test_directions_are_of_the_training_words(model):
    vocab = spacy.blank("de").vocab
    vectors = PieceVectors(vocab)
    vectors.learn(["a", "b"])
    # they differ along one line, on which they lie opposite each other
    own = [vocab[word].vector for word in ("a", "b")]
    assert own[0] == pytest.approx(-own[1], abs=1e-5)
    assert [np.linalg.norm(one) for one in own] == pytest.approx([LENGTH, LENGTH])
    # half-way between them is their mean
    assert vectors(spacy.tokens.Doc(vocab, words=["ba", "b"]))[0].vector == pytest.approx(0.0)
    assert vocab["b"].vector == pytest.approx(own[1])


def test_what_is_written_gives_other_words_the_same_vectors(model, tmp_path):
    piece_vectors.register()
    pipeline = spacy.blank("de")
    pipeline.add_pipe(COMPONENT).learn(["a", "b", "ab"])
    pipeline.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    first, second = (one.get_pipe(COMPONENT)(one.make_doc("c ab")) for one in (pipeline, again))
    assert np.abs(first[0].vector).max() > 0
    for one, other in zip(first, second, strict=True):
        assert one.vector == pytest.approx(other.vector)


@pytest.mark.slow
def test_a_pipeline_is_trained_with_vectors_and_gives_them_to_new_words(
    model, tmp_path, monkeypatch
):
    text = spacy_parser.settings().replace("max_steps = 2000", "max_steps = 3")
    (tmp_path / "small.cfg").write_text(text, encoding="utf-8")
    monkeypatch.setattr(spacy_parser, "CONFIG", tmp_path / "small.cfg")
    sentence = conll(
        ("a", "PROPN", 2, "nsubj"), ("b", "VERB", 0, "root"), ("ab", "PROPN", 2, "obj")
    )
    path = tmp_path / "parser"
    spacy_parser.train_with_vectors([sentence] * 30, "de", 1, path)
    assert not list(tmp_path.glob("*.part"))
    parser = load("parser", f"spacy:{path}")
    assert parser.scheme == "ud"
    found = parser.predict({"tokens": [["c", "b", "a"]]})
    assert [len(heads) for heads in found["heads"]] == [3]
    # the network reads the vectors: without them its features of the same words are others
    pipeline = spacy.load(path)
    assert pipeline.pipe_names[0] == COMPONENT
    with_vectors = pipeline("c b a").tensor
    pipeline.vocab.vectors.data[:] = 0
    assert np.abs(pipeline("c b a").tensor - with_vectors).max() > 1e-4


def test_a_parser_rests_on_the_model_of_its_vectors():
    plain, told = spacy_parser.settings(), spacy_parser.settings_with_vectors()
    assert told.startswith(plain)
    assert "gemma3-270m" in told[len(plain) :]
