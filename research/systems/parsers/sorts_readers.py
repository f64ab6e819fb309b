"""Readers of German clauses that go by cues: inflection, animacy, order.

They know the heads of the gold tree and choose between its two arguments, so that their LAS is the
share of clauses they resolve. What a form can be and what is animate they look up in the suite's
own tables, never in a row's features.

Source: the baseline is Fischer et al. (2020), section 4.2; the cues are those of the competition
model (MacWhinney, Bates & Kliegl 1984). Their order here is no claim about people.
"""

import functools
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from builders.columns import Columns
from builders.sorts.lexicon import read_lexicon
from builders.sorts.readings import clause_readings


class CueClause(NamedTuple):
    """What a cue reader sees of a clause: words and head's lemma of both arguments, in order."""

    place: str  # for errors
    phrases: tuple[tuple[str, ...], tuple[str, ...]]
    lemmas: tuple[str, str]
    verb: str  # lemma of the main verb
    finite: str  # the finite form


Cue = Callable[[CueClause], int | None]


def read_clauses(clauses: Columns, cues: Sequence[Cue]) -> dict[str, list[Any]]:
    """Labels the two arguments of each clause by the first cue that speaks, else by order.

    All else is the gold tree. A ValueError names a column of config `conll` that is missing, or a
    word that a cue does not know: the readers know the words of the suite's tables only.

    Args:
        clauses: Columns of config `conll`.
        cues: Each gives which of the two arguments is the subject, 0 or 1, or None where it does
            not say.
    """
    missing = [name for name in ("id", "lemmas", "upos", "verb") if name not in clauses]
    if cues and missing:
        raise ValueError(
            f"cue reader: columns, got none named {', '.join(missing)}; expected clauses of config"
            " conll"
        )
    deprels = []
    for i, labels in enumerate(clauses["deprels"]):
        subject, object_ = clauses["subject"][i], clauses["object"][i]
        arguments = sorted((subject, object_))
        chosen = _choose(_clause(clauses, i, arguments), cues) if cues else 0
        by_place = {arguments[chosen]: labels[subject], arguments[1 - chosen]: labels[object_]}
        deprels.append([by_place.get(j, label) for j, label in enumerate(labels)])
    return {"tokens": list(clauses["tokens"]), "heads": list(clauses["heads"]), "deprels": deprels}


def inflection(clause: CueClause) -> int | None:
    """Argument that must be the subject by case or agreement; None where that is open."""
    # Den Hund sieht eine Katze .    1: `den Hund` is no nominative
    # Die Katze sehen Hunde .        1: `sehen` is plural
    # Die Katze sieht eine Maus .    None
    verb = read_lexicon().verbs.get(clause.verb)
    if verb is None:
        raise ValueError(f"{clause.place}: verb, got {clause.verb!r}; expected one of verbs.tsv")
    try:
        readings = clause_readings(clause.phrases, verb, clause.finite)
    except ValueError as error:
        raise ValueError(f"{clause.place}: {error}") from error
    return readings[0] if len(readings) == 1 else None


def animacy(clause: CueClause) -> int | None:
    """Animate argument where the other is not; None otherwise, as with most pronouns."""
    # Die Tasche nimmt eine Frau .   1
    # Die Flut verletzt eine Frau .  1: a shortcut, and wrong
    # Die Frau sieht sie .           None
    first, second = (
        is_animate(words, lemma, clause.place)
        for words, lemma in zip(clause.phrases, clause.lemmas, strict=True)
    )
    return None if first is None or second is None or first == second else int(second)


def is_animate(words: Sequence[str], lemma: str, place: str) -> bool | None:
    """Whether a phrase is of something animate, as institutions are; None for open pronouns."""
    lexicon = read_lexicon()
    if " ".join(words) in lexicon.names:
        return True
    if lemma in lexicon.nouns:
        return lexicon.nouns[lemma].animacy != "inanimate"
    if len(words) == 1 and words[0].lower() in _pronouns():
        return _pronouns()[words[0].lower()]
    raise ValueError(
        f"{place}: noun, got {lemma!r}; expected one of nouns.tsv, names.tsv or pronouns.tsv"
    )


def second(clause: CueClause) -> int:
    """The second argument, whatever it is."""
    return 1


def coin(clause: CueClause) -> int:
    """Either argument, by a coin that falls the same for the same words."""
    return random.Random(f"roles {clause.phrases} {clause.finite} {clause.verb}").randrange(2)


CUE_READERS: Mapping[str, tuple[Cue, ...]] = {
    "subject-first": (),  # order alone: the paper's baseline (section 4.2)
    "animacy-first": (animacy,),
    "inflection-first": (inflection,),
    "inflection-then-animacy": (inflection, animacy),
    "object-first": (second,),
    "random-roles": (coin,),
}


def _choose(clause: CueClause, cues: Sequence[Cue]) -> int:
    return next((chosen for chosen in (cue(clause) for cue in cues) if chosen is not None), 0)


def _clause(clauses: Columns, i: int, arguments: Sequence[int]) -> CueClause:
    names = ("tokens", "heads", "lemmas", "verb", "upos")
    tokens, heads, lemmas, verb, upos = (clauses[name][i] for name in names)
    first, second = (tuple(tokens[j] for j in argument_words(heads, head)) for head in arguments)
    # Die Kanzlei wird die Kopie fälschen .   the auxiliary is finite, not the main verb
    finite = tokens[upos.index("AUX") if "AUX" in upos else verb]
    nouns = (lemmas[arguments[0]], lemmas[arguments[1]])
    return CueClause(str(clauses["id"][i]), (first, second), nouns, lemmas[verb], finite)


@functools.cache
def _pronouns() -> dict[str, bool | None]:
    """Whether each pronoun form stands for something animate, None where it leaves it open."""
    forms: dict[str, bool | None] = {}
    for pronoun in read_lexicon().pronouns:
        by_person = True if pronoun.person < 3 else None
        known = {"niemand": True, "nichts": False}.get(pronoun.lemma, by_person)
        for form in (*pronoun.nominative, *pronoun.accusative, *pronoun.dative):
            forms[form] = known if forms.setdefault(form, known) == known else None
    return forms


def argument_words(heads: Sequence[int], head: int) -> list[int]:
    """Places of the words of a phrase: its head and what depends on it."""
    return [i for i, governor in enumerate(heads) if i == head or governor == head + 1]
