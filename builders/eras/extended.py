"""The extended paradigms: strings of the paper's kind from word lists, in sentences of our own.

    {person:kin} 一直 担心 爱人 的 安全 。      test: true word 担心, canary word 心爱
    {person:kin} 一直 忧虑 爱人 的 安全 。      control

A string x1x2x3 is one where x1x2 and x2x3 are words of at least two of six lexicons and x1x2x3 is a
word of none: the paper's rule without its condition that the words differ in sentiment. Whether a
paradigm stays is decided by two blind readings of all that were written (`extended_readings`);
those that stay are numbered from 40, after the 39 of the paper. In most of the first 264 the word
beside the true one is longer than a character; the later ones have one character there, which
tempts a cut into few and long words.

Source: the rule is that of Li & Hao (2025), section 2.1; strings, templates and their second parses
are ours.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from builders.eras.paradigms import (
    DATA,
    GAP,
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
from builders.eras.script import to_traditional
from builders.eras.words import known_words
from ground.tables import DataFileError, read_table

EXTENDED = DATA / "extended.tsv"
STRING_WORDS = DATA / "extended_words.tsv"
FIRST_ID = 40
OF_A_PARADIGM = (  # what a row says as the published ones do
    *("test_template", "control_template", "branching", "true_word", "canary_word"),
    *("true_sentiment", "canary_sentiment"),
)
LONGEST_OVERLAP = 8  # characters; longer entries of the dictionary are names and proverbs
Lexicon = Literal["as", "cityu", "daily", "jieba", "msr", "pku"]


@dataclass(frozen=True)
class ExtendedRow:
    """One row of extended.tsv: a paradigm as it was written.

    Attributes:
        number: 1 and up, in order of writing; not the paradigm's id.
        branching: `left` where x1x2 is the true word, `right` where x2x3 is.
        true_word, canary_word: Two characters each, overlapping in x2.
        true_sentiment, canary_sentiment: Sentiment of the sentence, and the one that the canary
            word suggests; `0` both where the paradigm is not about sentiment.
        test_template, control_template: Words and slots, separated by blanks; the test template is
            the true parse.
        test_traditional, control_traditional: The same in traditional script, word for word.
        canary_parse: The text of the test template, cut so that the canary word is a word.
        reason: What in the rest of the sentence rules that parse out.
        is_mended: Whether a word away from the string was replaced after the readings of
            `extended_readings`, whose readers saw the former one.
    """

    number: int
    branching: Literal["left", "right"]
    true_word: str
    canary_word: str
    true_sentiment: Sentiment
    canary_sentiment: Sentiment
    test_template: str
    control_template: str
    test_traditional: str
    control_traditional: str
    canary_parse: str
    reason: str
    is_mended: bool


@dataclass(frozen=True)
class StringWord:
    """One row of extended_words.tsv: what lexicons say of a true or canary word.

    Attributes:
        word: Two simplified characters.
        class_: Word class in jieba's dictionary; an adjective may be one that only stands before
            nouns.
        zipf: Zipf frequency, log10 of occurrences per billion words in the same counts.
        lexicons: Those that have it, of jieba's dictionary, the four training lists of the Bakeoff
            2005 and the People's Daily of January 1998.
        hownet, dutir: Its sentiment in either of two lexicons made independently of each other; `0`
            where a lexicon has it on no side or on both.
    """

    word: str
    class_: Literal["adjective", "adverb", "noun", "verb"]
    zipf: float
    lexicons: tuple[Lexicon, ...]
    hownet: Sentiment
    dutir: Sentiment


class WrittenParadigm(NamedTuple):
    """A paradigm as written: its row, its templates parsed, and how its words are written.

    `traditional` maps the words of both templates; `name` is the string with its branching.
    """

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
        place = self.templates.site_start + (0 if self.row.branching == "left" else 1)
        return gapped(self.templates.control)[place : place + 2]

    @property
    def has_short_neighbour(self) -> bool:
        """Whether the word of the test beside the true one, in the string, has one character."""
        place = self.templates.test.index(self.row.true_word)
        beside = self.templates.test[place + (1 if self.row.branching == "left" else -1)]
        return isinstance(beside, str) and len(beside) == 1

    @property
    def is_polar(self) -> bool:
        """Whether true and canary word suggest opposite sentiments."""
        return {self.row.true_sentiment, self.row.canary_sentiment} == {"+", "-"}

    @property
    def is_ambiguous_in_traditional(self) -> bool:
        """Whether the site has the canary word in traditional script too.

        蛮干 is 蠻幹, but before 净 the character is 乾: 蠻乾淨.
        """
        words = self.templates.test
        text = "".join(GAP if isinstance(w, TemplateSlot) else self.traditional[w] for w in words)
        place = self.templates.site_start + (1 if self.row.branching == "left" else 0)
        return text[place : place + 2] == to_traditional(self.row.canary_word)


@functools.cache
def read_written(path: Path = EXTENDED) -> tuple[WrittenParadigm, ...]:
    """Every paradigm that was written, with the id that it has if all before it stay.

    Raises:
        DataFileError: A template, word, parse or traditional form contradicts another.
    """
    rows = read_table(path, ExtendedRow)
    return tuple(_written(path, FIRST_ID + i, row) for i, row in enumerate(rows))


@functools.cache
def read_string_words(path: Path = STRING_WORDS) -> dict[str, StringWord]:
    """What lexicons say of the true and canary words."""
    return {row.word: row for row in read_table(path, StringWord)}


def template_overlaps(template: Template) -> Iterator[tuple[int, str]]:
    """Known words over a word edge of a template, not touching its slots, with their offsets."""
    text, edges, end = gapped(template), set(), 0
    for word in template:
        end += 2 if isinstance(word, TemplateSlot) else len(word)
        edges.add(end)
    for start in range(len(text)):
        for stop in range(start + 2, min(len(text), start + LONGEST_OVERLAP) + 1):
            part = text[start:stop]
            if known_words().get(part) and any(start < edge < stop for edge in edges):
                yield start, part


def name_families(paradigms: Sequence[TemplateParadigm]) -> list[str]:
    """Family of each paradigm: those that share a word, directly or through others.

    One that shares a word with a published family belongs to it; the others are named after the
    site of their first paradigm.

    Raises:
        DataFileError: A family would join two published ones.
    """
    published = [
        ({row.true_word, row.canary_word}, row.family) for row in (p.row for p in read_paradigms())
    ]
    own = [({p.row.true_word, p.row.canary_word}, p.test_site) for p in paradigms]
    groups: list[tuple[set[str], list[str], set[str]]] = []
    for i, (words, name) in enumerate([*published, *own]):
        met = [group for group in groups if group[0] & words]
        groups = [group for group in groups if not group[0] & words]
        names = list(dict.fromkeys([*(n for group in met for n in group[1]), name]))
        theirs = set().union(*(group[2] for group in met), {name} if i < len(published) else ())
        if len(theirs) > 1:
            raise DataFileError(
                f"{EXTENDED}: {name}: families, got {', '.join(sorted(theirs))} joined; "
                "expected one published family at most"
            )
        groups.append((set().union(words, *(group[0] for group in met)), names, theirs))
    return [
        next(min(theirs, default=names[0]) for words, names, theirs in groups if words & mine)
        for mine, _ in own
    ]


def _written(path: Path, paradigm_id: int, row: ExtendedRow) -> WrittenParadigm:
    test, control = parse_template(row.test_template), parse_template(row.control_template)
    overlaps = {word for template in (test, control) for _, word in template_overlaps(template)}
    paradigm = ParadigmRow(
        paradigm_id=paradigm_id,
        source_index=None,
        **{name: getattr(row, name) for name in OF_A_PARADIGM},
        family="",
        is_exact_pair=True,
        is_occlusion_degenerate=False,
        is_clause=True,
        allowed_overlaps=tuple(sorted(overlaps - {row.canary_word})),
    )
    templates = derive(path, paradigm)
    _check_canary_parse(path, row, test)
    pairs = [(test, row.test_traditional), (control, row.control_traditional)]
    return WrittenParadigm(row, templates, _traditional(path, row, pairs))


def _check_canary_parse(path: Path, row: ExtendedRow, test: Template) -> None:
    parse = parse_template(row.canary_parse)
    if gapped(parse) != gapped(test) or row.canary_word not in parse:
        raise DataFileError(
            f"{path}: {row.number}: canary_parse, got {row.canary_parse}; "
            f"expected the words of {row.test_template}, cut so that {row.canary_word} is one"
        )


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
            raise DataFileError(
                f"{path}: {row.number}: traditional, got {text}; expected the words of the "
                "simplified template, one for one, as long, each written one way"
            )
    return found
