"""The proof on golden phrases and clauses, and what each property does to one triple."""

import pytest

from builders.sorts.design import blocks
from builders.sorts.lexicon import read_lexicon
from builders.sorts.readings import clause_readings, is_case_marked, phrase_analyses
from builders.sorts.realizer import realize
from builders.sorts.variations import build_clause, vary
from metrics.subject_object_las.inputs import SVO
from tests.support.cases import cases


@pytest.mark.parametrize(*cases("sorts_readings/phrase_analyses"))
def test_phrase_analyses(words, expected):
    found = {(analysis.case, analysis.number) for analysis in phrase_analyses(words.split())}
    assert found == set(map(tuple, expected))


@pytest.mark.parametrize(*cases("sorts_readings/clause_readings"))
def test_clause_readings(subject, finite, object_, infinitive, expected):
    verb = read_lexicon().verbs[infinitive]
    readings = clause_readings((subject.split(), object_.split()), verb, finite)
    assert len(readings) == expected
    assert readings[0] == 0
    swapped = clause_readings((object_.split(), subject.split()), verb, finite)
    assert {1 - reading for reading in swapped} == set(readings)


def test_case_marking_depends_on_the_verb():
    verbs = read_lexicon().verbs
    assert not is_case_marked(["die", "Dozentin"], verbs["lesen"])
    assert is_case_marked(["die", "Dozentin"], verbs["helfen"])  # no dative
    assert is_case_marked(["einen", "Roman"], verbs["lesen"])


def test_readings_refuse_what_the_tables_do_not_know():
    verbs = read_lexicon().verbs
    message = r"readings: finite form, got 'liesst'; expected one of verbs.tsv"
    with pytest.raises(ValueError, match=message):
        clause_readings((["Anna"], ["nichts"]), verbs["lesen"], "liesst")
    message = "readings: main verb, got werden; expected a verb with an object"
    with pytest.raises(ValueError, match=message):
        clause_readings((["Anna"], ["nichts"]), verbs["werden"], "wird")


@pytest.mark.parametrize(*cases("sorts_readings/properties_of_one_triple"))
def test_properties_of_one_triple(block, split, place, expected):
    triple = next(
        triple
        for triple in read_lexicon().triples
        if (triple.family, triple.number) == ("plain", 1)
    )
    item = vary(triple, next(b for b in blocks() if (b.split, b.name) == (split, block)), place)
    assert " ".join(next(realize(build_clause(item), [SVO])).tokens) == expected


@pytest.mark.parametrize(*cases("sorts_readings/properties_of_other_triples"))
def test_properties_of_other_triples(family, block, place, expected):
    triples = [
        t
        for t in read_lexicon().triples
        if t.family == family and (block != "spron-vlight" or t.object == "Konsequenz:pl")
    ]
    item = vary(
        triples[0], next(b for b in blocks() if (b.split, b.name) == ("part_amb", block)), place
    )
    assert " ".join(next(realize(build_clause(item), [SVO])).tokens) == expected


def test_a_triple_without_the_word_is_refused():
    triple = next(triple for triple in read_lexicon().triples if triple.family == "sinan")
    block = next(b for b in blocks() if (b.split, b.name) == ("part_amb", "base-sname"))
    message = r"triples.tsv: name of sinan 1, got _; expected one for base-sname"
    with pytest.raises(ValueError, match=message):
        vary(triple, block, 0)
