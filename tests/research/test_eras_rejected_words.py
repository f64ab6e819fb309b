"""Eras rejected words: what the laboratory says of it."""

from dataclasses import dataclass

from builders.eras.words import read_words
from ground.tables import read_table
from research.readings import DATA as READINGS


@dataclass(frozen=True)
class RejectedWord:
    word: str
    type: str
    class_: str
    reason: str


def test_words_that_readers_objected_to_are_in_their_class_no_more():
    rejected = {
        (r.word, r.type, r.class_)
        for r in read_table(READINGS / "eras" / "rejected.tsv", RejectedWord)
    }
    assert len(rejected) == 82
    assert rejected.isdisjoint((word.word, word.type, word.class_) for word in read_words())
