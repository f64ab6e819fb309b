"""What a suite says of an item that a system got wrong: the fact of the row that misled it.

A module of a suite with `MISTAKES` has a reader for a metric's rows of items. A metric's `per_item`
says what was wrong; the row's columns say what a shortcut would have read. Nothing is guessed:
where the columns tell of nothing that misleads, that is what is said. Texts and choices of language
models, which several suites have, are read here.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from builders.columns import Row
from metrics.minimal_pair_preference.members import WHOLE

Pairs = Mapping[str, Sequence[Row]]
Pieces = list[tuple[str, str]]

NOTHING = "Nothing in the row"
UNDECIDED = ("plausibility", "none")


class Mistake(NamedTuple):
    """An item that a system got wrong."""

    id: str  # of the row
    text: Pieces  # of the sentence, each with its mark: "", "right" or "misled"
    right: str  # "" where the text is it
    read: str  # what the system made of it
    misled: str  # what the row has that misleads
    is_told: bool  # whether that leads to this mistake
    group: Hashable  # what is mixed in a choice of mistakes, such as the paradigm
    asked: str = ""  # the question


Readers = Mapping[str, Callable[[Row, Row, Pairs], Mistake | None]]
"""By metric: of a row, its item and all rows by their pair, the mistake; None where it is right."""


def decided_by(row: Row) -> str:
    """What resolves a row, for behind what is right; "" where it does not say."""
    how = row["resolved_by"]
    return f" (resolved by: {how.replace('_', ' ')})" if how else ""


def pieces_of(words: Sequence[str], marks: Mapping[Any, str]) -> Pieces:
    """Words of a sentence with their marks, and the blanks between them."""
    found = []
    for i, word in enumerate(words):
        blank = " " if i and word not in ".,?!:;" else ""
        found += [(blank, ""), (word, marks.get(i, ""))]
    return [piece for piece in found if piece[0]]


def _pair(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
    """Texts and choices of language models: the likelier one, by how much."""
    told = f"{row.get('construction', '')}".replace("_", " ")
    if "choices" in row and "answer" in row:
        if item["right"]:
            return None
        other = next(one for one in row["choices"] if one != row["answer"])
        pieces, right, read = [(row["sentence"], "")], row["answer"], other
        misled = f"{NOTHING}: the construction is {told}."
        return Mistake(row["id"], pieces, right, read, misled, False, told, row["question"])
    names = next((two for two in WHOLE if two[0] in row and two[0] != "first"), None)
    if names is None or item["effect"] > 0:
        return None
    right, wrong = (row[name].split() for name in names)
    marks = {i: "right" for i, word in enumerate(right) if wrong[i : i + 1] != [word]}
    nats = f"{-item['effect']:.1f}".replace("-", "")
    misled = f"{NOTHING}: the construction is {told}; the other text is likelier by {nats} nats."
    pieces = pieces_of(right, marks)
    return Mistake(row["id"], pieces, "", " ".join(wrong), misled, False, told)


MISTAKES: Readers = {"minimal_pair_preference": _pair}
