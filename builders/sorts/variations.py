"""What a property does to an item: each one changes one thing.

    # plain   Der Leser   liest     einen Roman .
    # aux     Der Leser   wird      einen Roman lesen .
    # pp      Der Leser   liest     in dem Jahr einen Roman .
    # syn     Der Leser   studiert  einen Roman .
    # oneg    Der Leser   liest     keinen Roman .
    # noref   Der Leser   liest     nichts .         animate: niemanden, in split amb niemand
    # opron   Der Leser   liest     ihn .            with oneg: keinen
    # spron   Er          liest     einen Roman .
    # regpol  Der Verlag  liest     einen Roman .    with psy: Der Roman fesselt einen Verlag .
    # sname   Anna        liest     einen Roman .
    # amb     Die Leserin liest     eine Novelle .

The other properties (`dat`, `sinan`, `psy`, ...) bring triples of their own. Which pronoun stands
for a phrase, agreeing with it or of another person, case-marked or not:

    # der Roman -> er , ihn      eine Novelle -> sie     animate: mich, dich, uns, euch in turn
    # de roman -> hij , hem      een gedicht -> het      romans -> ze     schrijvers -> zij , hen
    # a Dutch phrase that must not show its case: de schrijfster, de schrijvers -> ze ; jullie

Dutch has strong and weak pronouns. A weak one is never stressed, so that it stands first as the
subject only (*Ze leest de boerin, of things that she reads); things have no strong ones. Strong
ones show their case but for jullie, weak ze and het do not.

Source: Fischer et al. (2020), sections 3.2 and 3.3. Deviations: `noref` is `niemanden` for every
animate object, never a dative `nichts`; a pronoun agrees with its noun where the authors choose one
that is (un)ambiguous; two pronouns of split amb never have the same form, and an accusative `es`
never stands first.
"""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from builders.sorts.design import Block, Family, families, pronoun_cycle
from builders.sorts.lexicon import (
    GERMAN,
    PHRASES,
    PLURAL,
    Case,
    Lexicon,
    Number,
    Pronoun,
    Triple,
    Verb,
    read_lexicon,
    split_phrase,
)
from builders.sorts.morphology import finite_form
from builders.sorts.phrases import (
    Article,
    NounPhrase,
    Phrase,
    PronounPhrase,
    Spec,
    build_phrase,
    determiner_of_kind,
    parse_phrase,
)
from builders.sorts.readings import clause_readings, is_case_marked
from builders.sorts.realizer import Clause


class PlannedItem(NamedTuple):
    """An item before it is inflected: phrases by lemma, verb, and what else its clauses have."""

    subject: Spec
    verb: Verb
    object: Spec
    has_auxiliary: bool = False
    has_pp: bool = False
    has_participle: bool = False


class Variation(NamedTuple):
    """What a property needs to know of the item it changes: triple, block and place there, from 0.

    The nouns of `renumbered` columns take the other number.
    """

    triple: Triple
    block: Block
    place: int
    tables: Path = GERMAN
    renumbered: tuple[str, ...] = ()

    @property
    def lexicon(self) -> Lexicon:
        """The words of the language."""
        return read_lexicon(self.tables)

    @property
    def family(self) -> Family:
        """The family of the block."""
        return families(self.tables)[self.block.family]

    @property
    def articles(self) -> tuple[Article | None, Article | None]:
        """Articles of subject and object, which tell nothing: in half of the triples each one's."""
        if not self.family.has_articles:
            return None, None
        # De student leest de roman .   an indefinite subject would want er beside it
        if self.lexicon.grammar == "dutch":
            return "definite", "definite"
        # Der Leser liest einen Roman .   Eine Nixe lockt den Fischer .   by the triple's number
        is_subject_definite = self.triple.number % 2 == 1
        return ("definite", "indefinite") if is_subject_definite else ("indefinite", "definite")

    def cell(self, column: str) -> str:
        """Content of a column; that of the syncretic phrases where the block wants them."""
        suffix = self.block.is_syncretic and column in PHRASES
        cell = self.triple.cell(f"{column}_syncretic" if suffix else column)
        if cell is None:
            of = f"{self.triple.family} {self.triple.number}"
            expected = f"one for {self.block.name}"
            raise ValueError(f"triples.tsv: {column} of {of}, got _; expected {expected}")
        return _in_other_number(cell, self.lexicon) if column in self.renumbered else cell


SUBJECT_COLUMNS = ("subject", "institution", "inanimate")
RENUMBERED = ((), SUBJECT_COLUMNS, ("object",), (*SUBJECT_COLUMNS, "object"))


