"""Remembers which builds passed `check`, so that a verified build is not loaded again.

What is remembered is the hash of a manifest, and so of every file, with the versions of the
libraries that the build was loaded with. The record lies in the repository's store, not in the
build, which nobody need trust.
"""

import hashlib
import importlib.metadata
import json
from pathlib import Path

from ground.files import write_whole
from ground.paths import ROOT
from publish.manifest import MANIFEST

RECORD = ROOT / "store" / "verified.json"
LIBRARIES = ("datasets", "evaluate", "huggingface_hub", "pyarrow")
KEPT = 200


def is_verified(folder: Path) -> bool:
    """Whether a build with this manifest passed `check` with these libraries."""
    return _key(folder) in _read()


def verified_names(out: Path, names: list[str]) -> list[str]:
    """Those of the folders of `out` that passed before and have not changed since."""
    return [n for n in names if (out / n / MANIFEST).is_file() and is_verified(out / n)]


def remember(folders: list[Path]) -> None:
    """Writes down that builds passed; the newest 200 are kept."""
    known = dict.fromkeys([*_read(), *(_key(folder) for folder in folders)])
    write_whole(RECORD, json.dumps(list(known)[-KEPT:], indent=1) + "\n")


def _key(folder: Path) -> str:
    manifest = (folder / MANIFEST).read_bytes()
    versions = [f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES]
    return hashlib.sha256("\0".join([manifest.hex(), *versions]).encode()).hexdigest()


def _read() -> list[str]:
    try:
        found = json.loads(RECORD.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [key for key in found if isinstance(key, str)] if isinstance(found, list) else []
