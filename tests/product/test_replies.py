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


PARTS: dict[str, Callable[[str], object]] = {
    "said": lambda text: split_reply(text).text,
    "first turn": first_turn,
    "affirmed": affirmed,
    "digits": with_digits,
    "boats": lambda text: cut_text(text, "boats"),
    "number": lambda text: answer_units(text, has_items=False),
}


@pytest.mark.parametrize(*cases("replies/parts_are_read"))
def test_parts_are_read(reader, text, read):
    assert PARTS[reader](text) == read


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


@pytest.mark.parametrize(*cases("replies/are_split"))
def test_replies_are_split(content, text, reasoning):
    assert split_reply(content) == SplitReply(text, reasoning)


def test_what_is_no_content_is_refused():
    with pytest.raises(TypeError, match="reply: content, got int; expected a text or chunks"):
        split_reply(3)


@pytest.mark.parametrize(*cases("answer_cleaning/answers_are_found_in_replies"))
def test_answers_are_found_in_replies(reply, units):
    assert answer_units(reply) == units
