"""What settles who is subject and who object: the first cue that excludes the other reading.

# Der Leser liest eine Novelle .            case          `der Leser` is nominative only
# Die Leser lesen eine Novelle .            agreement
# Die Leserin liest eine Novelle .          animacy       what reads is animate, what is read is not
# Die Flutwelle zerstört eine Brücke .      selection     bridges destroy no waves
# Die Ärztin leistet Hilfe .                lexicalised   verb and object are one expression
# Die Ärztin besucht eine Nachbarin .       none          only the order of words speaks for one of
the two
"""

from pathlib import Path

from builders.sorts.design import Family
from builders.sorts.lexicon import GERMAN
from builders.sorts.morphology import finite_form
from builders.sorts.phrases import Phrase
from builders.sorts.readings import clause_readings
from builders.sorts.realizer import Clause

CLASSES = ("animate", "inanimate")
LEXICALISED, NOTHING = "lexicalised", "none"


def resolved_by(
    clause: Clause, family: Family, *, is_reversible: bool, tables: Path = GERMAN
) -> str:
    """Name of what settles a clause: case, agreement, animacy, selection, lexicalised or none.

    Args:
        clause: Its phrases and verb; the auxiliary changes nothing.
        family: The kind of triple it is made of.
        is_reversible: Whether its nouns could change places without nonsense.
        tables: The language's tables.
    """
    finite = finite_form(clause.verb, clause.subject.person, clause.subject.number)
    subject = [word.form for word in clause.subject.words]
    object_ = [word.form for word in clause.object.words]
    for name, with_agreement in (("case", False), ("agreement", True)):
        readings = clause_readings(
            (subject, object_),
            clause.verb,
            finite,
            with_agreement=with_agreement,
            tables=tables,
        )
        if len(readings) == 1:
            return name
    if family.settled_by == LEXICALISED:
        return LEXICALISED
    if _clashes(clause.object, clause.verb.subject_class) or _clashes(
        clause.subject, clause.verb.object_class
    ):
        return "animacy"
    leaves_open = is_reversible or _is_pronoun(clause.subject) or _is_pronoun(clause.object)
    return NOTHING if leaves_open else family.settled_by


def _clashes(phrase: Phrase, selected: str) -> bool:
    """Whether a phrase is animate where the verb wants something inanimate, or the reverse."""
    return phrase.animacy in CLASSES and selected in CLASSES and phrase.animacy != selected


def _is_pronoun(phrase: Phrase) -> bool:
    return phrase.kind in ("personal", "negative")
