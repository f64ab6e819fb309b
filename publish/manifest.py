"""What a built folder holds.

Path, size and SHA-256 of every file, its version, and one id of the draw.

`build` writes `MANIFEST.json` last. `check`, `install` and `push` make it again from what lies
there: one byte, file or link more, less or other is found, in the manifest too.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ground.tables import DataFileError, read_text

MANIFEST = "MANIFEST.json"
PROVENANCE = "provenance.json"
TOKEN = r"\b(hf_[A-Za-z0-9]{30}|sk-[A-Za-z0-9_-]{20}|AKIA[A-Z0-9]{16})"
"""What a key of the Hub, of a model's endpoint or of a cloud looks like."""
TOKEN_BYTES = re.compile(TOKEN.encode())
CHUNK = 20_000  # rows looked through at a time


def read_provenance(folder: Path) -> dict[str, Any]:
    """What a build says of itself, or an empty dict for a folder that is no build.

    Raises:
        ValueError: The file is no JSON.
    """
    path = folder / PROVENANCE
    if not path.exists():
        return {}
    try:
        found = json.loads(read_text(path))
    except DataFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: JSON, got {error}; expected what a build wrote") from None
    is_whole = isinstance(found, dict) and {"version", "content_hash", "source_hash"} <= set(found)
    return found if is_whole else {}


def draw_id(options: Mapping[str, Any]) -> str:
    """The id of a draw: equal for all suites that were built with the same seed and size.

    A private draw has an id of its own, which does not tell the seed.

    Args:
        options: The options of a build, only those that differ from the defaults.
    """
    chosen = {name: options[name] for name in ("seed", "size", "private") if name in options}
    return hashlib.sha256(json.dumps(chosen, sort_keys=True).encode()).hexdigest()[:16]


def write_manifest(folder: Path) -> None:
    """Writes the manifest of a finished folder into it."""
    (folder / MANIFEST).write_bytes(manifest_bytes(folder))


def manifest_bytes(folder: Path) -> bytes:
    """The manifest of a folder as it lies there: the same files give the same bytes."""
    provenance = read_provenance(folder)
    is_suite = "suite" in provenance
    content = {
        "name": provenance.get("suite", provenance.get("metric")),
        "version": provenance.get("version"),
        "draw": draw_id(provenance.get("options", {})) if is_suite else None,
        "files": {
            path.relative_to(folder).as_posix(): {
                "size": path.stat().st_size,
                "sha256": _sha256(path),
            }
            for path in _entries(folder)
            if path.is_file() and not path.is_symlink() and path.name != MANIFEST
        },
    }
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def manifest_problems(folder: Path) -> list[str]:
    """Compares a built folder with its manifest, and looks for links and keys.

    Returns:
        One line for each file that is not listed, is missing or differs, each link and each text
        that looks like a key; empty if all is as it was built.
    """
    if not (folder / MANIFEST).is_file() or (folder / MANIFEST).is_symlink():
        return [f"{folder}: build, got none; expected a folder made by push.py build {folder.name}"]
    problems = [
        f"{path}: link, got one to {os.readlink(path)}; expected a file or folder of the build"
        for path in _entries(folder)
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
    return problems + differences + [line for path in _entries(folder) for line in _keys(path)]


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


def _entries(folder: Path) -> list[Path]:
    """Everything below a folder, sorted, links not followed."""
    found = []
    for root, folders, files in os.walk(folder, followlinks=False):
        found += [Path(root) / name for name in files]
        found += [Path(root) / name for name in folders if (Path(root) / name).is_symlink()]
    return sorted(found)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _keys(path: Path) -> list[str]:
    """One line if a file holds a text that looks like a key; Parquet by its decoded strings."""
    if path.is_symlink() or not path.is_file():
        return []
    has_key = _parquet_has_key(path) if path.suffix == ".parquet" else _bytes_have_key(path)
    return [f"{path}: text, got what looks like a key; expected none"] if has_key else []


def _bytes_have_key(path: Path) -> bool:
    return TOKEN_BYTES.search(path.read_bytes()) is not None


def _parquet_has_key(path: Path) -> bool:
    try:
        file = pq.ParquetFile(path)
        if TOKEN_BYTES.search(str(file.metadata.metadata).encode()):
            return True
        return any(
            _strings_have_key(column)
            for batch in file.iter_batches(batch_size=CHUNK)
            for column in batch.columns
        )
    except (pa.ArrowException, OSError):
        return False  # bytes that are no Parquet differ from the manifest: a line says so


def _strings_have_key(column: pa.Array) -> bool:
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        return _strings_have_key(column.flatten())
    if pa.types.is_struct(column.type):
        return any(_strings_have_key(part) for part in column.flatten())
    if pa.types.is_dictionary(column.type):
        return _strings_have_key(column.dictionary)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return bool(pc.any(pc.match_substring_regex(column, TOKEN)).as_py())
    return False
