"""What readers and lexicons say of each paradigm: second parses, odd controls, missing words.

    {person} 引 出走 的 人 {verb} 。      true parse: lures those who ran away
    {person} 引出 走 的 人 {verb} 。      canary parse: draws out those who leave

A paradigm is globally ambiguous where both of two blind readers say so, arguably so where they
differ or both doubt; a control is ill-formed where both say so. The paper wants none: "ambiguous at
the site and nowhere else" (Li & Hao 2025, 2.3).
"""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from builders.eras.paradigms import DATA, TemplateParadigm, read_paradigms
from ground.tables import DataFileError, read_table

AMBIGUITY = DATA / "ambiguity.tsv"
LEXICONS = DATA / "lexicons.tsv"
Judgement = Literal["yes", "no", "arguable"]


@dataclass(frozen=True)
class Ambiguity:
    """One row of ambiguity.tsv.

    Attributes:
        paradigm_id: 1 to 39.
        first_reading, second_reading: Whether the test sentence has a parse with the canary word,
            as each of two blind readers says.
        true_parse, canary_parse: The two parses as words; None where neither reader sees a second.
        remark: What the canary parse means, or what speaks against it.
        first_control, second_control: Whether the control is a sentence or phrase of Chinese, as
            each of the two says.
        earlier_first, earlier_second: What two earlier readers said of a second parse, one of whom
            knew the suite; kept beside, not used.
    """

    paradigm_id: int
    first_reading: Judgement
    second_reading: Judgement
    true_parse: str | None
    canary_parse: str | None
    remark: str | None
    first_control: bool
    second_control: bool
    earlier_first: Judgement
    earlier_second: Judgement

    @property
    def is_globally_ambiguous(self) -> Judgement:
        """What both readers say, `arguable` where they differ."""
        return self.first_reading if self.first_reading == self.second_reading else "arguable"

    @property
    def is_control_well_formed(self) -> bool:
        """False where both readers say that it is not."""
        return self.first_control or self.second_control


@dataclass(frozen=True)
class LexiconMembership:
    """One row of lexicons.tsv: which training lexicons of the Bakeoff 2005 have the words."""

    paradigm_id: int
    is_true_word_in_as: bool
    is_true_word_in_cityu: bool
    is_true_word_in_msr: bool
    is_true_word_in_pku: bool
    is_canary_word_in_as: bool
    is_canary_word_in_cityu: bool
    is_canary_word_in_msr: bool
    is_canary_word_in_pku: bool


@functools.cache
def read_ambiguity(path: Path = AMBIGUITY) -> dict[int, Ambiguity]:
    """Readings by paradigm.

    Raises:
        DataFileError: A paradigm has no row, or its parses are not those of its test sentence.
    """
    rows = {row.paradigm_id: row for row in read_table(path, Ambiguity)}
    for paradigm in read_paradigms():
        if paradigm.row.paradigm_id not in rows:
            raise DataFileError(f"{path}: paradigm {paradigm.row.paradigm_id}, got no row")
        _check_parses(path, paradigm, rows[paradigm.row.paradigm_id])
    return rows


@functools.cache
def read_lexicon_membership(path: Path = LEXICONS) -> dict[int, LexiconMembership]:
    """Membership of true and canary words in the four lexicons, by paradigm."""
    return {row.paradigm_id: row for row in read_table(path, LexiconMembership)}


def _check_parses(path: Path, paradigm: TemplateParadigm, row: Ambiguity) -> None:
    parses = (row.true_parse, row.canary_parse)
    has_doubt = (row.first_reading, row.second_reading) != ("no", "no")
    if has_doubt != (None not in parses) or has_doubt != (parses != (None, None)):
        raise DataFileError(
            f"{path}: paradigm {row.paradigm_id}: parses, got {parses}; "
            "expected both where a reader sees a second one, else none"
        )
    for parse, word in zip(parses, (paradigm.row.true_word, paradigm.row.canary_word), strict=True):
        if parse is not None and word not in parse.split(" "):
            raise DataFileError(
                f"{path}: paradigm {row.paradigm_id}: parse, got {parse}; expected {word} as a word"
            )
    if parses[0] is not None and parses[0].replace(" ", "") != str(parses[1]).replace(" ", ""):
        raise DataFileError(
            f"{path}: paradigm {row.paradigm_id}: parses, got {parses}; expected the same text"
        )
