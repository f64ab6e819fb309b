"""What settles who is subject and who object: the first cue that excludes the other reading.

# Der Leser liest eine Novelle .         case          `der Leser` is nominative only
# Die Leser lesen eine Novelle .         agreement
# Die Bäuerin pflügt eine Weide .        animacy       nothing inanimate ploughs, nobody is
# Die Regeln nennen Gründe .             selection     what names needs content: reasons have none
# Die Ärztin leistet Hilfe .             lexicalised   verb and object are one expression
# Die Flutwelle zerstört eine Brücke .   plausibility  the reverse is possible, and not expected
# Die Ärztin besucht eine Nachbarin .    none          only the order of words speaks for one

# Ziet de dokter de patiënt ?            order         Dutch: the subject is first in its field

The last two of German leave the other reading grammatical and possible: a preference, not a truth;
in Dutch, where the object precedes the subject only as the first phrase of a clause, the order of
all others settles them (`settled_in_order`). The tables
decide both directions: what a verb can take for subject and object (`verbs.tsv`, with a
counterexample wherever the reverse of its triples is possible), and what becomes of the nouns of a
triple that change places (`triples.tsv`, column `reverse`); three judges decide (`decisions`).
"""

from pathlib import Path
from typing import Literal

from builders.sorts.design import Family
from builders.sorts.lexicon import GERMAN, grammar_of, read_lexicon
from builders.sorts.morphology import finite_form
from builders.sorts.phrases import Phrase
from builders.sorts.readings import clause_readings
from builders.sorts.realizer import PERSONAL, Clause
from metrics.subject_object_las.inputs import SVO, UNDECIDED

Reverse = Literal["excluded", "implausible", "open"]
CLASSES = ("animate", "inanimate")
PRONOUNS = ("personal", "negative")
LEXICALISED, OPEN, ORDER = "lexicalised", "none", "order"
EXPERIENCERS = ("psy", "semas_psy")
BY_TRIPLE = {"excluded": "selection", "implausible": "plausibility", "open": OPEN}


def resolved_by(
    clause: Clause, family: Family, reverse: Reverse | None, tables: Path = GERMAN
) -> str:
    """Name of what settles a clause; `reverse` is None where form always does."""
    verb = clause.verb
    finite = finite_form(verb, clause.subject.person, clause.subject.number)
    subject = [word.form for word in clause.subject.words]
    object_ = [word.form for word in clause.object.words]
    for name, with_agreement in (("case", False), ("agreement", True)):
        readings = clause_readings(
            (subject, object_), verb, finite, with_agreement=with_agreement, tables=tables
        )
        if len(readings) == 1:
            return name
    if _clashes(clause.object, verb.subject_class) or _clashes(clause.subject, verb.object_class):
        return "animacy"
    if family.settled_by == LEXICALISED:
        return LEXICALISED if reverse in (None, "excluded") else BY_TRIPLE[reverse]
    if family.settled_by == OPEN or reverse is None:
        return OPEN
    # Die Ärztin entdeckt sie .        a pronoun may stand for whatever the verb takes
    # Sie entdeckt eine Galaxie .      but no galaxy discovers
    may_be_another = clause.subject.kind in PRONOUNS and reverse != "excluded"
    if clause.object.kind in PRONOUNS or may_be_another:
        return OPEN
    return BY_TRIPLE[reverse]


def settled_in_order(
    settled: str, clause: Clause, word_order: str, family: str, tables: Path = GERMAN
) -> str:
    """What settles a clause in one word order: `order` where it does, and nothing else did."""
    if settled not in UNDECIDED or grammar_of(tables) != "dutch":
        return settled
    is_pronoun = clause.subject.kind == PERSONAL
    # Ziet de dokter de patiënt ?     no object comes before its subject there, but for unstressed
    # Daarom zien ze patiënten .      pronouns and for experiencers, which might
    if "MF[SO]" in word_order and not is_pronoun and family not in EXPERIENCERS:
        return ORDER
    # Ze ziet de patiënt .            an unstressed pronoun that is first is the subject
    if word_order == SVO and is_pronoun and is_weak(clause.subject.words[0].form, tables):
        return ORDER
    return settled


def is_weak(form: str, tables: Path) -> bool:
    """Whether a form is that of a pronoun that cannot be stressed, such as ze."""
    rows = read_lexicon(tables).pronoun_forms.values()
    return any(row.is_weak for row in rows if row.form == form)


def _clashes(phrase: Phrase, selected: str) -> bool:
    """Whether a phrase is animate where the verb can only take the inanimate, or the reverse."""
    return phrase.animacy in CLASSES and selected in CLASSES and phrase.animacy != selected
