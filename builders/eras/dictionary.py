"""Jieba's dictionary, words with counts: the lexicon against which fillers are checked.

Source: dict.txt of the package jieba (MIT licence), which is not imported: 349,046 words with the
counts of its training texts.
"""

import functools
import importlib.metadata
import math
from pathlib import Path

LEAST_COUNT = 5  # of a straddling word: an ambiguity that a segmenter may fall for


def dictionary_path() -> Path:
    """Path of jieba's dictionary; a ModuleNotFoundError where the package is not installed."""
    return Path(str(importlib.metadata.distribution("jieba").locate_file("jieba/dict.txt")))


@functools.cache
def read_dictionary() -> dict[str, int]:
    """Every word of jieba's dictionary with its count."""
    with dictionary_path().open(encoding="utf-8") as lines:
        return {word: int(count) for word, count, *_ in map(str.split, lines)}


@functools.cache
def read_word_tags() -> dict[str, str]:
    """The part of speech of every word of jieba's dictionary that has one, as jieba writes it."""
    with dictionary_path().open(encoding="utf-8") as lines:
        return {row[0]: row[2] for row in map(str.split, lines) if len(row) > 2}


@functools.cache
def dictionary_words() -> frozenset[str]:
    """Words of jieba's dictionary that have a count: those that a segmenter can find."""
    return frozenset(word for word, count in read_dictionary().items() if count)


@functools.cache
def sorted_words() -> list[str]:
    """The same words, sorted."""
    return sorted(dictionary_words())


def zipf_frequency(word: str) -> float:
    """Log10 of a word's count per billion words, rounded to two decimals; nan of an unknown word.

    Source: van Heuven et al. (2014); counts of jieba's dictionary.
    """
    counts = read_dictionary()
    if not counts.get(word):
        return math.nan
    return round(math.log10(counts[word] / _total() * 1e9), 2)


@functools.cache
def _total() -> int:
    return sum(read_dictionary().values())
