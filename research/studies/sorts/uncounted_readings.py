"""Readings of a clause that `builders.sorts.readings` does not count.

They change the structure or the words: the second phrase as a genitive attribute of the first,
polite `Sie`, possessive `ihr`.
"""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from builders.sorts.lexicon import CASES, GERMAN, read_lexicon
from builders.sorts.readings import (
    NUMBERS,
    Analysis,
    agree,
    finite_analyses,
    has_case,
    phrase_analyses,
    word_forms,
)
from research.systems.parsers.sorts_readers import argument_words


def uncounted_readings(row: Any, tables: Path = GERMAN) -> list[str]:
    """Readings of a realized clause that are not counted.

    Args:
        row: A row of config `conll`, as an object with its columns: `tokens`, `heads`, `subject`,
            `verb`, `object`.
        tables: The language's tables.

    Returns:
        Some of `genitive_attribute`, `polite_sie`, `possessive_ihr`.
    """
    found = []
    first, second = sorted((argument_words(row, row.subject), argument_words(row, row.object)))
    if first[-1] + 1 == second[0] and _is_attribute(
        [row.tokens[i] for i in first], [row.tokens[i] for i in second], tables
    ):
        found.append("genitive_attribute")
    pronouns = _third_person_forms(tables)
    if (
        row.tokens[0].lower() in pronouns["plural"]
        and row.tokens[0].lower() in pronouns["singular"]
    ):
        others = [
            word
            for word in row.tokens
            if Analysis("", 3, "plural") in finite_analyses(word, tables)
        ]
        found += ["polite_sie"] if others else []
    if any(
        _is_possessive(row.tokens[head], row.tokens[head + 1], tables)
        for head in (row.subject, row.object)
    ):
        found.append("possessive_ihr")
    return found


@functools.cache
def _third_person_forms(tables: Path) -> dict[str, frozenset[str]]:
    """Nominative personal pronouns of the third person, per number."""
    pronouns = [
        pronoun
        for pronoun in read_lexicon(tables).pronouns
        if pronoun.kind == "personal" and pronoun.person == 3
    ]
    return {
        number: frozenset(form for p in pronouns if p.number == number for form in p.nominative)
        for number in NUMBERS
    }


def _is_attribute(words: Sequence[str], after: Sequence[str], tables: Path) -> bool:
    """Whether the second phrase can be a genitive attribute of the first, which is no pronoun.

    A genitive needs a determiner.
    """
    heads = word_forms(tables).get(words[-1].lower(), ())
    is_pronoun = any(form.word_class == "pronoun" for form in heads)
    analyses = phrase_analyses(after, tables)
    return not is_pronoun and len(after) > 1 and has_case(analyses, "genitive")


def _is_possessive(word: str, after: str, tables: Path) -> bool:
    """Whether a pronoun is also a possessive that agrees with the noun after it."""
    forms = word_forms(tables)
    nouns = [form for form in forms.get(after, ()) if form.word_class == "noun"]
    return word.lower() in _possessive_pronouns(tables) and any(
        agree([word.lower()], noun, forms) for noun in nouns
    )


@functools.cache
def _possessive_pronouns(tables: Path) -> frozenset[str]:
    """Forms that a personal pronoun and a possessive have in common."""
    lexicon = read_lexicon(tables)
    personal = {
        form
        for p in lexicon.pronouns
        if p.kind == "personal"
        for case in CASES[:3]
        for form in getattr(p, case)
    }
    possessive = {d.lemma for d in lexicon.determiners.values() if d.kind == "possessive"}
    return (
        frozenset(
            getattr(row, case)
            for row in lexicon.determiner_forms.values()
            if row.lemma in possessive
            for case in CASES
        )
        & personal
    )
