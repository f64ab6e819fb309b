"""The lexicon and its inflection: golden forms, oracles, broken tables; readings of its words."""

import functools
import gzip
import json
import math
import re
import shutil
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from builders.pp_attachment import frames
from builders.sorts import lexicon as lexicon_module
from builders.sorts.design import blocks
from builders.sorts.lexicon import (
    CASES,
    DUTCH,
    GERMAN,
    PHRASE_COLUMNS,
    VERB_COLUMNS,
    Noun,
    read_lexicon,
    split_phrase,
)
from builders.sorts.morphology import finite_form, noun_form
from builders.sorts.phrases import PronounPhrase, build_phrase, parse_phrase
from builders.sorts.readings import clause_readings, is_case_marked, phrase_analyses
from builders.sorts.realizer import realize
from builders.sorts.variations import build_clause, vary
from ground.tables import DataFileError, read_table
from metrics.subject_object_las.inputs import SVO
from tests.conftest import ROOT
from tests.support.cases import cases, golden

INVALID = ROOT / "tests" / "invalid" / "sorts"
PACKAGE_CASES = {
    "nominative": "nominativ",
    "accusative": "akkusativ",
    "dative": "dativ",
    "genitive": "genitiv",
}
PACKAGE_GENDERS = {"masc": "m", "fem": "f", "neut": "n"}
# Strong verbs whose second and third person singular have another vowel, and `haben`; all others
# are regular in the present.
VOWEL_CHANGE = golden("sorts_lexicon/vowel_change").split()


@dataclass(frozen=True)
class NounException:
    lemma: str
    reason: str


@pytest.mark.parametrize(*cases("sorts_lexicon/phrases_inflect"))
def test_phrases_inflect(cell, article, case, expected):
    phrase = build_phrase(parse_phrase(cell, article), case)
    assert " ".join(word.form for word in phrase.words) == expected


@pytest.mark.parametrize(*cases("sorts_lexicon/verbs_inflect"))
def test_verbs_inflect(infinitive, forms):
    verb = read_lexicon().verbs[infinitive]
    assert [
        finite_form(verb, person, number)
        for number in ("singular", "plural")
        for person in (1, 2, 3)
    ] == forms.split()


def test_regular_verbs_follow_the_rule():
    """Every verb that is not on the list of vowel changes is derived again from its stem."""
    for verb in read_lexicon().verbs.values():
        if verb.infinitive in VOWEL_CHANGE:
            continue
        stem = verb.infinitive.removesuffix("n").removesuffix("e")
        has_link = re.search(r"[td]$|[^aeiouäöülrmnh][mn]$|chn$", stem)
        link = "e" if has_link and not verb.infinitive.endswith(("eln", "ern")) else ""
        assert verb.second_singular == stem + ("t" if stem[-1] in "sßzx" else link + "st")
        assert verb.third_singular == verb.second_plural == f"{stem}{link}t"
        assert verb.first_plural == verb.third_plural == verb.infinitive


@functools.cache
def german_nouns():
    from german_nouns.lookup import Nouns

    return Nouns()


@pytest.mark.slow
def test_nouns_agree_with_german_nouns():
    package, lexicon = german_nouns(), read_lexicon()
    path = ROOT / "tests" / "golden" / "sorts_noun_exceptions.tsv"
    different = {
        noun.lemma
        for noun in lexicon.nouns.values()
        if not any(agrees(lexicon, noun, entry) for entry in package[noun.lemma])
    }
    assert different == {row.lemma for row in read_table(path, NounException)}


def agrees(lexicon, noun, entry):
    """Whether an entry has our gender and all our forms. Adjectival nouns have one set of forms per
    declension."""
    flexion = entry["flexion"]
    genders = {value for name, value in entry.items() if name.startswith("genus")}
    if entry["lemma"] != noun.lemma or not flexion:
        return False
    if noun.gender and PACKAGE_GENDERS[noun.gender] not in genders:
        return False
    endings = {"strong": ""}
    if noun.declension == "adjectival":
        endings = {"strong": "stark", "weak": "schwach", "mixed": "gemischt"}
    for case, number, ending in product(CASES, ("singular", "plural"), endings):
        if (ending, number) == ("mixed", "plural"):
            continue  # the package has the strong form here, as in *keine Abgeordnete
        form = noun_form(lexicon, noun, case, number, ending)
        begin, name = f"{PACKAGE_CASES[case]} {number}", endings[ending]
        keys = [key for key in flexion if key.startswith(begin) and name in key]
        is_missing = not keys and number == "plural" and noun.plural is not None
        is_other = keys and form not in {flexion[key] for key in keys}
        if form is not None and (is_other or is_missing):
            return False
    return True


