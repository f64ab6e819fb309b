"""Segmenters and classifiers of a user: tags are cuts, labels a sentiment; mistakes are told."""

import json

import pytest

from builders.eras.assembly import pair_table
from builders.eras.draw import draw
from dataset_scripts.registry import split_table
from examples import segmented_to_json
from garden_path.models.classifiers import positive_columns
from garden_path.models.registry import USERS
from garden_path.models.segmenters import begin_characters, begin_tags
from tests.support.cases import cases
from tests.support.tiny_models import characters, tiny_bert


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    table = pair_table(draw(0, 390), "simplified")
    return table["test"].to_pylist() + table["control"].to_pylist()


def test_unknown_segmenters_are_refused():
    message = "segmenter, got 'jiba'; expected one of jieba, jieba-no-hmm, file:PATH, transformers"
    with pytest.raises(ValueError, match=message):
        USERS.load("segmenter", "jiba")
    with pytest.raises(ValueError, match="segmenter, got 'jieba:x'"):
        USERS.load("segmenter", "jieba:x")
    with pytest.raises(ValueError, match="segmenter, got 'transformers'"):
        USERS.load("segmenter", "transformers")


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory, sentences: list[str]) -> str:
    """A tiny BERT set by hand: 心 and 机 are inside a word, all else begins one."""
    import torch

    folder, names = tmp_path_factory.mktemp("tagger"), {0: "B", 1: "I"}
    letters = characters(sentences)
    tokenizer, model = tiny_bert(folder, "ForTokenClassification", letters, id2label=names)
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
    return str(folder)


def test_a_token_classifier_segments_by_its_tags(tagger):
    segmenter = USERS.load("segmenter", f"transformers:{tagger}")
    found = segmenter.predict(["老师留心机动的车。", "走", "龘心龘。"])
    assert found[:2] == [["老", "师", "留心机", "动", "的", "车", "。"], ["走"]]
    assert found[2] == ["龘心", "龘", "。"]  # unknown characters keep their place


def test_tags_that_do_not_segment_are_refused():
    assert begin_tags("m", {0: "B", 1: "M", 2: "E", 3: "S"}) == [True, False, False, True]
    assert begin_tags("m", {0: "b-word", 1: "i-word"}) == [True, False]
    message = "m: label, got 'POSITIVE'; expected tags B, M, E, I or S: this model does not"
    with pytest.raises(ValueError, match=message):
        begin_tags("m", {0: "POSITIVE", 1: "B"})


def test_gold_text_becomes_characters_with_tags_for_run_ner(tmp_path, monkeypatch, capsys):
    """Every fortieth line of `examples/segmented_to_json.py` is for validation."""
    text, out = tmp_path / "msr_training.utf8", tmp_path / "msr"
    lines = [f"第　{i}　次　大会　开幕　。" for i in range(80)]
    text.write_text("\r\n".join([*lines, ""]), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["segmented_to_json", str(text), "--out", str(out)])
    segmented_to_json.main()
    assert f"{out / 'train.json'}: 78 sentences" in capsys.readouterr().out
    train, validation = (
        [json.loads(line) for line in (out / f"{part}.json").open(encoding="utf-8")]
        for part in ("train", "validation")
    )
    assert (len(train), len(validation)) == (78, 2)
    assert train[0] == {"tokens": list("第0次大会开幕。"), "tags": list("SSSBEBES")}
    assert validation[1]["tokens"] == list("第79次大会开幕。")
    monkeypatch.setattr("sys.argv", ["segmented_to_json", "nothing", "--out", str(tmp_path)])
    with pytest.raises(ValueError, match="nothing: texts, got no such file; expected one, or one"):
        segmented_to_json.main()


def test_special_tokens_begin_no_word():
    assert begin_characters([(0, 0), (0, 1), (1, 2), (0, 0)], [True, True, False, True]) == {0}


@pytest.fixture(scope="module")
def pairs() -> object:
    return split_table("eras", "simplified_lite", "test")


@pytest.mark.parametrize(*cases("segmenters/the_positive_label_is_found_or_given"))
def test_the_positive_label_is_found_or_given(labels, given, columns):
    assert positive_columns("m", dict(enumerate(labels)), given) == columns


def test_an_unknown_positive_label_is_refused():
    message = "m: positive label, got none to tell among LABEL_0, LABEL_1; expected --positive-lab"
    with pytest.raises(ValueError, match=message):
        positive_columns("m", {0: "LABEL_0", 1: "LABEL_1"})
    message = "m: --positive-label, got 'good'; expected one of LABEL_0, LABEL_1"
    with pytest.raises(ValueError, match=message):
        positive_columns("m", {0: "LABEL_0", 1: "LABEL_1"}, ["good"])
    message = "classifier, got 'bert'; expected one of file:PATH, transformers:NAME"
    with pytest.raises(ValueError, match=message):
        USERS.load("classifier", "bert")


@pytest.fixture(scope="module")
def sentiment_model(tmp_path_factory: pytest.TempPathFactory, pairs: object) -> str:
    folder, names = tmp_path_factory.mktemp("sentiment"), {0: "negative", 1: "positive"}
    letters = characters(pairs["test"].to_pylist() + pairs["control"].to_pylist())  # type: ignore[index]
    tiny_bert(folder, "ForSequenceClassification", letters, id2label=names)
    return str(folder)


def test_a_transformer_rates_alone_as_in_a_batch(sentiment_model):
    classifier = USERS.load("classifier", f"transformers:{sentiment_model}")
    assert classifier.mask_token == "[MASK]"
    sentences = ["老师留心机动的车。", "老师[MASK]心机处理事情。", "车。"]
    together, alone = classifier.predict(sentences), [classifier.predict([s])[0] for s in sentences]
    assert together == pytest.approx(alone, abs=1e-6)
    assert ((together > 0) & (together < 1)).all()
