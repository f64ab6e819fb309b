"""The strict scorer: single answers by hand. Whole classes of right and wrong answers over every
sentence at hand."""

from pathlib import Path
from typing import Any

import pytest

from dataset_scripts.registry import split_table
from metrics.matched_pair_accuracy.inputs import QUESTION_TYPES
from metrics.matched_pair_accuracy.reading import Sentence, read_clause
from tests.support.cases import cases
from tests.support.centerbench_draw import make_events
from tests.support.strict_decisions import is_correct

ACTION, AGENT, COUNT, NESTED, CAUSE, CONSEQUENCE = QUESTION_TYPES

# The goat that the horse that the police officer that the farmer fed carried out neighed at
# bleated.
EVENTS = make_events("farmer: feed -> police officer: carry out -> horse: neigh at -> goat: bleat")
CHAIN = Sentence(EVENTS)


VERB_FEED = EVENTS[0]["verb"]


def verb(base, past, participle, gerund, third, tail=""):
    """A verb with its forms."""
    forms = {"base": base, "past": past, "participle": participle, "gerund": gerund}
    return forms | {"third": third, "tail": tail}


def two_events(first, second, *nouns):
    """A sentence: the first of two nouns does the first to the second, which does the second."""
    subject, other = nouns
    events = [{"subject": subject, "verb": first, "object": other}]
    return Sentence([*events, {"subject": other, "verb": second, "object": None}])


@pytest.mark.parametrize(*cases("strict_scorer/actions"))
def test_actions(answer, depth, is_right):
    assert is_correct(answer, CHAIN, depth, ACTION) == is_right


@pytest.mark.parametrize(*cases("strict_scorer/agents"))
def test_agents(answer, depth, is_right):
    assert is_correct(answer, CHAIN, depth, AGENT) == is_right


@pytest.mark.parametrize(*cases("strict_scorer/counts"))
def test_counts(answer, is_right):
    assert is_correct(answer, CHAIN, 0, COUNT) == is_right


@pytest.mark.parametrize(*cases("strict_scorer/nested_dependencies"))
def test_nested_dependencies(answer, depth, is_right):
    assert is_correct(answer, CHAIN, depth, NESTED) == is_right


CARRIED, NEIGHED = "the officer carried out the horse", "the horse neighed at the goat"


@pytest.mark.parametrize(*cases("strict_scorer/causal_sequences"))
def test_causal_sequences(answer, depth, is_right):
    assert is_correct(answer, CHAIN, depth, CAUSE) == is_right


@pytest.mark.parametrize(*cases("strict_scorer/consequences"))
def test_consequences(answer, depth, is_right):
    assert is_correct(answer, CHAIN, depth, CONSEQUENCE) == is_right


def test_consequences_may_go_on_where_that_is_allowed():
    full = f"{CARRIED}, which led to {NEIGHED}, which led to the goat bleating"
    assert is_correct(full, CHAIN, 3, CONSEQUENCE, accept_full_chain=True)
    assert is_correct(CARRIED, CHAIN, 3, CONSEQUENCE, accept_full_chain=True)
    # stops half way
    assert not is_correct(f"{CARRIED}, {NEIGHED}", CHAIN, 3, CONSEQUENCE, accept_full_chain=True)
    wrong = f"{NEIGHED}, {CARRIED}, the goat bleated"
    assert not is_correct(wrong, CHAIN, 3, CONSEQUENCE, accept_full_chain=True)


def test_passives_may_drop_the_last_to_of_a_tail():
    chain = "nurse: assign homework to -> judge: cross-examine -> clerk: fall over"
    sentence = Sentence(make_events(chain))
    assert is_correct("the judge was assigned homework by the nurse", sentence, 2, ACTION)
    assert is_correct("the judge was assigned homework to by the nurse", sentence, 2, ACTION)
    assert is_correct("the nurse assigned the judge homework", sentence, 2, ACTION)  # dative
    assert not is_correct("the nurse assigned homework the judge", sentence, 2, ACTION)
    assert not is_correct("the nurse assigned the judge", sentence, 2, ACTION)
    assert is_correct("cross examined the clerk", sentence, 1, ACTION)  # a hyphen less


