"""Remembers which builds this tree made, and which passed `check`, so that none is judged twice.

Kept are hashes of manifests (and so of every file) with the versions of the libraries, in the
repository's store: `made` here or made again, or `checked` by all rules.
"""

import hashlib
import importlib.metadata
import json
from collections.abc import Iterable
from pathlib import Path

from ground.files import write_whole
from ground.paths import ROOT
from publish.build.manifest import MANIFEST

RECORD = ROOT / "store" / "verified.json"
LIBRARIES = ("datasets", "evaluate", "huggingface_hub", "pyarrow")
KEPT = 400


def is_verified(folder: Path) -> bool:
    """Whether a build with this manifest passed `check` with these libraries."""
    return _key(folder, "checked") in _read()


def is_made(folder: Path) -> bool:
    """Whether a build with this manifest was made, or made again, by this tree."""
    return bool({_key(folder, "made"), _key(folder, "checked")} & {*_read()})


def verified_names(out: Path, names: list[str]) -> list[str]:
    """Those of the folders of `out` that passed before and have not changed since."""
    return [n for n in names if (out / n / MANIFEST).is_file() and is_verified(out / n)]


def remember(folders: Iterable[Path], kind: str = "checked") -> None:
    """Writes down that builds were `made`, or passed; the newest 400 are kept."""
    known = dict.fromkeys([*_read(), *(_key(folder, kind) for folder in folders)])
    write_whole(RECORD, json.dumps(list(known)[-KEPT:], indent=1) + "\n")


def _key(folder: Path, kind: str) -> str:
    manifest = (folder / MANIFEST).read_bytes()
    versions = [f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES]
    return hashlib.sha256("\0".join([kind, manifest.hex(), *versions]).encode()).hexdigest()


def _read() -> list[str]:
    try:
        found = json.loads(RECORD.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [key for key in found if isinstance(key, str)] if isinstance(found, list) else []
