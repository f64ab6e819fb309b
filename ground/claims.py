"""Claims on pieces of work, so that several processes share one store and none does it twice.

A claim is a file with the name of the work. It holds for a lease, which its owner renews as long as
it lives; a claim of a process of this machine that is gone is free at once. Needs nothing but a
folder that all processes see.

At an address of `fsspec` a claim is an object that nobody else can have put: who finds another one
beside it gives up. Of two processes at least one sees the other's object, since each lists after it
has put its own, so that no work has two owners; both may give up, and one gets it the next time. In
a repository, where every claim would be a commit, nothing is claimed: `--shard` divides the work.
"""

import os
import socket
import threading
import time
import uuid
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ground.addresses import Address, AddressError, Place

LEASE = 600.0  # seconds; a machine that dies holds its claims no longer than that


class Held:
    """The claims of this process; as a context it gives up at the end what it still holds.

    Args:
        lease: Seconds after which a claim that was not renewed is free.
    """

    def __init__(self, lease: float = LEASE) -> None:
        self.lease = lease
        self.held: dict[str, Any] = {}
        self._is_over = threading.Event()
        self._renewing = threading.Thread(target=self._renew_all, daemon=True)

    def __enter__(self) -> Self:
        self._renewing.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_over.set()
        self._renewing.join()
        self.release(list(self.held))
        self._sweep()

    def take(self, name: str) -> bool:
        """Claims a piece of work; False where another process holds it."""
        return True

    def release(self, names: Iterable[str]) -> None:
        """Gives claims up."""
        for name in names:
            place = self.held.pop(name, None)
            if place is not None:
                place.unlink(missing_ok=True)

    def _sweep(self) -> None:
        """Removes what processes that are gone left behind, claims on finished work too."""

    def _renew(self, place: Any) -> None:
        """Makes a claim last for another lease."""

    def _renew_all(self) -> None:
        while not self._is_over.wait(self.lease / 4):
            for place in list(self.held.values()):
                try:
                    self._renew(place)
                except (FileNotFoundError, AddressError):
                    continue  # given up this moment; or out of reach, and asked again


class Claims(Held):
    """Claims that are files.

    Args:
        folder: Where the claims of all processes lie.
        lease: Seconds after which a claim that was not renewed is free.
    """

    def __init__(self, folder: Path, lease: float = LEASE) -> None:
        super().__init__(lease)
        self.folder = folder

    def take(self, name: str) -> bool:
        """Claims a piece of work; False where another process holds it."""
        path = self.folder / name
        if self._make(path):
            return True
        if not self._is_free(path):
            return False
        taken = path.with_name(f".{name}.{uuid.uuid4().hex}")
        try:
            os.replace(path, taken)  # of several that find it free only one gets it
        except FileNotFoundError:
            return self._make(path)
        if not self._is_free(taken) and not path.exists():
            os.replace(taken, path)  # somebody had claimed it anew in between
            return False
        taken.unlink(missing_ok=True)
        return self._make(path)

    def _make(self, path: Path) -> bool:
        """Makes the file with its owner's name in it, never without: that would be nobody's."""
        self.folder.mkdir(parents=True, exist_ok=True)
        own = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        try:
            own.write_text(_owner(), encoding="utf-8")
            os.link(own, path)
        except FileExistsError:
            return False
        finally:
            own.unlink(missing_ok=True)
        self.held[path.name] = path
        return True

    def _sweep(self) -> None:
        for left in list(self.folder.glob("*")):
            if not left.name.startswith("."):
                if self.take(left.name):
                    self.release([left.name])
            elif self._is_free(left):
                left.unlink(missing_ok=True)

    def _is_free(self, path: Path) -> bool:
        try:
            age = time.time() - path.stat().st_mtime
            owner = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return True
        return age > self.lease or _is_gone(owner)

    def _renew(self, place: Path) -> None:
        os.utime(place)


class ObjectClaims(Held):
    """Claims that are objects at an address of `fsspec`.

    Args:
        folder: Where the claims of all processes lie.
        lease: Seconds after which a claim that was not renewed is free.
    """

    def __init__(self, folder: Address, lease: float = LEASE) -> None:
        super().__init__(lease)
        self.folder = folder

    def take(self, name: str) -> bool:
        """Claims a piece of work; False where another process holds it, or wants it right now."""
        own = self.folder / f"{name}.{uuid.uuid4().hex}"
        own.write_bytes(_owner().encode())
        others = [other for other in self.folder.glob(f"{name}.*") if other != own]
        if not all(self._is_free(other, own) for other in others):
            own.unlink(missing_ok=True)
            return False
        for other in others:
            other.unlink(missing_ok=True)
        self.held[name] = own
        return True

    def _sweep(self) -> None:
        for name in {left.name.rpartition(".")[0] for left in self.folder.glob("*")}:
            if self.take(name):
                self.release([name])

    def _is_free(self, other: Address, own: Address) -> bool:
        """Whether a claim has run out, by the clock of the place, or its process is gone."""
        try:
            age = own.modified() - other.modified()
            owner = other.read_bytes().decode()
        except FileNotFoundError:
            return True
        return age > timedelta(seconds=self.lease) or _is_gone(owner)

    def _renew(self, place: Address) -> None:
        if place.exists():
            place.write_bytes(_owner().encode())


def claims_in(folder: Place) -> Held:
    """The claims of this process on the work of a store, of the kind that its place allows."""
    if not isinstance(folder, Address):
        return Claims(folder)
    return Held() if folder.is_repository else ObjectClaims(folder)


def _owner() -> str:
    return f"{socket.gethostname()} {os.getpid()}"


def _is_gone(owner: str) -> bool:
    host, _, process = owner.partition(" ")
    return host == socket.gethostname() and process.isdigit() and not _lives(int(process))


def _lives(process: int) -> bool:
    """Whether a process of this machine lives; where that cannot be asked it is taken to."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
