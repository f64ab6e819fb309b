"""The proof: who can be subject and who object, from the inflection tables alone.

A phrase is looked up word by word in all forms that the tables give; what its words agree in are
its analyses. A clause has a reading for each way to make one phrase the subject, in the nominative
and agreeing with the finite verb, and the other the object, in the case that the verb governs:

    # Die Leserin liest eine Zeitschrift .   2: both phrases may be nominative or accusative
    # Die Leserin liest einen Roman .        1: `einen` is accusative only
    # Die Quoten umgehen ein Argument .      1: `umgehen` is plural, `ein Argument` is not

The words come in as strings: nothing that the realizer meant is used.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from builders.sorts.lexicon import (
    CASES,
    GERMAN,
    DutchVerb,
    Lexicon,
    Noun,
    Number,
    Verb,
    read_lexicon,
)
from builders.sorts.morphology import adjective_form, determiner_form, finite_form, noun_form

GOVERNED = {"acc": "accusative", "dat": "dative"}
NUMBERS: tuple[Number, Number] = ("singular", "plural")
WITHOUT_DETERMINER = {"german": "strong", "dutch": "indefinite"}  # the declension of adjectives


class Analysis(NamedTuple):
    """One way to read a phrase."""

    case: str
    person: int
    number: str


class Form(NamedTuple):
    """One way to read a word: its class, and its features; those that do not matter are ""."""

    word_class: str
    case: str
    number: str
    gender: str
    ending: str = ""
    person: int = 3
    is_bare: bool = False


def phrase_analyses(words: Sequence[str], tables: Path = GERMAN) -> frozenset[Analysis]:
    """All ways to read a phrase, none where a word is unknown or its words do not agree.

    The first may have a capital letter that it only has at the start of a clause.
    """
    lowered = (words[0][:1].lower() + words[0][1:], *words[1:])
    return _analyses_as_written(tuple(words), tables) | _analyses_as_written(lowered, tables)


def clause_readings(
    phrases: tuple[Sequence[str], Sequence[str]],
    verb: Verb,
    finite: str,
    *,
    with_agreement: bool = True,
    tables: Path = GERMAN,
) -> list[int]:
    """All ways to tell subject from object: which of the two phrases is the subject, 0 or 1.

    A ValueError for a verb without object, or a finite form that the tables do not know.
    """
    if verb.object_case is None:
        got = f"readings: main verb, got {verb.infinitive}"
        raise ValueError(f"{got}; expected a verb with an object")
    agreeing = finite_forms(tables).get(finite.lower(), set())
    if not agreeing:
        raise ValueError(f"readings: finite form, got {finite!r}; expected one of verbs.tsv")
    analyses = [phrase_analyses(phrase, tables) for phrase in phrases]
    governed = GOVERNED[verb.object_case]
    found = []
    for i in (0, 1):
        subjects = {one._replace(case="") for one in analyses[i] if one.case == "nominative"}
        is_subject = bool(subjects & agreeing if with_agreement else subjects)
        if is_subject and has_case(analyses[1 - i], governed):
            found.append(i)
    return found


def is_case_marked(words: Sequence[str], verb: Verb, tables: Path = GERMAN) -> bool:
    """Whether the form of a phrase excludes that it is the subject, or the object, of a verb."""
    analyses = phrase_analyses(words, tables)
    return not (
        has_case(analyses, "nominative") and has_case(analyses, GOVERNED[str(verb.object_case)])
    )


def has_case(analyses: Iterable[Analysis], case: str) -> bool:
    """Whether a phrase can be read in a case."""
    return any(analysis.case == case for analysis in analyses)


@functools.cache
def _analyses_as_written(words: tuple[str, ...], tables: Path) -> frozenset[Analysis]:
    if " ".join(words) in read_lexicon(tables).names:
        return frozenset(Analysis(case, 3, "singular") for case in CASES if case != "genitive")
    forms, grammar = word_forms(tables), read_lexicon(tables).grammar
    *before, last = words
    return frozenset(
        Analysis(head.case, head.person, head.number)
        for head in forms.get(last, ())
        if (head.word_class == "pronoun" and not before)
        or (head.word_class == "noun" and agree(before, head, forms, grammar))
    )


def agree(
    before: Sequence[str], noun: Form, forms: dict[str, list[Form]], grammar: str = "german"
) -> bool:
    """Whether the words before a noun agree with an analysis of it."""
    readings = [[form for form in forms.get(word, ()) if _fits(form, noun)] for word in before]
    determiners = [f for options in readings[:1] for f in options if f.word_class == "determiner"]
    for determiner in [*determiners, None]:
        ending = determiner.ending if determiner else WITHOUT_DETERMINER[grammar]
        adjectives = [
            {(form.word_class, form.ending) for form in options}
            for options in (readings[1:] if determiner else readings)
        ]
        is_licensed = determiner or adjectives or noun.number == "plural" or noun.is_bare
        is_agreeing = all(("adjective", ending) in options for options in adjectives)
        if is_licensed and is_agreeing and noun.ending in ("", ending):
            return True
    return False


def _fits(form: Form, noun: Form) -> bool:
    return (
        form.case == noun.case and form.number == noun.number and form.gender in ("", noun.gender)
    )


@functools.cache
def finite_forms(tables: Path) -> dict[str, set[Analysis]]:
    """Person and number of each way to read each finite form."""
    forms: dict[str, set[Analysis]] = {}
    for verb in read_lexicon(tables).verbs.values():
        for person, number in product((1, 2, 3), NUMBERS):
            form, analysis = finite_form(verb, person, number), Analysis("", person, number)
            forms.setdefault(form, set()).add(analysis)
            if isinstance(verb, DutchVerb) and verb.particle is not None:
                # Omdat jij hem opbelt .    a separable verb in one word
                forms.setdefault(verb.particle + form, set()).add(analysis)
        if isinstance(verb, DutchVerb):
            # Lees jij een roman ?     the second person before its pronoun
            forms.setdefault(verb.second_inverted, set()).add(Analysis("", 2, "singular"))
    return forms


@functools.cache
def word_forms(tables: Path) -> dict[str, list[Form]]:
    """Every form of nouns, determiners, adjectives and pronouns, with all that it can be."""
    lexicon, forms = read_lexicon(tables), dict[str, list[Form]]()
    for forms_of in (_noun_forms, _agreeing_forms, _pronoun_forms):
        for word, form in forms_of(lexicon):
            forms.setdefault(word, []).append(form)
    return forms


def _noun_forms(lexicon: Lexicon) -> Iterator[tuple[str, Form]]:
    for noun in lexicon.nouns.values():
        is_adjectival = isinstance(noun, Noun) and noun.declension == "adjectival"
        for ending in _endings(lexicon) if is_adjectival else ("",):
            for case, number in product(CASES, NUMBERS):
                form = noun_form(lexicon, noun, case, number, ending or "strong")
                if form is not None:
                    gender = str(noun.gender)
                    yield form, Form("noun", case, number, gender, ending, 3, noun.is_bare)


def _agreeing_forms(lexicon: Lexicon) -> Iterator[tuple[str, Form]]:
    """Forms of determiners and adjectives, by what they agree with; plurals have no gender."""
    genders = sorted({gender for _, gender in lexicon.adjective_endings} - {"plural"})
    classes: list[tuple[Number, str]] = [("plural", ""), *(("singular", g) for g in genders)]
    for case, (number, gender) in product(CASES, classes):
        for determiner in lexicon.determiners.values():
            form = determiner_form(lexicon, determiner.lemma, case, number, gender)
            if form is not None:
                yield form, Form("determiner", case, number, gender, determiner.ending)
        for adjective, ending in product(lexicon.adjectives.values(), _endings(lexicon)):
            form = adjective_form(lexicon, adjective, case, number, gender, ending)
            yield form, Form("adjective", case, number, gender, ending)


def _endings(lexicon: Lexicon) -> list[str]:
    return sorted({ending for ending, _ in lexicon.adjective_endings})


def _pronoun_forms(lexicon: Lexicon) -> Iterator[tuple[str, Form]]:
    for pronoun, case in product(lexicon.pronouns, CASES[:3]):
        for form in getattr(pronoun, case):
            yield form, Form("pronoun", case, pronoun.number, "", person=pronoun.person)
