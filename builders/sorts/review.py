"""The second reading: clauses of the default draw, read critically by a language model.

No people have read them, and a judgement is no rating.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from builders.sorts.lexicon import GERMAN
from ground.tables import read_table


@dataclass(frozen=True)
class ReviewedClause:
    """A clause and what was said of it.

    `marked` is grammatical, but in need of stress or context.
    """

    id: str
    sentence: str
    judgement: Literal["good", "marked", "bad"]
    remark: str | None


def reviewed_clauses(tables: Path = GERMAN) -> list[ReviewedClause]:
    """All judgements."""
    return read_table(tables / "review.tsv", ReviewedClause)
