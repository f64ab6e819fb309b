"""What a built folder holds: path, size and SHA-256 of every file, its version, id of the draw.

`build` writes `MANIFEST.json` last. `check`, `install` and `push` make it again from what lies
there: one byte, file or link more, less or other is found, in the manifest too.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ground.files import write_whole
from ground.tables import read_text

MANIFEST = "MANIFEST.json"
PROVENANCE = "provenance.json"


def read_provenance(folder: Path) -> dict[str, Any]:
    """What a build says of itself, {} for a folder that is no build; a ValueError for no JSON."""
    path = folder / PROVENANCE
    if not path.exists():
        return {}
    text = read_text(path)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: JSON, got {error}; expected what a build wrote") from None
    is_whole = isinstance(found, dict) and {"version", "content_hash", "source_hash"} <= set(found)
    return found if is_whole else {}


def draw_id(options: Mapping[str, Any]) -> str:
    """The id of a draw, equal for suites of one seed and size; it tells no private seed."""
    chosen = {name: options[name] for name in ("seed", "size", "private") if name in options}
    return hashlib.sha256(json.dumps(chosen, sort_keys=True).encode()).hexdigest()[:16]


def write_manifest(folder: Path) -> None:
    """Writes the manifest of a finished folder into it."""
    write_whole(folder / MANIFEST, manifest_bytes(folder))


def manifest_bytes(folder: Path) -> bytes:
    """The manifest of a folder as it lies there: the same files give the same bytes."""
    provenance = read_provenance(folder)
    is_suite = "suite" in provenance
    name, version = provenance.get("suite", provenance.get("metric")), provenance.get("version")
    draw = draw_id(provenance.get("options", {})) if is_suite else None
    files = {
        path.relative_to(folder).as_posix(): {
            "size": path.stat().st_size,
            "sha256": sha256_of(path),
        }
        for path in entries(folder)
        if path.is_file() and not path.is_symlink() and path.name != MANIFEST
    }
    content = {"name": name, "version": version, "draw": draw, "files": files}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def manifest_problems(folder: Path) -> list[str]:
    """A line for each link, and each file that is not listed, is missing or differs."""
    if not (folder / MANIFEST).is_file() or (folder / MANIFEST).is_symlink():
        return [f"{folder}: build, got none; expected a folder made by push.py build {folder.name}"]
    problems = [
        f"{path}: link, got one to {os.readlink(path)}; expected a file or folder of the build"
        for path in entries(folder)
        if path.is_symlink()
    ]
    found = (folder / MANIFEST).read_bytes()
    try:
        expected = manifest_bytes(folder)
        differences = list(_differences(folder, json.loads(found)["files"], json.loads(expected)))
    except (ValueError, KeyError, TypeError, AttributeError):
        return [*problems, f"{folder / MANIFEST}: content, got what is no manifest; expected one"]
    if found != expected and not differences:
        differences = [f"{folder / MANIFEST}: bytes, got others than were built: build it again"]
    return problems + differences


def draw_problems(folders: list[Path]) -> list[str]:
    """One line if suites of different draws lie beside each other; folders of metrics have none."""
    draws: dict[str, list[str]] = {}
    for folder in folders:
        if (folder / MANIFEST).is_file():
            draw = json.loads((folder / MANIFEST).read_bytes()).get("draw")
            if draw is not None:
                draws.setdefault(draw, []).append(folder.name)
    if len(draws) < 2:
        return []
    found = "; ".join(f"{', '.join(names)} of {draw}" for draw, names in sorted(draws.items()))
    return [f"{folders[0].parent}: draw, got {found}; expected one seed and size: build them again"]


def _differences(folder: Path, listed: Any, expected: Any) -> Iterator[str]:
    here = expected["files"]
    for name in sorted(set(listed) | set(here)):
        path = folder / name
        if name not in here:
            yield f"{path}: file, got none; expected the one that was built"
        elif name not in listed:
            yield f"{path}: file, got one that is not in {MANIFEST}; expected none"
        elif listed[name] != here[name]:
            got = here[name]["sha256"][:12]
            yield f"{path}: sha256, got {got}; expected {str(listed[name].get('sha256'))[:12]}"


def entries(folder: Path) -> list[Path]:
    """Everything below a folder, sorted, links not followed."""
    found = []
    for root, folders, files in os.walk(folder, followlinks=False):
        found += [Path(root) / name for name in files]
        found += [Path(root) / name for name in folders if (Path(root) / name).is_symlink()]
    return sorted(found)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def check_whole(out: Path, names: Iterable[str]) -> None:
    """A ValueError where a folder of `out` is not as its manifest says."""
    if problems := [line for name in names for line in manifest_problems(out / name)]:
        raise ValueError("\n".join(problems))
