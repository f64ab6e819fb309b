"""The sentiment study.

Real offline classifiers and a tiny transformer made here, resumed, printed beside the published
rows.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dataset_scripts.registry import split_table
from studies.__main__ import main
from studies.eras.sentiment import STUDY, classify, result_text
from studies.published import sentiment_rows
from systems.classifiers import (
    PLACEHOLDER,
    Classifier,
    positive_columns,
    read_reviews,
)
from systems.registry import load
from tests.study_runs import scored


@pytest.fixture(scope="module")
def pairs() -> object:
    return split_table("eras", "simplified_lite", "test")


def test_published_rows_are_those_of_the_paper(released: Path) -> None:
    lines = (released / "published" / "eras_table2.tsv").read_text(encoding="utf-8").splitlines()
    facts = {
        row["system"]: row
        for row in csv.DictReader(
            (line for line in lines if not line.startswith("#")), delimiter="\t"
        )
    }
    ours = {row.system: row for row in sentiment_rows()}
    assert set(ours) == set(facts)
    for system, fact in facts.items():
        for column, value in fact.items():
            if column != "system":
                expected = None if value == "_" else float(value)
                assert (
                    getattr(ours[system], column.removeprefix("control_minus_test_")) == expected
                ), (system, column)


def test_published_rates_follow_from_accuracy_and_necessity() -> None:
    for row in sentiment_rows():
        if row.necessity is not None:
            assert (100 - row.overall_accuracy) * row.necessity / 100 == pytest.approx(
                row.gper, abs=0.1
            ), row.system


@pytest.fixture(scope="module")
def char_lr() -> Classifier:
    return load("classifier", "char-lr")


def test_the_character_model_knows_its_reviews(char_lr: Classifier) -> None:
    """84.9 % in three-fold cross-validation (measured).

    On what it was trained on it must do better than that.
    """
    texts, labels = read_reviews()
    assert len(texts) > 30_000
    rated = char_lr.predict(texts[::20])
    assert np.mean((rated > 0.5) == np.array(labels[::20])) > 0.85
    assert char_lr.mask_token == PLACEHOLDER
    assert not any(PLACEHOLDER in text for text in texts)


LITE = ("--config", "simplified_lite")


def result_of(system: Classifier, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The study's result of a system made here."""
    monkeypatch.setattr("studies.study.load", lambda *_, **settings: system)
    (result,) = scored(STUDY, folder, "--systems", system.name, *LITE)
    return result


def test_the_character_model_shows_no_garden_path(
    char_lr: Classifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = result_of(char_lr, tmp_path, monkeypatch)
    assert result["system"] == "char-lr"
    assert result["n"] == 39 * 50
    assert result["gper"] > 0.1  # a rate without a zero
    assert result["gper_excess_low"] < 0 < result["gper_excess_high"]
    assert len(result["paradigm_differences"]) == 39
    text = result_text([result])
    assert "| char-lr | simplified |" in text
    assert "| WWM+CWS | 18.8 | 59.8 | 46.8 | 34.5 |" in text
    assert "| Humans | 8.7 | 50.6 | – | – |" in text


def test_occluded_sentences_are_read_with_the_classifiers_own_mask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def rate(sentences: Sequence[str]) -> np.ndarray:
        seen.extend(sentences)
        return np.full(len(sentences), 0.5)

    half = Classifier("half", "1", rate, batch_size=500, mask_token="<gap>")
    result = result_of(half, tmp_path, monkeypatch)
    assert sum("<gap>" in sentence for sentence in set(seen)) > 3000
    assert not any("[MASK]" in sentence for sentence in seen)
    # ties are correct, nothing to explain
    assert (result["overall_accuracy"], result["necessity_interval"][:9]) == (1.0, "undefined")


def test_a_stopped_run_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def rate(sentences: Sequence[str]) -> np.ndarray:
        calls.append(len(sentences))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return np.linspace(0, 1, len(sentences))

    ramp = Classifier("ramp", "1", rate, batch_size=1000, mask_token="x")
    with pytest.raises(KeyboardInterrupt):
        result_of(ramp, tmp_path, monkeypatch)
    result = result_of(ramp, tmp_path, monkeypatch)
    assert calls == [1000] * 8 + [800]  # 4 x 1,950 sentences, the fourth batch twice
    assert result["n"] == 1950


def test_anything_but_a_probability_is_refused() -> None:
    logits = Classifier("logits", "1", lambda sentences: np.full(len(sentences), 3.0))
    with pytest.raises(
        ValueError, match=r"logits: P\(positive\), got 3.0 to 3.0; expected probabilities"
    ):
        classify(logits, ["。"])


@pytest.mark.parametrize(
    ("labels", "given", "columns"),
    [
        ({0: "negative", 1: "positive"}, [], [1]),
        ({0: "POS", 1: "NEG"}, [], [0]),
        ({0: "LABEL_0", 1: "LABEL_1"}, ["LABEL_1"], [1]),
        ({0: "1 star", 1: "3 stars", 2: "4 stars", 3: "5 stars"}, ["4 stars", "5 stars"], [2, 3]),
        ({0: "LABEL_0"}, [], [0]),  # one logit
    ],
)
def test_the_positive_label_is_found_or_given(
    labels: dict[int, str], given: list[str], columns: list[int]
) -> None:
    assert positive_columns("m", labels, given) == columns


def test_an_unknown_positive_label_is_refused() -> None:
    with pytest.raises(
        ValueError,
        match=(
            "m: positive label, got none to tell among LABEL_0, LABEL_1; expected --positive-label"
            " LABEL"
        ),
    ):
        positive_columns("m", {0: "LABEL_0", 1: "LABEL_1"})
    with pytest.raises(
        ValueError, match="m: --positive-label, got 'good'; expected one of LABEL_0, LABEL_1"
    ):
        positive_columns("m", {0: "LABEL_0", 1: "LABEL_1"}, ["good"])
    with pytest.raises(
        ValueError,
        match="classifier, got 'bert'; expected one of char-lr, snownlp, transformers:NAME",
    ):
        load("classifier", "bert")


@pytest.fixture(scope="module")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory, pairs: object) -> str:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("sentiment")
    characters = sorted(
        {
            c
            for sentence in pairs["test"].to_pylist() + pairs["control"].to_pylist()
            for c in sentence
        }
    )  # type: ignore[index]
    (folder / "vocab.txt").write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters]), encoding="utf-8"
    )
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=False)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        id2label={0: "negative", 1: "positive"},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def test_a_transformer_rates_alone_as_in_a_batch(tiny_bert: str) -> None:
    classifier = load("classifier", f"transformers:{tiny_bert}")
    assert classifier.mask_token == "[MASK]"
    sentences = ["老师留心机动的车。", "老师[MASK]心机处理事情。", "车。"]
    together = classifier.predict(sentences)
    assert together == pytest.approx(
        [classifier.predict([sentence])[0] for sentence in sentences], abs=1e-6
    )
    assert ((together > 0) & (together < 1)).all()


def test_the_study_runs_a_transformer_from_its_command_line(
    tiny_bert: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["eras", "sentiment", "--systems", f"transformers:{tiny_bert}", *LITE]
    folders = ["--store", str(tmp_path / "store"), "--out", str(tmp_path)]
    assert main([*command, *folders, "--dtype", "bfloat16"]) == 0
    assert f"| transformers:{tiny_bert} | simplified |" in capsys.readouterr().out
    assert (tmp_path / "sentiment.png").read_bytes().startswith(b"\x89PNG")
    assert main([*command, *folders, "--write"]) == 1
    assert "--write, got system transformers:" in capsys.readouterr().err
