"""Segmenters: words make up the sentence, rjieba is jieba, and mistakes are told."""

import random
from pathlib import Path

import jieba
import pytest

from builders.eras.assembly import pair_table
from builders.eras.dictionary import read_dictionary
from builders.eras.draw import draw
from systems.registry import load
from systems.segmenters import (
    LOADERS,
    build_trie,
    match_backward,
    match_forward,
    read_lexicon,
)
from systems.tagged_segmentation import begin_characters, begin_tags


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    table = pair_table(draw(0, 390), "simplified")
    return table["test"].to_pylist() + table["control"].to_pylist()


@pytest.mark.parametrize("name", sorted(set(LOADERS) - {"transformers", "udpipe", "crf"}))
def test_words_make_up_the_sentence(name: str, sentences: list[str]) -> None:
    if name == "icu":
        pytest.importorskip("icu", reason="PyICU is not installed: it needs ICU's own library")
    segmenter = load("segmenter", name)
    words = segmenter.predict(sentences[:60])
    assert ["".join(parts) for parts in words] == sentences[:60]
    assert all(all(parts) for parts in words)
    assert any(
        len(parts) < len(sentence) for parts, sentence in zip(words, sentences, strict=False)
    )


@pytest.mark.parametrize("name", ["jieba", "jieba-no-hmm"])
def test_rjieba_is_jieba(name: str, sentences: list[str]) -> None:
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


def test_longest_match_is_that_of_the_textbook(sentences: list[str]) -> None:
    lexicon = {word for word, count in read_dictionary().items() if count}
    assert load("segmenter", "maxmatch").predict(sentences) == [
        slices(lexicon, sentence) for sentence in sentences
    ]
    backwards = {word[::-1] for word in lexicon}
    expected = [
        [word[::-1] for word in reversed(slices(backwards, sentence[::-1]))]
        for sentence in sentences
    ]
    assert load("segmenter", "maxmatch-backward").predict(sentences) == expected


def test_longest_match_on_random_words() -> None:
    generator = random.Random(0)
    for _ in range(200):
        lexicon = {
            "".join(generator.choices("甲乙丙", k=generator.randint(1, 4))) for _ in range(6)
        }
        text = "".join(generator.choices("甲乙丙丁", k=12))
        assert match_forward(build_trie(lexicon), text) == slices(lexicon, text)
        assert "".join(match_backward(build_trie(word[::-1] for word in lexicon), text)) == text


def test_a_lexicon_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("留心 3 v\n心机\t2\n\n处理\n", encoding="utf-8")
    assert read_lexicon(path) == {"留心", "心机", "处理"}
    segmenter = load("segmenter", f"maxmatch:{path}")
    assert segmenter.predict(["留心机处理"]) == [["留心", "机", "处理"]]
    assert segmenter.lexicon == {"留心", "心机", "处理"}
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(ValueError, match="lexicon, got no word; expected one word per line"):
        load("segmenter", f"maxmatch:{path}")


def test_unknown_segmenters_are_refused() -> None:
    with pytest.raises(
        ValueError, match="segmenter, got 'jiba'; expected one of jieba, jieba-no-hmm, pkuseg"
    ):
        load("segmenter", "jiba")
    with pytest.raises(ValueError, match="segmenter, got 'jieba:x'"):
        load("segmenter", "jieba:x")
    with pytest.raises(ValueError, match="segmenter, got 'transformers'"):
        load("segmenter", "transformers")


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory, sentences: list[str]) -> str:
    """A tiny BERT set by hand: 心 and 机 are inside a word, all else begins one."""
    import torch
    from transformers import BertConfig, BertForTokenClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tagger")
    characters = sorted({c for sentence in sentences for c in sentence})
    (folder / "vocab.txt").write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters]), encoding="utf-8"
    )
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=False)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        id2label={0: "B", 1: "I"},
    )
    model = BertForTokenClassification(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "LayerNorm.weight" not in name:
                parameter.zero_()
        for character in "心机":
            model.bert.embeddings.word_embeddings.weight[
                tokenizer.convert_tokens_to_ids(character), 0
            ] = 100.0
        model.classifier.weight[1, 0] = 1.0
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def test_a_token_classifier_segments_by_its_tags(tagger: str) -> None:
    segmenter = load("segmenter", f"transformers:{tagger}")
    assert segmenter.predict(["老师留心机动的车。", "走"]) == [
        ["老", "师", "留心机", "动", "的", "车", "。"],
        ["走"],
    ]


def test_unknown_characters_keep_their_place(tagger: str) -> None:
    assert load("segmenter", f"transformers:{tagger}").predict(["龘心龘。"]) == [
        ["龘心", "龘", "。"]
    ]


def test_tags_that_do_not_segment_are_refused() -> None:
    assert begin_tags("m", {0: "B", 1: "M", 2: "E", 3: "S"}) == [True, False, False, True]
    assert begin_tags("m", {0: "b-word", 1: "i-word"}) == [True, False]
    with pytest.raises(
        ValueError,
        match="m: label, got 'POSITIVE'; expected tags B, M, E, I or S: this model does not",
    ):
        begin_tags("m", {0: "POSITIVE", 1: "B"})


def test_special_tokens_begin_no_word() -> None:
    assert begin_characters([(0, 0), (0, 1), (1, 2), (0, 0)], [True, True, False, True]) == {0}
