"""What is wrong with clauses of the authors' files, and how they would be right.

The list is `data/irregularities.tsv`, by block and place of the item, for files whose checksum is
known:

    auxiliary_as_verb   werden is the main verb, and the infinitive moved along with the object
    wrong_properties    the words have another property combination
    two_golds           one sentence is gold with either reading: "Sie sieht sie ."
    repeated_sentence   the same sentence stands under two property combinations
    ungrammatical       nichts as a dative object
    old_placement       the prepositional phrase stands where the version before had it

The first two can be put right from the files alone; the others are only flagged.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from builders.sorts.columns import Columns
from ground.tables import read_table

DATA = Path(__file__).parent / "data"
AUXILIARY_AS_VERB, WRONG_PROPERTIES = "auxiliary_as_verb", "wrong_properties"
VERB_LAST = "MF["
NO_FIELD = "_"


@dataclass(frozen=True)
class Irregularity:
    """One kind of irregularity in some items of a block.

    No `word_orders` means all, no `correction` that none is known.
    """

    version: Literal["paper", "head"]
    split: Literal["part_amb", "amb"]
    block: str
    places: tuple[str, ...]
    word_orders: tuple[str, ...]
    kind: Literal[
        "auxiliary_as_verb",
        "wrong_properties",
        "two_golds",
        "repeated_sentence",
        "ungrammatical",
        "old_placement",
    ]
    correction: str | None


@functools.cache
def irregularities() -> tuple[Irregularity, ...]:
    """List of known irregularities."""
    return tuple(read_table(DATA / "irregularities.tsv", Irregularity))


def flag(columns: Columns, items: Sequence[str], version: str, split: str) -> list[list[str]]:
    """What is wrong with each clause of a file.

    Returns:
        For each clause its flags, `<kind>` or `<kind>: <correction>`; mostly none.
    """
    known: dict[str, list[Irregularity]] = {}
    for entry in irregularities():
        for place in entry.places if (entry.version, entry.split) == (version, split) else ():
            known.setdefault(f"{entry.block}/{place}", []).append(entry)
    return [
        [
            _text(entry)
            for entry in known.get(item, ())
            if not entry.word_orders or order in entry.word_orders
        ]
        for item, order in zip(items, columns["word_order"], strict=True)
    ]


def repaired(columns: Columns) -> Columns:
    """Clauses with what can be put right put right.

    Flags and ids stay; columns that do not change are shared with the input.
    """
    names = (
        *("properties", "tokens", "heads", "deprels", "fields", "subject", "verb", "object"),
        *("lemmas", "upos", "xpos", "feats"),
    )
    result = columns | {name: list(columns[name]) for name in names}
    infinitives = _infinitives(columns)
    for row, flags in enumerate(columns["irregularities"]):
        for kind, _, correction in (entry.partition(": ") for entry in flags):
            if kind == WRONG_PROPERTIES:
                result["properties"][row] = correction.split("-")
            elif kind == AUXILIARY_AS_VERB:
                _move_infinitive(result, row, infinitives[columns["item_id"][row]])
    return result


def topological_fields(columns: Columns, items: Sequence[Sequence[int]]) -> list[list[str]]:
    """Topological field of each token: VF, LK, MF, VC, C before a verb-last clause, _ at its end.

    Args:
        columns: Gold clauses.
        items: The clauses of each item; the finite verb is what its verb-first clause begins with.
    """
    fields: list[list[str]] = [[] for _ in columns["tokens"]]
    for rows in items:
        verb_first = next(row for row in rows if columns["word_order"][row].startswith("LK["))
        finite = columns["tokens"][verb_first][0].lower()
        for row in rows:
            fields[row] = _fields(
                columns["tokens"][row], columns["word_order"][row], columns["verb"][row], finite
            )
    return fields


def _text(entry: Irregularity) -> str:
    return entry.kind if entry.correction is None else f"{entry.kind}: {entry.correction}"


def _fields(tokens: Sequence[str], order: str, verb: int, finite: str) -> list[str]:
    # Weil die Katze die Maus sehen wird .      Die Katze wird die Maus sehen .
    # C    MF                  VC    VC         VF        LK   MF       VC
    if order.startswith(VERB_LAST):
        # Omdat de kat de muis zal zien .         the auxiliary may stand on either side
        words = [token.lower() for token in tokens[:-1]]
        last = len(words) - 1 - words[::-1].index(finite) if finite in words else len(words) - 1
        start = min(verb, last)
        return ["C", *["MF"] * (start - 1), *["VC"] * (len(tokens) - 1 - start), NO_FIELD]
    place = [token.lower() for token in tokens].index(finite)
    fields = ["VF"] * place + ["LK"] + ["MF"] * (len(tokens) - place - 2) + [NO_FIELD]
    if verb != place:
        fields[verb] = "VC"
    return fields


def _infinitives(columns: Columns) -> dict[str, str]:
    """Last word of the first clause of each item: the infinitive, where there is an auxiliary."""
    words: dict[str, str] = {}
    for item, tokens in zip(columns["item_id"], columns["tokens"], strict=True):
        words.setdefault(item, tokens[-2])
    return words


def _move_infinitive(columns: Columns, row: int, infinitive: str) -> None:
    # Es sehen wird die Katze .   ->   Es wird die Katze sehen .      the object may be labelled on
    # the infinitive after it
    tokens, order = columns["tokens"][row], columns["word_order"][row]
    old = tokens.index(infinitive)
    object_ = columns["object"][row] - (columns["object"][row] == old)
    places = [place for place in range(len(tokens)) if place != old]
    places.insert(-2 if order.startswith(VERB_LAST) else -1, old)
    new = {old_place: place for place, old_place in enumerate(places)}
    subject, verb, object_ = new[columns["subject"][row]], new[old], new[object_]
    columns["tokens"][row] = [tokens[place] for place in places]
    columns["subject"][row], columns["verb"][row], columns["object"][row] = subject, verb, object_
    labels = {subject: (verb + 1, "nsubj"), verb: (0, "root"), object_: (verb + 1, "obj")}
    columns["heads"][row], columns["deprels"][row] = map(
        list, zip(*(labels.get(i, (None, "_")) for i in range(len(tokens))), strict=True)
    )
    finite = next(
        token
        for token, field in zip(tokens, columns["fields"][row], strict=True)
        if field in ("LK", "VC")
    )
    columns["fields"][row] = _fields(columns["tokens"][row], order, verb, finite.lower())
