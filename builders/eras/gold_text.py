"""Gold-segmented text of a user's: a corpus of `corpora.toml` by name, or any file.

A file has a line of words between blanks, with or without `/TAG` or `_TAG` behind each, plain or
gzipped; a line is divided into sentences behind each mark that ends one. Files of `corpora.toml`
are looked for as `ground.sources` says; what has another checksum is refused.
"""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from builders.notations import n_columns_of_labels, tag_of
from ground.downloads import checksum
from ground.sources import read_source
from ground.tables import DataFileError, read_bytes, read_settings, read_text
from metrics._shared.plain_text import decode, lines_of

ENDS = frozenset("。！？；!?;")
UNDERSCORE_TAG = re.compile(r"(?<=.)_([A-Za-z]+[0-9]?)$")  # as NLPIR and LTP write them
SAMPLE = 20_000  # characters by which the script is told


class GoldWord(NamedTuple):
    """A word of a text with the tag that it has there, "" in a text without tags."""

    text: str
    tag: str


Sentence = Sequence[GoldWord]


@dataclass(frozen=True)
class GoldText:
    """A text in words."""

    name: str
    script: str
    sentences: Sequence[Sentence]


def read_gold_text(place: str) -> GoldText:
    """A text by its name in `corpora.toml`, or from a file, which may be that of a corpus.

    A DataFileError where there is neither, or the file holds no sentence of two words.
    """
    if (entry := corpora().get(place)) is not None:
        content = read_recorded(entry.text, entry.text_sha256)
        return _gold_text(place, entry.script, content, place)
    path = Path(place)
    if not path.is_file():
        expected = f"one, or a corpus: {', '.join(corpora())}"
        raise DataFileError(f"{place}: gold-segmented text, got no such file; expected {expected}")
    digits = checksum(read_bytes(path))
    known = {entry.text_sha256: name for name, entry in corpora().items()}
    text = read_text(path, is_normalized=digits not in known)
    name = known.get(digits) or re.sub(r"\W+", "_", path.name.partition(".")[0].lower())
    script = corpora()[name].script if digits in known else script_of_text(text)
    return _gold_text(name, script, text, place)


def script_of_text(text: str) -> str:
    """The script of a text: that into which fewer of its characters would be converted."""
    import chinese_converter as converter

    def n_changed(convert: Callable[[str], object]) -> int:
        return sum(a != b for a, b in zip(sample, str(convert(sample)), strict=False))

    sample = text[:SAMPLE]
    is_simplified = n_changed(converter.to_simplified) <= n_changed(converter.to_traditional)
    return "simplified" if is_simplified else "traditional"


def tagged_words(text: str) -> list[list[GoldWord]]:
    """Words of each line with their tags, "" where the text is not tagged throughout.

    Example:
        >>> [tuple(word) for word in tagged_words("出走/v 的/u")[0]]
        [('出走', 'v'), ('的', 'u')]
    """
    lines = [words for line in lines_of(text) if (words := line.split())]
    tag = tag_of([word for words in lines for word in words], (TAG, UNDERSCORE_TAG))

    def tagged(word: str) -> GoldWord:
        match = tag.search(word) if tag else None
        return GoldWord(word[: match.start()], match[0][1:]) if match else GoldWord(word, "")

    return [[tagged(word) for word in words] for words in lines]


def sentences_of(words: Sequence[GoldWord]) -> Iterator[list[GoldWord]]:
    """A line's sentences, each with the mark that ends it."""
    start = 0
    for place, word in enumerate(words, start=1):
        if word.text in ENDS:
            yield list(words[start:place])
            start = place
    if start < len(words):
        yield list(words[start:])


def _gold_text(name: str, script: str, text: str, place: str) -> GoldText:
    where = f"{place}: gold-segmented text"
    if n := n_columns_of_labels(line for line in lines_of(text) if line.strip()):
        expected = "one sentence a line, its words between blanks"
        got = f"{n} columns between tabs in every line"
        raise DataFileError(f"{where}, got {got}; expected {expected}")
    found = [part for line in tagged_words(text) for part in sentences_of(line)]
    if not any(len(words) > 1 for words in found):
        raise DataFileError(f"{where}, got no sentence of two words; expected words between blanks")
    return GoldText(name, script, found)


TABLE = Path(__file__).parent / "data" / "corpora.toml"
TAG = re.compile(r"/[A-Za-z]+$")


@dataclass(frozen=True)
class Corpus:
    """One entry of `corpora.toml`; `tagged` words have `/TAG` behind each."""

    name: str
    script: str
    format: Literal["words", "tagged"]
    text: str  # its file, below one of the folders
    text_sha256: str
    lexicon: str  # the word list of its standard's training text; "" for none
    lexicon_sha256: str


@functools.cache
def corpora() -> dict[str, Corpus]:
    """Every corpus by its short name."""
    return {name: Corpus(**values) for name, values in read_settings(TABLE).items()}


def read_recorded(file: str, sha256: str) -> str:
    """The text of a file that a user has, as it is; a ValueError where it is another one."""
    return decode(read_source(file, sha256, TABLE.name), file, is_normalized=False).text
