"""The 39 paradigms: templates, the sites that follow from them, what readers and lexicons say.

    {person} 留心 机动 的 {object:device} 。    test: site 留心机, true word 留心, canary word 心机
    {person} 留意 机动 的 {object:device} 。    control

A template is a row of words; a slot is `{type}` or `{type:class,class}`. Slots before the site take
words of two characters.

Source: Li & Hao (2025), section 2 and Table 3; the paradigms' facts are the paper's, the
segmentation and the flags are ours.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from builders.eras.columns import IN_LEXICONS
from ground.tables import DataFileError, read_table

DATA = Path(__file__).resolve().parent / "data"
PARADIGMS = DATA / "paradigms.tsv"
SITE_LENGTH = 3
SLOT_LENGTH = 2  # characters of a slot word before the site
GAP = "\0" * SLOT_LENGTH  # stands for a slot word where characters are counted
SLOT = re.compile(r"\{(?P<type>[a-z_0-9]+)(?::(?P<classes>[a-z_,]+))?\}")

SlotType = Literal[
    "person", "entity", "verb", "verb_1", "verb_2", "object", "noun", "concept", "modifier",
    "location",
]  # fmt: skip
Sentiment = Literal["+", "0", "-"]


class TemplateSlot(NamedTuple):
    """A typed gap; `classes` are the semantic classes it takes, all of its type where empty."""

    type: str
    classes: tuple[str, ...]


Template = tuple[str | TemplateSlot, ...]


@dataclass(frozen=True)
class ParadigmRow:
    """One row of paradigms.tsv."""

    paradigm_id: int  # 1 to 39, the row of the paper's Table 3; from 40 on, see `extended`
    source_index: int | None  # in the authors' list of 60 templates; None where it is not theirs
    test_template: str  # words and slots, separated by blanks
    control_template: str
    branching: Literal["left", "right"]  # x1x2 is the true word, or x2x3 is
    true_word: str  # two characters, overlapping with those of the canary word in x2
    canary_word: str
    true_sentiment: Sentiment  # of the sentence under either segmentation
    canary_sentiment: Sentiment
    family: str  # paradigms of one family share a word
    is_exact_pair: bool  # the sentences of a pair differ inside the site only
    is_occlusion_degenerate: bool  # the occluded sentences of a pair are one and the same
    is_clause: bool  # a finite clause rather than a phrase
    allowed_overlaps: tuple[str, ...]  # dictionary words that the published template lets straddle

    @property
    def sentiments(self) -> tuple[str | None, str | None]:
        """True and canary sentiment; None both where the paradigm is not about sentiment."""
        is_about_it = (self.true_sentiment, self.canary_sentiment) != ("0", "0")
        return (self.true_sentiment, self.canary_sentiment) if is_about_it else (None, None)


@dataclass(frozen=True)
class TemplateParadigm:
    """A paradigm with its templates as words and slots."""

    row: ParadigmRow
    test: Template
    control: Template
    site_start: int  # in characters; slots before it count two

    @property
    def slots(self) -> tuple[TemplateSlot, ...]:
        """The slots, the same in both templates."""
        return slots_of(self.test)

    @property
    def test_site(self) -> str:
        """The three characters x1x2x3 of the test sentence."""
        return gapped(self.test)[self.site_start :][:SITE_LENGTH]

    @property
    def control_site(self) -> str:
        """The three characters at the same place of the control sentence."""
        return gapped(self.control)[self.site_start :][:SITE_LENGTH]

    @property
    def occluded(self) -> int:
        """Offset within the site of the character that occlusion masks, the canary's own."""
        return 2 if self.row.branching == "left" else 0

    @property
    def true_start(self) -> int:
        """Character where the true word begins."""
        return self.site_start + (0 if self.row.branching == "left" else 1)


@functools.cache
def read_paradigms(path: Path = PARADIGMS) -> tuple[TemplateParadigm, ...]:
    """The paradigms, in order of their id; errors as in `derive`."""
    return tuple(derive(path, row) for row in read_table(path, ParadigmRow))


def parse_template(text: str) -> Template:
    """Splits a template into words and slots.

    Example:
        >>> parse_template("留心 {object:device,vessel} 。")
        ('留心', TemplateSlot(type='object', classes=('device', 'vessel')), '。')
    """
    found: list[str | TemplateSlot] = []
    for word in text.split(" "):
        slot = SLOT.fullmatch(word)
        classes = tuple(slot["classes"].split(",")) if slot and slot["classes"] else ()
        found.append(TemplateSlot(slot["type"], classes) if slot else word)
    return tuple(found)


def gapped(template: Template) -> str:
    """Characters of a template with a gap of two for every slot, to count offsets and compare."""
    return "".join(GAP if isinstance(word, TemplateSlot) else word for word in template)


def slots_of(template: Template) -> tuple[TemplateSlot, ...]:
    """The slots of a template."""
    return tuple(word for word in template if isinstance(word, TemplateSlot))


def derive(path: Path, row: ParadigmRow) -> TemplateParadigm:
    """A row with its templates parsed and its site found; a DataFileError if they contradict it."""
    test, control = parse_template(row.test_template), parse_template(row.control_template)
    # left:  信心|机  true 信心, canary 心机      right:  信|心机  true 心机, canary 信心
    first, last = (row.true_word, row.canary_word)[:: 1 if row.branching == "left" else -1]
    site = first + last[1:]
    paradigm = TemplateParadigm(row, test, control, gapped(test).find(site))
    for what, got, expected in _contradictions(paradigm, first, last):
        where = f"{path}: paradigm {row.paradigm_id}"
        raise DataFileError(f"{where}: {what}, got {got}; expected {expected}")
    return paradigm


