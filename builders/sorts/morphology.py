"""Inflection and nothing else: a record of the lexicon and its features in, a form out.

Irregular forms are cells of the tables; what is left are a few rules.
"""

from builders.sorts.lexicon import (
    AnyAdjective,
    AnyNoun,
    Case,
    DutchAdjective,
    DutchAdjectiveEnding,
    DutchDeterminerForm,
    DutchNoun,
    DutchVerb,
    Lexicon,
    Number,
    Verb,
)

NO_N = ("n", "s")  # a plural in -n or -s takes no further -n in the dative: den Autoren, den Autos
# adjectival nouns are listed in the strong nominative: Beamter, Kranke
STRONG_LEMMA = {"masc": "er", "fem": "e"}


def noun_form(
    lexicon: Lexicon, noun: AnyNoun, case: Case, number: Number, ending: str
) -> str | None:
    """Form of a noun, None where it lacks the number; `ending` is that of adjectival nouns."""
    if isinstance(noun, DutchNoun):
        return noun.plural if number == "plural" else noun.lemma
    if noun.declension == "adjectival":
        # ein Kranker , der Kranke , Kranke , die Kranken
        stem = noun.lemma.removesuffix(STRONG_LEMMA[str(noun.gender)])
        row = lexicon.adjective_endings[ending, agreement_class(number, noun.gender)]
        return stem + str(getattr(row, case))
    if number == "singular":
        singular: str | None = noun.lemma if case == "nominative" else getattr(noun, case)
        return None if noun.gender is None else singular
    if noun.plural is None or case != "dative" or noun.plural.endswith(NO_N):
        return noun.plural
    return noun.plural + "n"


def determiner_form(
    lexicon: Lexicon, lemma: str, case: Case, number: Number, gender: str | None
) -> str | None:
    """Form of a determiner; None where it has none: `ein` has no plural, `alle` no singular."""
    row = lexicon.determiner_forms.get((lemma, agreement_class(number, gender)))
    if isinstance(row, DutchDeterminerForm):
        return row.form
    return None if row is None else str(getattr(row, case))


def agreement_class(number: Number, gender: str | None) -> str:
    """What determiners and adjectives agree with: the gender of a singular, or the plural."""
    return "plural" if number == "plural" else str(gender)


def adjective_form(
    lexicon: Lexicon,
    adjective: AnyAdjective,
    case: Case,
    number: Number,
    gender: str | None,
    ending: str,
) -> str:
    """Form of an attributive adjective."""
    row = lexicon.adjective_endings[ending, agreement_class(number, gender)]
    if isinstance(adjective, DutchAdjective):
        is_inflected = isinstance(row, DutchAdjectiveEnding) and row.is_inflected
        return adjective.inflected if is_inflected else adjective.lemma
    return adjective.stem + str(getattr(row, case))


def finite_form(verb: Verb, person: int, number: Number) -> str:
    """Present indicative of a verb; a ValueError where there is no such person."""
    if person not in (1, 2, 3):
        got = f"morphology: person of {verb.infinitive}, got {person}"
        raise ValueError(f"{got}; expected 1, 2 or 3")
    if isinstance(verb, DutchVerb) and number == "plural":
        return verb.plural  # wij, jullie, zij lezen
    return str(getattr(verb, f"{('first', 'second', 'third')[person - 1]}_{number}"))


def inverted_form(verb: DutchVerb, person: int, number: Number) -> str:
    """Present indicative before its subject: the form but for a second person singular."""
    # jij leest een roman , lees jij een roman ?
    is_second = (person, number) == (2, "singular")
    return verb.second_inverted if is_second else finite_form(verb, person, number)
