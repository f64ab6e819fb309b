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

from builders.sorts.lexicon import GERMAN, GermanVerb, read_lexicon
from builders.sorts.morphology import finite_form
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


class Clause(NamedTuple):
    """Features of a clause: its phrases and verb, and what stands besides them.

    The subject is in the nominative, the object in the case that the verb governs.
    """

    subject: Phrase
    verb: GermanVerb
    object: Phrase
    has_auxiliary: bool = False
    has_pp: bool = False


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

    Args:
        clause: Its features.
        word_orders: Names of orders.
        placement: The rule set for its words.
        tables: The language's tables.

    Raises:
        ValueError: There is no such order or placement.
    """
    parts = _constituents(clause, tables)
    pronouns = pronouns_among(clause.subject.kind == "personal", clause.object.kind == "personal")
    main_verb = "I" if clause.has_auxiliary else "F"
    for order in word_orders:
        filled = _filled_slots(order, placement, pronouns, frozenset(parts), tables)
        yield _row(order, filled, parts, main_verb)


@functools.cache
def auxiliary(tables: Path = GERMAN) -> GermanVerb:
    """The auxiliary of the future: the verb without an object."""
    (verb,) = [verb for verb in read_lexicon(tables).verbs.values() if verb.object_case is None]
    return verb


def _constituents(clause: Clause, tables: Path) -> dict[str, Constituent]:
    parts = dict(_frame(tables))
    if not clause.has_pp:
        del parts["PP"]
    parts["S"] = _argument(clause.subject, "nsubj")
    parts["O"] = _argument(clause.object, "obj")
    finite = auxiliary(tables) if clause.has_auxiliary else clause.verb
    parts["F"] = _finite(
        finite,
        clause.subject.person,
        clause.subject.number,
        "aux" if clause.has_auxiliary else "root",
        tables,
    )
    if clause.has_auxiliary:
        parts["I"] = _infinitive(clause.verb, tables)
    return parts


def _argument(phrase: Phrase, deprel: str) -> Constituent:
    return _constituent(
        [word._replace(deprel=deprel) if word.head == HEAD else word for word in phrase.words]
    )


@functools.cache
def _finite(verb: GermanVerb, person: int, number: str, deprel: str, tables: Path) -> Constituent:
    form = finite_form(verb, person, number)  # type: ignore[arg-type]  # a phrase's number
    feats = f"Mood=Ind|Number={NUMBER_VALUES[number]}|Person={person}|Tense=Pres|VerbForm=Fin"
    return _constituent(
        [
            PhraseWord(
                form,
                verb.infinitive,
                "AUX" if deprel == "aux" else "VERB",
                verb.tag + read_lexicon(tables).tags["finite"],
                feats,
                HEAD,
                deprel,
            )
        ]
    )


@functools.cache
def _infinitive(verb: GermanVerb, tables: Path) -> Constituent:
    return _constituent(
        [
            PhraseWord(
                verb.infinitive,
                verb.infinitive,
                "VERB",
                verb.tag + read_lexicon(tables).tags["infinitive"],
                "VerbForm=Inf",
                HEAD,
                "root",
            )
        ]
    )


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
    word_order: str,
    placement: Placement,
    pronouns: Pronouns,
    symbols: frozenset[str],
    tables: Path,
) -> tuple[FieldSlot, ...]:
    return tuple(
        slot for slot in slots(word_order, placement, pronouns, tables) if slot.symbol in symbols
    )


def _row(
    word_order: str, filled: tuple[FieldSlot, ...], parts: dict[str, Constituent], main_verb: str
) -> Row:
    starts, n_words = {}, 0
    for slot in filled:
        starts[slot.symbol] = n_words
        n_words += len(parts[slot.symbol].forms)
    verb = starts[main_verb]
    row = Row(
        word_order,
        [],
        [],
        [],
        [],
        [],
        [],
        [],
        [],
        starts["S"] + parts["S"].head,
        verb,
        starts["O"] + parts["O"].head,
    )
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
