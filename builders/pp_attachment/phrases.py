"""The parts of a clause: noun phrases with a genitive, prepositional phrases, verbs, adverbs.

# im            Park           am        alten  Tor
# case          (head)         case      amod   (head)      preposition and article in one word
"""

import functools
from typing import Literal

from builders.pp_attachment.frames import GERMAN, contractions, lexicon
from builders.sorts.lexicon import AnyNoun, Case, split_phrase
from builders.sorts.phrases import (
    HEAD,
    NUMBER_VALUES,
    NounPhrase,
    Phrase,
    PhraseWord,
    PronounPhrase,
    build_phrase,
    parse_phrase,
)

Part = tuple[PhraseWord, ...]
"""Words of a constituent; `head` is a place in it, HEAD for what its head depends on."""
Article = Literal["definite", "indefinite"] | None
TENSES = ("present", "perfect", "future")


def noun_phrase(cell: str, article: Article, case: Case) -> Phrase:
    """A phrase as a cell of `frames.tsv` names it; no article where there is none."""
    spec = parse_phrase(cell, article, GERMAN)
    return build_phrase(spec if article else spec._replace(determiner=None), case, GERMAN)


def noun_of(cell: str) -> AnyNoun:
    """Noun of a cell."""
    return lexicon().nouns[split_phrase(cell)[1]]


@functools.cache
def pronoun_phrase(cell: str, case: Case) -> Phrase:
    """The personal pronoun that stands for a singular noun."""
    gender = noun_of(cell).gender
    (pronoun,) = [
        one
        for one in lexicon().pronouns
        if (one.kind, one.person, one.number, one.gender) == ("personal", 3, "singular", gender)
    ]
    return build_phrase(PronounPhrase(pronoun), case, GERMAN)


def labelled_part(phrase: Phrase, deprel: str) -> Part:
    """Words of a phrase whose head has a relation."""
    return tuple(w._replace(deprel=deprel) if w.head == HEAD else w for w in phrase.words)


def with_genitive(phrase: Phrase, possessor: str, deprel: str) -> Part:
    """A phrase and a definite genitive after it: `die Schwester des Jägers`."""
    first = labelled_part(phrase, deprel)
    genitive = labelled_part(noun_phrase(possessor, "definite", "genitive"), "nmod")
    return first + _attached(genitive, len(first), phrase.head)


def prepositional_part(preposition: str, phrase: Phrase, deprel: str) -> Part:
    """A preposition with its phrase: `mit dem Fernglas`, `am Zaun`, `auf ihn`."""
    article, head = phrase.words[0], phrase.head
    contracted = contractions().get((preposition, article.form))
    is_definite = article.upos == "DET" and "Definite=Def" in article.feats
    words = labelled_part(phrase, deprel)
    if contracted and is_definite:
        case = next(feat for feat in article.feats.split("|") if feat.startswith("Case="))
        adposition = PhraseWord(contracted, preposition, "ADP", "APPRART", case, head, "case")
        return (adposition, *words[1:])
    adposition = PhraseWord(preposition, preposition, "ADP", "APPR", "_", head + 1, "case")
    return (adposition, *_attached(words, 1, HEAD))


def finite_part(form: str, lemma: str, number: str, is_auxiliary: bool) -> Part:
    """A finite verb of the third person."""
    feats = f"Mood=Ind|Number={NUMBER_VALUES[number]}|Person=3|Tense=Pres|VerbForm=Fin"
    upos, xpos, deprel = ("AUX", "VAFIN", "aux") if is_auxiliary else ("VERB", "VVFIN", "root")
    return (PhraseWord(form, lemma, upos, xpos, feats, HEAD, deprel),)


def nonfinite_part(form: str, lemma: str, is_participle: bool) -> Part:
    """Participle or infinitive, the main verb of the clause."""
    feats, xpos = ("VerbForm=Part", "VVPP") if is_participle else ("VerbForm=Inf", "VVINF")
    return (PhraseWord(form, lemma, "VERB", xpos, feats, HEAD, "root"),)


def adverb_part(form: str, xpos: str) -> Part:
    """An adverb."""
    return (PhraseWord(form, form, "ADV", xpos, "_", HEAD, "advmod"),)


def time_part(noun: str, adjective: str) -> Part:
    """A time in the accusative: `kommenden Montag`, `vergangene Woche`."""
    spec = NounPhrase(None, (adjective,), noun, "singular")
    return labelled_part(build_phrase(spec, "accusative", GERMAN), "obl")


def this_time_part(noun: str) -> Part:
    """A time in the accusative behind a determiner: `diesen Montag`, `diese Woche`."""
    spec = NounPhrase("dieser", (), noun, "singular")
    return labelled_part(build_phrase(spec, "accusative", GERMAN), "obl")


def conjunction_part(form: str) -> Part:
    """`weil` before a clause whose verb is last, `denn` before one whose verb is second."""
    is_subordinate = form == "weil"
    tags = ("SCONJ", "KOUS") if is_subordinate else ("CCONJ", "KON")
    return (PhraseWord(form, form, *tags, "_", HEAD, "mark" if is_subordinate else "cc"),)


def reflexive_part() -> Part:
    """The reflexive pronoun of a verb that is never without it."""
    feats = "Case=Acc|Person=3|PronType=Prs|Reflex=Yes"
    return (PhraseWord("sich", "sich", "PRON", "PRF", feats, HEAD, "expl:pv"),)


def mark_part(form: str) -> Part:
    """The full stop, or a comma."""
    xpos = "$," if form == "," else "$."
    return (PhraseWord(form, form, "PUNCT", xpos, "_", HEAD, "punct"),)


def _attached(words: Part, shift: int, head: int) -> Part:
    """Words after `shift` others, their head under the word at `head`."""
    return tuple(
        word._replace(head=head if word.head == HEAD else word.head + shift) for word in words
    )
