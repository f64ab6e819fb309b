"""Blind readings of Dutch clauses and their sheets: `python -m builders.sorts.dutch_sheet FOLDER`.

`sheet.tsv` has 300 clauses of a draw that is not the published one and that no reader has seen, a
number for each; `key.tsv` tells which clauses they are, and what the tables say of them. Each
`resolved_by` has its share, of a triple no clause twice while there are others. The answers stand
in `review.tsv`.
"""

import random
import sys
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from builders.sorts.draw import draw
from builders.sorts.lexicon import DUTCH
from builders.sorts.writers import sentence_columns
from ground.files import write_whole
from ground.tables import read_table

SEED = 22  # of the draw of round 2
QUOTAS: Mapping[str, int] = {
    **dict.fromkeys(("agreement", "animacy", "case", "lexicalised", "none"), 42),
    "selection": 41,
    "order": 33,
    "plausibility": 16,
}
COLUMNS = ("row", "sentence", "subject", "reverse", "grammatical", "natural")
KEY = ("row", "id", "sentence", "resolved_by", "gold")


@dataclass(frozen=True)
class DutchReading:
    """One row of review.tsv, whose notes say what the columns hold."""

    round: int
    reader: str
    id: str
    sentence: str
    resolved_by: str
    gold: str
    subject: str
    reverse: str
    grammatical: str
    natural: int


class SheetClause(NamedTuple):
    """A clause of the sheet and what the tables say of it.

    Attributes:
        sentence: As people write it, without a space before the full stop.
        gold: The words of its subject, in lower case.
    """

    id: str
    sentence: str
    resolved_by: str
    gold: str


def read_readings() -> list[DutchReading]:
    """All answers, of both rounds and readers."""
    return read_table(DUTCH / "review.tsv", DutchReading)


def sheet_clauses(read: Collection[str] = (), seed: int = SEED) -> list[SheetClause]:
    """Clauses in the order in which they are shown.

    Args:
        read: Sentences that readers have seen.
        seed: Of the draw and of the choice.
    """
    generator = random.Random(f"sorts/dutch/review/{seed}")
    seen = set(read)
    found: list[SheetClause] = []
    rows = [row for columns in draw(seed, tables=DUTCH).values() for row in _rows(columns)]
    generator.shuffle(rows)
    for resolved_by, quota in QUOTAS.items():
        turns = Counter[str]()
        queue: list[tuple[int, int, SheetClause]] = []
        for row in rows:
            clause = _clause(row)
            if clause.resolved_by == resolved_by and clause.sentence not in seen:
                seen.add(clause.sentence)
                queue.append((turns[row["triple_id"]], len(queue), clause))
                turns[row["triple_id"]] += 1
        found += [clause for *_, clause in sorted(queue)[:quota]]
    generator.shuffle(found)
    return found


def _rows(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    known = {**columns, **sentence_columns(columns)}
    return [dict(zip(known, values, strict=True)) for values in zip(*known.values(), strict=True)]


def _clause(row: Mapping[str, Any]) -> SheetClause:
    sentence = row["sentence"].replace(" .", ".").replace(" ?", "?")
    return SheetClause(row["id"], sentence, row["resolved_by"], _subject(row))


def _subject(row: Mapping[str, Any]) -> str:
    """The subject's head and all words that depend on it, however far."""
    inside = {row["subject"]}
    while True:
        more = {i for i, head in enumerate(row["heads"]) if head - 1 in inside} - inside
        if not more:
            return " ".join(row["tokens"][i] for i in sorted(inside)).lower()
        inside |= more


def _text(lines: list[tuple[str, ...]]) -> str:
    return "".join("\t".join(line) + "\n" for line in lines)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    clauses = sheet_clauses({reading.sentence for reading in read_readings()})
    sheet = [(str(n), clause.sentence, "", "", "", "") for n, clause in enumerate(clauses, 1)]
    key = [(str(n), *clause) for n, clause in enumerate(clauses, 1)]
    write_whole(folder / "sheet.tsv", _text([COLUMNS, *sheet]))
    write_whole(folder / "key.tsv", _text([KEY, *key]))
