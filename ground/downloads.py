"""Fetches the authors' files from pinned addresses; keeps what has the recorded checksum."""

import hashlib
import http.client
import re
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ground.files import write_whole
from ground.tables import DataFileError, read_bytes

TIMEOUT = 60.0


class SourceFile(NamedTuple):
    """Name in the folder, address pinned to a commit, and SHA-256 of a source's file."""

    name: str
    url: str
    sha256: str


def download(
    sources: Sequence[SourceFile], folder: Path, fetch: Callable[[str], bytes] | None = None
) -> Path:
    """Fetches files into a folder, which is made if needed, and returns it.

    What is there already and right is kept, so a download that broke off goes on. A file with
    another checksum than recorded is a DataFileError, and is not written.
    """
    for source in sources:
        path = folder / source.name
        if path.is_file() and checksum(path.read_bytes()) == source.sha256:
            continue
        content = (fetch or _fetch)(source.url)
        if (got := checksum(content)) != source.sha256:
            raise DataFileError(f"{source.url}: sha256, got {got}; expected {source.sha256}")
        write_whole(path, content)
    return folder


def checksum(content: bytes) -> str:
    """The SHA-256 as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def known_files(
    folder: Path, names: Mapping[str, str], endings: tuple[str, ...]
) -> Iterator[tuple[str, Path]]:
    """The checksums and places of known files below a folder, perhaps gzipped.

    `names` are theirs, by checksum. A DataFileError where a file has the name of a known one and
    another content, or other line ends.
    """
    for path in sorted(folder.rglob("*")):
        if not path.name.removesuffix(".gz").endswith(endings):
            continue
        content = read_bytes(path)
        lines = re.sub(rb"\r*\n", b"\n", content)
        if (found := checksum(content)) in names:
            yield found, path
        elif {checksum(lines), checksum(lines.replace(b"\n", b"\r\n"))} & names.keys():
            raise DataFileError(
                f"{path}: line ends, got others than in the authors' file; expected its bytes: git"
                " changes them on checkout unless core.autocrlf is false"
            )
        elif path.name.removesuffix(".gz") in names.values():
            expected = "a version listed in released.toml"
            raise DataFileError(f"{path}: sha256, got {found}; expected {expected}")


def _fetch(url: str) -> bytes:
    try:
        # addresses are the project's own tables'
        with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
            return bytes(answer.read())
    except (OSError, http.client.HTTPException) as error:  # no network, a name, a time-out, a 404
        got = f"{url}: download, got {getattr(error, 'reason', error)}"
        expected = "the file; without a network, its folder"
        raise ConnectionError(f"{got}; expected {expected}") from None
