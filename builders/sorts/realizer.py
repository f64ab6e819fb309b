"""The realizer: features of a clause in, words with a UD tree and topological fields out.

    # Deshalb  wird  der  Leser  in    dem  Jahr  einen  Roman  lesen  .
    # advmod   aux   det  nsubj  case  det  obl   det    obj    root   punct
    # VF       LK    MF   MF     MF    MF   MF    MF     MF     VC     _

The constituents of a clause are built once and put in each word order by the templates of
`placement`.
"""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from builders.sorts import dutch_words
from builders.sorts.dutch import DutchVerb
from builders.sorts.lexicon import GERMAN, GermanVerb, Number, Verb, read_lexicon
from builders.sorts.morphology import finite_form, inverted_form
from builders.sorts.phrases import HEAD, NUMBER_VALUES, Phrase, PhraseWord
from builders.sorts.placement import (
    FieldSlot,
    Placement,
    Pronouns,
    capitalized,
    pronouns_among,
    slots,
)
from ground.tables import read_table

ROOT = "root"


class Clause(NamedTuple):
    """Features of a clause: its phrases and verb, and what stands besides them.

    The subject is in the nominative, the object in the case that the verb governs. In Dutch an
    auxiliary may govern a participle instead of an infinitive.
    """

    subject: Phrase
    verb: Verb
    object: Phrase
    has_auxiliary: bool = False
    has_pp: bool = False
    has_participle: bool = False


class Row(NamedTuple):
    """A realized clause: one entry per word.

    `heads` are 1-based with 0 for the root, `subject`, `verb`, `object` are 0-based.
    """

    word_order: str
    tokens: list[str]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    heads: list[int]
    deprels: list[str]
    fields: list[str]
    subject: int
    verb: int
    object: int


@dataclass(frozen=True)
class FrameWord:
    """A word that stands in every clause of some order.

    `head` is its governor's position in the phrase, None for the main verb.
    """

    symbol: str
    position: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str | None
    head: int | None
    deprel: str


class Constituent(NamedTuple):
    """What stands in one slot: its words as columns, and the place of its head among them."""

    forms: list[str]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    heads: list[int]
    deprels: list[str]
    head: int


def realize(
    clause: Clause,
    word_orders: Iterable[str],
    placement: Placement = "idiomatic",
    tables: Path = GERMAN,
) -> Iterator[Row]:
    """Realizes a clause in several word orders.

    Raises:
        ValueError: There is no such order or placement.
    """
    parts = _constituents(clause, tables)
    pronouns = pronouns_among(clause.subject.kind == "personal", clause.object.kind == "personal")
    for order in word_orders:
        filled = _filled_slots(order, placement, pronouns, frozenset(parts), tables)
        yield _row(order, filled, parts)


@functools.cache
def auxiliary(tables: Path = GERMAN) -> Verb:
    """The auxiliary of the future: the verb without an object."""
    (verb,) = [verb for verb in read_lexicon(tables).verbs.values() if verb.object_case is None]
    return verb


@functools.cache
def perfect_auxiliary(tables: Path) -> Verb:
    """The Dutch auxiliary that governs a participle."""
    verbs = read_lexicon(tables).verbs.values()
    (verb,) = [v for v in verbs if isinstance(v, DutchVerb) and "participle" in v.governs]
    return verb


def _constituents(clause: Clause, tables: Path) -> dict[str, Constituent]:
    parts = dict(_frame(tables))
    if not clause.has_pp:
        del parts["PP"]
    parts["S"] = _argument(clause.subject, "nsubj")
    parts["O"] = _argument(clause.object, "obj")
    if isinstance(clause.verb, DutchVerb):
        return parts | _dutch_verbs(clause, clause.verb, tables)
    finite = auxiliary(tables) if clause.has_auxiliary else clause.verb
    subject, deprel = clause.subject, "aux" if clause.has_auxiliary else "root"
    parts["F"] = _finite(finite, subject.person, subject.number, deprel, tables)
    if clause.has_auxiliary:
        parts["I"] = _infinitive(clause.verb, tables)
    return parts


def _dutch_verbs(clause: Clause, verb: DutchVerb, tables: Path) -> dict[str, Constituent]:
    # De jurist   stelt  een contract  op .         F, T: the particle is apart
    # Lees        jij    een roman ?                V: no -t before jij
    # Omdat de jurist een contract     opstelt .    L: one word at the end
    # Omdat de jurist een contract zal opstellen .  L, I: an infinitive follows its auxiliary
    # Omdat de jurist een contract opgesteld heeft .  P, L: a participle stands before it
    finite, deprel = verb, "root"
    parts = {}
    if clause.has_auxiliary:
        is_participle = clause.has_participle
        chosen = perfect_auxiliary(tables) if is_participle else auxiliary(tables)
        assert isinstance(chosen, DutchVerb)  # of the same tables
        finite, deprel = chosen, "aux"
        parts["P" if is_participle else "I"] = _constituent(
            [dutch_words.nonfinite_word(read_lexicon(tables), verb, is_participle=is_participle)]
        )
    elif verb.particle is not None:
        parts["T"] = _constituent([dutch_words.particle_word(read_lexicon(tables), verb.particle)])
    return parts | _dutch_finite(
        finite, clause.subject.person, clause.subject.number, deprel, tables
    )


