"""The 39 paradigms: templates, the sites that follow from them, what readers and lexicons say.

A template is a row of words; a slot is `{type}` or `{type:class,class}`. Slots before the site take
words of two characters.

    {person} 留心 机动 的 {object:device} 。      test
    {person} 留意 机动 的 {object:device} 。      control

The site x1x2x3 of this test sentence is 留心机: left-branching, true word 留心, canary word 心机.

A paradigm is globally ambiguous where both of two blind readers say so, arguably so where they
differ or both doubt; a control is ill-formed where both say so. The paper wants none: "ambiguous at
the site and nowhere else" (section 2.3).

    {person} 引 出走 的 人 {verb} 。      true parse: lures those who ran away
    {person} 引出 走 的 人 {verb} 。      canary parse: draws out those who leave

Source: Li & Hao (2025), section 2 and Table 3; the paradigms' facts are the paper's, the
segmentation and the flags are ours.
"""

import functools
import re
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
    """One row of paradigms.tsv.

    Attributes:
        paradigm_id: 1 to 39, the row of the paper's Table 3; from 40 on, see `extended`.
        source_index: Index of the template in the authors' list of 60; None where it is not theirs.
        test_template, control_template: Words and slots, separated by blanks.
        branching: `left` where x1x2 is the true word, `right` where x2x3 is.
        true_word, canary_word: Two characters each, overlapping in x2.
        true_sentiment, canary_sentiment: Sentiment of the sentence under either segmentation.
        family: Paradigms of one family share a word.
        is_exact_pair: Whether the sentences of a pair differ inside the site only.
        is_occlusion_degenerate: Whether the occluded sentences of a pair are one and the same.
        is_clause: Whether the sentence is a finite clause rather than a phrase.
        allowed_overlaps: Dictionary words that the published template itself lets straddle a word
            edge.
    """

    paradigm_id: int
    source_index: int | None
    test_template: str
    control_template: str
    branching: Literal["left", "right"]
    true_word: str
    canary_word: str
    true_sentiment: Sentiment
    canary_sentiment: Sentiment
    family: str
    is_exact_pair: bool
    is_occlusion_degenerate: bool
    is_clause: bool
    allowed_overlaps: tuple[str, ...]

    @property
    def sentiments(self) -> tuple[str | None, str | None]:
        """True and canary sentiment; None both where the paradigm is not about sentiment."""
        is_about_it = (self.true_sentiment, self.canary_sentiment) != ("0", "0")
        return (self.true_sentiment, self.canary_sentiment) if is_about_it else (None, None)


@dataclass(frozen=True)
class TemplateParadigm:
    """A paradigm with its templates parsed and its site found.

    Attributes:
        row: The table's row.
        test, control: The templates as words and slots.
        slots: The slots, the same in both templates.
        site_start: Character offset of the site, slots before it counting two characters.
        test_site, control_site: The three characters x1x2x3 of either sentence.
        occluded: Offset within the site of the character that occlusion masks: x3 (left) or x1
            (right), the canary's own.
    """

    row: ParadigmRow
    test: Template
    control: Template
    slots: tuple[TemplateSlot, ...]
    site_start: int
    test_site: str
    control_site: str
    occluded: int


@functools.cache
def read_paradigms(path: Path = PARADIGMS) -> tuple[TemplateParadigm, ...]:
    """Reads the paradigms, in order of their id.

    Raises:
        DataFileError: A template, word or flag contradicts another.
    """
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


def derive(path: Path, row: ParadigmRow) -> TemplateParadigm:
    """A paradigm with its templates parsed and its site found.

    Raises:
        DataFileError: A template, word or flag contradicts another; names `path`.
    """
    test, control = parse_template(row.test_template), parse_template(row.control_template)
    # left:  信心|机  true 信心, canary 心机      right:  信|心机  true 心机, canary 信心
    first, last = (
        (row.true_word, row.canary_word)
        if row.branching == "left"
        else (row.canary_word, row.true_word)
    )
    site = first + last[1:]
    if len(site) != SITE_LENGTH or first[1] != last[0]:
        words = f"{row.true_word}, {row.canary_word}"
        expected = "two characters each that overlap in x2"
        _fail(path, row, "true_word and canary_word", words, expected)
    text, control_text = gapped(test), gapped(control)
    start = text.find(site)
    if text.count(site) != 1:
        got = f"{text.count(site)} times {site}"
        _fail(path, row, "test_template", got, "the site exactly once")
    paradigm = TemplateParadigm(
        row=row,
        test=test,
        control=control,
        slots=tuple(word for word in test if isinstance(word, TemplateSlot)),
        site_start=start,
        test_site=site,
        control_site=control_text[start : start + SITE_LENGTH],
        occluded=2 if row.branching == "left" else 0,
    )
    _check_pair(path, paradigm, text, control_text)
    _check_true_word(path, paradigm)
    return paradigm


def _check_pair(path: Path, paradigm: TemplateParadigm, text: str, control_text: str) -> None:
    row, end = paradigm.row, paradigm.site_start + SITE_LENGTH
    end += 0 if row.is_exact_pair else 1  # paradigm 36 also differs in the character after the site
    if tuple(word for word in paradigm.control if isinstance(word, TemplateSlot)) != paradigm.slots:
        _fail(path, row, "control_template", row.control_template, "the slots of the test template")
    if (
        len(text) != len(control_text)
        or text[: paradigm.site_start] + text[end:]
        != control_text[: paradigm.site_start] + control_text[end:]
    ):
        expected = "the test template outside the site"
        _fail(path, row, "control_template", row.control_template, expected)
    if not row.is_exact_pair and text[end - 1] == control_text[end - 1]:
        _fail(path, row, "is_exact_pair", "no", "yes: the templates differ in the site only")
    place = paradigm.site_start + paradigm.occluded
    is_degenerate = (
        text[:place] + text[place + 1 :] == control_text[:place] + control_text[place + 1 :]
    )
    if is_degenerate != row.is_occlusion_degenerate:
        got, expected = not is_degenerate, f"{is_degenerate}, by comparing the templates"
        _fail(path, row, "is_occlusion_degenerate", got, expected)


def _check_true_word(path: Path, paradigm: TemplateParadigm) -> None:
    """Refuses a true word that is no word at its place, and a canary word that is one."""
    row, place = paradigm.row, 0
    start = paradigm.site_start + (0 if row.branching == "left" else 1)
    found = False
    for word in paradigm.test:
        found = found or (word == row.true_word and place == start)
        place += SLOT_LENGTH if isinstance(word, TemplateSlot) else len(word)
    if not found:
        expected = f"a word of the test template at character {start}"
        _fail(path, row, "true_word", row.true_word, expected)
    if row.canary_word in paradigm.test or row.canary_word in paradigm.control:
        _fail(path, row, "canary_word", row.canary_word, "no word of either template")


def _fail(path: Path, row: ParadigmRow, what: str, got: object, expected: str) -> None:
    raise DataFileError(
        f"{path}: paradigm {row.paradigm_id}: {what}, got {got}; expected {expected}"
    )


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


LexiconMembership = make_dataclass(
    "LexiconMembership",
    [("paradigm_id", int), *((name, bool) for name in IN_LEXICONS)],
    frozen=True,
)
"""One row of lexicons.tsv: which training lexicons of the Bakeoff 2005 have the words."""


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
def read_lexicon_membership(path: Path = LEXICONS) -> dict[int, Any]:
    """Membership of true and canary words in the four lexicons, by paradigm, see `IN_LEXICONS`."""
    rows: list[Any] = read_table(path, LexiconMembership)
    return {row.paradigm_id: row for row in rows}


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
