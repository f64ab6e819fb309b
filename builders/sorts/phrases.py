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
    DutchDeterminerForm,
    DutchNoun,
    Lexicon,
    Name,
    Number,
    Pronoun,
    WordTag,
    read_lexicon,
    split_phrase,
)
from builders.sorts.morphology import adjective_form, agreement_class, determiner_form, noun_form

Kind = Literal["noun", "name", "personal", "negative"]
Article = Literal["definite", "indefinite"]
CASE_VALUES = {"nominative": "Nom", "accusative": "Acc", "dative": "Dat", "genitive": "Gen"}
GENDER_VALUES = {"masc": "Masc", "fem": "Fem", "neut": "Neut"}
DETERMINER_FEATURES = {
    "definite": {"Definite": "Def", "PronType": "Art"},
    "indefinite": {"Definite": "Ind", "PronType": "Art"},
    "negative": {"PronType": "Neg"},
    "universal": {"PronType": "Tot"},
    "quantity": {"PronType": "Ind"},
    "possessive": {"Poss": "Yes", "PronType": "Prs"},
    "numeral": {"NumType": "Card"},
    "demonstrative": {"PronType": "Dem"},
}
DEGREE_VALUES = {"positive": "Pos", "superlative": "Sup"}
HEAD = -1
NUMBER_VALUES = {"singular": "Sing", "plural": "Plur"}


class PhraseWord(NamedTuple):
    """One word of a phrase; `head` is a place in the phrase, `HEAD` for the phrase's head."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str


def tagged_word(
    tag: WordTag | DutchDeterminerForm, form: str, lemma: str, head: int = HEAD, deprel: str = ""
) -> PhraseWord:
    """A Dutch word with the tag and features that UD_Dutch-Alpino gives its kind of word."""
    # de   rotte  appel          het  gedicht         het: definite neuter singular, else de
    # een  klein  huisje         de   kleine huisjes  -e: but in an indefinite neuter singular
    return PhraseWord(form, lemma, tag.upos, tag.xpos, tag.feats or "_", head, deprel)


class Phrase(NamedTuple):
    """A noun phrase in one case; `zipf` is the frequency of its head, where the tables have one.

    `animacy` is None for pronouns that may stand for anything.
    """

    words: tuple[PhraseWord, ...]
    head: int
    kind: Kind
    person: int
    number: Number
    gender: str | None
    animacy: str | None
    zipf: float | None

    def labelled(self, deprel: str) -> tuple[PhraseWord, ...]:
        """Its words, the head with a relation."""
        return tuple(w._replace(deprel=deprel) if w.head == HEAD else w for w in self.words)


class NounPhrase(NamedTuple):
    """A noun with what stands before it, by lemma."""

    determiner: str | None
    adjectives: tuple[str, ...]
    noun: str
    number: Number

    @property
    def head(self) -> int:
        """Place of the noun among its words."""
        return len(self.adjectives) + (self.determiner is not None)


class PronounPhrase(NamedTuple):
    """A pronoun; `is_short` asks for its form without ending, where it has one."""

    pronoun: Pronoun
    is_short: bool = False


Spec = NounPhrase | Name | PronounPhrase


def parse_phrase(cell: str, article: Article | None, tables: Path = GERMAN) -> NounPhrase:
    """The phrase that a cell of `triples.tsv` means, with an article if that is not in the cell.

    Behind a noun's lemma `:pl` means its plural, `:bare` a singular without article.
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
    determiners = read_lexicon(tables).determiners.values()
    (lemma,) = [one.lemma for one in determiners if one.kind == kind]
    return lemma


def build_phrase(spec: Spec, case: Case, tables: Path = GERMAN) -> Phrase:
    """A phrase in one case; a ValueError where a word of it has no form there."""
    if isinstance(spec, NounPhrase):
        return _noun_phrase(spec, case, tables)
    if isinstance(spec, PronounPhrase):
        return _pronoun_phrase(spec, case, tables)
    return _name_phrase(spec, case, tables)


@functools.cache
def _noun_phrase(spec: NounPhrase, case: Case, tables: Path) -> Phrase:
    lexicon = read_lexicon(tables)
    noun = lexicon.nouns[spec.noun]
    ending = "indefinite" if lexicon.grammar == "dutch" else "strong"
    if spec.determiner is not None:
        ending = lexicon.determiners[spec.determiner].ending
    form = noun_form(lexicon, noun, case, spec.number, ending)
    if form is None:
        got = f"phrases: {spec.number} of {noun.lemma}, got none"
        raise ValueError(f"{got}; expected a form in nouns.tsv")
    words = [_determiner(lexicon, spec.determiner, spec, case)] if spec.determiner else []
    words += [_adjective(lexicon, stem, spec, case, ending) for stem in spec.adjectives]
    gender = noun.gender_of_pronoun if isinstance(noun, DutchNoun) else noun.gender
    if isinstance(noun, DutchNoun):
        kind = "noun_plural" if spec.number == "plural" else f"noun_{noun.gender}"
        if noun.is_diminutive:
            kind = "noun_diminutive_plural" if spec.number == "plural" else "noun_diminutive"
        words.append(tagged_word(lexicon.word_tags[kind], form, noun.lemma))
    else:
        feats, xpos = _feats(**_agreement(case, noun.gender, spec.number)), lexicon.tags["noun"]
        words.append(PhraseWord(form, noun.lemma, "NOUN", xpos, feats, HEAD, ""))
    number = spec.number
    return Phrase(tuple(words), spec.head, "noun", 3, number, gender, noun.animacy, noun.zipf)


