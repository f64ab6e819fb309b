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
from pathlib import Path
from typing import NamedTuple

from builders.sorts.lexicon import CASES, GERMAN, DutchVerb, Lexicon, Noun, Verb, read_lexicon
from builders.sorts.morphology import adjective_form, determiner_form, finite_form, noun_form

GOVERNED = {"acc": "accusative", "dat": "dative"}
NUMBERS = ("singular", "plural")
WITHOUT_DETERMINER = {"german": "strong", "dutch": "indefinite"}  # the declension of adjectives


class Analysis(NamedTuple):
    """One way to read a phrase."""

    case: str
    person: int
    number: str


class Form(NamedTuple):
    """One way to read a word: its class, and what matters of case, number, gender, declension.

    What does not matter is "".
    """

    word_class: str
    case: str
    number: str
    gender: str
    ending: str = ""
    person: int = 3
    is_bare: bool = False


class Reading(NamedTuple):
    """One way to read a clause: which of its two phrases is the subject, 0 or 1."""

    subject: int


def phrase_analyses(words: Sequence[str], tables: Path = GERMAN) -> frozenset[Analysis]:
    """All ways to read a phrase.

    Args:
        words: Its words; the first may have a capital letter that it only has at the start of a
            clause.
        tables: The language's tables.

    Returns:
        Case, person and number of each; empty where the tables do not know a word or its words do
        not agree.
    """
    return _phrase_analyses(tuple(words), tables)


def clause_readings(
    phrases: tuple[Sequence[str], Sequence[str]],
    verb: Verb,
    finite: str,
    *,
    with_agreement: bool = True,
    tables: Path = GERMAN,
) -> list[Reading]:
    """All ways to tell subject from object.

    Raises:
        ValueError: The verb has no object, or the tables do not know the finite form.
    """
    if verb.object_case is None:
        raise ValueError(
            f"readings: main verb, got {verb.infinitive}; expected a verb with an object"
        )
    agreeing = finite_analyses(finite.lower(), tables)
    if not agreeing:
        raise ValueError(f"readings: finite form, got {finite!r}; expected one of verbs.tsv")
    analyses = [phrase_analyses(phrase, tables) for phrase in phrases]
    governed = GOVERNED[verb.object_case]
    return [
        Reading(i)
        for i in (0, 1)
        if _is_subject(analyses[i], agreeing, with_agreement)
        and has_case(analyses[1 - i], governed)
    ]


def is_case_marked(words: Sequence[str], verb: Verb, tables: Path = GERMAN) -> bool:
    """Whether the form of a phrase excludes that it is the subject, or the object, of a verb."""
    analyses = phrase_analyses(words, tables)
    return not (
        has_case(analyses, "nominative") and has_case(analyses, GOVERNED[str(verb.object_case)])
    )


def _is_subject(
    analyses: Iterable[Analysis], agreeing: frozenset[Analysis], with_agreement: bool
) -> bool:
    nominatives = {
        analysis._replace(case="") for analysis in analyses if analysis.case == "nominative"
    }
    return bool(nominatives & agreeing if with_agreement else nominatives)


def has_case(analyses: Iterable[Analysis], case: str) -> bool:
    """Whether a phrase can be read in a case."""
    return any(analysis.case == case for analysis in analyses)


@functools.cache
def _phrase_analyses(words: tuple[str, ...], tables: Path) -> frozenset[Analysis]:
    first_letter_lowered = (words[0][:1].lower() + words[0][1:], *words[1:])
    return frozenset(_analyses_as_written(words, tables)) | frozenset(
        _analyses_as_written(first_letter_lowered, tables)
    )


def _analyses_as_written(words: tuple[str, ...], tables: Path) -> Iterator[Analysis]:
    if " ".join(words) in read_lexicon(tables).names:
        yield from (Analysis(case, 3, "singular") for case in CASES if case != "genitive")
        return
    forms, grammar = word_forms(tables), read_lexicon(tables).grammar
    *before, last = words
    for head in forms.get(last, ()):
        if not before and head.word_class == "pronoun":
            yield Analysis(head.case, head.person, head.number)
        if head.word_class == "noun" and agree(before, head, forms, grammar):
            yield Analysis(head.case, 3, head.number)


def agree(
    before: Sequence[str], noun: Form, forms: dict[str, list[Form]], grammar: str = "german"
) -> bool:
    """Whether the words before a noun agree with an analysis of it."""
    readings = [[form for form in forms.get(word, ()) if _fits(form, noun)] for word in before]
    determiners = (
        [form for form in readings[0] if form.word_class == "determiner"] if readings else []
    )
    for determiner in [*determiners, None]:
        ending = determiner.ending if determiner else WITHOUT_DETERMINER[grammar]
        adjectives = readings[1:] if determiner else readings
        is_licensed = (
            determiner is not None or bool(adjectives) or noun.number == "plural" or noun.is_bare
        )
        if (
            is_licensed
            and noun.ending in ("", ending)
            and all(_has_adjective(options, ending) for options in adjectives)
        ):
            return True
    return False


