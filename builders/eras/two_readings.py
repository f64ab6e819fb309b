"""Strings with two readings: the same three characters, cut one way here and the other way there.

    {person:kin} 听说 寺 里 的 和尚 未 吃 一 口 晚饭 。      和尚|未
    {person:kin} 请 来 了 同事 和 尚未 毕业 的 学弟 。        和|尚未

The string x1x2x3 stands at the same place of both sentences, which are equally long. Beside x1x2
stands x3 as a word of its own, beside x2x3 stands x1, and no word of jieba's dictionary lies across
an edge of the string. So a reader that looks at the string alone cuts it alike in both sentences,
and has one of them wrong: what decides is the rest of the sentence.

Strings, sentences and the rule are ours. x1x2 and x2x3 are words of at least two of five lexicons
(jieba's dictionary and the training word lists of the Bakeoff 2005), x1x2x3 is a word of none. Two
language models read every sentence, each alone and in an order drawn by chance, without knowing
which cut was meant; no person has read them.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from builders.eras.draw import ParadigmDraw, draw_pairs
from builders.eras.extended import LEAST_MEAN, LEAST_NATURAL, name_families
from builders.eras.paradigms import (
    DATA,
    ParadigmRow,
    Template,
    TemplateParadigm,
    TemplateSlot,
    gapped,
    parse_template,
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

    Attributes:
        number: 1 and up; the test sentence is the left one of odd numbers, else the right one.
        left_word, right_word: x1x2 and x2x3.
        left_template, right_template: Words and slots, separated by blanks; the true parses.
        first_found, second_found: In which sentences a reader found the word that is meant, and no
            parse with the other one.
        first_natural, second_natural: Whether a person would write them, 1 to 7, the lower one.
        remark: What a reader said of a string that does not stay; None of the others.
    """

    number: int
    left_word: str
    right_word: str
    left_template: str
    right_template: str
    first_found: Found
    first_natural: int
    second_found: Found
    second_natural: int
    remark: str | None

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
def read_written_strings(path: Path = TWO_READINGS) -> tuple[TwoReadingsRow, ...]:
    """Every string that was written, also those that the readings do not keep."""
    return tuple(read_table(path, TwoReadingsRow))


@functools.cache
def read_two_readings(path: Path = TWO_READINGS) -> tuple[TemplateParadigm, ...]:
    """The strings that stay as paradigms, numbered from 575, with their families.

    Raises:
        DataFileError: A template does not have the string as it should.
    """
    kept = [
        derive_two_readings(path, row, FIRST_ID)
        for row in read_written_strings(path)
        if row.is_kept
    ]
    return tuple(
        replace(one, row=replace(one.row, paradigm_id=FIRST_ID + i, family=family))
        for i, (one, family) in enumerate(zip(kept, name_families(kept), strict=True))
    )


def derive_two_readings(path: Path, row: TwoReadingsRow, paradigm_id: int) -> TemplateParadigm:
    """A string as a paradigm: one sentence is the test, the other its control.

    Raises:
        DataFileError: The words do not overlap, a sentence does not have the string exactly once
            and cut as it says, or the two differ in length, slots or the string's place.
    """
    if row.left_word[1:] != row.right_word[:1]:
        words = f"{row.left_word}, {row.right_word}"
        _fail(path, row, "words", words, "two characters each that overlap in x2")
    left, right = parse_template(row.left_template), parse_template(row.right_template)
    places = [_place(path, row, left, (row.left_word, row.site[2])),
              _place(path, row, right, (row.site[0], row.right_word))]  # fmt: skip
    slots = [tuple(word for word in one if isinstance(word, TemplateSlot)) for one in (left, right)]
    same: dict[str, list[object]] = {
        "place": [*places],
        "length": [len(gapped(one)) for one in (left, right)],
        "slots": [*slots],
    }
    for what, (here, there) in same.items():
        if here != there:
            _fail(path, row, what, f"{here} and {there}", "the same in both sentences")
    is_left = row.number % 2 == 1
    true, canary = (row.left_word, row.right_word)[:: 1 if is_left else -1]
    return TemplateParadigm(
        row=ParadigmRow(
            paradigm_id=paradigm_id,
            source_index=None,
            test_template=row.left_template if is_left else row.right_template,
            control_template=row.right_template if is_left else row.left_template,
            branching="left" if is_left else "right",
            true_word=true,
            canary_word=canary,
            true_sentiment="0",
            canary_sentiment="0",
            family="",
            is_exact_pair=False,
            is_occlusion_degenerate=False,
            is_clause=True,
            allowed_overlaps=(),
        ),
        test=left if is_left else right,
        control=right if is_left else left,
        slots=slots[0],
        site_start=places[0],
        test_site=row.site,
        control_site=row.site,
        occluded=2 if is_left else 0,
    )


def draw_two_readings(
    paradigms: Sequence[TemplateParadigm], seed: int = 0, n_pairs: int = PAIRS
) -> list[ParadigmDraw]:
    """Pairs of each string: both sentences have the same word in their slot.

    Raises:
        ValueError: The words of a string cannot fill so many pairs.
    """
    drawn = []
    for paradigm in paradigms:
        literals = {*paradigm.test, *paradigm.control}
        every = paradigm_words(paradigm, read_words())
        lists = [[w for w in words if w.word not in literals] for words in every]
        drawn.append(draw_pairs(paradigm, paradigm.test_site, lists, seed, n_pairs))
    return drawn


def _place(path: Path, row: TwoReadingsRow, template: Template, words: tuple[str, str]) -> int:
    """Where the two words begin that make the string, in characters."""
    text = gapped(template)
    found = [
        len(gapped(template[:i])) for i in range(len(template) - 1) if template[i : i + 2] == words
    ]
    if len(found) != 1 or text.count(row.site) != 1:
        got = f"{len(found)} of {' '.join(words)}, {text.count(row.site)} of {row.site}"
        _fail(path, row, "template", got, "each exactly once")
    return found[0]


def _fail(path: Path, row: TwoReadingsRow, what: str, got: object, expected: str) -> None:
    raise DataFileError(f"{path}: {row.number}: {what}, got {got}; expected {expected}")