def _contradictions(
    paradigm: TemplateParadigm, first: str, last: str
) -> Iterator[tuple[str, object, str]]:
    """What of a pair contradicts its row, what was got and what expected."""
    row, start, end = paradigm.row, paradigm.site_start, paradigm.site_start + SITE_LENGTH
    end += 0 if row.is_exact_pair else 1  # paradigm 36 also differs in the character after the site
    test, control, site = gapped(paradigm.test), gapped(paradigm.control), first + last[1:]
    if len(site) != SITE_LENGTH or first[1] != last[0]:
        words = f"{row.true_word}, {row.canary_word}"
        yield "true_word and canary_word", words, "two characters each that overlap in x2"
    if (n := test.count(site)) != 1:
        yield "test_template", f"{n} times {site}", "the site exactly once"
    if slots_of(paradigm.control) != paradigm.slots:
        yield "control_template", row.control_template, "the slots of the test template"
    outside = [text[:start] + text[end:] for text in (test, control)]
    if len(test) != len(control) or outside[0] != outside[1]:
        yield "control_template", row.control_template, "the test template outside the site"
    if not row.is_exact_pair and test[end - 1] == control[end - 1]:
        yield "is_exact_pair", "no", "yes: the templates differ in the site only"
    place = start + paradigm.occluded
    is_degenerate = test[:place] + test[place + 1 :] == control[:place] + control[place + 1 :]
    if is_degenerate != row.is_occlusion_degenerate:
        expected = f"{is_degenerate}, by comparing the templates"
        yield "is_occlusion_degenerate", not is_degenerate, expected
    begins = [len(gapped(paradigm.test[:i])) for i in range(len(paradigm.test))]
    if (paradigm.true_start, row.true_word) not in zip(begins, paradigm.test, strict=True):
        expected = f"a word of the test template at character {paradigm.true_start}"
        yield "true_word", row.true_word, expected
    if row.canary_word in paradigm.test or row.canary_word in paradigm.control:
        yield "canary_word", row.canary_word, "no word of either template"


AMBIGUITY = DATA / "ambiguity.tsv"
LEXICONS = DATA / "lexicons.tsv"
Judgement = Literal["yes", "no", "arguable"]


@dataclass(frozen=True)
class Ambiguity:
    """One row of ambiguity.tsv: what two blind readers say of a paradigm.

    The paper wants no second parse, "ambiguous at the site and nowhere else" (section 2.3):

        {person} 引 出走 的 人 {verb} 。      true parse: lures those who ran away
        {person} 引出 走 的 人 {verb} 。      canary parse: draws out those who leave
    """

    paradigm_id: int
    first_reading: Judgement  # whether the test sentence has a parse with the canary word
    second_reading: Judgement
    true_parse: str | None  # the two parses as words; None where neither reader sees a second
    canary_parse: str | None
    remark: str | None  # what the canary parse means, or what speaks against it
    first_control: bool  # whether the control is a sentence or phrase of Chinese
    second_control: bool
    earlier_first: Judgement  # of two earlier readers, one of whom knew the suite; not used
    earlier_second: Judgement

    @property
    def is_globally_ambiguous(self) -> Judgement:
        """What both readers say, `arguable` where they differ."""
        return self.first_reading if self.first_reading == self.second_reading else "arguable"

    @property
    def is_control_well_formed(self) -> bool:
        """False where both readers say that it is not."""
        return self.first_control or self.second_control


LexiconMembership = make_dataclass(
    "LexiconMembership",
    [("paradigm_id", int), *((name, bool) for name in IN_LEXICONS)],
    frozen=True,
)
"""One row of lexicons.tsv: which training lexicons of the Bakeoff 2005 have the words."""


@functools.cache
def read_ambiguity(path: Path = AMBIGUITY) -> dict[int, Ambiguity]:
    """Readings by paradigm; a DataFileError where one has no row, or other parses than its own."""
    rows = {row.paradigm_id: row for row in read_table(path, Ambiguity)}
    for paradigm in read_paradigms():
        where = f"{path}: paradigm {paradigm.row.paradigm_id}"
        if paradigm.row.paradigm_id not in rows:
            raise DataFileError(f"{where}, got no row")
        for problem in _parse_problems(paradigm.row, rows[paradigm.row.paradigm_id]):
            raise DataFileError(f"{where}: {problem}")
    return rows


@functools.cache
def read_lexicon_membership() -> dict[int, Any]:
    """Membership of true and canary words in the four lexicons, by paradigm, see `IN_LEXICONS`."""
    rows: list[Any] = read_table(LEXICONS, LexiconMembership)
    return {row.paradigm_id: row for row in rows}


def _parse_problems(paradigm: ParadigmRow, row: Ambiguity) -> Iterator[str]:
    parses = (row.true_parse, row.canary_parse)
    has_doubt = (row.first_reading, row.second_reading) != ("no", "no")
    if has_doubt != (None not in parses) or has_doubt != (parses != (None, None)):
        expected = "both where a reader sees a second one, else none"
        yield f"parses, got {parses}; expected {expected}"
    for parse, word in zip(parses, (paradigm.true_word, paradigm.canary_word), strict=True):
        if parse is not None and word not in parse.split(" "):
            yield f"parse, got {parse}; expected {word} as a word"
    if parses[0] is not None and parses[0].replace(" ", "") != str(parses[1]).replace(" ", ""):
        yield f"parses, got {parses}; expected the same text"
