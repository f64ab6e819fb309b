"""A journal beside a store: rows that cost too much to be lost between two shards.

Each row is appended as one line of JSON and forced to the disk before the next is asked for; once a
shard holds the rows the journal is emptied. What a killed process left in its journal goes into a
shard when the next one starts. At an address of `fsspec`, where nothing can be appended to, each
row is an object of its own, and the journal's owner is told by a claim instead of a lock.
"""

import json
import os
import uuid
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from ground.addresses import Address
from ground.claims import ObjectClaims, claims_in
from ground.store import KEY, Store

ENDING = ".journal"
Row = Mapping[str, Any]


class Journal:
    """The journal of this process; a context that holds its lock as long as it lives.

    Args:
        store: The store whose rows it keeps.
    """

    def __init__(self, store: Store) -> None:
        self.path = Path(str(store.folder)) / f"{uuid.uuid4().hex}{ENDING}"
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
            self._file.write(_line(key, row))
        self._file.flush()
        os.fsync(self._file.fileno())

    def clear(self) -> None:
        """Empties it: a shard holds its rows."""
        self._file.truncate(0)


class ObjectJournal:
    """The journal of this process at an address of `fsspec`; it holds its claim while it lives.

    Args:
        store: The store whose rows it keeps.
        folder: Where that lies.
    """

    def __init__(self, store: Store, folder: Address) -> None:
        self.folder, self.name = folder, uuid.uuid4().hex
        self.claims = ObjectClaims(folder / "claims")
        self.objects: list[Address] = []
        self._n = 0

    def __enter__(self) -> "ObjectJournal":
        self.claims.__enter__().take(_claim(self.name))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.claims.__exit__(kind, error, trace)

    def add(self, rows: Mapping[str, Row]) -> None:
        """Puts rows under their keys; when this returns they are there."""
        path = self.folder / f"{self.name}-{self._n:08d}{ENDING}"
        path.write_bytes(b"".join(_line(key, row) for key, row in rows.items()))
        self.objects.append(path)
        self._n += 1

    def clear(self) -> None:
        """Empties it: a shard holds its rows."""
        while self.objects:
            self.objects.pop().unlink(missing_ok=True)


AnyJournal = Journal | ObjectJournal


def journal_of(store: Store) -> AbstractContextManager[AnyJournal | None]:
    """The journal that the place of a store allows.

    None in a repository, where each row would be a commit: a kill costs what was not yet stored.
    """
    if not isinstance(store.folder, Address):
        return Journal(store)
    return nullcontext() if store.folder.is_repository else ObjectJournal(store, store.folder)


def recover(store: Store) -> int:
    """Puts what dead processes left in their journals into a shard.

    Returns:
        How many rows that were; a line that was cut off while it was written is none.
    """
    if isinstance(store.folder, Address):
        return _recover_objects(store, store.folder)
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


def _recover_objects(store: Store, folder: Address) -> int:
    objects = folder.glob(f"*{ENDING}")
    n = 0
    for name in sorted({path.name.partition("-")[0] for path in objects}):
        with claims_in(folder / "claims") as claims:
            if not claims.take(_claim(name)):
                continue  # its process lives
            left = folder.glob(f"{name}-*{ENDING}")  # since it may have ended in between
            rows = dict(_rows(line for path in left for line in path.read_bytes().split(b"\n")))
            store.append_rows(rows)
            for path in left:
                path.unlink(missing_ok=True)
            n += len(rows)
    return n


def _claim(name: str) -> str:
    return f"journal-{name}"


def _line(key: str, row: Row) -> bytes:
    return json.dumps({KEY: key, **row}, ensure_ascii=False).encode() + b"\n"


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
