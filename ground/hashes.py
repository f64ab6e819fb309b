"""Keys of pieces of work, of files and folders; a set of texts, of which eight bytes are kept."""

import hashlib
import json
from pathlib import Path

import numpy as np

N_HEX = 16  # digits of a hash that are kept: no two models of one study meet by chance
MOST_RECENT = 1 << 16  # kept as Python numbers until they are sorted among the others


class HashSet:
    """Texts that came before, told by 64 bits of BLAKE2b: the same on any machine.

    Two texts of one hash count as one: among ten million there are two with a chance of one in
    400,000.
    """

    def __init__(self, most_recent: int = MOST_RECENT) -> None:
        self._most_recent = most_recent
        self._recent: set[int] = set()
        self._sorted = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._sorted) + len(self._recent)

    def add(self, text: str) -> bool:
        """Adds a text; whether it is new."""
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        key = int.from_bytes(digest, "little", signed=True)
        if key in self._recent or self._is_sorted_in(key):
            return False
        self._recent.add(key)
        if len(self._recent) == self._most_recent:
            recent = np.sort(np.fromiter(self._recent, np.int64, len(self._recent)))
            self._sorted = np.sort(np.concatenate([self._sorted, recent]), kind="stable")
            self._recent.clear()
        return True

    def _is_sorted_in(self, key: int) -> bool:
        if not len(self._sorted):
            return False
        place = int(self._sorted.searchsorted(np.int64(key)))
        return place < len(self._sorted) and int(self._sorted[place]) == key


def make_key(**parts: object) -> str:
    """Key of a piece of work: SHA-256 of all it depends on, as sorted JSON, in 32 hex digits."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def fingerprint(path: Path) -> str:
    """Hash of a file, or of all files below a folder with their names: another model is another."""
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        digest.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as content:
            while chunk := content.read(1 << 20):
                digest.update(chunk)
    return digest.hexdigest()[:N_HEX]
