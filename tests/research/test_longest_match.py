"""Segmenters of the laboratory: words make up the sentence, longest match is the textbook's."""

import random

import jieba
import pytest

from builders.eras.dictionary import read_dictionary
from research.systems.registry import LABORATORY, load
from research.systems.segmenters.longest_match import (
    build_trie,
    match_backward,
    match_forward,
    read_lexicon,
)
from tests.product.inputs import test_inputs as inputs
from tests.product.test_segmenters import sentences  # noqa: F401
from tests.research.conftest import needs_weights

WITH_AN_ARGUMENT = {"transformers", "udpipe", "crf", "encoder", "file"}


NAMES = set(LABORATORY.loaders("segmenter")) - WITH_AN_ARGUMENT
SLOW = ("pkuseg", "snownlp", "wapic")


@pytest.mark.parametrize(
    "name", [*sorted(NAMES - {*SLOW}), *(pytest.param(x, marks=pytest.mark.slow) for x in SLOW)]
)
def test_words_make_up_the_sentence(name, sentences):  # noqa: F811
    if name in ("foolnltk", "monpa"):
        needs_weights(name)
    if name == "foolnltk":
        pytest.importorskip("tensorflow", reason="TensorFlow is in no extra")
    segmenter = load("segmenter", name)
    words = segmenter.predict(sentences[:60])
    assert ["".join(parts) for parts in words] == sentences[:60]
    assert all(all(parts) for parts in words)
    assert any(len(parts) < len(one) for parts, one in zip(words, sentences, strict=False))


@pytest.mark.parametrize("name", ["jieba", "jieba-no-hmm"])
def test_rjieba_is_jieba(name, sentences):  # noqa: F811
    expected = [jieba.lcut(sentence, HMM=name == "jieba") for sentence in sentences]
    assert load("segmenter", name).predict(sentences) == expected


def slices(lexicon: set[str], text: str) -> list[str]:
    """Longest match as a textbook has it, slice by slice."""
    words = []
    while text:
        word = next(text[:n] for n in range(len(text), 0, -1) if text[:n] in lexicon or n == 1)
        words.append(word)
        text = text[len(word) :]
    return words


def test_longest_match_is_that_of_the_textbook(sentences):  # noqa: F811
    few = sentences[::16]
    lexicon = {word for word, count in read_dictionary().items() if count}
    expected = [slices(lexicon, sentence) for sentence in few]
    assert load("segmenter", "maxmatch").predict(few) == expected
    backwards = {word[::-1] for word in lexicon}
    turned = (reversed(slices(backwards, sentence[::-1])) for sentence in few)
    expected = [[word[::-1] for word in words] for words in turned]
    assert load("segmenter", "maxmatch-backward").predict(few) == expected


def test_longest_match_on_random_words():
    generator = random.Random(0)
    for _ in range(200):
        lengths = (generator.randint(1, 4) for _ in range(6))
        lexicon = {"".join(generator.choices("甲乙丙", k=n)) for n in lengths}
        text = "".join(generator.choices("甲乙丙丁", k=12))
        assert match_forward(build_trie(lexicon), text) == slices(lexicon, text)
        assert "".join(match_backward(build_trie(word[::-1] for word in lexicon), text)) == text


def test_a_lexicon_is_read_from_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("留心 3 v\n心机\t2\n\n处理\n", encoding="utf-8")
    assert read_lexicon(path) == {"留心", "心机", "处理"}
    segmenter = load("segmenter", f"maxmatch:{path}")
    assert segmenter.predict(["留心机处理"]) == [["留心", "机", "处理"]]
    assert segmenter.lexicon == {"留心", "心机", "处理"}
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(ValueError, match="lexicon, got no word; expected one word per line"):
        load("segmenter", f"maxmatch:{path}")


# --- lexicons that a person hands in: their rows of the table, in every spelling
ROWS = [row for row in inputs.table() if row[0] == "lexicon"]
READ = [row for row in ROWS if row[3].startswith("ok")]


@pytest.fixture
def _lexicons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(inputs.VALUE_OF, "lexicon", lambda path: sorted(read_lexicon(path)))
    monkeypatch.setitem(inputs.EXPECTED, "lexicon", sorted(["心机", "机动"]))


@pytest.mark.usefixtures("_lexicons")
@pytest.mark.parametrize(("text", "expected"), [row[2:] for row in ROWS], ids=[r[1] for r in ROWS])
def test_every_lexicon_gives_what_it_should(text, expected, tmp_path):
    path = tmp_path / "given"
    path.write_text(text, encoding="utf-8", newline="")
    inputs.check("lexicon", path, expected)


@pytest.mark.usefixtures("_lexicons")
def test_every_spelling_of_a_lexicon_gives_the_same(tmp_path):
    for variant in inputs.variants().values():
        inputs.check_spelling(variant, tmp_path, READ)
    inputs.check_packed(tmp_path, READ)


@pytest.mark.usefixtures("_lexicons")
@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "big5"])
def test_another_encoding_is_said(encoding, tmp_path):
    inputs.check_encoding(encoding, tmp_path, ["lexicon"])
