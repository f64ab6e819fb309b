"""Puts a finished folder in the place of an older build, in one step.

Where the system can exchange two names, there is no moment without a build. Elsewhere two renames
do it, and what a kill between them leaves is put right by the next command.
"""

import ctypes
import errno
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from publish.build.manifest import MANIFEST, PROVENANCE

RENAME_EXCHANGE, AT_FDCWD = 2, -100
CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


@contextmanager
def replacing(target: Path, *, is_locked: bool = False) -> Iterator[Path]:
    """Hands out an empty folder beside `target`; when the block ends it takes its place.

    One command at a time works in the folder of `target`, unless the caller holds its lock; another
    waits. Whatever fails or is stopped leaves the old build as it was.
    """
    check_replaceable(target)
    with (
        nullcontext() if is_locked else at_work(target.parent),
        fresh_folder(target, f".{target.name}.building-") as fresh,
    ):
        yield fresh
        check_replaceable(target)


@contextmanager
def fresh_folder(target: Path, prefix: str) -> Iterator[Path]:
    """Hands out an empty folder beside `target`, which it takes the place of, or is deleted."""
    fresh = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
    try:
        fresh.chmod(0o755)
        yield fresh
        swap(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


@contextmanager
def at_work(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder of builds, which is made; clears and restores what is left."""
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        recover(folder)
        try:
            yield
        finally:
            recover(folder)
            if is_new:
                with suppress(OSError):  # it holds a build
                    folder.rmdir()


def check_replaceable(target: Path) -> None:
    """Raises a ValueError where a file, a link or a folder stands that no build made."""
    is_build = any((target / name).is_file() for name in (MANIFEST, PROVENANCE))
    if target.is_symlink() or (target.exists() and not is_build):
        expected = f"none, or one with {MANIFEST}: give another --out, or move it away"
        raise ValueError(f"{target}: folder, got one that no build made; expected {expected}")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder; says so where another process has it."""
    from filelock import FileLock, Timeout

    # a file of this user outside the folder, so that a folder of builds holds builds only
    key = hashlib.sha256(f"{Path.home()}\0{folder.resolve()}".encode()).hexdigest()[:16]
    lock = FileLock(str(Path(tempfile.gettempdir()) / f"garden-path-{key}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        print(f"{folder}: another process is at work here; waiting for it", file=sys.stderr)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def recover(folder: Path) -> None:
    """Clears what killed builds left in a folder whose lock is held, with a line for each."""
    for path in _left(folder, "previous"):  # moved away for a build that never came, or came
        target = folder / path.name[1:].rpartition(".previous-")[0]
        if target.exists():
            shutil.rmtree(path, ignore_errors=True)
            continue
        os.rename(path, target)
        print(f"{target}: restored, an earlier build did not finish", file=sys.stderr)
    for path in _left(folder, "building"):
        shutil.rmtree(path, ignore_errors=True)
        print(f"{path}: cleared, an earlier build did not finish", file=sys.stderr)


def swap(fresh: Path, target: Path) -> None:
    """Puts `fresh` in the place of `target`, which lies at `fresh` afterwards, or is gone."""
    if not target.exists():
        os.rename(fresh, target)
    elif not _exchange(fresh, target):
        previous = target.with_name(f".{target.name}.previous-{os.getpid()}")
        os.rename(target, previous)
        try:
            os.rename(fresh, target)
        except OSError:
            os.rename(previous, target)
            raise
        shutil.rmtree(previous, ignore_errors=True)


def _left(folder: Path, kind: str) -> list[Path]:
    return sorted(path for path in folder.glob(f".*.{kind}-*") if path.is_dir())


def _exchange(one: Path, other: Path) -> bool:
    """Exchanges two names in one step of the system; False where it cannot."""
    is_linux = sys.platform.startswith("linux")
    library = ctypes.CDLL(None, use_errno=True) if is_linux else None
    if (renameat2 := getattr(library, "renameat2", None)) is None:
        return False
    if renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(other))
