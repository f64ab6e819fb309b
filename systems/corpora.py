"""Gold-segmented Chinese text and its word lists, where a user has them: `corpora.toml`.

Files are looked for below GARDENPATH_SOURCES (by default `../shared/sources` of the repository) and
among the installed packages, plain or gzipped. What has another checksum is refused.
"""

import functools
import os
import re
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ground.downloads import checksum
from ground.paths import ROOT
from ground.tables import DataFileError, read_bytes, read_settings

TABLE = Path(__file__).parent / "corpora.toml"
TAG = re.compile(r"/[A-Za-z]+$")


@dataclass(frozen=True)
class Corpus:
    """One entry of `corpora.toml`.

    Attributes:
        name: What it is, in words.
        script: `simplified` or `traditional`.
        format: `words` between blanks, or `tagged`: `/TAG` behind each word.
        text: Its file, below one of the folders.
        text_sha256: Checksum of the text, uncompressed.
        lexicon: The word list of its standard's training text; "" for none.
        lexicon_sha256: Checksum of that.
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


def read_sentences(name: str) -> list[list[str]]:
    """Words of every sentence of a corpus, empty lines left out.

    Raises:
        ValueError: There is no such corpus, or its file is not here or not the recorded one.
    """
    entry = corpus(name)
    lines = _read(entry.text, entry.text_sha256).splitlines()
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
    lines = _read(entry.lexicon, entry.lexicon_sha256).splitlines()
    return frozenset(fields[0] for line in lines if (fields := line.split()))


def read_source(file: str, sha256: str, table: str) -> bytes:
    """The bytes of a file that a user has, plain or gzipped.

    Args:
        file: Its path below the folder of sources or among the installed packages.
        sha256: Its checksum, uncompressed.
        table: Where that is recorded, for the message.

    Raises:
        DataFileError: It is not there, or another.
    """
    content = _place(file)
    if (found := checksum(content)) != sha256:
        raise DataFileError(f"{file}: sha256, got {found}; expected {sha256} ({table})")
    return content


def _read(file: str, sha256: str) -> str:
    return read_source(file, sha256, TABLE.name).decode("utf-8-sig")


def _place(file: str) -> bytes:
    folders = (_sources(), Path(sysconfig.get_paths()["purelib"]))
    for path in (folder / file for folder in folders):
        if path.is_file():
            return path.read_bytes()
        packed = path.with_name(f"{path.name}.gz")
        if packed.is_file():
            return read_bytes(packed)
    raise DataFileError(
        f"{_sources() / file}: source, got no such file; expected it there, perhaps gzipped, or"
        " GARDENPATH_SOURCES set to the folder above"
    )


def _sources() -> Path:
    return Path(os.environ.get("GARDENPATH_SOURCES", ROOT.parent / "shared" / "sources"))