def test_homographs_are_nouns_after_an_article():
    nurse = verb("nurse", "nursed", "nursed", "nursing", "nurses")
    sentence = two_events(VERB_FEED, nurse, "nurse", "judge")
    assert is_correct("nurse", sentence, 0, ACTION)
    assert is_correct("the nurse", sentence, 0, AGENT)
    assert is_correct("nurse", sentence, 0, AGENT)
    assert is_correct("nurse fed judge", sentence, 1, ACTION)
    assert not is_correct("the judge", sentence, 0, AGENT)


def test_verbs_may_be_spelled_otherwise():
    eye = verb("eye", "eyed", "eyed", "eyeing", "eyes")
    pedal = verb("pedal", "pedaled", "pedaled", "pedaling", "pedals", "away")
    sentence = two_events(eye, pedal, "cat", "dog")
    assert is_correct("the cat eying the dog", sentence, 0, CAUSE)
    assert is_correct("pedalled away", sentence, 0, ACTION)
    assert is_correct("the dog was pedalling away", sentence, 1, CONSEQUENCE)
    assert not is_correct("the cat eyyeing the dog", sentence, 0, CAUSE)


def test_an_auxiliary_may_be_the_first_word_of_a_verb():
    published = verb("be", "was", "been", "being", "is", "published")
    sentence = two_events(VERB_FEED, published, "editor", "poet")
    assert is_correct("The poet was published.", sentence, 0, ACTION)
    assert is_correct("The poet was fed by the editor.", sentence, 1, ACTION)
    assert is_correct("It was the editor.", sentence, 0, AGENT)
    assert not is_correct("The poet was.", sentence, 0, ACTION)


def test_a_verb_that_is_used_twice_is_one_verb():
    sentence = Sentence(make_events("farmer: feed -> horse: hit -> goat: feed -> dog: fall over"))
    assert is_correct("feed the dog", sentence, 1, ACTION)
    assert not is_correct("feed the horse", sentence, 1, ACTION)
    assert is_correct("feed the horse", sentence, 3, ACTION)
    # two entities were fed
    assert not is_correct("the entity that was fed hit the goat", sentence, 2, NESTED)
    assert is_correct("hit the goat", sentence, 2, NESTED)


def test_readings_end_where_a_clause_ends():
    reading = CHAIN.readers[0].read("the farmer fed the officer the horse")
    clause = read_clause(reading)
    assert clause is not None
    assert clause.event == CHAIN.events[0]
    assert clause.end < len(reading)


@pytest.mark.parametrize("objects", [("horse", "goat"), (None, None), ("goat", None, "horse")])
def test_events_must_form_a_chain(objects):
    events = [
        {"subject": noun, "verb": VERB_FEED, "object": obj}
        for noun, obj in zip(("horse", "goat", "dog"), objects, strict=False)
    ]
    with pytest.raises(ValueError, match="innermost first"):
        Sentence(events)


@pytest.fixture(scope="module")
def released_rows(released: Path) -> list[dict[str, Any]]:
    options = {"released": released}
    return list(split_table("centerbench", "released_questions", "test", options).to_pylist())


def test_the_authors_answers_are_accepted_but_where_they_contradict_the_sentence(released_rows):
    def is_right(row, answer):
        return is_correct(row[answer], Sentence(row["events"]), row["depth"], row["question_type"])

    refused = [row for row in released_rows if not is_right(row, "answer")]
    assert len(refused) == 12
    # what is refused has lost a word (ran for ran after, lectured for lectured to) or is misspelled
    assert {row["answer_difference"] for row in refused} <= {"structure", "variant"}
    originals = [is_right(row, "original_answer") for row in released_rows]
    assert sum(originals) / len(originals) > 0.99  # whatever their tense
