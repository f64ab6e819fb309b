"""Strings with two readings: the same three characters, cut one way here and the other way there.

    {person:kin} 听说 寺 里 的 和尚 未 吃 一 口 晚饭 。      和尚|未
    {person:kin} 请 来 了 同事 和 尚未 毕业 的 学弟 。        和|尚未

The string x1x2x3 stands at the same place of both sentences, which are equally long, and no word of
jieba's dictionary lies across an edge of it: a reader that looks at the string alone has one of
them wrong. Strings, sentences and the rule are ours; x1x2 and x2x3 are words of at least two of
five lexicons, x1x2x3 of none. Two language models read every sentence alone, in an order drawn by
chance, without knowing which cut was meant.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from builders.eras.draw import ParadigmDraw, draw_pairs
from builders.eras.extended import LEAST_MEAN, LEAST_NATURAL, numbered, unpublished_row
from builders.eras.paradigms import (
    DATA,
    Template,
    TemplateParadigm,
    gapped,
    parse_template,
    slots_of,
)
from builders.eras.words import paradigm_words, read_words
from ground.tables import DataFileError, read_table

TWO_READINGS = DATA / "two_readings.tsv"
FIRST_ID = 575  # after the last extended paradigm
PAIRS = 10  # per string
Found = Literal["both", "left", "right", "none"]


@dataclass(frozen=True)
class TwoReadingsRow:
    """One row of two_readings.tsv: a string as it was written, and what two readers say of it.

    The test sentence is the left one of odd numbers, else the right one.
    """

    number: int  # 1 and up
    left_word: str  # x1x2
    right_word: str  # x2x3
    left_template: str  # words and slots, separated by blanks; the true parse
    right_template: str
    first_found: Found  # in which sentences a reader found the word that is meant alone
    first_natural: int  # whether a person would write them, 1 to 7, the lower one
    second_found: Found
    second_natural: int
    remark: str | None  # what a reader said of a string that does not stay

    @property
    def is_kept(self) -> bool:
        """Whether the string stays, by the rule of the extended paradigms."""
        natural = (self.first_natural, self.second_natural)
        is_found = (self.first_found, self.second_found) == ("both", "both")
        return is_found and min(natural) >= LEAST_NATURAL and sum(natural) >= 2 * LEAST_MEAN

    @property
    def site(self) -> str:
        """The three characters."""
        return self.left_word + self.right_word[1:]


@functools.cache
def read_two_readings(path: Path = TWO_READINGS) -> tuple[TemplateParadigm, ...]:
    """The strings that stay as paradigms, numbered from 575, with their families."""
    rows = read_table(path, TwoReadingsRow)
    return numbered([derive_two_readings(path, row) for row in rows if row.is_kept], FIRST_ID)


def derive_two_readings(path: Path, row: TwoReadingsRow) -> TemplateParadigm:
    """A string as a paradigm: one sentence is the test, the other its control.

    A DataFileError where the words do not overlap, a sentence does not have the string exactly once
    and cut as it says, or the two differ in length, slots or the string's place.
    """
    if row.left_word[1:] != row.right_word[:1]:
        words = f"{row.left_word}, {row.right_word}"
        _fail(path, row, "words", words, "two characters each that overlap in x2")
    left, right = parse_template(row.left_template), parse_template(row.right_template)
    place = _place(path, row, left, (row.left_word, row.site[2]))
    same: dict[str, tuple[object, object]] = {
        "place": (place, _place(path, row, right, (row.site[0], row.right_word))),
        "length": (len(gapped(left)), len(gapped(right))),
        "slots": (slots_of(left), slots_of(right)),
    }
    for what, (here, there) in same.items():
        if here != there:
            _fail(path, row, what, f"{here} and {there}", "the same in both sentences")
    is_left = row.number % 2 == 1
    facts = [(left, row.left_template, row.left_word), (right, row.right_template, row.right_word)]
    (test, test_text, true), (control, control_text, canary) = facts if is_left else facts[::-1]
    told: dict[str, Any] = {"test_template": test_text, "control_template": control_text}
    told |= {"true_word": true, "canary_word": canary, "is_exact_pair": False}
    told["branching"] = "left" if is_left else "right"
    return TemplateParadigm(unpublished_row(**told), test, control, place)


def draw_two_readings(paradigms: Sequence[TemplateParadigm], seed: int = 0) -> list[ParadigmDraw]:
    """Pairs of each string, with the same word in the slot of both; errors as in `pick`."""
    drawn = []
    for paradigm in paradigms:
        literals = {*paradigm.test, *paradigm.control}
        every = paradigm_words(paradigm, read_words())
        lists = [[w for w in words if w.word not in literals] for words in every]
        drawn.append(draw_pairs(paradigm, paradigm.test_site, lists, seed, PAIRS))
    return drawn


def _place(path: Path, row: TwoReadingsRow, template: Template, words: tuple[str, str]) -> int:
    """Where the two words begin that make the string, in characters."""
    text = gapped(template)
    starts = [i for i in range(len(template) - 1) if template[i : i + 2] == words]
    found = [len(gapped(template[:i])) for i in starts]
    if len(found) != 1 or text.count(row.site) != 1:
        got = f"{len(found)} of {' '.join(words)}, {text.count(row.site)} of {row.site}"
        _fail(path, row, "template", got, "each exactly once")
    return found[0]


def _fail(path: Path, row: TwoReadingsRow, what: str, got: object, expected: str) -> None:
    raise DataFileError(f"{path}: {row.number}: {what}, got {got}; expected {expected}")
