"""The tables of SORTS say what three judges agree on: the rule restated, kappa, the figures."""

from math import isnan

import pytest

from builders.sorts.lexicon import read_lexicon
from research.readings.agreement import cohen_kappa
from research.readings.sorts_decisions import agreements, changes, triple_readings, verb_readings
from tests.support.cases import cases

WEAKER = {"excluded": 0, "implausible": 1, "open": 2}


def test_a_verb_takes_both_classes_wherever_one_judge_lets_it():
    verbs = read_lexicon().verbs
    assert set(verbs) - {row.infinitive for row in verb_readings()} == {"haben", "werden"}
    for row in verb_readings():
        verb = verbs[row.infinitive]
        for decided, *answers in (
            (verb.subject_class, row.author_subject, row.first_subject, row.second_subject),
            (verb.object_class, row.author_object, row.first_object, row.second_object),
        ):
            assert decided == (answers[0] if len(set(answers)) == 1 else "any"), row.infinitive


def test_the_reverse_is_excluded_only_where_all_three_exclude_it():
    read = {(row.family, row.number): row for row in triple_readings()}
    decided = {
        (triple.family, triple.number): triple.reverse
        for triple in read_lexicon().triples
        if triple.reverse is not None
    }
    assert set(decided) == set(read)
    for key, row in read.items():
        readers = [row.first_reverse, row.second_reverse]
        if decided[key] == "excluded":
            assert readers == ["impossible", "impossible"], key
            assert row.author_reverse == "excluded", key
        elif decided[key] == "open":
            assert readers == ["expected", "expected"], key
        elif row.author_reverse == "excluded":
            assert readers != ["impossible", "impossible"], key
        else:
            assert readers != ["expected", "expected"], key


def test_readers_find_the_given_order_natural():
    """A triple whose own order two readers doubt would be a slip of the tables."""
    doubted = [
        row
        for row in triple_readings()
        if row.is_read and "expected" not in (row.first_given, row.second_given)
    ]
    assert len(doubted) <= 2  # a squire and a princess, a parachute and its pilot


def test_changes_are_those_of_the_tables():
    found = changes()
    assert (found["verbs"], found["triples"]) == (610, 544)
    decided = [WEAKER[row.decided] - WEAKER[row.author_reverse] for row in triple_readings()]
    assert found["no_longer_excluded"] == sum(step > 0 for step in decided)
    assert found["no_longer_open"] == sum(step < 0 for step in decided)


def test_the_two_readers_agree():
    kappas = {row.question: row.kappa for row in agreements()}
    assert min(kappas.values()) > 0.7
    assert kappas["the reverse of the triple is impossible"] > 0.9


@pytest.mark.parametrize(*cases("sorts_decisions/kappa"))
def test_kappa(first, second, expected):
    assert cohen_kappa(first, second) == pytest.approx(expected)


def test_kappa_of_one_answer_only_is_undefined():
    assert isnan(cohen_kappa([False, False], [False, False]))
