"""Inflection and nothing else: a record of the lexicon and its features in, a form out.

Irregular forms are cells of the tables; what is left are four rules: the dative plural in -n, the
endings of adjectives and of nouns that inflect like them, the choice of a finite form, and the
plural row of determiners.
"""

from builders.sorts.lexicon import (
    Adjective,
    Case,
    Ending,
    Gender,
    GermanVerb,
    Lexicon,
    Noun,
    Number,
)

NO_N = ("n", "s")  # a plural in -n or -s takes no further -n in the dative: den Autoren, den Autos
STRONG_LEMMA = {
    "masc": "er",
    "fem": "e",
}  # adjectival nouns are listed in the strong nominative: Beamter, Kranke


def noun_form(
    lexicon: Lexicon, noun: Noun, case: Case, number: Number, ending: Ending
) -> str | None:
    """Form of a noun.

    Args:
        lexicon: For the endings of adjectival nouns.
        noun: The noun.
        case: Its case.
        number: Its number.
        ending: The declension that the determiner asks for; it matters to adjectival nouns only.

    Returns:
        The form, or None where the noun lacks the number.
    """
    if noun.declension == "adjectival":
        return _adjectival_form(lexicon, noun, case, number, ending)
    if number == "singular":
        singular: str | None = noun.lemma if case == "nominative" else getattr(noun, case)
        return None if noun.gender is None else singular
    if noun.plural is None or case != "dative" or noun.plural.endswith(NO_N):
        return noun.plural
    return noun.plural + "n"


def determiner_form(
    lexicon: Lexicon, lemma: str, case: Case, number: Number, gender: Gender | None
) -> str | None:
    """Form of a determiner; None where it has none: `ein` has no plural, `alle` no singular."""
    row = lexicon.determiner_forms.get((lemma, "plural" if number == "plural" else str(gender)))
    return None if row is None else str(getattr(row, case))


def adjective_form(
    lexicon: Lexicon,
    adjective: Adjective,
    case: Case,
    number: Number,
    gender: Gender | None,
    ending: Ending,
) -> str:
    """Form of an attributive adjective.

    Raises:
        KeyError: The number is singular and there is no gender.
    """
    return adjective.stem + str(
        getattr(
            lexicon.adjective_endings[ending, "plural" if number == "plural" else str(gender)], case
        )
    )


def finite_form(verb: GermanVerb, person: int, number: Number) -> str:
    """Present indicative of a verb.

    Raises:
        ValueError: There is no such person.
    """
    if person not in (1, 2, 3):
        raise ValueError(
            f"morphology: person of {verb.infinitive}, got {person}; expected 1, 2 or 3"
        )
    return str(getattr(verb, f"{('first', 'second', 'third')[person - 1]}_{number}"))


def _adjectival_form(
    lexicon: Lexicon, noun: Noun, case: Case, number: Number, ending: Ending
) -> str:
    # ein Kranker , der Kranke , Kranke , die Kranken
    gender = str(noun.gender)
    stem = noun.lemma.removesuffix(STRONG_LEMMA[gender])
    return stem + str(
        getattr(lexicon.adjective_endings[ending, "plural" if number == "plural" else gender], case)
    )
