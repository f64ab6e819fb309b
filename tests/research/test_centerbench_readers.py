"""The three readers of CenterBench: what each is right about, and the answers they give."""

import functools
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from builders.centerbench.events import CenterVerb, Event
from builders.centerbench.parser import CenterLexicon, CenterReading
from builders.centerbench.relations import KnowledgeBase
from garden_path.models.questions import Question
from metrics.matched_pair_accuracy.scoring import score as score_answers
from research.systems.answerers.centerbench_readers import (
    answer_from,
    believe_plausible,
    load_reader,
)
from research.systems.registry import load
from tests.support.centerbench_draw import question_rows

SENTENCE = "The goat that the horse kicked bleated."
QUESTION = Question(SENTENCE, "What kicked the goat?", "goat", "agent_identification")


def to_questions(rows: list[dict[str, Any]]) -> list[Question]:
    return [Question(*(row[name] for name in Question._fields)) for row in rows]


@pytest.fixture(scope="module")
def scores() -> Callable[[str], dict[str, Any]]:
    rows = question_rows()

    @functools.cache
    def score(name: str) -> dict[str, Any]:
        answers = [answer.text for answer in load("answerer", name).predict(to_questions(rows))]
        return score_answers({"predictions": answers, "references": rows})

    return score


def test_the_parser_is_the_ceiling(scores):
    assert scores("structure")["accuracy"] == 1.0


@pytest.mark.slow
def test_linear_order_scores_what_the_chance_column_says(scores):
    result = scores("linear-order")
    assert result["accuracy"] == pytest.approx(result["chance_linear_order"])
    assert result["accuracy_core"] == pytest.approx(result["chance_linear_order_core"])
    assert result["gap"] == 0.0  # it looks at no meaning
    for row in result["by_question_type"]:
        assert row["accuracy"] == pytest.approx(row["chance_linear_order"])


@pytest.mark.slow
def test_the_plausibility_guesser_is_right_where_it_is_plausible_and_nowhere_else(scores):
    result = scores("plausibility")
    assert result["accuracy_plausible_core"] > 0.85  # .860: it knows ranks; some verbs run up them
    assert result["gap_core"] > 0.7
    assert result["gap_core_low"] > 0.65
    assert result["opening_level_core"] == 1
    by_type = {row["question_type"]: row for row in result["by_question_type"]}
    assert by_type["entity_count"]["gap"] == 0.0


def test_the_plausibility_guesser_believes_the_same_of_both_members():
    reader = load_reader("plausibility", "1.0.0")
    of_type = [row for row in question_rows() if row["question_type"] == "causal_sequence"]
    rows = [row for row in of_type if row["level"] < 4]
    told: dict[tuple[str, str], str] = {}
    for i, answer in reader.stream(to_questions(rows)):
        pair = (rows[i]["pair_id"], rows[i]["entity"])
        assert told.setdefault(pair, answer.text) == answer.text
    assert len(told) == len(rows) / 2


def test_a_sentence_that_is_not_understood_is_said_to_be_so():
    asked = [QUESTION._replace(sentence="The quokka slept.")]
    (answer,) = load_reader("structure", "1.0.0").predict(asked)
    assert answer.text == "unknown"


def test_beliefs_answer_the_question_as_it_is_worded():
    events = [event_of("horse", "kick", "goat"), event_of("goat", "bleat", None)]
    asked = QUESTION._replace(question="What was affected by the goat?")
    assert answer_from(events, asked) == "none"
    assert answer_from(events, QUESTION._replace(entity="cow")) == "unknown"
    assert answer_from(events, QUESTION._replace(question="What bit the goat?")) == "unknown"
    worded = "What did the entity that was kicked do?"
    nested = QUESTION._replace(question=worded, question_type="nested_dependency")
    assert answer_from(events, nested) == "bleated"


def event_of(subject: str, base: str, patient: str | None) -> Event:
    forms = (f"{base}{ending}" for ending in ("", "ed", "ed", "ing", "s"))
    return Event(subject, CenterVerb(*forms), patient)


def test_beliefs_are_the_best_of_all_orders():
    knowledge = KnowledgeBase()
    lexicon = CenterLexicon(knowledge.nouns, knowledge.verbs)
    ranks = {"licensed": 2, "neutral": 1, "violates": 0}

    def score(reading: CenterReading) -> int:
        nouns = [knowledge.nouns[noun] for noun in reading.nouns]
        verbs = [knowledge.verbs[verb] for verb in reading.verbs]
        events = zip(nouns, verbs, [None, *nouns], strict=False)
        return sum(ranks[knowledge.judge(*event).status] for event in events)

    for sentence in sorted({row["sentence"] for row in question_rows() if row["level"] == 3})[:10]:
        (reading,) = lexicon.parse(sentence)
        orders = (CenterReading(order, reading.verbs) for order in permutations(reading.nouns))
        assert score(believe_plausible(reading, knowledge)) == max(map(score, orders))
