"""Claims on pieces of work, so that several processes share one store and none does it twice.

A claim is a file with the name of the work. It holds for a lease, which its owner renews as long as
it lives; a claim of a process of this machine that is gone is free at once. Needs nothing but a
folder that all processes see.
"""

import os
import socket
import threading
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

LEASE = 600.0  # seconds; a machine that dies holds its claims no longer than that


class Claims:
    """The claims of this process; as a context it gives up at the end what it still holds.

    Args:
        folder: Where the claims of all processes lie.
        lease: Seconds after which a claim that was not renewed is free.
    """

    def __init__(self, folder: Path, lease: float = LEASE) -> None:
        self.folder, self.lease = folder, lease
        self.held: set[Path] = set()
        self._is_over = threading.Event()
        self._renewing = threading.Thread(target=self._renew, daemon=True)

    def __enter__(self) -> "Claims":
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
        self.release([path.name for path in self.held])

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
        taken.unlink()
        return self._make(path)

    def release(self, names: Iterable[str]) -> None:
        """Gives claims up."""
        for name in names:
            path = self.folder / name
            self.held.discard(path)
            path.unlink(missing_ok=True)

    def _make(self, path: Path) -> bool:
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(f"{socket.gethostname()} {os.getpid()}")
        except FileExistsError:
            return False
        self.held.add(path)
        return True

    def _is_free(self, path: Path) -> bool:
        try:
            age = time.time() - path.stat().st_mtime
            host, _, process = path.read_text(encoding="utf-8").partition(" ")
        except FileNotFoundError:
            return True
        is_gone = host == socket.gethostname() and process.isdigit() and not _lives(int(process))
        return age > self.lease or is_gone

    def _renew(self) -> None:
        while not self._is_over.wait(self.lease / 4):
            for path in list(self.held):
                try:
                    os.utime(path)
                except FileNotFoundError:
                    continue  # given up this moment


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
