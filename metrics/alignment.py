"""Which word of a predicted tree stands for which gold word, where a parser cut the text otherwise.

Both tokenizations are cut at the character positions that they share; a piece between two shared
cuts has gold and predicted words in it. The predicted word of a piece whose head lies outside of it
stands for the piece. Where words that a metric asks about do not lie in pieces of their own, the
parser did not tell them apart, and what is asked of them counts as wrong.
"""

from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from .columns import IntArray
from .trees import Trees

ALIGNMENTS = ("tokens", "text")


class Alignment(NamedTuple):
    """How t gold and u predicted words correspond.

    Attributes:
        representatives: Predicted word that stands for each gold word, shape (t,).
        gold_pieces: First gold word of the piece that each gold word is in, shape (t,).
        predicted_pieces: First gold word of the piece that each predicted word is in, shape (u,).
    """

    representatives: IntArray
    gold_pieces: IntArray
    predicted_pieces: IntArray


def align(gold: Trees, predicted: Trees, alignment: str) -> Alignment:
    """Aligns the words of n gold and n predicted sentences.

    Args:
        gold: The gold trees; without tokens only the number of words is compared.
        predicted: The predicted trees, likewise.
        alignment: "tokens" where both must have the same tokens, "text" where only the text without
            blanks must be the same.

    Raises:
        ValueError: Names the first sentence whose tokens or text differ.
    """
    words = np.arange(len(gold.heads))
    different = _different_sentences(gold, predicted)
    if not len(different):
        return Alignment(words, words, words)
    if alignment == "tokens" or gold.tokens is None or predicted.tokens is None:
        raise _token_error(gold, predicted, int(different[0]))
    result = _shifted(gold, predicted)
    for sentence in different.tolist():
        _align_sentence(gold, predicted, sentence, result)
    return result


def _different_sentences(gold: Trees, predicted: Trees) -> IntArray:
    lengths, predicted_lengths = np.diff(gold.offsets), np.diff(predicted.offsets)
    if gold.tokens is None or predicted.tokens is None:
        return np.flatnonzero(lengths != predicted_lengths)
    if np.array_equal(lengths, predicted_lengths):
        words = np.flatnonzero(
            ~pc.equal(gold.tokens, predicted.tokens).to_numpy(zero_copy_only=False)
        )
        return np.unique(np.searchsorted(gold.offsets, words, side="right") - 1)
    return np.array([i for i in range(gold.n) if gold.words(i) != predicted.words(i)], np.int64)


def _token_error(gold: Trees, predicted: Trees, sentence: int) -> ValueError:
    place = f"{predicted.where}[{sentence}]: tokens, got"
    found, expected = predicted.words(sentence), gold.words(sentence)
    if found is None or expected is None:
        lengths = [int(np.diff(trees.offsets)[sentence]) for trees in (predicted, gold)]
        return ValueError(
            f"{place} {lengths[0]} words; expected {lengths[1]}; align by text only with tokens on "
            f"both sides"
        )
    return ValueError(
        f"{place} {' '.join(found)!r}; expected {' '.join(expected)!r}; pass alignment='text' "
        f"where only the cuts differ"
    )


def _shifted(gold: Trees, predicted: Trees) -> Alignment:
    """Alignment word by word from each sentence's first on; right where the tokens are the same."""
    lengths, predicted_lengths = np.diff(gold.offsets), np.diff(predicted.offsets)
    words, predicted_words = np.arange(len(gold.heads)), np.arange(len(predicted.heads))
    shift = predicted.offsets[:-1] - gold.offsets[:-1]
    return Alignment(
        words + np.repeat(shift, lengths),
        words.copy(),
        predicted_words - np.repeat(shift, predicted_lengths),
    )


def _align_sentence(gold: Trees, predicted: Trees, sentence: int, result: Alignment) -> None:
    words, predicted_words = gold.words(sentence) or [], predicted.words(sentence) or []
    if "".join(words).replace(" ", "") != "".join(predicted_words).replace(" ", ""):
        place = f"{predicted.where}[{sentence}]: text, got"
        raise ValueError(f"{place} {' '.join(predicted_words)!r}; expected {' '.join(words)!r}")
    ends, predicted_ends = _ends(words), _ends(predicted_words)
    cuts = np.intersect1d(ends, predicted_ends)
    first, predicted_first = gold.offsets[sentence], predicted.offsets[sentence]
    pieces, predicted_pieces = np.searchsorted(cuts, ends), np.searchsorted(cuts, predicted_ends)
    first_words = first + np.searchsorted(pieces, np.arange(len(cuts)))
    result.gold_pieces[first : first + len(words)] = first_words[pieces]
    result.predicted_pieces[predicted_first : predicted_first + len(predicted_words)] = first_words[
        predicted_pieces
    ]
    heads = predicted.heads[predicted_first : predicted_first + len(predicted_words)]
    standing = np.array(
        [_standing_word(predicted_pieces, heads, piece) for piece in range(len(cuts))]
    )
    result.representatives[first : first + len(words)] = predicted_first + standing[pieces]


def _ends(words: list[str]) -> IntArray:
    return np.cumsum([len(word.replace(" ", "")) for word in words])


def _standing_word(pieces: IntArray, heads: IntArray, piece: int) -> int:
    """First word of a piece whose head is the root or lies in another piece."""
    members = np.flatnonzero(pieces == piece).tolist()
    return next(
        (word for word in members if heads[word] <= 0 or pieces[heads[word] - 1] != piece),
        members[0],
    )
