"""Disks that fail: the nth call that changes a disk goes wrong, for every n until none is reached.

In the manner of SQLite's tests. What is counted are the calls by which Python changes a disk:
opening to write, writing, truncating, `fsync`, `rename`, `mkdir`, `unlink`. Arrow writes Parquet
by itself, past Python; while faults are injected its files are opened here, so that it cannot.

    for fault in every_fault():
        with fault.injected():
            ...                     # the first run, which may end with an OSError
        ...                         # nothing that was acknowledged is lost; a second run is whole

`every_fault` ends by itself when a fault is not reached any more.
"""

import builtins
import contextlib
import errno
import functools
import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import pyarrow.parquet as pq

KINDS = ("open", "write", "truncate", "fsync", "rename", "mkdir", "unlink")
OF_OS = {
    **dict.fromkeys(("rename", "replace", "link"), "rename"),
    **dict.fromkeys(("write", "pwrite", "sendfile", "copy_file_range"), "write"),
    **dict.fromkeys(("unlink", "remove", "rmdir"), "unlink"),
    **{"fsync": "fsync", "mkdir": "mkdir", "truncate": "truncate", "ftruncate": "truncate"},
}
WRITES = frozenset("wax+")
SHORT = "short write"  # half of what was to be written is there, then the disk is full


@dataclass
class Fault:
    """The nth call of a kind fails."""

    kind: str  # one of KINDS, or "any"
    n: int  # which call, from 1
    error: str  # a name of `errno`, or SHORT
    stays: bool = False  # whether all later calls of the kind fail too, as on a full disk
    n_calls: int = field(default=0, init=False)

    def __str__(self) -> str:
        return f"{self.kind} {self.n}{' and later' if self.stays else ''}: {self.error}"

    @property
    def is_reached(self) -> bool:
        """Whether there was such a call."""
        return self.n_calls >= self.n

    def strikes(self, kind: str) -> bool:
        """Counts a call; says whether it is the one."""
        if self.kind not in (kind, "any"):
            return False
        self.n_calls += 1
        return self.n_calls == self.n or (self.stays and self.is_reached)

    def meet(self, kind: str) -> None:
        """Counts a call, and fails if it is the one."""
        if self.strikes(kind):
            raise self.os_error()

    def os_error(self) -> OSError:
        """The error that a call fails with."""
        number = getattr(errno, "ENOSPC" if self.error == SHORT else self.error)
        return OSError(number, f"{os.strerror(number)} (injected: {self})")

    @contextlib.contextmanager
    def injected(self) -> Iterator["Fault"]:
        """Injects it into this process until the block ends; an OSError then ends the block only.
        Any error that names the injected one as its cause does, too."""
        patches = [mock.patch.object(os, name, self._failing(name)) for name in OF_OS]
        opened = _opening(self)
        patches += [mock.patch.object(module, "open", opened) for module in (io, builtins)]
        patches += [mock.patch.object(pq.ParquetWriter, "__init__", _opened_here(opened))]
        with contextlib.ExitStack() as stack:
            for patch in patches:
                stack.enter_context(patch)
            try:
                yield self
            except Exception as error:
                if not _is_injected(error):
                    raise

    def _failing(self, name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        @functools.wraps(real)
        def call(*given: Any, **options: Any) -> Any:
            self.meet(OF_OS[name])
            return real(*given, **options)

        return call


class FaultyFile(io.FileIO):
    """A file, by its path or number, that fails when the fault says so."""

    def __init__(self, fault: Fault, path: Any, mode: str) -> None:
        self.fault = fault
        super().__init__(path, mode)

    def write(self, given: Any) -> int:
        if self.fault.strikes("write"):
            if self.fault.error == SHORT and self.fault.n_calls == self.fault.n:
                super().write(memoryview(given).cast("B")[: memoryview(given).nbytes // 2])
            raise self.fault.os_error()
        return super().write(given)

    def truncate(self, size: int | None = None) -> int:
        self.fault.meet("truncate")
        return super().truncate(size)


def every_fault(
    kinds: Sequence[str] = KINDS,
    errors: Sequence[str] = ("ENOSPC", "EIO", "EACCES", SHORT),
    *,
    stays: Sequence[bool] = (False, True),
    step: int = 1,
    most: int = 100_000,
) -> Iterator[Fault]:
    """Every fault until one is not reached any more, each `step`-th call; SHORT with writes alone.

    `most` is the last call, where a run might go on for ever.
    """
    for kind in kinds:
        for error in errors:
            for is_lasting in stays if error != SHORT or kind in ("write", "any") else ():
                for n in range(1, most + 1, step):
                    fault = Fault(kind, n, error, is_lasting)
                    yield fault
                    if not fault.is_reached:
                        break


def _opening(fault: Fault) -> Callable[..., Any]:
    """`open` that hands out files which fail; those that are only read do not."""
    real = io.open

    @functools.wraps(real)
    def opened(path: Any, mode: str = "r", buffering: int = -1, *given: Any, **options: Any) -> Any:
        if not WRITES & set(mode) or options.get("opener"):
            return real(path, mode, buffering, *given, **options)
        fault.meet("open")
        raw = FaultyFile(fault, path, mode.replace("b", "").replace("t", ""))
        if buffering == 0:
            return raw
        kind = io.BufferedRandom if "+" in mode else io.BufferedWriter
        file = kind(raw)
        if "b" in mode:
            return file
        names = ("encoding", "errors", "newline")
        return io.TextIOWrapper(file, **{**dict(zip(names, given, strict=False)), **options})

    return opened


def _opened_here(opened: Callable[..., Any]) -> Callable[..., None]:
    """`ParquetWriter.__init__` that opens a path itself, and closes the file with the writer."""
    real = pq.ParquetWriter.__init__

    def begin(self: Any, where: Any, *given: Any, **options: Any) -> None:
        if not isinstance(where, (str, os.PathLike)):
            real(self, where, *given, **options)
            return
        file = opened(where, "wb")
        real(self, file, *given, **options)
        end = self.close

        def close() -> None:
            with file:
                end()

        self.close = close

    return begin


def _is_injected(error: BaseException | None) -> bool:
    """Whether an error is an injected one, or was raised because of one."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if "(injected: " in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