def _determiner(lexicon: Lexicon, lemma: str, spec: NounPhrase, case: Case) -> PhraseWord:
    determiner, gender = lexicon.determiners[lemma], lexicon.nouns[spec.noun].gender
    form = determiner_form(lexicon, lemma, case, spec.number, gender)
    if form is None:
        got = f"phrases: {spec.number} of {lemma}, got none"
        raise ValueError(f"{got}; expected a row in determiner_forms.tsv")
    if not isinstance(determiner, Determiner):
        row = lexicon.determiner_forms[lemma, agreement_class(spec.number, gender)]
        assert isinstance(row, DutchDeterminerForm)  # of the same tables
        return tagged_word(row, form, row.lemma_of_form, spec.head, determiner.deprel)
    is_numeral, kind = determiner.kind == "numeral", DETERMINER_FEATURES[determiner.kind]
    agreement = {} if is_numeral else _agreement(case, gender, spec.number)
    upos, feats = "NUM" if is_numeral else "DET", _feats(**agreement, **kind)
    return PhraseWord(form, lemma, upos, determiner.xpos, feats, spec.head, determiner.deprel)


def _adjective(
    lexicon: Lexicon, stem: str, spec: NounPhrase, case: Case, ending: str
) -> PhraseWord:
    adjective, gender = lexicon.adjectives[stem], lexicon.nouns[spec.noun].gender
    form = adjective_form(lexicon, adjective, case, spec.number, gender, ending)
    if not isinstance(adjective, Adjective):
        kind = "adjective_inflected" if form == adjective.inflected else "adjective_plain"
        return tagged_word(lexicon.word_tags[kind], form, adjective.lemma, spec.head, "amod")
    degree, xpos = DEGREE_VALUES[adjective.degree], lexicon.tags["adjective"]
    feats = _feats(Degree=degree, **_agreement(case, gender, spec.number))
    return PhraseWord(form, adjective.lemma, "ADJ", xpos, feats, spec.head, "amod")


@functools.cache
def _name_phrase(name: Name, case: Case, tables: Path) -> Phrase:
    lexicon = read_lexicon(tables)
    if lexicon.grammar == "dutch":
        word = tagged_word(lexicon.word_tags["name"], name.name, name.name)
        return Phrase((word,), 0, "name", 3, "singular", name.gender, "animate", name.zipf)
    # Eva     Maria           the first word is the head, as in the authors' files
    # (head)  flat
    feats = _feats(**_agreement(case, name.gender, "singular"))
    tag = lexicon.tags["name"]
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
        got = f"phrases: {case} of {pronoun.lemma}, got none"
        raise ValueError(f"{got}; expected a form in pronouns.tsv")
    form = forms[-1 if spec.is_short else 0]
    lexicon, animacy = read_lexicon(tables), None
    person, number, gender = pronoun.person, pronoun.number, pronoun.gender
    # niemand: animate, nichts: inanimate, by their gender; all others leave it open
    if pronoun.kind == "negative" and pronoun.lemma not in lexicon.determiners:
        animacy = {"masc": "animate", "neut": "inanimate"}.get(str(gender))
    if lexicon.grammar == "dutch":
        row = lexicon.pronoun_forms[form, number]
        word = PhraseWord(form, form, "PRON", row.xpos, row.feats, HEAD, "")  # its own lemma
    else:
        features = _agreement(case, gender, number) | {"PronType": "Neg"}
        if pronoun.kind == "personal":
            features |= {"Person": str(person), "PronType": "Prs"}
        xpos = lexicon.tags[pronoun.kind]
        word = PhraseWord(form, pronoun.lemma, "PRON", xpos, _feats(**features), HEAD, "")
    return Phrase((word,), 0, pronoun.kind, person, number, gender, animacy, None)


def _agreement(case: Case, gender: str | None, number: Number) -> dict[str, str]:
    """Case, gender and number as UD has them; no gender is ""."""
    found = GENDER_VALUES[gender] if gender else ""
    return {"Case": CASE_VALUES[case], "Gender": found, "Number": NUMBER_VALUES[number]}


def _feats(**features: str) -> str:
    return "|".join(f"{name}={value}" for name, value in sorted(features.items()) if value) or "_"
