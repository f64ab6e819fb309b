"""The realizer: parts of a clause in, words with a UD tree and topological fields out.

# Der Jäger  hat  den Wanderer  vermutlich  mit   dem  Fernglas  beobachtet  .
# det nsubj  aux  det obj       advmod      case  det  obl       root        punct
# VF  VF     LK   MF  MF        MF          MF    MF   MF        VC          _

The parts are noun phrases with a genitive, prepositional phrases, verbs and adverbs:

# im            Park           am        alten  Tor
# case          (head)         case      amod   (head)      preposition and article in one word
"""

import functools
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from builders.pp_attachment.frames import GERMAN, contractions, lexicon, orders
from builders.sorts.lexicon import AnyNoun, Case, split_phrase
from builders.sorts.phrases import (
    HEAD,
    NounPhrase,
    Phrase,
    PhraseWord,
    PronounPhrase,
    build_phrase,
    parse_phrase,
)
from builders.sorts.realizer import slots_of, word_columns

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


def with_genitive(phrase: Phrase, possessor: str, deprel: str) -> Part:
    """A phrase and a definite genitive after it: `die Schwester des Jägers`."""
    first = phrase.labelled(deprel)
    genitive = noun_phrase(possessor, "definite", "genitive").labelled("nmod")
    return first + _attached(genitive, len(first), phrase.head)


def prepositional_part(preposition: str, phrase: Phrase, deprel: str) -> Part:
    """A preposition with its phrase: `mit dem Fernglas`, `am Zaun`, `auf ihn`."""
    article, head = phrase.words[0], phrase.head
    contracted = contractions().get((preposition, article.form))
    is_definite = article.upos == "DET" and "Definite=Def" in article.feats
    words = phrase.labelled(deprel)
    if contracted and is_definite:
        case = next(feat for feat in article.feats.split("|") if feat.startswith("Case="))
        adposition = PhraseWord(contracted, preposition, "ADP", "APPRART", case, head, "case")
        return (adposition, *words[1:])
    adposition = PhraseWord(preposition, preposition, "ADP", "APPR", "_", head + 1, "case")
    return (adposition, *_attached(words, 1, HEAD))


def nonfinite_part(form: str, lemma: str, is_participle: bool) -> Part:
    """Participle or infinitive, the main verb of the clause."""
    feats, xpos = ("VerbForm=Part", "VVPP") if is_participle else ("VerbForm=Inf", "VVINF")
    return (PhraseWord(form, lemma, "VERB", xpos, feats, HEAD, "root"),)


def time_part(noun: str, adjective: str | None = None) -> Part:
    """A time in the accusative: `kommenden Montag`, `vergangene Woche`; or `diesen Montag`."""
    determiner, adjectives = (None, (adjective,)) if adjective else ("dieser", ())
    spec = NounPhrase(determiner, adjectives, noun, "singular")
    return build_phrase(spec, "accusative", GERMAN).labelled("obl")


def _attached(words: Part, shift: int, head: int) -> Part:
    """Words after `shift` others, their head under the word at `head`."""
    return tuple(
        word._replace(head=head if word.head == HEAD else word.head + shift) for word in words
    )


VERB: Literal["V"] = "V"
PERSONAL = "PPER"
LOCAL, PHRASE = "D", "PP"
UNNAMED = ("T", "R", "K", "W", "N", ",", ";")
INSIDE = ("adverb_inside", "inside_adverb")  # the local adverb is the host's


class ClauseRow(NamedTuple):
    """A realized clause: one entry per word; `heads` are 1-based, all other places 0-based."""

    word_order: str
    tokens: list[str]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    heads: list[int]
    deprels: list[str]
    fields: list[str]
    verb: int
    pp: int
    adposition: int
    head: int


def realize(parts: Mapping[str, Part], head: str, order: str) -> ClauseRow:
    """Puts the parts of a clause, by the symbols of `orders.tsv`, in an order.

    The phrase hangs on the main verb if `head` is "V", else on the noun phrase of that symbol.
    Parts are S, F, PP and "." at least; those that the order has no place for are left out.
    """
    slots = _slots(order, parts)
    governors = dict.fromkeys((PHRASE, LOCAL) if order in INSIDE else (PHRASE,), head)
    starts, places, verb, columns = word_columns(slots, parts, governors)
    own: dict[str, Any] = {"verb": verb, "pp": places[PHRASE], "adposition": starts[PHRASE]}
    own["head"] = verb if head == VERB else places[head]
    return ClauseRow(_name(slots, parts), **columns, **own)


def _slots(order: str, parts: Mapping[str, Part]) -> list[tuple[str, str]]:
    """Places that are filled; a pronoun as the subject goes first in the middle field."""
    # Vermutlich ... beobachtet er ihn ... , Heute freut sie sich ...
    slots = [slot for slot in slots_of(orders()[order].template) if slot[1] in parts]
    if ("MF", "S") in slots and parts["S"][0].xpos == PERSONAL:
        first = next(i for i, (field, _) in enumerate(slots) if field == "MF")
        slots.remove(("MF", "S"))
        slots.insert(first, ("MF", "S"))
    return slots


def _name(slots: list[tuple[str, str]], parts: Mapping[str, Part]) -> str:
    """Order by field: VF[S]LK[V]MF[O,PP]; of the right bracket the finite verb alone."""
    named = {"F": "V", "A": "ADV", "X": "ADV", "B": "ADV", LOCAL: "ADV"}
    fields: dict[str, list[str]] = {}
    for field, symbol in slots:
        if (field, symbol) == ("VC", "F") or (field not in ("VC", "_") and symbol not in UNNAMED):
            fields.setdefault(field, []).append(named.get(symbol, symbol))
    joined = {field: ("." if field == "VF" else ",").join(names) for field, names in fields.items()}
    return "".join(f"{field}[{names}]" for field, names in joined.items())
