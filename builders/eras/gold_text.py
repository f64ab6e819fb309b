"""Gold-segmented text of a user's: a corpus of `corpora.toml` by name, or any file.

A file has a line of words between blanks, with or without `/TAG` behind each, plain or gzipped.
What comes out are sentences: a line is divided behind each mark that ends one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from builders.eras.corpora import TAG, corpora, read_text_of
from ground.downloads import checksum
from ground.tables import DataFileError, read_bytes

ENDS = frozenset("。！？；!?;")
TAGGED_SHARE = 0.9  # of the words that have a tag in a tagged text
SAMPLE = 20_000  # characters by which the script is told


class GoldWord(NamedTuple):
    """A word of a text with the tag that it has there, "" in a text without tags."""

    text: str
    tag: str


Sentence = Sequence[GoldWord]


@dataclass(frozen=True)
class GoldText:
    """A text in words.

    Attributes:
        name: Its short name, which ids begin with.
        script: `simplified` or `traditional`.
        sentences: Its sentences.
    """

    name: str
    script: str
    sentences: Sequence[Sentence]


def read_gold_text(place: str) -> GoldText:
    """A text by its name in `corpora.toml`, or from a file.

    A file with the checksum of a corpus is that corpus.

    Raises:
        DataFileError: There is neither, or the file holds no sentence of two words.
    """
    if place in corpora():
        content = read_text_of(place)
        return _gold_text(place, corpora()[place].script, content, place)
    path = Path(place)
    if not path.is_file():
        raise DataFileError(
            f"{place}: gold-segmented text, got no such file; expected one, or a corpus: "
            f"{', '.join(corpora())}"
        )
    packed = read_bytes(path) if path.suffix == ".gz" else path.read_bytes()
    digits = checksum(packed)
    known = {entry.text_sha256: name for name, entry in corpora().items()}
    text = packed.decode("utf-8-sig")
    name = known.get(digits) or re.sub(r"\W+", "_", path.name.partition(".")[0].lower())
    script = corpora()[name].script if digits in known else script_of_text(text)
    return _gold_text(name, script, text, place)


def script_of_text(text: str) -> str:
    """The script of a text: that into which fewer of its characters would be converted."""
    import chinese_converter

    sample = text[:SAMPLE]
    simplified = str(chinese_converter.to_simplified(sample))
    traditional = str(chinese_converter.to_traditional(sample))
    changes = [
        sum(a != b for a, b in zip(sample, s, strict=False)) for s in (simplified, traditional)
    ]
    return "simplified" if changes[0] <= changes[1] else "traditional"


def tagged_words(text: str) -> list[list[GoldWord]]:
    """Words of each line with their tags, "" where the text is not tagged throughout.

    Example:
        >>> [tuple(word) for word in tagged_words("出走/v 的/u")[0]]
        [('出走', 'v'), ('的', 'u')]
    """
    lines = [words for line in text.splitlines() if (words := line.split())]
    n_words = sum(map(len, lines))
    n_tagged = sum(TAG.search(word) is not None for words in lines for word in words)
    if n_tagged < TAGGED_SHARE * n_words:
        return [[GoldWord(word, "") for word in words] for words in lines]
    return [[_tagged(word) for word in words] for words in lines]


def sentences_of(words: Sequence[GoldWord]) -> Iterator[list[GoldWord]]:
    """A line's sentences, each with the mark that ends it."""
    start = 0
    for place, word in enumerate(words, start=1):
        if word.text in ENDS:
            yield list(words[start:place])
            start = place
    if start < len(words):
        yield list(words[start:])


def _tagged(word: str) -> GoldWord:
    match = TAG.search(word)
    return GoldWord(word[: match.start()], match[0][1:]) if match else GoldWord(word, "")


def _gold_text(name: str, script: str, text: str, place: str) -> GoldText:
    found = [part for line in tagged_words(text) for part in sentences_of(line)]
    if not any(len(words) > 1 for words in found):
        raise DataFileError(
            f"{place}: gold-segmented text, got no sentence of two words; expected words between"
            " blanks"
        )
    return GoldText(name, script, found)