def vary(triple: Triple, block: Block, place: int, tables: Path = GERMAN) -> PlannedItem:
    """A triple under the properties of a block; `place`, from 0, decides on the person of pronouns.

    A ValueError where it lacks a word that a property needs.
    """
    variation = Variation(triple, block, place, tables)
    if variation.lexicon.grammar == "german":
        return _changed(variation)
    items = [_changed(variation._replace(renumbered=columns)) for columns in RENUMBERED]
    return next((item for item in items if is_fitting(item, block, tables)), items[0])


def is_fitting(item: PlannedItem, block: Block, tables: Path = GERMAN) -> bool:
    """Whether an item has the readings that its block asks for: one, or two and no case."""
    if not block.is_syncretic:
        return n_readings(item, tables) == 1
    clause = build_clause(item, tables)
    phrases = (_words(clause.subject), _words(clause.object))
    is_marked = any(is_case_marked(words, item.verb, tables) for words in phrases)
    return not is_marked and n_readings(item, tables) == 2


def _in_other_number(cell: str, lexicon: Lexicon) -> str:
    """A cell with its noun in the other number, where it has that and an article of its number."""
    # De bakker bakt taarten . Names are singular, and so must be the other's number of nouns:
    # Teun bakt taarten .   Teun bakt een taart .
    words, noun, mark = split_phrase(cell)
    if mark == PLURAL:
        return " ".join([*words, noun])
    has_plural = lexicon.nouns[noun].plural is not None
    return f"{cell}{PLURAL}" if not words and not mark and has_plural else cell


def _changed(variation: Variation) -> PlannedItem:
    family, block, tables = variation.family, variation.block, variation.tables
    of_subject, of_object = variation.articles
    item = PlannedItem(
        parse_phrase(variation.cell(family.subject), of_subject, tables),
        variation.lexicon.verbs[variation.cell(family.verb)],
        parse_phrase(variation.cell(family.object), of_object, tables),
    )
    for tag, change in CHANGES.items():
        if tag in block.properties:
            item = change(item, variation)
    return item


def build_clause(item: PlannedItem, tables: Path = GERMAN) -> Clause:
    """Inflects an item: a nominative subject, an object in the case that the verb governs."""
    subject = build_phrase(item.subject, "nominative", tables)
    object_ = build_phrase(item.object, governed_case(item.verb), tables)
    return Clause(subject, item.verb, object_, item.has_auxiliary, item.has_pp, item.has_participle)


def governed_case(verb: Verb) -> Case:
    """Case of a verb's object."""
    return "dative" if verb.object_case == "dat" else "accusative"


def _add_auxiliary(item: PlannedItem, variation: Variation) -> PlannedItem:
    # De student zal een roman lezen .   De student heeft een roman gelezen .   in turn
    has_participle = variation.lexicon.grammar == "dutch" and variation.place % 2 == 1
    return item._replace(has_auxiliary=True, has_participle=has_participle)


def _negate_object(item: PlannedItem, variation: Variation) -> PlannedItem:
    # eine Novelle -> keine Novelle ; Romane -> keine Romane ; alle Wunden -> keine Wunden
    if not isinstance(item.object, NounPhrase):
        raise ValueError(f"oneg: object, got {item.object!r}; expected a noun phrase")
    negative = determiner_of_kind("negative", variation.tables)
    return item._replace(object=item.object._replace(determiner=negative))


def _take_institution(item: PlannedItem, variation: Variation) -> PlannedItem:
    article = variation.articles[variation.family.replaced == "object"]
    phrase = parse_phrase(variation.cell("institution"), article, variation.tables)
    return _replace(item, variation, phrase)


def _replace(item: PlannedItem, variation: Variation, spec: Spec) -> PlannedItem:
    is_subject = variation.family.replaced == "subject"
    return item._replace(subject=spec) if is_subject else item._replace(object=spec)


def _empty_object(item: PlannedItem, variation: Variation) -> PlannedItem:
    lexicon, spec = variation.lexicon, item.object
    noun = lexicon.nouns[spec.noun] if isinstance(spec, NounPhrase) else None
    gender = "masc" if noun is not None and noun.animacy == "animate" else "neut"
    negative = (p for p in lexicon.pronouns if p.kind == "negative" and p.gender == gender)
    (pronoun,) = [p for p in negative if not is_determiner(p, lexicon)]
    return item._replace(object=PronounPhrase(pronoun, is_short=variation.block.is_syncretic))


