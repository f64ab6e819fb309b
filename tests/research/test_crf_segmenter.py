"""Corpora that a user has, and segmenters trained on them."""

import gzip
import random
import shutil
from pathlib import Path

import pytest

from builders.eras import gold_text
from builders.eras.assembly import pair_table
from builders.eras.draw import draw
from ground.downloads import checksum
from ground.tables import DataFileError
from research.systems.registry import load
from research.systems.segmenters import crf_segmenter, gold_sentences
from research.systems.segmenters.crf_segmenter import (
    attributes,
    lexicon_lengths,
    load_crf,
    word_f1,
    words_of,
)
from tests.support.cases import cases

TEXT = "我们 来\n\n我们 走 了\n" * 60
LEXICON = "我们\r\n走 12\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of sources with one corpus, `tiny`, gzipped, and a weights folder beside it."""
    folder = tmp_path / "sources" / "bakeoff"
    folder.mkdir(parents=True)
    (folder / "gold.utf8.gz").write_bytes(gzip.compress(TEXT.encode()))
    (folder / "words.utf8").write_text(LEXICON, encoding="utf-8", newline="")
    entry = {"name": "tiny", "script": "simplified", "format": "words"}
    entry |= {"text": "bakeoff/gold.utf8", "text_sha256": checksum(TEXT.encode())}
    entry |= {"lexicon": "bakeoff/words.utf8", "lexicon_sha256": checksum(LEXICON.encode())}
    lines = "".join(f'{name} = "{value}"\n' for name, value in entry.items())
    table = tmp_path / "corpora.toml"
    table.write_text(f"# source: a test\n# licence: CC0\n[tiny]\n{lines}", encoding="utf-8")
    monkeypatch.setattr(gold_text, "TABLE", table)
    monkeypatch.setenv("GARDENPATH_SOURCES", str(tmp_path / "sources"))
    monkeypatch.setenv("GARDENPATH_WEIGHTS", str(tmp_path / "weights"))
    gold_text.corpora.cache_clear()
    yield tmp_path
    gold_text.corpora.cache_clear()


def test_sentences_and_words_are_read_from_plain_and_gzipped_files(here):
    assert gold_sentences.read_sentences("tiny")[:2] == [["我们", "来"], ["我们", "走", "了"]]
    # one word per line; what stands behind it is a count
    assert gold_sentences.read_word_list("tiny") == {"我们", "走"}


def test_another_file_under_the_name_is_refused(here):
    (here / "sources" / "bakeoff" / "words.utf8").write_text("他们\n", encoding="utf-8")
    with pytest.raises(DataFileError, match=r"bakeoff/words\.utf8: sha256, got [0-9a-f]{64}; exp"):
        gold_sentences.read_word_list("tiny")


def test_a_missing_file_and_a_missing_corpus_are_named(here):
    (here / "sources" / "bakeoff" / "gold.utf8.gz").unlink()
    with pytest.raises(DataFileError, match=r"gold\.utf8: source, got no such file; expected it"):
        gold_sentences.read_sentences("tiny")
    with pytest.raises(ValueError, match=r"corpus, got 'ctb'; expected one of tiny"):
        gold_sentences.read_sentences("ctb")


def test_a_crf_is_trained_once_and_learns_its_text(here):
    pytest.importorskip("pycrfsuite")
    model = load_crf("tiny")
    assert model.f1 == 1.0
    assert model.n_sentences == 108  # of 120, every tenth held out
    assert model.segment(["我们来", ""]) == [["我们", "来"], []]
    [weights] = (here / "weights").glob("crf-tiny-*.model")
    changed = weights.stat().st_mtime_ns
    segmenter = load("segmenter", "crf:tiny")
    assert (segmenter.version, segmenter.script) == (model.version, "simplified")
    assert segmenter.predict(["我们走了"]) == [["我们", "走", "了"]]
    assert weights.stat().st_mtime_ns == changed


def test_longest_match_takes_a_word_list_by_name(here):
    segmenter = load("segmenter", "maxmatch:tiny")
    assert segmenter.predict(["我们走了"]) == [["我们", "走", "了"]]
    assert segmenter.script == "simplified"
    assert segmenter.version.startswith("words.utf8 ")


def test_lengths_are_those_of_the_longest_words_at_each_character():
    # 引出 and 出走 overlap; 大引出走 holds three characters inside
    lexicon = frozenset({"引出", "出走", "大引出走"})
    assert lexicon_lengths("引出走", lexicon) == ([2, 2, 1], [1, 2, 2], [0, 0, 0])
    assert lexicon_lengths("大引出走", lexicon) == ([4, 2, 2, 1], [1, 1, 2, 4], [0, 4, 4, 0])
    assert lexicon_lengths("", lexicon) == ([], [], [])


def test_attributes_are_symmetric_around_a_character():
    [first, *_] = attributes("引出走", frozenset())
    told = "C引 L# R出 l# r走 LC#引 CR引出 lL## Rr出走 LR#出 b1 e1 i0"
    assert first == told.split()


@pytest.mark.parametrize(*cases("crf_segmenter/words_begin_at_b_and_s"))
def test_words_begin_at_b_and_s(tags, expected):
    assert list(words_of("引出走的", tags)) == expected


def test_f1_counts_words_with_both_ends_right():
    # 3 right of 4 gold and 5 found: 2 * 3 / 9
    gold, found = [["他", "出走", "了", "。"]], [["他", "出", "走", "了", "。"]]
    assert word_f1(gold, found) == pytest.approx(2 / 3)
    assert str(word_f1([], [])) == "nan"


@pytest.mark.slow
@pytest.mark.parametrize(
    # held out: every tenth sentence; a standard with a larger vocabulary is harder
    ("name", "floor"),
    [("as", 0.92), ("cityu", 0.92), ("msr", 0.94), ("pku", 0.94), ("daily", 0.94)],
)
def test_each_standard_is_learned(name, floor, sources, monkeypatch):
    pytest.importorskip("pycrfsuite")
    monkeypatch.setenv("GARDENPATH_SOURCES", str(sources))
    model = load_crf(name)
    assert model.f1 >= floor
    table = pair_table(draw(0, 390), gold_sentences.corpus(name).script)
    sentences = table["test"].to_pylist()
    assert ["".join(words) for words in model.segment(sentences)] == sentences


def test_a_model_does_not_depend_on_what_was_trained_before(here, monkeypatch):
    """CRFsuite shuffles by the C library's random numbers, which a process goes on drawing. Where
    to cut is drawn too, so that no order of the sentences leads to the same weights."""
    rng = random.Random(0)
    words = ["我", "们", "走", "来", "我们", "们走", "走来", "来我"]
    sentences = [rng.choices(words, k=6) for _ in range(100)]
    monkeypatch.setattr(crf_segmenter, "read_sentences", lambda name: sentences)
    models = []
    for _ in range(2):
        load_crf("tiny")
        (path,) = (here / "weights").glob("*.model")
        models.append(path.read_bytes())
        shutil.rmtree(here / "weights")
    assert models[0] == models[1]
