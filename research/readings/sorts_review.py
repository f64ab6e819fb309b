"""The second reading: fresh clauses, read by a language model from their text alone.

The clauses are of version 2.0.0, of another draw than the published one, and were fixed before they
were read: the hash of their list is committed. Read was the text alone; who is subject and
what settles it was compared afterwards. `author` is the model that had written the tables; `first`
and `second` are two readings by a model that saw nothing but the clauses, independent of each
other. No people have read them, and a judgement is no rating.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ground.tables import read_table
from metrics.subject_object_las.inputs import UNDECIDED
from research.readings import DATA
from research.readings.agreement import cohen_kappa

GERMAN = DATA / "sorts" / "german"

N_CLAUSES = 400
COUNTED = ("read", "wrong", "nonsense", "ungrammatical", "marked", "cautious")


@dataclass(frozen=True)
class ReviewedClause:
    """A clause and what was said of it.

    Attributes:
        reader: author, who wrote the tables, or one who did not.
        id: Its id in a draw of version 2.0.0.
        sentence: Its text, which is all that was given.
        resolved_by: What settled it in that version, and `gold` the head word of its subject.
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
    resolved_by: str
    gold: str
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


def review_counts(tables: Path = GERMAN) -> dict[str, dict[str, int]]:
    """What each reading found, in clauses.

    Returns:
        By reader: `read`; `wrong`, where a status that excludes the other reading stands beside
        another subject or a reading that is possible; `nonsense`; `ungrammatical`; `marked`;
        `cautious`, where the suite leaves open what the reader does not.
    """
    return {reader: _counts(readings) for reader, readings in reviewed_clauses(tables).items()}


def _counts(readings: Sequence[ReviewedClause]) -> dict[str, int]:
    counts = dict.fromkeys(COUNTED, 0)
    for read in readings:
        is_decided = read.resolved_by not in UNDECIDED
        is_settled = read.other == "impossible"
        is_same = read.gold == read.subject
        counts["read"] += 1
        counts["wrong"] += is_decided and not (is_settled and is_same)
        counts["cautious"] += is_settled and not is_decided
        for name in ("marked", "nonsense", "ungrammatical"):
            counts[name] += read.judgement == name
    return counts


def kappa(first: Sequence[ReviewedClause], second: Sequence[ReviewedClause]) -> float:
    """Cohen's kappa of two readings of the same clauses: is the other reading impossible?"""
    answers = [
        {read.id: read.other == "impossible" for read in reading} for reading in (first, second)
    ]
    one, other = answers
    return cohen_kappa(list(one.values()), [other[name] for name in one])