def _pronominalize_object(item: PlannedItem, variation: Variation) -> PlannedItem:
    # einen Roman -> ihn ; keinen Roman -> keinen ; einen Gärtner -> ihn, mich, dich, uns, euch
    phrase = build_phrase(item.object, "nominative", variation.tables)
    if "oneg" in variation.block.properties:
        return item._replace(object=PronounPhrase(_negative_pronoun(phrase, variation.lexicon)))
    pronouns = pronoun_phrases(phrase, "object", variation.block, variation.place, variation.tables)
    return _first_unambiguous([item._replace(object=one) for one in pronouns], variation)


def _pronominalize_subject(item: PlannedItem, variation: Variation) -> PlannedItem:
    tables, is_german = variation.tables, variation.lexicon.grammar == "german"
    phrase = build_phrase(item.subject, "nominative", tables)
    other = item.object.pronoun if isinstance(item.object, PronounPhrase) else None
    if variation.block.is_syncretic and is_german and other and other.kind == "personal":
        # Sie liest sie . would be one sentence with two trees: Es liest sie .
        return item._replace(subject=PronounPhrase(other_syncretic_pronoun(other, tables)))
    candidates = [
        item._replace(subject=one)
        for one in pronoun_phrases(phrase, "subject", variation.block, variation.place, tables)
        # *Ze leest ze .
        if is_german or not other or one.pronoun.nominative[-1] != other.accusative[-1]
    ]
    return _first_unambiguous(candidates, variation)


def _first_unambiguous(candidates: list[PlannedItem], variation: Variation) -> PlannedItem:
    """The first candidate with one reading; in a syncretic block the first candidate."""
    if variation.block.is_syncretic:
        fitting = (i for i in candidates if is_fitting(i, variation.block, variation.tables))
        is_dutch = variation.lexicon.grammar == "dutch"
        return next(fitting, candidates[0]) if is_dutch else candidates[0]
    unambiguous = (item for item in candidates if n_readings(item, variation.tables) == 1)
    return next(unambiguous, candidates[0])


def n_readings(item: PlannedItem, tables: Path = GERMAN) -> int:
    """Counts the readings of an item's clauses; word order does not change their number."""
    clause = build_clause(item, tables)
    finite = finite_form(item.verb, clause.subject.person, clause.subject.number)
    phrases = (_words(clause.subject), _words(clause.object))
    return len(clause_readings(phrases, item.verb, finite, tables=tables))


def _words(phrase: Phrase) -> list[str]:
    return [word.form for word in phrase.words]


# Later changes see what earlier ones did: a name or nothing is never made a pronoun, the subject's
# pronoun is chosen to fit the object's.
CHANGES: dict[str, Callable[[PlannedItem, Variation], PlannedItem]] = {
    "syn": lambda item, v: item._replace(verb=v.lexicon.verbs[v.cell(str(v.family.synonym))]),
    "regpol": _take_institution,
    "sname": lambda item, v: _replace(item, v, v.lexicon.names[v.cell("name")]),
    "oneg": _negate_object,
    "noref": _empty_object,
    "opron": _pronominalize_object,
    "spron": _pronominalize_subject,
    "aux": _add_auxiliary,
    "pp": lambda item, _: item._replace(has_pp=True),
}


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
        person, number = choice.person, choice.number
        if (person, number, phrase.number) == (3, "singular", "plural"):
            yield PronounPhrase(third)
        else:
            yield PronounPhrase(personal_pronoun(person, number, phrase.gender, tables))


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
def personal_pronoun(person: int, number: Number, gender: str | None, tables: Path) -> Pronoun:
    """The personal pronoun of a person, number and gender."""
    personal = (p for p in _personal(number, tables) if p.person == person)
    return next(p for p in personal if p.gender in (None, gender))


@functools.cache
def other_syncretic_pronoun(pronoun: Pronoun, tables: Path) -> Pronoun:
    """Another pronoun of the same number that shows no case."""
    syncretic = (p for p in _personal(pronoun.number, tables) if p.nominative == p.accusative)
    return next(p for p in syncretic if p.nominative != pronoun.nominative)


def _personal(number: Number, tables: Path) -> list[Pronoun]:
    pronouns = read_lexicon(tables).pronouns
    return [p for p in pronouns if p.kind == "personal" and p.number == number]


def _negative_pronoun(phrase: Phrase, lexicon: Lexicon) -> Pronoun:
    """The pronoun of a negated phrase: keiner, keine, keines."""
    gender = None if phrase.number == "plural" else phrase.gender
    negative = [p for p in lexicon.pronouns if is_determiner(p, lexicon)]
    return next(p for p in negative if (p.number, p.gender) == (phrase.number, gender))


def is_determiner(pronoun: Pronoun, lexicon: Lexicon) -> bool:
    """Whether a negative pronoun is a determiner that stands alone."""
    return pronoun.lemma in lexicon.determiners and pronoun.kind == "negative"
