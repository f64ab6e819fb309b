"""Unigram and bigram models: probabilities by hand, proper distributions, the texts they need."""

import math

import pytest

from research.systems.language_models.loaders import N_CHARACTERS, Text, count, texts, trained
from research.systems.registry import load

TOY = count(Text("toy", "word"), ["a b", "a c"])


def test_probabilities_of_a_toy_text():
    unknown = (1 / N_CHARACTERS) ** 2
    alone = (1 + 3 * unknown) / (4 + 3)  # b: once of four, three different words
    assert TOY.log_probability("b", None) == pytest.approx(math.log(alone))
    behind = (1 + 2 * alone) / (2 + 2)  # behind a: b once of two, two different words
    assert TOY.log_probability("b", "a") == pytest.approx(math.log(behind))
    assert TOY.log_probability("b", "x") == TOY.log_probability("b", None), "x was never seen"


def test_known_words_share_what_unknown_ones_leave():
    known = sum(math.exp(TOY.log_probability(word, "a")) for word in "abc")
    assert 0.5 < known < 1


def test_tokens_stand_where_the_words_are():
    (first, second, stop) = TOY.tokens(" b a.", 2)
    assert [first[:2], second[:2], stop[:2]] == [(1, 2), (3, 4), (4, 5)]
    assert first[2] == TOY.log_probability("b", "")
    assert second[2] == TOY.log_probability("a", "b")


def test_words_in_another_order_are_as_likely_to_a_unigram_model():
    texts = ("a b c", "c b a")
    sums = [sum(token[2] for token in TOY.tokens(text, 1)) for text in texts]
    assert sums[0] == pytest.approx(sums[1])


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "the name of the class"),
        pytest.param("zh", "全国人民代表大会", marks=pytest.mark.slow),
    ],
)
def test_a_language_is_trained_on_a_text_that_there_is(language, told):
    model = load("language_model", f"bigram:{language}")
    back = " ".join(told.split()[::-1]) if " " in told else told[::-1]
    known, turned = model.predict([told, back])
    assert known.log_probabilities.sum() > turned.log_probabilities.sum() + 5
    assert model.version.startswith("text ")


def test_a_language_without_a_text_is_named():
    with pytest.raises(ValueError, match="language, got 'xx'; expected one of zh, de, en"):
        trained("xx")


def test_every_text_states_its_licence():
    for text in texts().values():
        assert any(word in text.name for word in ("MIT", "CC BY", "PSF"))
