"""Noun phrases: from a cell of the tables to words with lemma, tags, features and heads.

A cell names lemmas (`Haus`, `Haus:pl`, `Hilfe:bare`, `jeder klein Haus`); a phrase is what it
becomes in one case:

    # einen  ganzen  Brei               ein ganz Brei, accusative
    # det    amod    (head)
"""

import functools
from pathlib import Path
from typing import Literal, NamedTuple

from builders.sorts.lexicon import (
    BARE,
    GERMAN,
    PLURAL,
    Adjective,
    Case,
    Determiner,
    Ending,
    Gender,
    Lexicon,
    Name,
    Noun,
    Number,
    Pronoun,
    read_lexicon,
    split_phrase,
)
from builders.sorts.morphology import adjective_form, determiner_form, noun_form

Kind = Literal["noun", "name", "personal", "negative"]
Article = Literal["definite", "indefinite"]
HEAD = -1
CASE_VALUES = {"nominative": "Nom", "accusative": "Acc", "dative": "Dat", "genitive": "Gen"}
NUMBER_VALUES = {"singular": "Sing", "plural": "Plur"}
GENDER_VALUES = {"masc": "Masc", "fem": "Fem", "neut": "Neut"}
DETERMINER_FEATURES = {
    "definite": {"Definite": "Def", "PronType": "Art"},
    "indefinite": {"Definite": "Ind", "PronType": "Art"},
    "negative": {"PronType": "Neg"},
    "universal": {"PronType": "Tot"},
    "quantity": {"PronType": "Ind"},
    "possessive": {"Poss": "Yes", "PronType": "Prs"},
    "numeral": {"NumType": "Card"},
}
DEGREE_VALUES = {"positive": "Pos", "superlative": "Sup"}