@pytest.mark.parametrize("tables", [GERMAN, DUTCH])
def test_every_word_is_used_and_every_used_word_is_there(tables):
    lexicon = read_lexicon(tables)
    cells = [
        split_phrase(cell)
        for triple in lexicon.triples
        for c in PHRASE_COLUMNS
        if (cell := triple.cell(c)) is not None
    ]
    assert {noun for _, noun, _ in cells} == lexicon.nouns.keys()
    words = {word for words, _, _ in cells for word in words}
    assert words - lexicon.determiners.keys() == lexicon.adjectives.keys()
    verbs = {triple.cell(column) for triple in lexicon.triples for column in VERB_COLUMNS} - {None}
    assert verbs == {name for name, verb in lexicon.verbs.items() if verb.object_case is not None}
    assert {triple.name for triple in lexicon.triples} - {None} == lexicon.names.keys()
    assert all(lexicon.nouns[noun].is_bare for _, noun, mark in cells if mark == ":bare")


def test_missing_forms_are_errors():
    lexicon = read_lexicon()
    nothing = next(p for p in lexicon.pronouns if p.lemma == "nichts")
    for spec, case, message in (
        (parse_phrase("Fleiß:pl", "definite"), "nominative", "plural of Fleiß, got .* nouns.tsv"),
        (parse_phrase("ein Haus:pl", None), "nominative", "plural of ein, .* determiner_forms.tsv"),
        (PronounPhrase(nothing), "dative", "dative of nichts, got none; .* pronouns.tsv"),
    ):
        with pytest.raises(ValueError, match=f"phrases: {message}"):
            build_phrase(spec, case)
    with pytest.raises(ValueError, match="morphology: person of lesen, got 4; expected 1, 2 or 3"):
        finite_form(lexicon.verbs["lesen"], 4, "singular")


@pytest.mark.parametrize(*cases("sorts_lexicon/bad_files"))
def test_broken_tables_are_refused(tmp_path, file, table, message):
    shutil.copytree(GERMAN, tmp_path / "data")
    shutil.copy(INVALID / file, tmp_path / "data" / table)
    with pytest.raises(DataFileError, match=message):
        lexicon_module.read_lexicon.__wrapped__(tmp_path / "data")


def words_of_sorts():
    lexicon = read_lexicon()
    words = {name.split(" ")[0]: entry.zipf for name, entry in lexicon.names.items()}
    tables = (lexicon.nouns, lexicon.verbs)
    return words | {word: entry.zipf for table in tables for word, entry in table.items()}


def words_of_pp_attachment():
    own = read_table(frames.GERMAN / "nouns.tsv", Noun)
    words = {noun.lemma: noun.zipf for noun in own}
    return words | {verb: forms.zipf for verb, forms in frames.verb_forms().items()}


@pytest.mark.parametrize("words_of", [words_of_sorts, words_of_pp_attachment])
def test_frequencies_are_those_of_the_named_source(words_of):
    reason = "the source of the zipf columns is not installed: spacy-lookups-data"
    package = pytest.importorskip("spacy_lookups_data", reason=reason)
    folder = Path(package.__file__).parent / "data"
    with gzip.open(folder / "de_lexeme_prob.json.gz", "rt", encoding="utf-8") as file:
        known = json.load(file)
    for word, zipf in words_of().items():
        expected = round(9 + known[word] / math.log(10), 2) if word in known else None
        assert zipf == (None if expected is None else pytest.approx(expected, abs=0.006)), word


# --- Readings, and what each property does to one triple
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
    for verb, finite, message in (
        ("lesen", "liesst", "finite form, got 'liesst'; expected one of verbs.tsv"),
        ("werden", "wird", "main verb, got werden; expected a verb with an object"),
    ):
        with pytest.raises(ValueError, match=f"readings: {message}"):
            clause_readings((["Anna"], ["nichts"]), read_lexicon().verbs[verb], finite)


def varied(split, name, place, family, object_=None):
    """The first clause of the first triple of a family, perhaps with some object, in a block."""
    triples = [one for one in read_lexicon().triples if one.family == family]
    triple = next(one for one in triples if object_ in (None, one.object))
    block = next(b for b in blocks() if (b.split, b.name) == (split, name))
    return " ".join(next(realize(build_clause(vary(triple, block, place)), [SVO])).tokens)


@pytest.mark.parametrize(*cases("sorts_readings/properties_of_one_triple"))
def test_properties_of_one_triple(block, split, place, expected):
    assert varied(split, block, place, "plain") == expected


@pytest.mark.parametrize(*cases("sorts_readings/properties_of_other_triples"))
def test_properties_of_other_triples(family, block, place, expected):
    object_ = "Konsequenz:pl" if block == "spron-vlight" else None
    assert varied("part_amb", block, place, family, object_) == expected


def test_a_triple_without_the_word_is_refused():
    message = r"triples.tsv: name of sinan 1, got _; expected one for base-sname"
    with pytest.raises(ValueError, match=message):
        varied("part_amb", "base-sname", 0, "sinan")
