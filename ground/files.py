"""Files that appear whole or not at all: written beside their place, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Hands out a path beside `path` to write to; when the block ends it takes the place of `path`.

    Whatever interrupts the block leaves the old file as it was and nothing beside it. A device or a
    pipe, such as /dev/stdout, is written to as it is: nothing may take its place. A link stays, and
    what it points to is replaced.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        yield path
        return
    path = path.resolve() if path.is_symlink() else path
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        yield part
        with part.open("r+b") as written:  # a cut of power must not leave the name without content
            os.fsync(written.fileno())
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):  # what failed first is what is told
            part.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes | str) -> None:
    """Writes a file whole or not at all; text as UTF-8 with the line ends it has."""
    with whole(path) as part:
        try:
            part.write_bytes(content.encode() if isinstance(content, str) else content)
        except OSError as error:  # names the part, or nothing where a device is full
            error.filename = str(path)
            raise
