"""The second reading: fresh clauses, read by a language model from their text alone.

The clauses are of another draw than the published one and fixed before they are read: `review_ids`
is a function of VERSION, and its hash is committed. Read was the text alone; who is subject and
what settles it was compared afterwards. `author` is the model that had written the tables; `first`
and `second` are two readings by a model that saw nothing but the clauses, independent of each
other. No people have read them, and a judgement is no rating.
"""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from builders.agreement import cohen_kappa
from builders.sorts import VERSION
from builders.sorts.columns import Columns
from builders.sorts.draw import draw
from builders.sorts.lexicon import GERMAN
from ground.tables import read_table
from metrics.subject_object_las.inventory import UNDECIDED

N_CLAUSES = 400
COUNTED = ("read", "wrong", "nonsense", "ungrammatical", "marked", "cautious")
SEED = 7  # the last draw of the second order of triples; the published draw is seed 0


@dataclass(frozen=True)
class ReviewedClause:
    """A clause and what was said of it.

    Attributes:
        reader: author, who wrote the tables, or one who did not.
        id: Its id in the draw of `SEED`.
        sentence: Its text, which is all that was given.
        judgement: good, marked (grammatical, but in need of stress or context), nonsense, or
            ungrammatical.
        subject: Head word of the subject as it was read.
        other: What the reader said of the other reading: impossible, possible (but one would not
            take it so) or open.
        remark: Why, where it is not obvious.
    """

    reader: Literal["author", "first", "second"]
    id: str
    sentence: str
    judgement: Literal["good", "marked", "nonsense", "ungrammatical"]
    subject: str
    other: Literal["impossible", "possible", "open"]
    remark: str | None


def reviewed_clauses(tables: Path = GERMAN) -> dict[str, list[ReviewedClause]]:
    """All judgements, by reader."""
    readings: dict[str, list[ReviewedClause]] = {}
    for row in read_table(tables / "review.tsv", ReviewedClause):
        readings.setdefault(row.reader, []).append(row)
    return readings


def review_clauses() -> dict[str, dict[str, Any]]:
    """Clauses to be read, under their ids in the order in which they are read.

    One of each block of both splits, then more of `amb`, whose status form does not settle; orders
    and items at random.
    """
    generator = random.Random(f"sorts/{VERSION}/review")
    rows = [row for columns in draw(SEED).values() for row in _rows(columns)]
    generator.shuffle(rows)
    blocks: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        blocks.setdefault(row["item_id"].rsplit("/", 1)[0], []).append(row)
    chosen = [block[0] for _, block in sorted(blocks.items())]
    more = [
        row for name, block in sorted(blocks.items()) if name[:4] == "amb/" for row in block[1:3]
    ]
    generator.shuffle(more)
    chosen += more[: N_CLAUSES - len(chosen)]
    generator.shuffle(chosen)
    return {row["id"]: row for row in chosen}


def review_counts(tables: Path = GERMAN) -> dict[str, dict[str, int]]:
    """What each reading found, in clauses.

    Returns:
        By reader: `read`; `wrong`, where a status that excludes the other reading stands beside
        another subject or a reading that is possible; `nonsense`; `ungrammatical`; `marked`;
        `cautious`, where the suite leaves open what the reader does not.
    """
    rows = review_clauses()
    return {
        reader: _counts(readings, rows) for reader, readings in reviewed_clauses(tables).items()
    }


def _counts(
    readings: Sequence[ReviewedClause], rows: Mapping[str, Mapping[str, Any]]
) -> dict[str, int]:
    counts = dict.fromkeys(COUNTED, 0)
    for read in readings:
        row = rows[read.id]
        is_decided = row["resolved_by"] not in UNDECIDED
        is_settled = read.other == "impossible"
        is_same = row["tokens"][row["subject"]] == read.subject
        counts["read"] += 1
        counts["wrong"] += is_decided and not (is_settled and is_same)
        counts["cautious"] += is_settled and not is_decided
        for name in ("marked", "nonsense", "ungrammatical"):
            counts[name] += read.judgement == name
    return counts


def kappa(first: Sequence[ReviewedClause], second: Sequence[ReviewedClause]) -> float:
    """Cohen's kappa of two readings of the same clauses: is the other reading impossible?

    Returns:
        1 for full agreement, 0 for that of chance; nan where both readers give one answer only.
    """
    answers = [
        {read.id: read.other == "impossible" for read in reading} for reading in (first, second)
    ]
    one, other = answers
    return cohen_kappa(list(one.values()), [other[name] for name in one])


def review_hash(clauses: Sequence[str]) -> str:
    """SHA-256 of a list of clauses, one per line: what was fixed before the reading."""
    return hashlib.sha256("\n".join(clauses).encode()).hexdigest()


def _rows(columns: Columns) -> list[dict[str, Any]]:
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
