"""Which words go in the slots of an extended paradigm: those that collocate in both sentences.

    {person:role} 在 {location:building} 向 客人 赠送 礼品 。    1: 店主 经理    2: 宾馆 餐厅

A slot's semantic class says what a word denotes, not that a person of this office does this here.
A table names the words that do, by themselves or by groups of them (`medic`: 医生, 护士); a slot
that it does not name takes every word of its classes.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from builders.eras.extended import WrittenParadigm
from builders.eras.paradigms import DATA, TemplateSlot
from builders.eras.words import SlotWord, paradigm_words, read_words, slot_words
from ground.tables import check_values, read_table

FILLERS = DATA / "extended_fillers.tsv"
GROUPS = DATA / "extended_groups.tsv"


@dataclass(frozen=True)
class FillerGroup:
    """One row of extended_groups.tsv: words that go together in many sentences, and their name."""

    group: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class SlotFillers:
    """One row of extended_fillers.tsv.

    Attributes:
        slot: 1 to 3, in the order of the test template.
        takes: Groups, in Latin letters, and words.
    """

    number: int
    slot: int
    takes: tuple[str, ...]


@functools.cache
def read_groups(path: Path = GROUPS) -> dict[str, tuple[str, ...]]:
    """Words of each group."""
    return {row.group: row.words for row in read_table(path, FillerGroup)}


@functools.cache
def read_fillers(path: Path = FILLERS) -> Mapping[tuple[int, int], frozenset[str]]:
    """Words that a slot may take, by number of the paradigm and of the slot.

    Raises:
        DataFileError: A group is not in the table of groups.
    """
    groups = read_groups()
    taken: dict[tuple[int, int], frozenset[str]] = {}
    for row in read_table(path, SlotFillers):
        named = [name for name in row.takes if name.isascii()]
        check_values(path, f"{row.number}: groups of slot {row.slot}", named, groups)
        words = {word for name in row.takes for word in groups.get(name, (name,))}
        taken[row.number, row.slot] = frozenset(words)
    return taken


def fillers(paradigm: WrittenParadigm) -> list[list[SlotWord]]:
    """Words per slot that collocate, make no new ambiguity and hold no word of the templates.

    Raises:
        DataFileError: A word that the table names is not of the slot's type and classes.
    """
    templates = (paradigm.templates.test, paradigm.templates.control)
    literals = {word for template in templates for word in template if isinstance(word, str)}
    taken = {word for word in literals if len(word) > 1} | {paradigm.row.canary_word}
    lists = zip(
        paradigm.templates.slots, paradigm_words(paradigm.templates, read_words()), strict=True
    )
    return [
        [
            word
            for word in words
            if word.word in allowed and not any(part in word.word for part in taken)
        ]
        for place, (slot, words) in enumerate(lists, 1)
        for allowed in [_allowed(paradigm.row.number, place, slot)]
    ]


def _allowed(number: int, place: int, slot: TemplateSlot) -> frozenset[str]:
    known = frozenset(word.word for word in slot_words(slot, read_words()))
    allowed = read_fillers().get((number, place), known)
    check_values(FILLERS, f"{number}: words of slot {place}", sorted(allowed), known)
    return allowed
