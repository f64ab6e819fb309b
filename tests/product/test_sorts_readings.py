"""The proof on golden phrases and clauses, and what each property does to one triple."""

import pytest

from builders.sorts.design import blocks
from builders.sorts.lexicon import read_lexicon
from builders.sorts.readings import clause_readings, is_case_marked, phrase_analyses
from builders.sorts.realizer import realize
from builders.sorts.variations import build_clause, vary
from metrics.subject_object_las.inputs import SVO


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("der Leser", {("nominative", "singular"), ("genitive", "plural")}),
        ("die Dozentin", {("nominative", "singular"), ("accusative", "singular")}),
        ("einer Dozentin", {("dative", "singular"), ("genitive", "singular")}),
        ("einen Studenten", {("accusative", "singular")}),
        ("ein Student", {("nominative", "singular")}),
        (
            "Studenten",
            {
                ("nominative", "plural"),
                ("accusative", "plural"),
                ("dative", "plural"),
                ("genitive", "plural"),
            },
        ),
        (
            "Kritik",
            {(case, "singular") for case in ("nominative", "accusative", "dative", "genitive")},
        ),  # may stand without article
        ("Dozentin", set()),  # may not
        ("ein Dozentin", set()),  # no agreement
        (
            "steter Tropfen",
            {("nominative", "singular"), ("genitive", "plural")},
        ),  # steter is also fem dat, but Tropfen is masc
        ("keine Abgeordneten", {("nominative", "plural"), ("accusative", "plural")}),
        ("ein Abgeordneten", set()),  # mixed: ein Abgeordneter
        ("Eva Maria", {(case, "singular") for case in ("nominative", "accusative", "dative")}),
        (
            "Sie",
            {
                (case, number)
                for case in ("nominative", "accusative")
                for number in ("singular", "plural")
            },
        ),
        ("uns", {("accusative", "plural"), ("dative", "plural")}),
        (
            "niemand",
            {(case, "singular") for case in ("nominative", "accusative", "dative")},
        ),  # also the short form of the oblique cases
        ("nichts", {("nominative", "singular"), ("accusative", "singular")}),
        ("keinen", {("accusative", "singular"), ("dative", "plural")}),
        ("Xyz", set()),
    ],
)
def test_phrase_analyses(words, expected):
    assert {
        (analysis.case, analysis.number) for analysis in phrase_analyses(words.split())
    } == expected


@pytest.mark.parametrize(
    ("subject", "finite", "object_", "infinitive", "expected"),
    [
        ("Die Dozentin", "liest", "eine Novelle", "lesen", 2),
        ("Die Dozentin", "liest", "einen Roman", "lesen", 1),  # the object is case-marked
        ("Der Leser", "liest", "eine Novelle", "lesen", 1),  # the subject is
        ("Die Wurzeln", "sprengen", "eine Mauer", "sprengen", 1),  # agreement
        ("Die Wurzeln", "sprengen", "Mauern", "sprengen", 2),
        ("Die Dozentin", "wird", "eine Novelle", "lesen", 2),  # the auxiliary agrees
        ("Anna", "liest", "eine Novelle", "lesen", 2),
        ("Es", "liest", "sie", "lesen", 2),
        (
            "Ihr",
            "lest",
            "eine Novelle",
            "lesen",
            1,
        ),  # ihr is nominative, or a dative that `lesen` does not govern
        ("Die Diebin", "entkommt", "einer Falle", "entkommen", 1),  # dative
        ("Die Dozentin", "liest", "nichts", "lesen", 2),
        ("Die Dozentin", "liest", "niemanden", "lesen", 1),
    ],
)
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
    with pytest.raises(
        ValueError, match=r"readings: finite form, got 'liesst'; expected one of verbs.tsv"
    ):
        clause_readings((["Anna"], ["nichts"]), verbs["lesen"], "liesst")
    with pytest.raises(
        ValueError, match="readings: main verb, got werden; expected a verb with an object"
    ):
        clause_readings((["Anna"], ["nichts"]), verbs["werden"], "wird")