def _fits(form: Form, noun: Form) -> bool:
    return (
        form.case == noun.case and form.number == noun.number and form.gender in ("", noun.gender)
    )


def _has_adjective(options: Iterable[Form], ending: str) -> bool:
    return any(form.word_class == "adjective" and form.ending == ending for form in options)


@functools.cache
def finite_analyses(finite: str, tables: Path) -> frozenset[Analysis]:
    """Person and number of each way to read a finite form; empty where the tables lack it."""
    return frozenset(_finite_forms(tables).get(finite, ()))


@functools.cache
def _finite_forms(tables: Path) -> dict[str, set[Analysis]]:
    forms: dict[str, set[Analysis]] = {}
    for verb in read_lexicon(tables).verbs.values():
        for person in (1, 2, 3):
            for number in NUMBERS:
                form = finite_form(verb, person, number)  # type: ignore[arg-type]
                forms.setdefault(form, set()).add(Analysis("", person, number))
        if isinstance(verb, DutchVerb):
            _add_dutch_forms(forms, verb)
    return forms


def _add_dutch_forms(forms: dict[str, set[Analysis]], verb: DutchVerb) -> None:
    """The second person before its pronoun, and a separable verb's forms in one word."""
    # Lees jij een roman ?     Omdat jij hem opbelt .
    forms.setdefault(verb.second_inverted, set()).add(Analysis("", 2, "singular"))
    if verb.particle is not None:
        for person in (1, 2, 3):
            for number in NUMBERS:
                form = finite_form(verb, person, number)  # type: ignore[arg-type]
                analysis = Analysis("", person, number)
                forms.setdefault(verb.particle + form, set()).add(analysis)


@functools.cache
def word_forms(tables: Path) -> dict[str, list[Form]]:
    """Every form of nouns, determiners, adjectives and pronouns, with all that it can be."""
    lexicon, forms = read_lexicon(tables), dict[str, list[Form]]()
    for forms_of in (_noun_forms, _determiner_forms, _adjective_forms, _pronoun_forms):
        for word, form in forms_of(lexicon):
            forms.setdefault(word, []).append(form)
    return forms


def _noun_forms(lexicon: Lexicon) -> Iterator[tuple[str, Form]]:
    for noun in lexicon.nouns.values():
        is_adjectival = isinstance(noun, Noun) and noun.declension == "adjectival"
        for ending in _endings(lexicon) if is_adjectival else ("",):
            for case in CASES:
                for number in NUMBERS:
                    form = noun_form(lexicon, noun, case, number, ending or "strong")  # type: ignore[arg-type]
                    if form is not None:
                        gender = str(noun.gender)
                        yield form, Form("noun", case, number, gender, ending, 3, noun.is_bare)


def _determiner_forms(lexicon: Lexicon) -> Iterator[tuple[str, Form]]:
    for determiner in lexicon.determiners.values():
        for case in CASES:
            for number, gender in _agreement_classes(lexicon):
                form = determiner_form(lexicon, determiner.lemma, case, number, gender)  # type: ignore[arg-type]
                if form is not None:
                    yield form, Form("determiner", case, number, gender, determiner.ending)


def _adjective_forms(lexicon: Lexicon) -> Iterator[tuple[str, Form]]:
    for adjective in lexicon.adjectives.values():
        for ending in _endings(lexicon):
            for case in CASES:
                for number, gender in _agreement_classes(lexicon):
                    form = adjective_form(lexicon, adjective, case, number, gender, ending)  # type: ignore[arg-type]
                    yield form, Form("adjective", case, number, gender, ending)


def _endings(lexicon: Lexicon) -> list[str]:
    """The declensions of adjectives."""
    return sorted({ending for ending, _ in lexicon.adjective_endings})


def _agreement_classes(lexicon: Lexicon) -> list[tuple[str, str]]:
    """Number and gender of what determiners and adjectives agree with; plurals have no gender."""
    genders = sorted({gender for _, gender in lexicon.adjective_endings} - {"plural"})
    return [("plural", ""), *(("singular", gender) for gender in genders)]


def _pronoun_forms(lexicon: Lexicon) -> Iterator[tuple[str, Form]]:
    for pronoun in lexicon.pronouns:
        for case in CASES[:3]:
            for form in getattr(pronoun, case):
                yield form, Form("pronoun", case, pronoun.number, "", person=pronoun.person)
