"""Where a store lies beyond this machine's folders: any address of `fsspec`, such as `s3://`.

An object store promises less than a file system: an object appears whole once it is put, and a
listing shows what was put before; nothing is appended, renamed or locked. `Address` therefore has
the few calls of a `Path` that a store needs, and no more. Options come from where `fsspec` and the
package of a protocol look for them: `AWS_PROFILE`, `AWS_ENDPOINT_URL`, `FSSPEC_S3_...`, `HF_TOKEN`.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from ground.faults import foreseen_errors, one_line
from ground.files import whole

LOCAL = ("file", "local")
REPOSITORIES = ("hf",)  # every write there is a commit
Found = TypeVar("Found")


class AddressError(ValueError):
    """An address cannot be used: nothing answers there, or access is denied.

    The message names the address. The machine's fault, never a system's.
    """


@dataclass(frozen=True, order=True)
class Address:
    """A folder or an object at an address of `fsspec`; what it does is what `Path` does so named.

    Attributes:
        url: The address with its protocol, without a slash at the end.

    Raises:
        AddressError: By every call, where nothing answers or access is denied.
    """

    url: str

    def __str__(self) -> str:
        return self.url

    def __truediv__(self, name: str) -> "Address":
        return Address(f"{self.url.rstrip('/')}/{name}")

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.url.rpartition("/")[2]

    @property
    def is_repository(self) -> bool:
        """Whether every write is a commit, so that few should be made."""
        return self.url.partition("://")[0] in REPOSITORIES

    def with_name(self, name: str) -> "Address":
        """Its neighbour of this name."""
        return Address(f"{self.url.rpartition('/')[0]}/{name}")

    def glob(self, pattern: str) -> list["Address"]:
        """The objects right in this folder whose names fit, sorted; [] where there is no folder."""

        def names(files: Any, path: str) -> list[str]:
            files.invalidate_cache()
            found = files.ls(path, detail=False)
            return [one.rstrip("/").rpartition("/")[2] for one in found]

        try:
            found = self._do(names)
        except FileNotFoundError:
            return []
        return [self / name for name in sorted(found) if fnmatchcase(name, pattern)]

    def exists(self) -> bool:
        """Whether there is an object here, or a folder that holds some."""

        def look(files: Any, path: str) -> bool:
            files.invalidate_cache()
            return bool(files.exists(path))

        return self._do(look)

    def modified(self) -> datetime:
        """When the object was put, by the clock of the place where it lies.

        Raises:
            FileNotFoundError: There is none.
        """

        def look(files: Any, path: str) -> datetime:
            files.invalidate_cache()
            found: datetime = files.modified(path)
            return found

        return self._do(look)

    def size(self) -> int:
        """Bytes of the object.

        Raises:
            FileNotFoundError: There is none.
        """
        return int(self._do(lambda files, path: files.size(path)))

    @contextmanager
    def open(self) -> Iterator[Any]:
        """The object's bytes, read as they are asked for.

        Raises:
            FileNotFoundError: There is none.
        """
        with _told(self.url):
            files, path = _file_system(self.url)
            files.invalidate_cache()
            with files.open(path, "rb") as file:
                yield file

    def read_bytes(self) -> bytes:
        """The whole object.

        Raises:
            FileNotFoundError: There is none.
        """
        return bytes(self._do(lambda files, path: files.cat_file(path)))

    def write_bytes(self, content: bytes) -> None:
        """Puts the whole object, in the place of what was there."""
        self._put(lambda files, path: files.pipe_file(path, content))

    def upload(self, file: Path) -> None:
        """Puts a file of this machine here as a whole object."""
        self._put(lambda files, path: files.put_file(str(file), path))

    def unlink(self, missing_ok: bool = False) -> None:
        """Removes the object."""
        try:
            self._do(lambda files, path: files.rm_file(path))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def rename(self, target: "Address") -> None:
        """Moves a folder with all that it holds, one object after the other."""
        _, there = _file_system(target.url)

        def move(files: Any, own: str) -> None:
            files.invalidate_cache()
            for path in files.find(own):
                files.mv(path, there + path.removeprefix(own))

        self._do(move)

    def _do(self, call: Callable[[Any, str], Found]) -> Found:
        with _told(self.url):
            return call(*_file_system(self.url))

    def _put(self, call: Callable[[Any, str], Any]) -> None:
        try:
            self._do(call)
        except FileNotFoundError as error:
            raise AddressError(
                f"{self.url}: write, got {one_line(error)}; expected a bucket or repository that"
                " exists: make it first"
            ) from error


Place = Path | Address


def place_of(text: str) -> Place:
    """The place that a command line names: a folder, or an address of `fsspec`.

    Raises:
        argparse.ArgumentTypeError: No protocol of this name, or its package is not installed.
    """
    protocol, separator, rest = text.partition("://")
    if not separator:
        return Path(text)
    if protocol in LOCAL:
        return Path(rest)
    import fsspec

    expected = "a folder, s3://BUCKET/FOLDER, hf://datasets/NAME/FOLDER or another of fsspec"
    if "::" in text or not rest.strip("/"):
        raise argparse.ArgumentTypeError(f"got {text!r}; expected {expected}")
    try:
        fsspec.get_filesystem_class(protocol)
    except ImportError as error:
        raise argparse.ArgumentTypeError(
            f"got {text!r}, and no package for it: {one_line(error)}; expected it installed"
        ) from error
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"got {text!r}, no protocol of fsspec; expected {expected}"
        ) from error
    return Address(text.rstrip("/"))


@contextmanager
def whole_at(place: Place) -> Iterator[Path]:
    """Hands out a path of this machine to write to; at the end it is, whole, what `place` holds.

    Beside its place where that is a folder of this machine, else in a folder of its own, from which
    it is uploaded. Whatever interrupts the block leaves the place as it was.
    """
    if isinstance(place, Path):
        with whole(place) as part:
            yield part
        return
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / place.name
        yield part
        place.upload(part)


def _file_system(url: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    found: tuple[Any, str] = url_to_fs(url)
    return found


@contextmanager
def _told(url: str) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, AddressError, pa.ArrowException):  # the last: what lies there
        raise
    except PermissionError as error:
        raise AddressError(
            f"{url}: access, got {one_line(error)}; expected credentials that may list, read,"
            " write and delete there, where the protocol's package looks for them"
        ) from error
    except foreseen_errors() as error:
        raise AddressError(
            f"{url}: store, got {type(error).__name__}, {one_line(error)}; expected an address"
            " that answers"
        ) from error
