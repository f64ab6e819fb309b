"""The extended paradigms: strings of the paper's kind from word lists, in sentences of our own.

    {person:kin} 一直 担心 爱人 的 安全 。      test: true word 担心, canary word 心爱
    {person:kin} 一直 忧虑 爱人 的 安全 。      control

A string x1x2x3 is one where x1x2 and x2x3 are words of at least two of six lexicons and x1x2x3 is a
word of none: the paper's rule without its condition that the words differ in sentiment. Those that
two blind readings keep are numbered from 40, after the 39 of the paper.

Source: the rule is that of Li & Hao (2025), section 2.1; strings, templates and their second parses
are ours.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from builders.eras.assembly import Script, pair_table, to_traditional
from builders.eras.draw import ParadigmDraw, draw_pairs
from builders.eras.paradigms import (
    DATA,
    Judgement,
    ParadigmRow,
    Sentiment,
    Template,
    TemplateParadigm,
    TemplateSlot,
    derive,
    gapped,
    parse_template,
    read_paradigms,
)
from builders.eras.words import SlotWord, known_words, paradigm_words, read_words, slot_words
from ground.tables import DataFileError, check_values, read_table

EXTENDED = DATA / "extended.tsv"
STRING_WORDS = DATA / "extended_words.tsv"
FIRST_ID = 40
LONGEST_OVERLAP = 8  # characters; longer entries of the dictionary are names and proverbs
Lexicon = Literal["as", "cityu", "daily", "jieba", "msr", "pku"]


@dataclass(frozen=True)
class ExtendedRow:
    """One row of extended.tsv: a paradigm as it was written; the rest is as in `ParadigmRow`."""

    number: int  # 1 and up, in order of writing; not the paradigm's id
    branching: Literal["left", "right"]
    true_word: str
    canary_word: str
    true_sentiment: Sentiment  # both `0` where the paradigm is not about sentiment
    canary_sentiment: Sentiment
    test_template: str  # the true parse
    control_template: str
    test_traditional: str  # in traditional script, word for word
    control_traditional: str
    canary_parse: str  # the text of the test template, cut so that the canary word is a word
    reason: str  # what in the rest of the sentence rules that parse out
    is_mended: bool  # a word away from the string was replaced; the readers saw the former one


@dataclass(frozen=True)
class StringWord:
    """One row of extended_words.tsv: what lexicons say of a true or canary word.

    They are jieba's dictionary, the four training lists of the Bakeoff 2005 and the People's Daily
    of January 1998; HowNet and DUTIR, made independently of each other, for the sentiment.
    """

    word: str
    class_: Literal["adjective", "adverb", "noun", "verb"]  # an adjective stands before nouns only
    zipf: float  # log10 of occurrences per billion words in the same counts
    lexicons: tuple[Lexicon, ...]  # those that have it
    hownet: Sentiment  # `0` where it is on no side or on both
    dutir: Sentiment


class WrittenParadigm(NamedTuple):
    """A paradigm as written; `traditional` maps the words of both templates."""

    row: ExtendedRow
    templates: TemplateParadigm
    traditional: Mapping[str, str]

    @property
    def name(self) -> str:
        """Site and branching, which no two paradigms share, whatever their ids."""
        return f"{self.templates.test_site}/{self.row.branching}"

    @property
    def control_word(self) -> str:
        """The word of the control template that stands where the true word does in the test."""
        return gapped(self.templates.control)[self.templates.true_start :][:2]

    @property
    def is_polar(self) -> bool:
        """Whether true and canary word suggest opposite sentiments."""
        return {self.row.true_sentiment, self.row.canary_sentiment} == {"+", "-"}

    @property
    def is_ambiguous_in_traditional(self) -> bool:
        """Whether the canary word is there in traditional script too; 蠻乾淨 has no 蠻幹."""
        words = self.templates.test
        site = gapped(tuple(self.traditional[w] if isinstance(w, str) else w for w in words))
        canary_start = self.templates.site_start + (1 if self.row.branching == "left" else 0)
        return site[canary_start:][:2] == to_traditional(self.row.canary_word)


@functools.cache
def read_written(path: Path = EXTENDED) -> tuple[WrittenParadigm, ...]:
    """Every paradigm that was written, numbered as if all stayed; errors as in `derive`."""
    rows = read_table(path, ExtendedRow)
    return tuple(_written(path, FIRST_ID + i, row) for i, row in enumerate(rows))


@functools.cache
def read_string_words() -> dict[str, StringWord]:
    """What lexicons say of the true and canary words."""
    return {row.word: row for row in read_table(STRING_WORDS, StringWord)}


def template_overlaps(template: Template) -> Iterator[tuple[int, str]]:
    """Known words over a word edge of a template, not touching its slots, with their offsets."""
    text = gapped(template)
    edges = {len(gapped(template[:i])) for i in range(1, len(template) + 1)}
    for start in range(len(text)):
        for stop in range(start + 2, min(len(text), start + LONGEST_OVERLAP) + 1):
            part = text[start:stop]
            if known_words().get(part) and any(start < edge < stop for edge in edges):
                yield start, part


def name_families(paradigms: Sequence[TemplateParadigm]) -> list[str]:
    """Family of each paradigm: those that share a word, directly or through others.

    One that shares a word with a published family belongs to it, a DataFileError where it would
    join two; the others are named after the site of their first paradigm.
    """
    every = [(one.row, one.row.family, True) for one in read_paradigms()]
    every += [(one.row, one.test_site, False) for one in paradigms]
    groups: list[tuple[set[str], str, bool]] = []  # words, name, whether it is published
    for row, name, is_published in every:
        words = {row.true_word, row.canary_word}
        met = [group for group in groups if group[0] & words]
        groups = [group for group in groups if not group[0] & words]
        theirs = {family for _, family, is_theirs in met if is_theirs}
        theirs |= {name} if is_published else set()
        if len(theirs) > 1:
            got = f"families, got {', '.join(sorted(theirs))} joined"
            raise DataFileError(f"{EXTENDED}: {name}: {got}; expected one published family at most")
        own = min(theirs, default=met[0][1] if met else name)
        groups.append((words.union(*(group[0] for group in met)), own, bool(theirs)))
    return [next(name for words, name, _ in groups if p.row.true_word in words) for p in paradigms]


def numbered(paradigms: Sequence[TemplateParadigm], first: int) -> tuple[TemplateParadigm, ...]:
    """Paradigms with ids from the first one, and with their families."""
    families = enumerate(name_families(paradigms), first)
    return tuple(
        replace(one, row=replace(one.row, paradigm_id=i, family=family))
        for one, (i, family) in zip(paradigms, families, strict=True)
    )


def unpublished_row(**facts: Any) -> ParadigmRow:
    """The row of a paradigm of ours: what it has in common with all others, and its facts."""
    shared: dict[str, Any] = {"paradigm_id": FIRST_ID, "source_index": None, "family": ""}
    shared |= {"true_sentiment": "0", "canary_sentiment": "0", "is_clause": True}
    shared |= {"is_occlusion_degenerate": False, "allowed_overlaps": ()}
    return ParadigmRow(**{**shared, **facts})


def _written(path: Path, paradigm_id: int, row: ExtendedRow) -> WrittenParadigm:
    test, control = parse_template(row.test_template), parse_template(row.control_template)
    overlaps = {word for template in (test, control) for _, word in template_overlaps(template)}
    shared = [field for field in fields(ParadigmRow) if hasattr(row, field.name)]
    paradigm = unpublished_row(
        paradigm_id=paradigm_id,
        **{field.name: getattr(row, field.name) for field in shared},
        is_exact_pair=True,
        allowed_overlaps=tuple(sorted(overlaps - {row.canary_word})),
    )
    templates, parse = derive(path, paradigm), parse_template(row.canary_parse)
    if gapped(parse) != gapped(test) or row.canary_word not in parse:
        expected = f"the words of {row.test_template}, cut so that {row.canary_word} is one"
        got = f"canary_parse, got {row.canary_parse}; expected {expected}"
        raise DataFileError(f"{path}: {row.number}: {got}")
    pairs = [(test, row.test_traditional), (control, row.control_traditional)]
    return WrittenParadigm(row, templates, _traditional(path, row, pairs))


def _traditional(
    path: Path, row: ExtendedRow, pairs: Sequence[tuple[Template, str]]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for template, text in pairs:
        written = parse_template(text)
        words = zip(template, written, strict=False)
        is_parallel = len(template) == len(written) and all(
            ours == theirs
            if isinstance(ours, TemplateSlot) or isinstance(theirs, TemplateSlot)
            else len(ours) == len(theirs) and found.setdefault(ours, theirs) == theirs
            for ours, theirs in words
        )
        if not is_parallel:
            expected = "the words of the simplified template, one for one, as long, each written"
            got = f"traditional, got {text}; expected {expected} one way"
            raise DataFileError(f"{path}: {row.number}: {got}")
    return found


PAIRS = 25  # per paradigm


def draw_extended(paradigms: Sequence[WrittenParadigm], seed: int = 0) -> list[ParadigmDraw]:
    """Pairs of each paradigm, balanced over the words of a slot as in `draw`, with its errors.

    The order of a slot's words depends on the string and not on its number, so that a paradigm's
    pairs stay the same whichever others there are.
    """
    return [draw_pairs(one.templates, one.name, fillers(one), seed, PAIRS) for one in paradigms]


def extended_table(
    paradigms: Sequence[WrittenParadigm], drawn: Sequence[ParadigmDraw], script: Script
) -> pa.Table:
    """Pairs of a draw in the pair schema; words of the templates as written, fillers converted."""
    return pa.concat_tables(
        pair_table([part], script, paradigm.traditional if script == "traditional" else None)
        for paradigm, part in zip(paradigms, drawn, strict=True)
    )


FILLERS = DATA / "extended_fillers.tsv"
GROUPS = DATA / "extended_groups.tsv"


@dataclass(frozen=True)
class FillerGroup:
    """One row of extended_groups.tsv: words that go together in many sentences, and their name."""

    group: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class SlotFillers:
    """One row of extended_fillers.tsv: what a slot takes, 1 to 3 in the order of the test template.

    A class says what a word denotes, not that a person of this office does this here: `takes` has
    the words that do, or groups of them, in Latin letters. A slot without a row takes all.
    """

    number: int
    slot: int
    takes: tuple[str, ...]


@functools.cache
def read_fillers(path: Path = FILLERS) -> Mapping[tuple[int, int], frozenset[str]]:
    """Words that a slot may take, by number of the paradigm and of the slot."""
    groups = {row.group: row.words for row in read_table(GROUPS, FillerGroup)}
    taken: dict[tuple[int, int], frozenset[str]] = {}
    for row in read_table(path, SlotFillers):
        named = [name for name in row.takes if name.isascii()]
        check_values(path, f"{row.number}: groups of slot {row.slot}", named, groups)
        words = {word for name in row.takes for word in groups.get(name, (name,))}
        taken[row.number, row.slot] = frozenset(words)
    return taken


def fillers(paradigm: WrittenParadigm) -> list[list[SlotWord]]:
    """Words per slot that collocate, make no new ambiguity and hold no word of the templates.

    A DataFileError where the table names a word of another type or class.
    """
    templates, number = paradigm.templates, paradigm.row.number
    literals = {w for t in (templates.test, templates.control) for w in t if isinstance(w, str)}
    taken = {word for word in literals if len(word) > 1} | {paradigm.row.canary_word}
    found = []
    lists = zip(templates.slots, paradigm_words(templates, read_words()), strict=True)
    for place, (slot, words) in enumerate(lists, 1):
        known = frozenset(word.word for word in slot_words(slot, read_words()))
        allowed = read_fillers().get((number, place), known)
        check_values(FILLERS, f"{number}: words of slot {place}", sorted(allowed), known)
        collocating = [word for word in words if word.word in allowed]
        found.append([w for w in collocating if not any(part in w.word for part in taken)])
    return found


READINGS = DATA / "extended_readings.tsv"
Word = Literal["true", "canary"]
LEAST_NATURAL = 4  # of 7, for either reader
LEAST_MEAN = 5.0


class ParadigmAnswers(NamedTuple):
    """What one reader says of a paradigm."""

    word: Word  # which word of the string is a word of the test sentences
    other: Judgement  # whether there is a parse with the other one
    control: bool  # whether the control sentences leave no such choice
    natural: int  # whether a person would write the test sentences, 1 to 7

    @property
    def is_accepting(self) -> bool:
        """Whether the reader objects to nothing."""
        is_true_alone = self.word == "true" and self.other == "no"
        return is_true_alone and self.control and self.natural >= LEAST_NATURAL


@dataclass(frozen=True)
class ParadigmReading:
    """One row of extended_readings.tsv: the answers of two readers, see `ParadigmAnswers`.

    The readers are language models that saw two pairs of every paradigm, one in either script, and
    the two words of its string in an order drawn by chance: not the templates, not which word is
    the true one, not each other. The rule was fixed before anybody read.
    """

    round: int  # 1, a later one where the wording had changed, 6 of those written for 2.0.0
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
        first, second = (
            ParadigmAnswers(*(getattr(self, f"{one}_{name}") for name in ParadigmAnswers._fields))
            for one in ("first", "second")
        )
        return first, second

    @property
    def mean_natural(self) -> float:
        """How natural the test sentences are to both, from 1 to 7; no rating."""
        return (self.first_natural + self.second_natural) / 2

    @property
    def is_kept(self) -> bool:
        """Whether the paradigm stays."""
        is_accepted = all(answers.is_accepting for answers in self.answers)
        return is_accepted and self.mean_natural >= LEAST_MEAN


@functools.cache
def read_readings() -> dict[int, ParadigmReading]:
    """The last reading of each paradigm, by its number; a DataFileError where one was not read."""
    readings = sorted(read_table(READINGS, ParadigmReading), key=lambda row: row.round)
    rows = {row.number: row for row in readings}
    if odd := sorted(rows.keys() ^ {paradigm.row.number for paradigm in read_written()}):
        expected = f"the numbers of {EXTENDED.name}"
        raise DataFileError(f"{READINGS}: number, got {odd}; expected {expected}")
    return rows


@functools.cache
def read_extended() -> tuple[WrittenParadigm, ...]:
    """The paradigms that stay in both scripts, numbered from 40, with their families."""
    accepted = (one for one in read_written() if read_readings()[one.row.number].is_kept)
    kept = [one for one in accepted if one.is_ambiguous_in_traditional]
    templates = numbered([one.templates for one in kept], FIRST_ID)
    return tuple(one._replace(templates=own) for one, own in zip(kept, templates, strict=True))
