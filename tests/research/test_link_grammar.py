"""Link Grammar as an answerer: what its links say, and itself where it is."""

import pytest

from builders.centerbench.events import CenterVerb
from garden_path.models.questions import Question
from research.systems.answerers import parsed_answers
from research.systems.answerers.parsed_answers import linked_events
from research.systems.registry import load
from tests.research.conftest import has_link_grammar

FORMS = {
    "swooped down on": CenterVerb("swoop", "swooped", "swooped", "swooping", "swoops", "down on"),
    "fled": CenterVerb("flee", "fled", "fled", "fleeing", "flees"),
}
# LEFT-WALL the vole that the cargo plane swooped down on fled . RIGHT-WALL
NOUNS = [("vole", {2}), ("cargo plane", {5, 6})]
VERBS = [("swooped down on", {7, 8, 9}), ("fled", {10})]


@pytest.mark.parametrize(
    ("links", "told"),
    [
        (
            [("Ss*s", 2, 10), ("Bsm", 2, 9), ("Ss*s", 6, 7), ("R", 2, 3)],
            [("cargo plane", "vole"), ("vole", None)],
        ),
        ([("Ss*s", 6, 10), ("Os", 7, 2)], [("", "vole"), ("cargo plane", None)]),
        # that swooped: the pronoun is the subject, so that its B link tells no object
        ([("RS", 3, 7), ("R", 2, 3), ("Bs", 2, 7)], [("vole", None), ("", None)]),
        ([], [("", None), ("", None)]),
    ],
)
def test_links_say_who_did_what_to_whom(links, told):
    events = linked_events(links, NOUNS, VERBS, FORMS)
    assert [(event.subject, event.object) for event in events] == told


def test_a_missing_grammar_is_named(monkeypatch, tmp_path):
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\necho no module named linkgrammar >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(parsed_answers, "PYTHON", str(python))
    with pytest.raises(ValueError, match=r"^link-grammar: .*expected apt-get install link-grammar"):
        load("answerer", "link-grammar")


def test_link_grammar_itself():
    if not has_link_grammar():
        pytest.skip(
            "link-grammar is not at hand: apt-get install link-grammar python3-link-grammar"
        )
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
