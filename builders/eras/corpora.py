"""Gold-segmented Chinese text and its word lists, where a user has them: `corpora.toml`.

Files are looked for as `ground.sources` says. What has another checksum is refused.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ground.sources import read_source
from ground.tables import read_settings
from metrics._shared.plain_text import decode, lines_of

TABLE = Path(__file__).parent / "data" / "corpora.toml"
TAG = re.compile(r"/[A-Za-z]+$")


@dataclass(frozen=True)
class Corpus:
    """One entry of `corpora.toml`.

    Attributes:
        format: `words` between blanks, or `tagged`: `/TAG` behind each word.
        text: Its file, below one of the folders.
        lexicon: The word list of its standard's training text; "" for none.
    """

    name: str
    script: str
    format: Literal["words", "tagged"]
    text: str
    text_sha256: str
    lexicon: str
    lexicon_sha256: str


@functools.cache
def corpora() -> dict[str, Corpus]:
    """Every corpus by its short name."""
    return {name: Corpus(**values) for name, values in read_settings(TABLE).items()}


def corpus(name: str) -> Corpus:
    """One corpus; a ValueError names the known ones."""
    if name not in corpora():
        raise ValueError(f"corpus, got {name!r}; expected one of {', '.join(corpora())}")
    return corpora()[name]


def read_text_of(name: str) -> str:
    """The text of a corpus as its file has it; a ValueError as `read_sentences`."""
    entry = corpus(name)
    return _read(entry.text, entry.text_sha256)


def read_sentences(name: str) -> list[list[str]]:
    """Words of every sentence of a corpus, empty lines left out.

    Raises:
        ValueError: There is no such corpus, or its file is not here or not the recorded one.
    """
    entry = corpus(name)
    lines = lines_of(read_text_of(name))
    sentences = [line.split() for line in lines]
    if entry.format == "tagged":
        sentences = [[TAG.sub("", word) for word in words] for words in sentences]
    return [words for words in sentences if words]


def read_word_list(name: str) -> frozenset[str]:
    """The words of a standard's training text; empty where there is no list.

    Raises:
        ValueError: As `read_sentences`.
    """
    entry = corpus(name)
    if not entry.lexicon:
        return frozenset()
    lines = lines_of(_read(entry.lexicon, entry.lexicon_sha256))
    return frozenset(fields[0] for line in lines if (fields := line.split()))


def _read(file: str, sha256: str) -> str:
    return decode(read_source(file, sha256, TABLE.name), file, is_normalized=False).text