class PhraseWord(NamedTuple):
    """One word of a phrase; `head` is a place in the phrase, `HEAD` for the phrase's head."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str


class Phrase(NamedTuple):
    """A noun phrase in one case.

    Attributes:
        words: Its words, in order.
        head: Place of its head among them.
        kind: noun, name, or pronoun: personal or negative.
        person: 1 to 3; `number` and `gender` likewise of the whole phrase.
        animacy: None for pronouns that may stand for anything.
        zipf: Frequency of its head; None for pronouns and for words without one in the tables.
    """

    words: tuple[PhraseWord, ...]
    head: int
    kind: Kind
    person: int
    number: Number
    gender: Gender | None
    animacy: str | None
    zipf: float | None


class NounPhrase(NamedTuple):
    """A noun with what stands before it, by lemma."""

    determiner: str | None
    adjectives: tuple[str, ...]
    noun: str
    number: Number


class PronounPhrase(NamedTuple):
    """A pronoun; `is_short` asks for its form without ending, where it has one."""

    pronoun: Pronoun
    is_short: bool = False


Spec = NounPhrase | Name | PronounPhrase


def parse_phrase(cell: str, article: Article | None, tables: Path = GERMAN) -> NounPhrase:
    """The phrase that a cell of `triples.tsv` means.

    Args:
        cell: A noun's lemma, `:pl` for its plural, `:bare` for a singular without article; before
            it lemmas of determiner and adjectives.
        article: Which article it gets; an indefinite plural has none. None where the cell says it
            all.
        tables: The language's tables.
    """
    words, noun, mark = split_phrase(cell)
    number: Number = "plural" if mark == PLURAL else "singular"
    determiners = read_lexicon(tables).determiners
    if words and words[0] in determiners:
        return NounPhrase(words[0], tuple(words[1:]), noun, number)
    is_bare = article is None or mark == BARE or (article == "indefinite" and number == "plural")
    determiner = None if is_bare else determiner_of_kind(str(article), tables)
    return NounPhrase(determiner, tuple(words), noun, number)


@functools.cache
def determiner_of_kind(kind: str, tables: Path = GERMAN) -> str:
    """Lemma of the one determiner of a kind: definite, indefinite or negative."""
    (lemma,) = [
        determiner.lemma
        for determiner in read_lexicon(tables).determiners.values()
        if determiner.kind == kind
    ]
    return lemma


def build_phrase(spec: Spec, case: Case, tables: Path = GERMAN) -> Phrase:
    """A phrase in one case.

    Raises:
        ValueError: A word of it has no form there.
    """
    if isinstance(spec, NounPhrase):
        return _noun_phrase(spec, case, tables)
    if isinstance(spec, Name):
        return _name_phrase(spec, case, tables)
    return _pronoun_phrase(spec, case, tables)


@functools.cache
def _noun_phrase(spec: NounPhrase, case: Case, tables: Path) -> Phrase:
    lexicon = read_lexicon(tables)
    noun = lexicon.nouns[spec.noun]
    determiner = None if spec.determiner is None else lexicon.determiners[spec.determiner]
    ending: Ending = "strong" if determiner is None else determiner.ending
    head = len(spec.adjectives) + (determiner is not None)
    form = noun_form(lexicon, noun, case, spec.number, ending)
    if form is None:
        raise ValueError(
            f"phrases: {spec.number} of {noun.lemma}, got none; expected a form in nouns.tsv"
        )
    gender = noun.gender
    feats = _feats(
        Case=CASE_VALUES[case], Gender=_gender(gender), Number=NUMBER_VALUES[spec.number]
    )
    words = (
        [] if determiner is None else [_determiner(lexicon, determiner, case, spec, gender, head)]
    )
    words += [
        _adjective(lexicon, lexicon.adjectives[stem], case, spec, gender, ending, head)
        for stem in spec.adjectives
    ]
    words.append(PhraseWord(form, noun.lemma, "NOUN", lexicon.tags["noun"], feats, HEAD, ""))
    return Phrase(tuple(words), head, "noun", 3, spec.number, gender, noun.animacy, noun.zipf)


def _determiner(
    lexicon: Lexicon,
    determiner: Determiner,
    case: Case,
    spec: NounPhrase,
    gender: Gender | None,
    head: int,
) -> PhraseWord:
    form = determiner_form(lexicon, determiner.lemma, case, spec.number, gender)
    if form is None:
        raise ValueError(
            f"phrases: {spec.number} of {determiner.lemma}, got none; "
            "expected a row in determiner_forms.tsv"
        )
    if determiner.kind == "numeral":
        return PhraseWord(
            form,
            determiner.lemma,
            "NUM",
            determiner.xpos,
            _feats(**DETERMINER_FEATURES["numeral"]),
            head,
            determiner.deprel,
        )
    features = {
        "Case": CASE_VALUES[case],
        "Gender": _gender(gender),
        "Number": NUMBER_VALUES[spec.number],
    }
    feats = _feats(**features, **DETERMINER_FEATURES[determiner.kind])
    return PhraseWord(
        form, determiner.lemma, "DET", determiner.xpos, feats, head, determiner.deprel
    )


def _adjective(
    lexicon: Lexicon,
    adjective: Adjective,
    case: Case,
    spec: NounPhrase,
    gender: Gender | None,
    ending: Ending,
    head: int,
) -> PhraseWord:
    form = adjective_form(lexicon, adjective, case, spec.number, gender, ending)
    features = {
        "Case": CASE_VALUES[case],
        "Degree": DEGREE_VALUES[adjective.degree],
        "Gender": _gender(gender),
    }
    return PhraseWord(
        form,
        adjective.lemma,
        "ADJ",
        lexicon.tags["adjective"],
        _feats(**features, Number=NUMBER_VALUES[spec.number]),
        head,
        "amod",
    )


@functools.cache
def _name_phrase(name: Name, case: Case, tables: Path) -> Phrase:
    # Eva     Maria           the first word is the head, as in the authors' files
    # (head)  flat
    feats = _feats(Case=CASE_VALUES[case], Gender=_gender(name.gender), Number="Sing")
    tag = read_lexicon(tables).tags["name"]
    first, *rest = name.name.split(" ")
    words = [
        PhraseWord(first, first, "PROPN", tag, feats, HEAD, ""),
        *(PhraseWord(word, word, "PROPN", tag, feats, 0, "flat:name") for word in rest),
    ]
    animacy = "animate" if name.kind == "first_name" else "institution"
    return Phrase(tuple(words), 0, "name", 3, "singular", name.gender, animacy, name.zipf)


@functools.cache
def _pronoun_phrase(spec: PronounPhrase, case: Case, tables: Path) -> Phrase:
    pronoun = spec.pronoun
    forms: tuple[str, ...] = getattr(pronoun, case)
    if not forms:
        raise ValueError(
            f"phrases: {case} of {pronoun.lemma}, got none; expected a form in pronouns.tsv"
        )
    is_personal = pronoun.kind == "personal"
    features = {
        "Case": CASE_VALUES[case],
        "Gender": _gender(pronoun.gender),
        "Number": NUMBER_VALUES[pronoun.number],
    }
    features |= (
        {"Person": str(pronoun.person), "PronType": "Prs"} if is_personal else {"PronType": "Neg"}
    )
    xpos = read_lexicon(tables).tags[pronoun.kind]
    word = PhraseWord(
        forms[-1 if spec.is_short else 0], pronoun.lemma, "PRON", xpos, _feats(**features), HEAD, ""
    )
    return Phrase(
        (word,),
        0,
        pronoun.kind,
        pronoun.person,
        pronoun.number,
        pronoun.gender,
        _pronoun_animacy(pronoun, tables),
        None,
    )


def _pronoun_animacy(pronoun: Pronoun, tables: Path) -> str | None:
    # niemand: animate, nichts: inanimate, by their gender; all others leave it open
    determiners = read_lexicon(tables).determiners
    is_indefinite = pronoun.kind == "negative" and pronoun.lemma not in determiners
    return (
        {"masc": "animate", "neut": "inanimate"}.get(str(pronoun.gender)) if is_indefinite else None
    )


def _gender(gender: Gender | None) -> str:
    return GENDER_VALUES[gender] if gender else ""


def _feats(**features: str) -> str:
    return "|".join(f"{name}={value}" for name, value in sorted(features.items()) if value) or "_"


def noun_of(spec: Spec, tables: Path = GERMAN) -> Noun | None:
    """Noun of a phrase; None for names and pronouns."""
    return read_lexicon(tables).nouns[spec.noun] if isinstance(spec, NounPhrase) else None
