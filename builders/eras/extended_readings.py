"""What two blind readers say of the paradigms that were written, and which of them stay.

The readers are language models that saw two pairs of every paradigm, one in either script, and the
two words of its string in an order drawn by chance: not the templates, not which word is the true
one, not each other. The rule was fixed before anybody read. A paradigm stays where both find the
true word in the test sentences, no parse with the other, the control free of such a choice, and the
sentence such as a person would write: neither below 4 of 7, their mean not below 5. Beside that,
the site must have the canary word in traditional script too, which the first reader missed in one.
"""

import functools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from builders.eras.extended import EXTENDED, FIRST_ID, WrittenParadigm, name_families, read_written
from builders.eras.flags import Judgement
from builders.eras.paradigms import DATA
from ground.tables import DataFileError, read_table

READINGS = DATA / "extended_readings.tsv"
Word = Literal["true", "canary"]
LEAST_NATURAL = 4  # of 7, for either reader
LEAST_MEAN = 5.0


class ParadigmAnswers(NamedTuple):
    """What one reader says of a paradigm.

    Attributes:
        word: Which word of the string is a word of the test sentences.
        other: Whether there is a parse with the other one.
        control: Whether the control sentences leave no such choice.
        natural: Whether a person would write the test sentences, 1 to 7.
    """

    word: Word
    other: Judgement
    control: bool
    natural: int

    @property
    def is_accepting(self) -> bool:
        """Whether the reader objects to nothing."""
        is_true_alone = self.word == "true" and self.other == "no"
        return is_true_alone and self.control and self.natural >= LEAST_NATURAL


@dataclass(frozen=True)
class ParadigmReading:
    """One row of extended_readings.tsv: the answers of two readers, see `ParadigmAnswers`.

    Attributes:
        round: 1, a later one of paradigms whose wording had changed, or 6 of those that were
            written for version 2.0.0.
    """

    round: int
    number: int
    first_word: Word
    first_other: Judgement
    first_control: bool
    first_natural: int
    second_word: Word
    second_other: Judgement
    second_control: bool
    second_natural: int
    remark: str | None

    @property
    def answers(self) -> tuple[ParadigmAnswers, ParadigmAnswers]:
        """Of the first and of the second reader."""
        first = (self.first_word, self.first_other, self.first_control, self.first_natural)
        second = (self.second_word, self.second_other, self.second_control, self.second_natural)
        return ParadigmAnswers(*first), ParadigmAnswers(*second)

    @property
    def mean_natural(self) -> float:
        """How natural the test sentences are to both, from 1 to 7; a reading, not a rating."""
        return (self.first_natural + self.second_natural) / 2

    @property
    def is_kept(self) -> bool:
        """Whether the paradigm stays."""
        is_accepted = all(answers.is_accepting for answers in self.answers)
        return is_accepted and self.mean_natural >= LEAST_MEAN


@functools.cache
def read_readings(path: Path = READINGS) -> dict[int, ParadigmReading]:
    """The last reading of each paradigm, by its number.

    Raises:
        DataFileError: A paradigm was not read, or a reading is of none.
    """
    readings = sorted(read_table(path, ParadigmReading), key=lambda row: row.round)
    rows = {row.number: row for row in readings}
    numbers = {paradigm.row.number for paradigm in read_written()}
    if rows.keys() != numbers:
        odd = sorted(rows.keys() ^ numbers)
        raise DataFileError(f"{path}: number, got {odd}; expected the numbers of {EXTENDED.name}")
    return rows


@functools.cache
def read_extended() -> tuple[WrittenParadigm, ...]:
    """The paradigms that stay in both scripts, numbered from 40, with their families."""
    readings = read_readings()
    kept = [
        paradigm
        for paradigm in read_written()
        if readings[paradigm.row.number].is_kept and paradigm.is_ambiguous_in_traditional
    ]
    families = name_families([paradigm.templates for paradigm in kept])
    return tuple(
        _numbered(paradigm, FIRST_ID + i, family)
        for i, (paradigm, family) in enumerate(zip(kept, families, strict=True))
    )


def _numbered(paradigm: WrittenParadigm, paradigm_id: int, family: str) -> WrittenParadigm:
    row = replace(paradigm.templates.row, paradigm_id=paradigm_id, family=family)
    return paradigm._replace(templates=replace(paradigm.templates, row=row))
