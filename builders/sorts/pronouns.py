"""Which pronoun stands for a phrase: agreeing with it, or of another person, case-marked or not.

    # der Roman -> er , ihn      eine Novelle -> sie     animate: mich, dich, uns, euch in turn
    # de roman -> hij , hem      een gedicht -> het      romans -> ze     schrijvers -> zij , hen
    # a Dutch phrase that must not show its case: de schrijfster, de schrijvers -> ze ; jullie

Dutch has strong and weak pronouns. A weak one is never stressed, so that it stands first as the
subject only (*Ze leest de boerin, of things that she reads); things have no strong ones. Strong
ones show their case but for jullie, weak ze and het do not.
"""

import functools
from collections.abc import Iterator
from pathlib import Path

from builders.sorts.design import Block, pronoun_cycle
from builders.sorts.lexicon import AnyPronoun, Lexicon, Number, read_lexicon
from builders.sorts.phrases import Phrase, PronounPhrase


def pronoun_phrases(
    phrase: Phrase, role: str, block: Block, place: int, tables: Path
) -> Iterator[PronounPhrase]:
    """Pronouns that may stand for a phrase, the best one first; `place` decides on the person."""
    if block.is_syncretic and read_lexicon(tables).grammar == "dutch":
        yield from _dutch_syncretic(phrase, role, tables)
        return
    # persons in turn for animate phrases, else the third person
    third = personal_pronoun(3, phrase.number, phrase.gender, tables)
    if block.is_syncretic or phrase.animacy != "animate":
        yield PronounPhrase(third, is_short=phrase.number == "plural" and len(third.nominative) > 1)
        return
    cycle = pronoun_cycle(role, tables)
    for step in range(len(cycle)):
        choice = cycle[(place + step) % len(cycle)]
        is_third_singular = (choice.person, choice.number) == (3, "singular")
        if is_third_singular and phrase.number == "plural":
            yield PronounPhrase(third)
        else:
            yield PronounPhrase(
                personal_pronoun(choice.person, choice.number, phrase.gender, tables)
            )


def _dutch_syncretic(phrase: Phrase, role: str, tables: Path) -> Iterator[PronounPhrase]:
    # Ze lezen het .   Jullie lezen ze .   De romans boeien jullie .
    jullie = PronounPhrase(personal_pronoun(2, "plural", None, tables))
    if role == "object" and phrase.animacy == "animate":
        yield jullie
        return
    # De bakker bakt taarten -> Ze bakt taarten : hij would show its case, and any person may be she
    gender = "fem" if phrase.animacy == "animate" else phrase.gender
    yield PronounPhrase(personal_pronoun(3, phrase.number, gender, tables), is_short=True)
    if role == "subject" and phrase.animacy == "animate":
        yield jullie


@functools.cache
def personal_pronoun(person: int, number: Number, gender: str | None, tables: Path) -> AnyPronoun:
    """The personal pronoun of a person, number and gender."""
    personal = [
        p
        for p in read_lexicon(tables).pronouns
        if p.kind == "personal" and (p.person, p.number) == (person, number)
    ]
    return next(p for p in personal if p.gender in (None, gender))


@functools.cache
def other_syncretic_pronoun(pronoun: AnyPronoun, tables: Path) -> AnyPronoun:
    """Another pronoun of the same number that shows no case."""
    personal = [
        p
        for p in read_lexicon(tables).pronouns
        if p.kind == "personal" and p.number == pronoun.number
    ]
    return next(
        p for p in personal if p.nominative == p.accusative and p.nominative != pronoun.nominative
    )


def negative_pronoun(phrase: Phrase, lexicon: Lexicon) -> AnyPronoun:
    """The pronoun of a negated phrase: keiner, keine, keines."""
    gender = None if phrase.number == "plural" else phrase.gender
    negative = [p for p in lexicon.pronouns if is_determiner(p, lexicon)]
    return next(p for p in negative if (p.number, p.gender) == (phrase.number, gender))


def is_determiner(pronoun: AnyPronoun, lexicon: Lexicon) -> bool:
    """Whether a negative pronoun is a determiner that stands alone."""
    return pronoun.lemma in lexicon.determiners and pronoun.kind == "negative"
