"""Where sentences are cut, as lengths of words: two bytes a word in place of the words."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from research.engine.loop import Row

Numbers = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class Cuts:
    """Where some sentences are cut.

    Attributes:
        counts: Words of each sentence.
        lengths: Characters of each word, of all sentences one after the other.
        seconds: How long cutting took.
    """

    counts: Numbers
    lengths: Numbers
    seconds: float

    @cached_property
    def _starts(self) -> npt.NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)])

    def words(self, first: int, sentences: Sequence[str]) -> list[list[str]]:
        """Words of some of the sentences, from the first on.

        Example:
            >>> cuts_of({"words": [["学生"], ["留心", "机"]], "seconds": 1}).words(1, ["留心机"])
            [['留心', '机']]
        """
        begin, end = self._starts[[first, first + len(sentences)]]
        lengths = iter(self.lengths[begin:end].tolist())
        counts = self.counts[first : first + len(sentences)].tolist()
        return [
            _cut(sentence, list(islice(lengths, count)))
            for sentence, count in zip(sentences, counts, strict=True)
        ]

    def key(self) -> str:
        """The same for the same cuts, in 32 hex digits."""
        digest = hashlib.sha256()
        for numbers in (self.counts, self.lengths):
            digest.update(numbers.astype("<u2").tobytes())
        return digest.hexdigest()[:32]


def cuts_of(row: Row) -> Cuts:
    """The cuts in the stored row of a batch: `words` of each sentence, and `seconds`."""
    words = row["words"]
    lengths = [len(word) for parts in words for word in parts]
    counts = [len(parts) for parts in words]
    return Cuts(np.array(counts, np.uint16), np.array(lengths, np.uint16), row["seconds"])


def join_cuts(parts: Sequence[Cuts]) -> Cuts:
    """The cuts of all parts, one after the other."""
    return Cuts(
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        sum(part.seconds for part in parts),
    )


def _cut(sentence: str, lengths: Sequence[int]) -> list[str]:
    words, start = [], 0
    for length in lengths:
        words.append(sentence[start : start + length])
        start += length
    return words
