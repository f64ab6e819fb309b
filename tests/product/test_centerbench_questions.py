"""The six questions, against the paper's worked example and its counts."""

import pytest

from builders.centerbench.events import CenterVerb, Event
from builders.centerbench.questions import DIFFICULTY, QUESTION_TYPES, ask_questions
from tests.support.cases import cases

STARTLE = CenterVerb("startle", "startled", "startled", "startling", "startles")
BARK = CenterVerb("bark", "barked", "barked", "barking", "barks")
SWOOP = CenterVerb("swoop", "swooped", "swooped", "swooping", "swoops", "down on")
FORMS = ("defend", "defended", "defended", "defending", "defends")
DEFEND = CenterVerb(*FORMS, "in court", is_separable=True)
FORMS = ("deliver", "delivered", "delivered", "delivering", "delivers")
DELIVER = CenterVerb(*FORMS, "mail to", "that was delivered mail")
CHAIN = [Event("lynx", STARTLE, "owl"), Event("owl", SWOOP, "vole"), Event("vole", BARK, None)]

# The dog that the mailman startled barked. (the paper, Table 3; the causal answer's outer case from
# Table 3, too)


@pytest.mark.parametrize(*cases("centerbench_questions/ask_questions_gives_the_papers_table_3"))
def test_ask_questions_gives_the_papers_table_3(question_type, entity, question, answer):
    chain = [Event("mailman", STARTLE, "dog"), Event("dog", BARK, None)]
    asked = ask_questions(chain, people={"mailman"})
    [found] = [q for q in asked if (q.question_type, q.entity) == (question_type, entity)]
    assert (found.question, found.answer) == (question, answer)


# events innermost first, question type, depth, question, answer
@pytest.mark.parametrize(*cases("centerbench_questions/ask_questions_keeps_tails"))
def test_ask_questions_keeps_tails(verb, question_type, depth, question, answer):
    verbs = {"DEFEND": DEFEND, "DELIVER": DELIVER, "STARTLE": STARTLE, "SWOOP": SWOOP}
    chain = [Event("owl", verbs[verb], "vole"), Event("vole", BARK, None)]
    asked = ask_questions(chain, people=())
    [found] = [q for q in asked if (q.question_type, q.depth) == (question_type, depth)]
    assert (found.question, found.answer) == (question, answer)


def test_ask_questions_joins_causes_from_the_innermost_event_outward():
    asked = ask_questions(CHAIN, people=())
    causes = [q.answer for q in asked if q.question_type == "causal_sequence"]
    assert causes == [
        "the lynx startling the owl which led to the owl swooping down on the vole",
        "the lynx startling the owl",
        "no prior events",
    ]


def test_every_question_type_has_a_difficulty_and_each_entity_six_questions():
    asked = ask_questions(CHAIN, people=())
    assert [q.question_type for q in asked] == list(QUESTION_TYPES) * 3
    assert [DIFFICULTY[kind] for kind in QUESTION_TYPES[::2]] == ["easy", "medium", "hard"]
    assert [DIFFICULTY[kind] for kind in QUESTION_TYPES[1::2]] == ["easy", "medium", "hard"]


def test_ask_questions_refuses_events_that_are_no_chain():
    message = r"object of 'owl', got 'vole'; expected 'hare', the next event's subject"
    with pytest.raises(ValueError, match=message):
        ask_questions([Event("owl", SWOOP, "vole"), Event("hare", BARK, None)], people=())
    with pytest.raises(ValueError, match="events, got 1; expected at least two"):
        ask_questions([Event("owl", BARK, None)], people=())
