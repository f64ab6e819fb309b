"""The lexicon and its inflection: golden forms, german_nouns as an oracle. Links between tables,
broken tables."""

import gzip
import json
import math
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from builders.sorts import lexicon as lexicon_module
from builders.sorts.lexicon import (
    CASES,
    GERMAN,
    PHRASE_COLUMNS,
    VERB_COLUMNS,
    read_lexicon,
    split_phrase,
)
from builders.sorts.morphology import determiner_form, finite_form, noun_form
from builders.sorts.phrases import PronounPhrase, build_phrase, determiner_of_kind, parse_phrase
from ground.tables import DataFileError, read_table
from tests.conftest import ROOT
from tests.support.cases import cases

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
VOWEL_CHANGE = """
befallen begraben beraten bergen bestehlen durchbrechen durchfahren empfangen empfehlen entfallen
enthalten entlassen entsprechen entwerfen erfahren erhalten erwerben fangen fressen geben gefallen
gelten haben halten helfen hinterlassen lesen missfallen nehmen stechen tragen
treffen umgeben umwerben unterlaufen unternehmen verbergen verderben verfallen vergeben verlassen
vernehmen verraten verstoßen vertreten werden werfen widerfahren widersprechen zerfressen
überfahren übersehen übertragen übertreffen
"""


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
        if verb.infinitive in VOWEL_CHANGE.split():
            continue
        stem = verb.infinitive.removesuffix("n").removesuffix("e")
        link = (
            "e"
            if re.search(r"[td]$|[^aeiouäöülrmnh][mn]$|chn$", stem)
            and not verb.infinitive.endswith(("eln", "ern"))
            else ""
        )
        second = stem + ("t" if stem[-1] in "sßzx" else link + "st")
        assert (verb.second_singular, verb.third_singular, verb.second_plural) == (
            second,
            f"{stem}{link}t",
            f"{stem}{link}t",
        )
        assert verb.first_plural == verb.third_plural == verb.infinitive


def test_nouns_agree_with_german_nouns():
    from german_nouns.lookup import Nouns

    package, lexicon = Nouns(), read_lexicon()
    excepted = {
        row.lemma
        for row in read_table(
            ROOT / "tests" / "golden" / "sorts_noun_exceptions.tsv", NounException
        )
    }
    different = {
        noun.lemma
        for noun in lexicon.nouns.values()
        if not any(agrees(lexicon, noun, entry) for entry in package[noun.lemma])
    }
    assert different == excepted


def agrees(lexicon, noun, entry):
    """Whether an entry has our gender and all our forms. Adjectival nouns have one set of forms per
    declension."""
    flexion = entry["flexion"]
    genders = {value for name, value in entry.items() if name.startswith("genus")}
    if (
        entry["lemma"] != noun.lemma
        or not flexion
        or (noun.gender and PACKAGE_GENDERS[noun.gender] not in genders)
    ):
        return False
    endings = (
        {"strong": "stark", "weak": "schwach", "mixed": "gemischt"}
        if noun.declension == "adjectival"
        else {"strong": ""}
    )
    for case in CASES:
        for number in ("singular", "plural"):
            for ending, name in endings.items():
                if (ending, number) == ("mixed", "plural"):
                    continue  # the package has the strong form here, as in *keine Abgeordnete
                form = noun_form(lexicon, noun, case, number, ending)
                forms = {
                    text
                    for key, text in flexion.items()
                    if key.startswith(f"{PACKAGE_CASES[case]} {number}") and name in key
                }
                if form is not None and forms and form not in forms:
                    return False
                if (
                    form is not None
                    and not forms
                    and number == "plural"
                    and noun.plural is not None
                ):
                    return False
    return True


def test_every_word_is_used_and_every_used_word_is_there():
    lexicon = read_lexicon()
    cells = [
        split_phrase(cell)
        for triple in lexicon.triples
        for c in PHRASE_COLUMNS
        if (cell := triple.cell(c)) is not None
    ]
    assert {noun for _, noun, _ in cells} == lexicon.nouns.keys()
    assert {
        word for words, _, _ in cells for word in words
    } - lexicon.determiners.keys() == lexicon.adjectives.keys()
    verbs = {triple.cell(column) for triple in lexicon.triples for column in VERB_COLUMNS} - {None}
    assert verbs == {
        verb.infinitive for verb in lexicon.verbs.values() if verb.object_case is not None
    }
    assert {triple.name for triple in lexicon.triples} - {None} == lexicon.names.keys()
    assert all(lexicon.nouns[noun].is_bare for _, noun, mark in cells if mark == ":bare")


def test_frequencies_are_on_the_zipf_scale():
    lexicon = read_lexicon()
    values = [
        word.zipf
        for table in (lexicon.nouns, lexicon.verbs, lexicon.names)
        for word in table.values()
    ]
    known = [value for value in values if value is not None]
    assert min(known) > 0
    assert max(known) < 8
    assert len(known) / len(values) > 0.95


def test_articles_and_determiners():
    lexicon = read_lexicon()
    assert [determiner_of_kind(kind) for kind in ("definite", "indefinite", "negative")] == [
        "der",
        "ein",
        "kein",
    ]
    assert determiner_form(lexicon, "ein", "nominative", "plural", "masc") is None
    assert determiner_form(lexicon, "alle", "nominative", "singular", "masc") is None


def test_missing_forms_are_errors():
    lexicon = read_lexicon()
    message = r"phrases: plural of Fleiß, got none; expected a form in nouns.tsv"
    with pytest.raises(ValueError, match=message):
        build_phrase(parse_phrase("Fleiß:pl", "definite"), "nominative")
    message = r"phrases: plural of ein, got none; expected a row in determiner_forms.tsv"
    with pytest.raises(ValueError, match=message):
        build_phrase(parse_phrase("ein Haus:pl", None), "nominative")
    nothing = next(p for p in lexicon.pronouns if p.lemma == "nichts")
    message = r"phrases: dative of nichts, got none; expected a form in pronouns.tsv"
    with pytest.raises(ValueError, match=message):
        build_phrase(PronounPhrase(nothing), "dative")
    with pytest.raises(ValueError, match="morphology: person of lesen, got 4; expected 1, 2 or 3"):
        finite_form(lexicon.verbs["lesen"], 4, "singular")


@pytest.mark.parametrize(*cases("sorts_lexicon/bad_files"))
def test_broken_tables_are_refused(tmp_path, file, table, message):
    shutil.copytree(GERMAN, tmp_path / "data")
    shutil.copy(INVALID / file, tmp_path / "data" / table)
    with pytest.raises(DataFileError, match=message):
        lexicon_module.read_lexicon.__wrapped__(tmp_path / "data")


def test_frequencies_are_those_of_the_named_source():
    package = pytest.importorskip(
        "spacy_lookups_data",
        reason="the source of the zipf columns is not installed: spacy-lookups-data",
    )
    folder = Path(package.__file__).parent / "data"
    with gzip.open(folder / "de_lexeme_prob.json.gz", "rt", encoding="utf-8") as file:
        probabilities = json.load(file)
    lexicon = read_lexicon()
    words = {name.split(" ")[0]: name_entry.zipf for name, name_entry in lexicon.names.items()}
    words |= {lemma: noun.zipf for lemma, noun in lexicon.nouns.items()} | {
        verb: entry.zipf for verb, entry in lexicon.verbs.items()
    }
    for word, zipf in words.items():
        expected = (
            None if word not in probabilities else round(9 + probabilities[word] / math.log(10), 2)
        )
        assert zipf == (expected if expected is None else pytest.approx(expected, abs=0.006)), word
