"""How the two blind readers agree on paradigms and pairs of the extended design.

No row depends on it: what stays is decided in `builders.eras.extended`.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from builders.eras.extended import (
    LEAST_MEAN,
    READINGS,
    ParadigmAnswers,
    ParadigmReading,
    read_extended,
)
from ground.tables import read_table
from research.readings import DATA
from research.readings.agreement import Agreement, agreement

REVIEW = DATA / "eras" / "extended_review.tsv"
Objection = Literal["ok", "collocation", "polarity", "ambiguity"]
JOINT_ROUNDS = (1, 2, 5, 7)
"""Rounds of pairs that both readers read."""


@dataclass(frozen=True)
class ReadPair:
    """One row of extended_review.tsv: a pair as it was shown, and what its fillers spoil.

    Attributes:
        round: 1 for pairs that were read with their paradigms; 2 to 5 for fresh pairs after that,
            each round after the words that the one before objected to were gone; 6 for pairs that
            were shown with the paradigms of version 2.0.0, 7 for fresh ones of that version.
        row: Its place on the sheet; in round 1 a count alone.
        number: That of extended.tsv.
        first, second: What each reader says, `ok` or the kind of objection; None where only the
            other reader saw the sheet (rounds 3 and 4) or neither was asked (round 6).
        remark: What the readers of the later rounds add to an objection.
    """

    round: int
    row: int
    number: int
    script: Literal["simplified", "traditional"]
    sentence: str
    control: str
    first: Objection | None
    second: Objection | None
    remark: str | None


QUESTIONS: Mapping[str, Callable[[ParadigmAnswers], bool]] = {
    "the true word is a word of the test sentences": lambda a: a.word == "true",
    "there is no parse with the other word": lambda a: a.other == "no",
    "the control leaves no choice": lambda a: a.control,
    "a person would write it (5 to 7)": lambda a: a.natural >= LEAST_MEAN,
    "no objection": lambda a: a.is_accepting,
}


@functools.cache
def read_review(path: Path = REVIEW) -> tuple[ReadPair, ...]:
    """The pairs that were read, of every round, as they were shown."""
    return tuple(read_table(path, ReadPair))


def agreements(turn: int = 1) -> list[Agreement]:
    """How the two readers of a round agree on each question about all that they read."""
    rows = [row for row in read_table(READINGS, ParadigmReading) if row.round == turn]
    return [
        agreement(text, *([holds(row.answers[who]) for row in rows] for who in (0, 1)))
        for text, holds in QUESTIONS.items()
    ]


def pair_agreements() -> list[Agreement]:
    """Objections to the fillers of paradigms that stay: a row per round that both readers read."""
    kept = {paradigm.row.number for paradigm in read_extended()}
    found = []
    for turn in JOINT_ROUNDS:
        rows = [row for row in read_review() if row.number in kept and row.round == turn]
        both = [row.first != "ok" for row in rows], [row.second != "ok" for row in rows]
        found.append(agreement(str(turn), *both))
    return found
