"""Records what CI installs, with the SHA-256 of each file: `make lock`, after every new dependency.
pip resolves `pyproject.toml` under `constraints.txt` as it would install it here, and says which
file it takes. A lock holds for one Python and one kind of machine, CI's: Python 3.11, Linux
x86-64."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.conftest import ROOT
from tests.support.processes import captured
from tests.support.skips import INSPECT

OWN = "garden-path"
BUILD = ("setuptools", "wheel")  # what pip builds the few source packages with
HEADER = """\
# source: make lock; the files that pip takes under constraints.txt on Python 3.11, Linux x86-64
# licence: Apache-2.0
"""
Pins = dict[str, tuple[str, set[str]]]


def report(python: str, *wanted: str) -> list[Mapping[str, Any]]:
    """What pip would install: an entry for each package."""
    command = [python, "-m", "pip", "install", "--quiet", "--dry-run", "--report", "-", *wanted]
    done = captured(command, cwd=ROOT, check=True)
    found: list[Mapping[str, Any]] = json.loads(done.stdout)["install"]
    return found


def lock_text(entries: Iterable[Mapping[str, Any]]) -> str:
    """The lock: a line for each package, sorted, and one for the checksum of its file."""
    lines = []
    for entry in entries:
        name = canonicalize_name(entry["metadata"]["name"])
        if name != OWN:
            digest = entry["download_info"]["archive_info"]["hashes"]["sha256"]
            pin = f"{name}=={entry['metadata']['version']}"
            lines.append(f"{pin} \\\n    --hash=sha256:{digest}\n")
    return HEADER + "".join(sorted(lines))


def read_lock(text: str) -> Pins:
    """Version and checksums of each package in a lock."""
    pins: Pins = {}
    for line in text.replace("\\\n", " ").splitlines():
        if line and not line.startswith("#"):
            pin, *hashes = line.split()
            name, _, version = pin.partition("==")
            digests = {part.removeprefix("--hash=sha256:") for part in hashes}
            pins[canonicalize_name(name)] = (version, digests)
    return pins


def lock_problems(pins: Pins, constraints: Pins, requirements: Sequence[str]) -> list[str]:
    """How a lock differs from what it was made of, a line each.

    Args:
        pins: The lock.
        constraints: What it must not depart from.
        requirements: What it must satisfy; own extras are left out by the caller.
    """
    problems = [
        f"{name}: checksum, got {digests or 'none'}; expected SHA-256"
        for name, (_, digests) in pins.items()
        if not digests or any(len(digest) != 64 for digest in digests)
    ]
    for name, (version, _) in constraints.items():
        found = pins.get(name, (version, set()))[0]
        if found.split("+")[0] != version:  # torch without CUDA is 2.13.0+cpu
            problems.append(f"{name}: version, got {found}; expected {version} of constraints.txt")
    for text in requirements:
        asked = Requirement(text)
        found = pins.get(canonicalize_name(asked.name), ("none", set()))[0]
        if found == "none" or Version(found) not in asked.specifier:
            problems.append(
                f"{asked.name}: version, got {found}; expected {asked.specifier or '*'}"
            )
    return [f"{problem}: make lock" for problem in problems]


def main(inspect: str) -> int:
    here = sys.executable
    wanted = ("--ignore-installed", "-c", "constraints.txt", ".[test]")
    (ROOT / "locks" / "build.txt").write_text(
        lock_text(report(here, "--ignore-installed", *BUILD)), encoding="utf-8"
    )
    (ROOT / "locks" / "test.txt").write_text(lock_text(report(here, *wanted)), encoding="utf-8")
    beside = report(str(INSPECT), "--force-reinstall", "--no-deps", *beside_of(inspect))
    (ROOT / "locks" / "inspect.txt").write_text(lock_text(beside), encoding="utf-8")
    return 0


def beside_of(inspect: str) -> list[str]:
    """Pins of what lies in inspect-ai's venv, and of it."""
    code = "import importlib.metadata as m, sys; print(*(f'{d.name}=={d.version}' for d in"
    code += " m.distributions(path=[p for p in sys.path if 'inspect' in p])))"
    done = captured([INSPECT, "-c", code], check=True)
    return sorted({*done.stdout.split(), inspect})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
