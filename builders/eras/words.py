"""The word lists: which words may fill which slot of which paradigm.

A word is dropped from a slot where, next to the template, it makes a word that the paper's design
does not want (section 2.3: ambiguous at the site and nowhere else). 邻居 before 留 makes 居留, so
it does not fill `{person} 留心 ...`.
"""

import bisect
import functools
from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from builders.eras.dictionary import LEAST_COUNT, dictionary_words, read_dictionary
from builders.eras.paradigms import DATA, SlotType, Template, TemplateParadigm, TemplateSlot
from ground.tables import DataFileError, check_values, read_table

WORDS = DATA / "words.tsv"
COMPOUNDS = DATA / "compounds.tsv"
VERB_LENGTHS = {"verb_1": 1, "verb_2": 2}
LONGEST_WORD = 5  # characters of a dictionary word that is looked for around a filler's edge


@dataclass(frozen=True)
class SlotWord:
    """One row of words.tsv.

    Attributes:
        word: Simplified characters, an entry of jieba's dictionary.
        type: Slot type; the lengths of verbs are told by the word itself.
        class_: What the word denotes; a template's slot names the classes it takes.
        zipf: Zipf frequency, log10 of occurrences per billion words in the counts of jieba's
            dictionary.
    """

    word: str
    type: SlotType
    class_: str
    zipf: float


@dataclass(frozen=True)
class Compound:
    """One row of compounds.tsv: a word that readers know and jieba's dictionary lacks."""

    compound: str
    reason: str


@functools.cache
def known_words() -> dict[str, int]:
    """Words that a filler must not make at its edge, with counts.

    These are jieba's dictionary and the compounds that it lacks, 护士服 for one, which count as
    frequent.
    """
    compounds = {row.compound: LEAST_COUNT for row in read_table(COMPOUNDS, Compound)}
    return {**compounds, **read_dictionary()}


@functools.cache
def read_words(path: Path = WORDS) -> tuple[SlotWord, ...]:
    """Reads the word lists."""
    return tuple(read_table(path, SlotWord))


def slot_words(slot: TemplateSlot, words: Sequence[SlotWord]) -> list[SlotWord]:
    """Words that a slot takes by type, length and semantic class, whatever stands beside it.

    Raises:
        DataFileError: The slot names a class that no word of its type has.
    """
    typed = [
        word for word in words if word.type == ("verb" if slot.type in VERB_LENGTHS else slot.type)
    ]
    check_values(WORDS, f"classes of {slot.type}", slot.classes, {word.class_ for word in typed})
    length = VERB_LENGTHS.get(slot.type)
    return [
        word
        for word in typed
        if (not slot.classes or word.class_ in slot.classes)
        and (length is None or len(word.word) == length)
    ]


def paradigm_words(paradigm: TemplateParadigm, words: Sequence[SlotWord]) -> list[list[SlotWord]]:
    """Words per slot of a paradigm, without those that make a new ambiguity in its sentences.

    A word goes where it makes a dictionary word of count 5 or more straddle its edge in either
    sentence, or one of any count in one sentence of the pair only, next to the template or to a
    word of the next slot. The overlaps that the published template has are allowed.
    """
    sides = [template_literals(template) for template in (paradigm.test, paradigm.control)]
    lists = []
    for place, slot in enumerate(paradigm.slots):
        kept = []
        for word in slot_words(slot, words):
            test, control = (
                straddling_words(texts[place], texts[place + 1], word.word) for texts in sides
            )
            if not _is_overlap(paradigm, test, control):
                kept.append(word)
        lists.append(kept)
    for place in range(len(lists) - 1):
        lists[place + 1] = _without_joint_overlaps(paradigm, place, lists[place], lists[place + 1])
    for slot, kept in zip(paradigm.slots, lists, strict=True):
        if not kept:
            raise DataFileError(
                f"{WORDS}: {slot.type}, got no word that fits paradigm "
                f"{paradigm.row.paradigm_id}; expected some"
            )
    return lists


def template_literals(template: Template) -> list[str]:
    """Literal text before, between and after the slots of a template: one piece more than slots."""
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
    spans = {
        (a, b)
        for edge in (start, end)
        for a in range(edge - LONGEST_WORD + 1, edge)
        for b in range(edge + 1, edge + LONGEST_WORD)
    }
    dictionary = known_words()
    parts = (
        text[a:b]
        for a, b in spans
        if 0 <= a < end and start < b <= len(text) and 2 <= b - a <= LONGEST_WORD
    )
    return frozenset(
        part for part in parts if dictionary.get(part)
    )  # prefixes of words stand there too, with count 0


def _is_overlap(paradigm: TemplateParadigm, test: Set[str], control: Set[str]) -> bool:
    allowed = set(paradigm.row.allowed_overlaps)
    counts = known_words()
    return any(
        counts[word] >= LEAST_COUNT or (word in test) != (word in control)
        for word in (test | control) - allowed
    )


def _without_joint_overlaps(
    paradigm: TemplateParadigm, place: int, first: list[SlotWord], second: list[SlotWord]
) -> list[SlotWord]:
    """Drops words of the second list that make a dictionary word with one of the first."""
    texts = [
        template_literals(template)[place + 1] for template in (paradigm.test, paradigm.control)
    ]
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
    words, spanning = _sorted_dictionary(), set()
    for tail in (end[a:] + text for a in range(len(end))):
        for i in range(bisect.bisect_right(words, tail), len(words)):
            if not words[i].startswith(tail):
                break
            spanning.add((words[i].removeprefix(tail), words[i]))
    return frozenset(spanning)


@functools.cache
def _sorted_dictionary() -> list[str]:
    return sorted(dictionary_words())
