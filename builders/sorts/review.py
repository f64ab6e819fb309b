"""The second reading: fresh clauses, read by a language model from their text alone.

The clauses are of another draw than the published one and fixed before they are read: `review_ids`
is a function of VERSION, and its hash is committed. Read was the text alone; who is subject and
what settles it was compared afterwards. The model had written the tables; no people and no second
reader have read the clauses, and a judgement is no rating.
"""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

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
        id: Its id in the draw of `SEED`.
        sentence: Its text, which is all that was given.
        judgement: good, marked (grammatical, but in need of stress or context), nonsense, or
            ungrammatical.
        subject: Head word of the subject as it was read.
        other: What the reader said of the other reading: impossible, possible (but one would not
            take it so) or open.
        remark: Why, where it is not obvious.
    """

    id: str
    sentence: str
    judgement: Literal["good", "marked", "nonsense", "ungrammatical"]
    subject: str
    other: Literal["impossible", "possible", "open"]
    remark: str | None


def reviewed_clauses(tables: Path = GERMAN) -> list[ReviewedClause]:
    """All judgements."""
    return read_table(tables / "review.tsv", ReviewedClause)


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


def review_counts() -> dict[str, int]:
    """What the reading found, in clauses.

    Returns:
        `read`; `wrong`, where a status that excludes the other reading stands beside another
        subject or a reading that is possible; `nonsense`; `ungrammatical`; `marked`; `cautious`,
        where the suite leaves open what the reader does not.
    """
    rows, counts = review_clauses(), dict.fromkeys(COUNTED, 0)
    for read in reviewed_clauses():
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


def review_hash(clauses: Sequence[str]) -> str:
    """SHA-256 of a list of clauses, one per line: what was fixed before the reading."""
    return hashlib.sha256("\n".join(clauses).encode()).hexdigest()


def _rows(columns: Columns) -> list[dict[str, Any]]:
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
