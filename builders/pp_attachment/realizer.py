"""The realizer: parts of a clause in, words with a UD tree and topological fields out.

# Der Jäger  hat  den Wanderer  vermutlich  mit   dem  Fernglas  beobachtet  .
# det nsubj  aux  det obj       advmod      case  det  obl       root        punct
# VF  VF     LK   MF  MF        MF          MF    MF   MF        VC          _
"""

import functools
from collections.abc import Mapping
from typing import Literal, NamedTuple

from builders.pp_attachment.frames import orders
from builders.pp_attachment.phrases import Part
from builders.sorts.phrases import HEAD
from builders.sorts.placement import capitalized

VERB: Literal["V"] = "V"
PERSONAL = "PPER"
LOCAL, PHRASE = "D", "PP"
UNNAMED = ("T", "R", "K", "W", "N", ",", ";")
INSIDE = ("adverb_inside", "inside_adverb")  # the local adverb is the host's


class OrderedClause(NamedTuple):
    """Parts of a clause by the symbols of `orders.tsv`, and what the phrase belongs to.

    `head` is "V" for the main verb, else the symbol of a noun phrase.
    """

    parts: Mapping[str, Part]
    head: str


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


def realize(clause: OrderedClause, order: str) -> ClauseRow:
    """Puts the parts of a clause in an order.

    Args:
        clause: Its parts; S, F, PP and "." at least.
        order: A name of `orders.tsv`; parts that it has no place for are left out.
    """
    slots = _slots(order, clause)
    starts, n_words = {}, 0
    for _, symbol in slots:
        starts[symbol] = n_words
        n_words += len(clause.parts[symbol])
    places = {symbol: start + _head(clause.parts[symbol]) for symbol, start in starts.items()}
    places[VERB] = places["I" if "I" in places else "F"]
    governors = dict.fromkeys(starts, places[VERB])
    governors[PHRASE] = places[clause.head]
    if order in INSIDE:
        governors[LOCAL] = places[clause.head]
    words = [
        (field, word, starts[symbol], governors[symbol])
        for field, symbol in slots
        for word in clause.parts[symbol]
    ]
    heads = [
        0 if word.deprel == "root" else (governor if word.head == HEAD else start + word.head) + 1
        for _, word, start, governor in words
    ]
    tokens = [word.form for _, word, _, _ in words]
    return ClauseRow(
        _name(slots, clause.parts),
        [capitalized(tokens[0]), *tokens[1:]],
        [word.lemma for _, word, _, _ in words],
        [word.upos for _, word, _, _ in words],
        [word.xpos for _, word, _, _ in words],
        [word.feats for _, word, _, _ in words],
        heads,
        [word.deprel for _, word, _, _ in words],
        [field for field, *_ in words],
        places[VERB],
        places[PHRASE],
        starts[PHRASE],
        places[clause.head],
    )


@functools.cache
def _template(order: str) -> tuple[tuple[str, str], ...]:
    chunks = (chunk.split(" ") for chunk in orders()[order].template)
    return tuple((field, symbol) for field, *symbols in chunks for symbol in symbols)


def _slots(order: str, clause: OrderedClause) -> list[tuple[str, str]]:
    """Places that are filled; a pronoun as the subject goes first in the middle field."""
    # Vermutlich ... beobachtet er ihn ... , Heute freut sie sich ...
    slots = [slot for slot in _template(order) if slot[1] in clause.parts]
    if ("MF", "S") in slots and clause.parts["S"][0].xpos == PERSONAL:
        first = next(i for i, (field, _) in enumerate(slots) if field == "MF")
        slots.remove(("MF", "S"))
        slots.insert(first, ("MF", "S"))
    return slots


def _head(part: Part) -> int:
    return next(i for i, word in enumerate(part) if word.head == HEAD)


def _name(slots: list[tuple[str, str]], parts: Mapping[str, Part]) -> str:
    """Order by field: VF[S]LK[V]MF[O,PP]; of the right bracket the finite verb alone."""
    named = {"F": "V", "A": "ADV", "X": "ADV", "B": "ADV", LOCAL: "ADV"}
    fields: dict[str, list[str]] = {}
    for field, symbol in slots:
        if (field, symbol) == ("VC", "F") or (field not in ("VC", "_") and symbol not in UNNAMED):
            fields.setdefault(field, []).append(named.get(symbol, symbol))
    joined = {field: ("." if field == "VF" else ",").join(names) for field, names in fields.items()}
    return "".join(f"{field}[{names}]" for field, names in joined.items())
