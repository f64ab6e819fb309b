"""Classifiers of a user: a tiny transformer made here, and its positive label."""

import pytest

from dataset_scripts.registry import split_table
from garden_path.models.classifiers import positive_columns
from garden_path.models.registry import USERS
from tests.support.tiny_models import characters, tiny_bert


@pytest.fixture(scope="module")
def pairs() -> object:
    return split_table("eras", "simplified_lite", "test")


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
def test_the_positive_label_is_found_or_given(labels, given, columns):
    assert positive_columns("m", labels, given) == columns


def test_an_unknown_positive_label_is_refused():
    with pytest.raises(
        ValueError,
        match=(
            "m: positive label, got none to tell among LABEL_0, LABEL_1; expected --positive-label"
            " LABEL"
        ),
    ):
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
    together = classifier.predict(sentences)
    assert together == pytest.approx(
        [classifier.predict([sentence])[0] for sentence in sentences], abs=1e-6
    )
    assert ((together > 0) & (together < 1)).all()