@pytest.mark.parametrize(
    ("block", "split", "place", "expected"),
    [
        ("base-acc", "part_amb", 0, "Der Gärtner gießt einen Strauch ."),
        ("base-amb", "part_amb", 0, "Die Gärtnerin gießt eine Tulpe ."),
        ("base-acc", "amb", 0, "Die Gärtnerin gießt eine Tulpe ."),
        ("base-aux", "part_amb", 0, "Der Gärtner wird einen Strauch gießen ."),
        ("base-syn", "part_amb", 0, "Der Gärtner wässert einen Strauch ."),
        ("base-oneg", "part_amb", 0, "Der Gärtner gießt keinen Strauch ."),
        ("base-opron", "part_amb", 0, "Der Gärtner gießt ihn ."),
        ("opron-oneg", "part_amb", 0, "Der Gärtner gießt keinen ."),
        ("opron-oneg", "amb", 0, "Die Gärtnerin gießt keine ."),
        ("base-noref", "part_amb", 0, "Der Gärtner gießt nichts ."),
        ("base-regpol", "part_amb", 0, "Der Verein gießt einen Strauch ."),
        ("base-sname", "part_amb", 0, "Marlene gießt einen Strauch ."),
        ("base-spron", "part_amb", 0, "Er gießt einen Strauch ."),
        (
            "base-spron",
            "part_amb",
            1,
            "Sie gießen einen Strauch .",
        ),  # sie, plural: agreement and case
        ("base-spron", "part_amb", 2, "Ich gieße einen Strauch ."),
        ("base-spron", "part_amb", 3, "Du gießt einen Strauch ."),
        ("base-spron", "part_amb", 6, "Ihr gießt einen Strauch ."),
        ("base-spron", "amb", 2, "Sie gießt eine Tulpe ."),
        ("spron-opron", "amb", 0, "Es gießt sie ."),  # never twice the same form
        ("base-psy", "part_amb", 0, "Der Strauch begeistert einen Gärtner ."),
        ("opron-psy", "part_amb", 1, "Der Strauch begeistert mich ."),
        ("regpol-psy", "part_amb", 0, "Der Strauch begeistert einen Verein ."),
        ("sname-psy", "part_amb", 0, "Der Strauch begeistert Marlene ."),
        ("noref-psy", "part_amb", 0, "Der Strauch begeistert niemanden ."),
        ("noref-psy", "amb", 0, "Die Tulpe begeistert niemand ."),
        (
            "spron-psy",
            "part_amb",
            0,
            "Er begeistert einen Gärtner .",
        ),  # what is inanimate stays third person
        ("oneg-pp", "part_amb", 0, "Der Gärtner gießt in dem Jahr keinen Strauch ."),
    ],
)
def test_properties_of_one_triple(block, split, place, expected):
    triple = next(
        triple
        for triple in read_lexicon().triples
        if (triple.family, triple.number) == ("plain", 1)
    )
    item = vary(triple, next(b for b in blocks() if (b.split, b.name) == (split, block)), place)
    assert " ".join(next(realize(build_clause(item), [SVO])).tokens) == expected


@pytest.mark.parametrize(
    ("family", "block", "place", "expected"),
    [
        ("oan", "sname-noref", 0, "Anna besucht niemanden ."),  # an animate object
        ("dat_oan", "dat-noref", 0, "Der Enkel hilft niemandem ."),  # never a dative nichts
        ("dat", "dat-opron", 0, "Der Seemann trotzt ihm ."),
        (
            "vlight",
            "spron-vlight",
            1,
            "Ich ziehe Konsequenzen .",
        ),  # sie, plural, would agree with the object
        ("prov", "oneg-prov", 0, "Der Glaube versetzt keine Berge ."),
        ("semas", "semas-psy", 0, "Der Doktorand verblüfft einen Professor ."),
    ],
)
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
    with pytest.raises(
        ValueError, match=r"triples.tsv: name of sinan 1, got _; expected one for base-sname"
    ):
        vary(triple, block, 0)
