"""The word lists: which words may fill which slot of which paradigm.

A word is dropped from a slot where, next to the template, it makes a word that the paper's design does not want (section 2.3: ambiguous at
the site and nowhere else). 邻居 before 留 makes 居留, so it does not fill `{person} 留心 ...`.
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from builders.eras.dictionary import LEAST_COUNT, read_dictionary
from builders.eras.paradigms import DATA, Paradigm, Slot, SlotType, Template
from builders.tables import DataFileError, check_values, read_table

WORDS = DATA / "words.tsv"
VERB_LENGTHS = {"verb_1": 1, "verb_2": 2}
LONGEST_WORD = 5  # characters of a dictionary word that is looked for around a filler's edge


@dataclass(frozen=True)
class Word:
    """One row of words.tsv.

    Attributes:
        word: Simplified characters, an entry of jieba's dictionary.
        type: Slot type; the lengths of verbs are told by the word itself.
        class_: What the word denotes; a template's slot names the classes it takes.
        zipf: Zipf frequency, log10 of occurrences per billion words in the counts of jieba's dictionary.
    """

    word: str
    type: SlotType
    class_: str
    zipf: float


@functools.cache
def read_words(path: Path = WORDS) -> tuple[Word, ...]:
    """Reads the word lists."""
    return tuple(read_table(path, Word))


def slot_words(slot: Slot, words: Sequence[Word]) -> list[Word]:
    """Gives the words that a slot takes by type, length and semantic class, whatever stands beside it.

    Raises:
        DataFileError: The slot names a class that no word of its type has.
    """
    typed = [word for word in words if word.type == ("verb" if slot.type in VERB_LENGTHS else slot.type)]
    check_values(WORDS, f"classes of {slot.type}", slot.classes, {word.class_ for word in typed})
    length = VERB_LENGTHS.get(slot.type)
    return [word for word in typed if (not slot.classes or word.class_ in slot.classes) and (length is None or len(word.word) == length)]


def paradigm_words(paradigm: Paradigm, words: Sequence[Word]) -> list[list[Word]]:
    """Gives one list of words per slot of a paradigm, without those that make a new ambiguity in its sentences.

    A word goes where it makes a dictionary word of count 5 or more straddle its edge in either sentence, or one of any count in one
    sentence of the pair only, next to the template or to a word of the next slot. The overlaps that the published template has are allowed.
    """
    lists = [
        [word for word in slot_words(slot, words) if not makes_overlap(paradigm, place, word.word)]
        for place, slot in enumerate(paradigm.slots)
    ]
    for place in range(len(lists) - 1):
        lists[place + 1] = _without_joint_overlaps(paradigm, place, lists[place], lists[place + 1])
    for slot, kept in zip(paradigm.slots, lists, strict=True):
        if not kept:
            raise DataFileError(f"{WORDS}: {slot.type}, got no word that fits paradigm {paradigm.row.paradigm_id}; expected some")
    return lists


def makes_overlap(paradigm: Paradigm, place: int, word: str) -> bool:
    """Whether a word in the slot number `place` makes a dictionary word straddle its edge, in both sentences of the pair or in one."""
    test, control = (straddling_words(*contexts(template, place), word) for template in (paradigm.test, paradigm.control))
    return _is_overlap(paradigm, test, control)


def contexts(template: Template, place: int) -> tuple[str, str]:
    """Gives the characters left and right of a slot, up to the next slots or the sentence's ends."""
    texts = template_literals(template)
    return texts[place], texts[place + 1]


def template_literals(template: Template) -> list[str]:
    """Gives the literal text before, between and after the slots of a template: one piece more than it has slots."""
    texts = [""]
    for word in template:
        if isinstance(word, Slot):
            texts.append("")
        else:
            texts[-1] += word
    return texts


def straddling_words(left: str, right: str, word: str) -> set[str]:
    """Gives the dictionary words that straddle an edge of `word` between `left` and `right`.

    Example:
        >>> sorted(straddling_words("", "留心", "邻居"))
        ['居留']
    """
    text, start, end = left + word + right, len(left), len(left) + len(word)
    return {part for a, b, part in _dictionary_parts(text) if (a < start < b or a < end < b) and b > start and a < end}


def _dictionary_parts(text: str) -> Iterator[tuple[int, int, str]]:
    dictionary = read_dictionary()
    for a in range(len(text)):
        for b in range(a + 2, min(a + LONGEST_WORD, len(text)) + 1):
            part = text[a:b]
            if dictionary.get(part):  # prefixes stand in the dictionary's trie with count 0
                yield a, b, part


def _is_overlap(paradigm: Paradigm, test: set[str], control: set[str]) -> bool:
    allowed = set(paradigm.row.allowed_overlaps)
    counts = read_dictionary()
    return any(counts[word] >= LEAST_COUNT or (word in test) != (word in control) for word in (test | control) - allowed)


def _without_joint_overlaps(paradigm: Paradigm, place: int, first: list[Word], second: list[Word]) -> list[Word]:
    """Drops the words of the second list that make a dictionary word together with the text between and a word of the first list.

    A dictionary word has at most five characters, so only the last and first two characters of the fillers can take part.
    """
    texts = [template_literals(template)[place + 1] for template in (paradigm.test, paradigm.control)]
    if min(map(len, texts)) > LONGEST_WORD - 2:
        return second
    ends = sorted({word.word[-2:] for word in first})
    bad = {
        start
        for start in sorted({word.word[:2] for word in second})
        for end in ends
        if _is_overlap(paradigm, *(_spanning_words(end, text, start) for text in texts))
    }
    return [word for word in second if word.word[:2] not in bad]


def _spanning_words(end: str, text: str, start: str) -> set[str]:
    dictionary = read_dictionary()
    parts = (end[a:] + text + start[:b] for a in range(len(end)) for b in range(1, len(start) + 1))
    return {part for part in parts if dictionary.get(part)}
