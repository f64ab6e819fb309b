"""A journal beside a store: rows that cost too much to be lost between two shards.

Each row is appended as one line of JSON and forced to the disk before the next is asked for; once a
shard holds the rows the journal is emptied. What a killed process left in its journal goes into a
shard when the next one starts.
"""

import json
import os
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from ground.store import KEY, Store

ENDING = ".journal"
Row = Mapping[str, Any]


class Journal:
    """The journal of this process; a context that holds its lock as long as it lives.

    Args:
        store: The store whose rows it keeps.
    """

    def __init__(self, store: Store) -> None:
        self.path = store.folder / f"{uuid.uuid4().hex}{ENDING}"
        self._lock = FileLock(f"{self.path}.lock")

    def __enter__(self) -> "Journal":
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock.acquire()
        self._file = self.path.open("ab")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
        if not self.path.stat().st_size:
            self.path.unlink()
        _give_up(self._lock)

    def add(self, rows: Mapping[str, Row]) -> None:
        """Appends rows under their keys; when this returns they are on the disk."""
        for key, row in rows.items():
            self._file.write(json.dumps({KEY: key, **row}, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def clear(self) -> None:
        """Empties it: a shard holds its rows."""
        self._file.truncate(0)


def recover(store: Store) -> int:
    """Puts what dead processes left in their journals into a shard.

    Returns:
        How many rows that were; a line that was cut off while it was written is none.
    """
    n = 0
    for path in sorted(store.folder.glob(f"*{ENDING}")):
        lock = FileLock(f"{path}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue  # its process lives
        if path.exists():
            rows = dict(_rows(path.read_bytes().split(b"\n")))
            store.append_rows(rows)
            path.unlink()
            n += len(rows)
        _give_up(lock)
    return n


def _rows(lines: Iterable[bytes]) -> Iterable[tuple[str, Row]]:
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        yield row.pop(KEY), row


def _give_up(lock: FileLock) -> None:
    lock.release()
    Path(lock.lock_file).unlink(missing_ok=True)
