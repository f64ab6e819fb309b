"""The one reader of replies: chunks, marks of families, next turns, polarity, all suites."""

import json
from collections.abc import Callable

import pytest

from integrations.scores import chosen_text, cut_text
from metrics._shared.plain_text import with_digits
from metrics._shared.replies import SplitReply, affirmed, first_turn, split_reply
from metrics.matched_pair_accuracy.decisions import decide
from metrics.matched_pair_accuracy.reading import answer_units
from tests.support.cases import cases, cells_of
from tests.support.centerbench_draw import make_events

SENTENCE = "邻居醉心机动的吊车。"
WORDS = ["邻居", "醉心", "机动", "的", "吊车", "。"]


@pytest.mark.parametrize(*cases("replies/what_was_thought_is_not_said"))
def test_what_was_thought_is_not_said(reply):
    assert split_reply(reply).text == "the lizard"


def test_a_list_in_brackets_is_no_mark():
    assert split_reply("[the lizard] bit").text == "[the lizard] bit"
    assert with_digits("3\ufe0f\u20e3") == "3"  # a key's cap


# what is asked of a sentence: the type of question and the depth of the entity, 0 outermost
ASKED = {
    "agent": ("agent_identification", 0),
    "count": ("entity_count", 0),
    "action": ("action_performed", 1),
    "cause": ("causal_sequence", 0),
    "nocause": ("causal_sequence", 2),
    "result": ("chain_consequence", 1),
    "noresult": ("chain_consequence", 0),
}


def decider(kind: str) -> Callable[[str], bool]:
    """For: the rattlesnake that the lizard that the cockroach bit hit fell over."""
    events = make_events("cockroach: bite -> lizard: hit -> rattlesnake: fall over")
    row = dict(zip(("question_type", "depth"), ASKED[kind], strict=True), events=events)
    return lambda reply: decide(reply, row).is_right


READERS: dict[str, Callable[[str], bool]] = {
    **{kind: decider(kind) for kind in ASKED},
    "choice": lambda reply: chosen_text(reply, ["Der Bär.", "Der Jäger."]) == "Der Bär.",
    "eras": lambda reply: cut_text(reply, SENTENCE) == WORDS,
    "morphs": lambda reply: cut_text(reply, "boats") == ["boat", "s"],
}


def kinds() -> list[tuple[str, bool, str]]:
    rows = cells_of("reply_kinds")[1:]
    return [(kind, verdict == "right", json.loads(reply)) for kind, verdict, reply in rows]


@pytest.mark.parametrize("kind", READERS)
def test_kinds_of_replies_are_decided(kind):
    rows = [(is_right, reply) for name, is_right, reply in kinds() if name == kind]
    assert {is_right for is_right, _ in rows} == {True, False}
    missed = [reply for is_right, reply in rows if READERS[kind](reply) != is_right]
    assert missed == []


@pytest.mark.parametrize(*cases("replies/choices_are_read_by_role"))
def test_choices_are_read_by_role(reply, choices, role, chosen):
    assert chosen_text(reply, choices, role) == chosen


def test_a_quoted_word_is_no_answer():
    assert cut_text('The morphemes of "boats" are "boat" and "s".', "boats") == []
    assert cut_text('"boats"', "boats") == ["boats"]


@pytest.mark.parametrize(*cases("replies/are_split"))
def test_replies_are_split(content, text, reasoning):
    assert split_reply(content) == SplitReply(text, reasoning)


def test_what_is_no_content_is_refused():
    with pytest.raises(TypeError, match="reply: content, got int; expected a text or chunks"):
        split_reply(3)


def test_the_first_turn_is_read():
    assert first_turn("the dog\nQ: who?\nA: the cat") == "the dog"
    assert first_turn("Sure!\nQ: who?\nA: the cat\n\nQ: who?\nA: the dog").endswith("A: the cat")
    assert first_turn("the dog\n\nWho barked?\n\nthe cat") == "the dog"
    assert first_turn("We ask: who barked? The dog did.") == "We ask: who barked? The dog did."


def test_what_is_set_against_another_is_affirmed():
    assert affirmed("It wasn't the cat, it was the dog") == "the dog"
    assert affirmed("不是猫，而是狗") == "狗"
    assert affirmed("het is niet de kat maar de hond") == "de hond"
    for alone in ("not the dog", "not only the dog but also the cat", "the dog, not the dog"):
        assert affirmed(alone) == alone


def test_numbers_become_digits():
    assert with_digits("zwölf, twaalf, 十二只, twelve").split(", ") == ["12", "12", "12只", "12"]
    assert with_digits("3,000 and 3.5") == "3,000 and 3.5"


@pytest.mark.parametrize(*cases("answer_cleaning/answers_are_found_in_replies"))
def test_answers_are_found_in_replies(reply, units):
    assert answer_units(reply) == units


def test_a_number_is_an_answer_where_there_are_no_items():
    assert answer_units("4. There are four.", has_items=False) == ["4.", "there are 4."]