@functools.cache
def _dutch_finite(
    verb: DutchVerb, person: int, number: Number, deprel: str, tables: Path
) -> dict[str, Constituent]:
    """The finite verb after its subject, before it, and at the end of its clause."""
    lexicon = read_lexicon(tables)
    forms = (finite_form(verb, person, number), inverted_form(verb, person, number))
    after, before = (dutch_words.finite_word(lexicon, verb, form, number, deprel) for form in forms)
    words = {"F": after, "V": before, "L": dutch_words.last_finite_word(after, verb)}
    return {symbol: _constituent([word]) for symbol, word in words.items()}


def _argument(phrase: Phrase, deprel: str) -> Constituent:
    return _constituent(
        [word._replace(deprel=deprel) if word.head == HEAD else word for word in phrase.words]
    )


@functools.cache
def _finite(verb: GermanVerb, person: int, number: str, deprel: str, tables: Path) -> Constituent:
    form = finite_form(verb, person, number)  # type: ignore[arg-type]  # a phrase's number
    feats = f"Mood=Ind|Number={NUMBER_VALUES[number]}|Person={person}|Tense=Pres|VerbForm=Fin"
    xpos = verb.tag + read_lexicon(tables).tags["finite"]
    upos = "AUX" if deprel == "aux" else "VERB"
    return _constituent([PhraseWord(form, verb.infinitive, upos, xpos, feats, HEAD, deprel)])


@functools.cache
def _infinitive(verb: GermanVerb, tables: Path) -> Constituent:
    form, xpos = verb.infinitive, verb.tag + read_lexicon(tables).tags["infinitive"]
    return _constituent([PhraseWord(form, form, "VERB", xpos, "VerbForm=Inf", HEAD, "root")])


@functools.cache
def _frame(tables: Path) -> dict[str, Constituent]:
    phrases: dict[str, list[PhraseWord]] = {}
    for row in read_table(tables / "frame_words.tsv", FrameWord):
        head = HEAD if row.head is None else row.head - 1
        word = PhraseWord(
            row.form, row.lemma, row.upos, row.xpos, row.feats or "_", head, row.deprel
        )
        phrases.setdefault(row.symbol, []).append(word)
    return {symbol: _constituent(words) for symbol, words in phrases.items()}


def _constituent(words: list[PhraseWord]) -> Constituent:
    forms, lemmas, upos, xpos, feats, _, deprels = (
        [str(value) for value in column] for column in zip(*words, strict=True)
    )
    heads = [word.head for word in words]
    return Constituent(forms, lemmas, upos, xpos, feats, heads, deprels, heads.index(HEAD))


@functools.cache
def _filled_slots(
    word_order: str, placement: Placement, pronouns: Pronouns, symbols: frozenset[str], tables: Path
) -> tuple[FieldSlot, ...]:
    return tuple(
        slot for slot in slots(word_order, placement, pronouns, tables) if slot.symbol in symbols
    )


def _row(word_order: str, filled: tuple[FieldSlot, ...], parts: dict[str, Constituent]) -> Row:
    starts, n_words, main_verb = {}, 0, ""
    for slot in filled:
        starts[slot.symbol] = n_words
        n_words += len(parts[slot.symbol].forms)
        main_verb = slot.symbol if ROOT in parts[slot.symbol].deprels else main_verb
    verb = starts[main_verb]
    subject, object_ = (starts[symbol] + parts[symbol].head for symbol in ("S", "O"))
    row = Row(word_order, [], [], [], [], [], [], [], [], subject, verb, object_)
    for slot in filled:
        part = parts[slot.symbol]
        _, tokens, lemmas, upos, xpos, feats, heads, deprels, fields, *_ = row
        tokens += part.forms
        lemmas += part.lemmas
        upos += part.upos
        xpos += part.xpos
        feats += part.feats
        deprels += part.deprels
        fields += [slot.field] * len(part.forms)
        governor = 0 if slot.symbol == main_verb else verb + 1
        start = starts[slot.symbol] + 1
        heads += [governor if head == HEAD else start + head for head in part.heads]
    row.tokens[0] = capitalized(row.tokens[0])
    return row
