"""Files that a user has and that are not ours to pass on: looked for, and checked by checksum.

They lie below GARDENPATH_SOURCES (by default `../shared/sources` of the repository), below
GARDENPATH_RELEASED (by default `../shared/data`; what the papers' authors released) or among the
installed packages, plain or gzipped.
"""

import os
import sysconfig
from pathlib import Path

from ground.downloads import checksum
from ground.paths import ROOT
from ground.tables import DataFileError, read_bytes


def read_source(file: str, sha256: str, table: str) -> bytes:
    """The bytes of a file that a user has; a DataFileError where it is not there, or another.

    `sha256` is its checksum, uncompressed; `table` says where that is recorded.
    """
    content = read_bytes(_place(file))
    if (found := checksum(content)) != sha256:
        raise DataFileError(f"{file}: sha256, got {found}; expected {sha256} ({table})")
    return content


def find_source(file: str, sha256: str, table: str) -> Path:
    """Where a file lies that a user has, perhaps gzipped; arguments and errors of `read_source`."""
    read_source(file, sha256, table)
    return _place(file)


def _place(file: str) -> Path:
    folders = (sources_folder(), released_folder(), Path(sysconfig.get_paths()["purelib"]))
    for path in (folder / file for folder in folders):
        for found in (path, path.with_name(f"{path.name}.gz")):
            if found.is_file():
                return found
    expected = "it there, perhaps gzipped, or GARDENPATH_SOURCES set to the folder above"
    where = sources_folder() / file
    raise DataFileError(f"{where}: source, got no such file; expected {expected}")


def sources_folder() -> Path:
    """The folder of such files; it need not exist."""
    return Path(os.environ.get("GARDENPATH_SOURCES", ROOT.parent / "shared" / "sources"))


def released_folder() -> Path:
    """The folder of what the papers' authors released, by suite; it need not exist."""
    return Path(os.environ.get("GARDENPATH_RELEASED", ROOT.parent / "shared" / "data"))
