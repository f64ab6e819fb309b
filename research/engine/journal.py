"""A journal beside a store: rows that cost too much to be lost between two shards.

Each row is appended as one line, its checksum and its JSON, and forced to the disk before the next
is asked for. The journal is emptied only when a shard on the disk holds its rows. What a killed
process left in it goes into a shard when the next one starts.
"""

import json
import os
import sys
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from research.engine.store import KEY, Store, sync_folder

ENDING = ".journal"
NAME = f"rows{ENDING}"


class Journal:
    """The journal of a store, for the process that holds it with `Store.alone`."""

    def __init__(self, store: Store) -> None:
        self.path = store.folder / NAME

    def __enter__(self) -> "Journal":
        self._file = self.path.open("ab", buffering=0)
        sync_folder(self.path.parent)
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        if not self.path.stat().st_size:
            self.path.unlink()

    def add(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Appends rows under their keys; on the disk when this returns, the last if it fails."""
        left = memoryview(b"".join(_line(key, row) for key, row in rows.items()))
        while left:
            left = left[self._file.write(left) :]
        os.fsync(self._file.fileno())

    def clear(self) -> None:
        """Empties it: a shard holds its rows."""
        self._file.truncate(0)


def recover(store: Store) -> int:
    """Puts what dead processes left in journals into a shard; how many rows that were.

    A line that was cut off while it was written is no row. A row that the store cannot hold is
    named on stderr, and its journal kept under another name.
    """
    found: dict[str, Mapping[str, Any]] = {}
    with store.alone():
        journals = sorted(store.folder.glob(f"*{ENDING}"))
        for path in journals:
            rows = dict(_rows(path))
            odd = [told for key, row in rows.items() if (told := _oddity(store, key, row))]
            if odd:
                print(f"{odd[0]}; kept in {path.name}.odd", file=sys.stderr)
                path.with_name(f"{path.name}.odd").write_bytes(path.read_bytes())
            found |= {key: row for key, row in rows.items() if not _oddity(store, key, row)}
        store.append_rows(found)
        for path in journals:
            path.unlink()
            path.with_name(f"{path.name}.lock").unlink(missing_ok=True)
    return len(found)


def _oddity(store: Store, key: str, row: Mapping[str, Any]) -> str:
    try:
        store.check_row(key, row)
    except ValueError as error:
        return str(error)
    return ""


def _line(key: str, row: Mapping[str, Any]) -> bytes:
    text = json.dumps({KEY: key, **row}, ensure_ascii=False).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows of a journal; until October 2026 lines had no checksum."""
    for line in path.read_bytes().split(b"\n"):
        checksum, _, text = (b"", b"", line) if line[:1] == b"{" else line.partition(b" ")
        if checksum and checksum != b"%08x" % zlib.crc32(text):
            continue
        try:
            row = json.loads(text)
        except ValueError:
            continue
        if isinstance(row, dict) and KEY in row:
            yield row.pop(KEY), row
