"""The word lists: which words may fill which slot of which paradigm.

A word is dropped from a slot where, next to the template, it makes a word that the paper's design
does not want (section 2.3: ambiguous at the site and nowhere else). 邻居 before 留 makes 居留, so
it does not fill `{person} 留心 ...`.
"""

import bisect
import functools
from collections.abc import Sequence, Set
from dataclasses import dataclass

from builders.eras.dictionary import LEAST_COUNT, read_dictionary, sorted_words
from builders.eras.paradigms import DATA, SlotType, Template, TemplateParadigm, TemplateSlot
from ground.tables import DataFileError, check_values, read_table

WORDS = DATA / "words.tsv"
COMPOUNDS = DATA / "compounds.tsv"
VERB_LENGTHS = {"verb_1": 1, "verb_2": 2}
LONGEST_WORD = 5  # characters of a dictionary word that is looked for around a filler's edge


@dataclass(frozen=True)
class SlotWord:
    """One row of words.tsv: an entry of jieba's dictionary."""

    word: str  # in simplified characters
    type: SlotType
    class_: str  # what it denotes; a template's slot names the classes it takes
    zipf: float  # log10 of occurrences per billion words in that dictionary's counts


@dataclass(frozen=True)
class Compound:
    """One row of compounds.tsv: a word that readers know and jieba's dictionary lacks."""

    compound: str
    reason: str


@functools.cache
def known_words() -> dict[str, int]:
    """Jieba's dictionary with counts, and compounds that it lacks, such as 护士服, as frequent."""
    compounds = {row.compound: LEAST_COUNT for row in read_table(COMPOUNDS, Compound)}
    return {**compounds, **read_dictionary()}


@functools.cache
def read_words() -> tuple[SlotWord, ...]:
    """The word lists."""
    return tuple(read_table(WORDS, SlotWord))


def slot_words(slot: TemplateSlot, words: Sequence[SlotWord]) -> list[SlotWord]:
    """Words that a slot takes by type, length and class; a DataFileError for an unknown class."""
    kind = "verb" if slot.type in VERB_LENGTHS else slot.type
    typed = [word for word in words if word.type == kind]
    check_values(WORDS, f"classes of {slot.type}", slot.classes, {word.class_ for word in typed})
    if slot.classes:
        typed = [word for word in typed if word.class_ in slot.classes]
    length = VERB_LENGTHS.get(slot.type)
    return [word for word in typed if length in (None, len(word.word))]


def paradigm_words(paradigm: TemplateParadigm, words: Sequence[SlotWord]) -> list[list[SlotWord]]:
    """Words per slot of a paradigm, without those that make a new ambiguity in its sentences.

    A word goes where it makes a dictionary word of count 5 or more straddle its edge in either
    sentence, or one of any count in one sentence of the pair only, next to the template or to a
    word of the next slot. The overlaps that the published template has are allowed. A DataFileError
    where a slot has no word left.
    """
    sides = [template_literals(template) for template in (paradigm.test, paradigm.control)]
    lists: list[list[SlotWord]] = []
    for place, slot in enumerate(paradigm.slots):
        edges = [(texts[place], texts[place + 1]) for texts in sides]
        kept = [
            word
            for word in slot_words(slot, words)
            if not _is_overlap(paradigm, *(straddling_words(*edge, word.word) for edge in edges))
        ]
        if lists:
            between = [edge[0] for edge in edges]
            kept = _without_joint_overlaps(paradigm, between, lists[-1], kept)
        lists.append(kept)
        if not kept:
            got = f"got no word that fits paradigm {paradigm.row.paradigm_id}; expected some"
            raise DataFileError(f"{WORDS}: {slot.type}, {got}")
    return lists


def template_literals(template: Template) -> list[str]:
    """Literal text before, between and after the slots of a template."""
    texts = [""]
    for word in template:
        if isinstance(word, TemplateSlot):
            texts.append("")
        else:
            texts[-1] += word
    return texts


@functools.cache
def straddling_words(left: str, right: str, word: str) -> frozenset[str]:
    """Known words that straddle an edge of `word` between `left` and `right`.

    Example:
        >>> sorted(straddling_words("", "留心", "邻居"))
        ['居留']
    """
    left, right = left[-LONGEST_WORD + 1 :], right[: LONGEST_WORD - 1]
    text, start, end = left + word + right, len(left), len(left) + len(word)
    parts = {
        text[a:b]
        for edge in (start, end)
        for a in range(max(0, edge - LONGEST_WORD + 1), edge)
        for b in range(edge + 1, min(a + LONGEST_WORD, len(text)) + 1)
    }
    # prefixes of words stand in the dictionary too, with count 0
    return frozenset(filter(known_words().get, parts))


def _is_overlap(paradigm: TemplateParadigm, test: Set[str], control: Set[str]) -> bool:
    found = (test | control) - set(paradigm.row.allowed_overlaps)
    in_both, counts = test & control, known_words()
    return any(counts[word] >= LEAST_COUNT or word not in in_both for word in found)


def _without_joint_overlaps(
    paradigm: TemplateParadigm,
    texts: Sequence[str],
    first: Sequence[SlotWord],
    second: list[SlotWord],
) -> list[SlotWord]:
    """Drops words of the second list that make a word with one of the first over one of `texts`."""
    if min(map(len, texts)) > LONGEST_WORD - 2:
        return second
    bad: set[str] = set()
    for end in sorted({word.word for word in first}):
        rests = [_spanning_words(end, text) for text in texts]
        for word in second if any(rests) else ():
            test, control = (
                {whole for rest, whole in found if word.word.startswith(rest)} for found in rests
            )
            if _is_overlap(paradigm, test, control):
                bad.add(word.word)
    return [word for word in second if word.word not in bad]


@functools.cache
def _spanning_words(end: str, text: str) -> frozenset[tuple[str, str]]:
    """Dictionary words that begin in `end`, run over `text` and go on, with what is missing."""
    words, spanning = sorted_words(), set()
    for tail in (end[a:] + text for a in range(len(end))):
        for i in range(bisect.bisect_right(words, tail), len(words)):
            if not words[i].startswith(tail):
                break
            spanning.add((words[i].removeprefix(tail), words[i]))
    return frozenset(spanning)
