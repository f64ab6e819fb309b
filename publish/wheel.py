"""The distribution `garden-path`: what a user installs, built from this tree and from `hub/`.

`garden_path/` travels with everything that it imports and reads, in `garden_path/_built/`: the
modules of `ground`, `builders` and `metrics` that it reaches, the rows of every test, the suites'
settings and the committed results. There `_built` is what `ground.paths.ROOT` is here, and
`from metrics.gper.scoring import` reads `from garden_path._built.metrics.gper.scoring import`: no
name of a room comes into a user's site-packages.

The module is also the build backend of `pyproject.toml` (PEP 517), so that `pip install .` in a
clone gives what `push.py wheel` gives. It imports the standard library and setuptools alone: pip
runs it where nothing else is installed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from builders.suites import suites_with
from ground.found import imported_files
from ground.paths import ROOT
from metrics._shared.plain_text import cut

BUILT = "garden_path/_built"
ROOMS = ("ground", "builders", "metrics")
SECTION = "## Score your system in 60 seconds"
MOST_BYTES = 15 * 10**6
BUILD_SYSTEM = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

"""
PACKAGES = """\
[tool.setuptools.packages.find]
include = ["garden_path*"]

[tool.setuptools.package-data]
"*" = ["*.css", "*.html", "*.json", "*.parquet", "*.toml", "*.tsv"]
"""


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Hook of PEP 517; returns the file's name."""
    return _built("build_wheel", wheel_directory)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Hook of PEP 517; the archive is the staged tree, which setuptools alone builds further."""
    return _built("build_sdist", sdist_directory)


def build_distributions(hub: Path, out: Path) -> list[Path]:
    """Wheel and sdist, from the built suites of `hub`; a ValueError where one has no rows."""
    if missing := [place for place in row_folders() if not any((hub / place).glob("*.parquet"))]:
        raise ValueError(f"{hub / missing[0]}: rows, got none; expected a built suite: make hub")
    out.mkdir(parents=True, exist_ok=True)
    code = "import sys; from publish import wheel; getattr(wheel, sys.argv[1])(sys.argv[2])"
    found, environment = [], {**os.environ, "GARDEN_PATH_HUB": str(hub.resolve())}
    for hook, end in (("build_sdist", ".tar.gz"), ("build_wheel", ".whl")):
        with tempfile.TemporaryDirectory(dir=out) as fresh:
            command = [sys.executable, "-c", code, hook, str(Path(fresh).resolve())]
            run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
            if run.returncode:
                raise RuntimeError(f"{hook}: {cut(run.stderr.strip().rpartition(chr(10))[2], 300)}")
            made = next(Path(fresh).glob(f"*{end}"))
            found.append(out / made.name)
            os.replace(made, found[-1])
    if large := [path for path in found if path.stat().st_size > MOST_BYTES]:
        size = large[0].stat().st_size
        raise ValueError(f"{large[0]}: size, got {size:,} bytes; expected {MOST_BYTES:,} at most")
    return found


def row_folders() -> list[str]:
    """Where the rows of the suites' tests lie below `hub/`."""
    tested = suites_with("tests").items()
    return sorted({f"{suite}/{one['config']}" for suite, tests in tested for one in tests})


def stage(folder: Path, hub: Path) -> None:
    """Writes the tree that setuptools builds; without the rows where `hub` has none."""
    files = _modules() | {_inside(path): path.read_bytes() for path in _data()}
    for place in row_folders():
        told = hub / place.split("/")[0] / "provenance.json"
        for path in [*sorted((hub / place).glob("*.parquet")), *filter(Path.is_file, [told])]:
            files[f"{BUILT}/hub/{path.relative_to(hub).as_posix()}"] = path.read_bytes()
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    body = project[project.index("[project]\n") : project.index("[tool.")]
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files["pyproject.toml"] = (BUILD_SYSTEM + body + PACKAGES).encode()
    files["README.md"] = _readme().encode()
    for inside, content in files.items():
        (folder / inside).parent.mkdir(parents=True, exist_ok=True)
        (folder / inside).write_bytes(content)


def _modules() -> dict[str, bytes]:
    """The package and all that it reaches, by place; imports of the rooms are turned inwards."""
    own = list((ROOT / "garden_path").rglob("*.py"))
    chosen = [path for name in ("scoring", "options") for path in ROOT.glob(f"metrics/*/{name}.py")]
    chosen += ROOT.glob("builders/**/mistakes.py")
    paths = sorted(imported_files([*own, *chosen], ROOT))
    return {_inside(path): inwards(path.read_text(encoding="utf-8")).encode() for path in paths}


def _inside(path: Path) -> str:
    place = path.relative_to(ROOT).as_posix()
    return place if place.startswith("garden_path/") else f"{BUILT}/{place}"


def inwards(text: str, package: str = BUILT.replace("/", "."), rooms: Sequence[str] = ROOMS) -> str:
    """Source text whose imports from the rooms are from a package, and extras those of the index.

    Example:
        >>> inwards("from ground.files import whole")
        'from garden_path._built.ground.files import whole'
    """
    text = text.replace("\"'.[", "\"'garden-path[")
    found = rf"^(\s*)from ({'|'.join(rooms)})\b(?=.* import )"
    return re.sub(found, rf"\1from {package}.\2", text, flags=re.MULTILINE)


def _data() -> Iterator[Path]:
    """What the package reads besides rows."""
    yield from (p for p in ROOT.glob("garden_path/*/data/*") if p.is_file())
    yield from ROOT.glob("builders/*/suite.toml")
    yield from ROOT.glob("builders/*/data/shallow.tsv")
    for suite, tests in suites_with("tests").items():
        folder = ROOT / "cards" / "results" / suite
        names = {name for one in tests for name in one.get("results", ())} | {"items/shortcuts"}
        yield from (path for name in sorted(names) if (path := folder / f"{name}.json").is_file())


def _readme() -> str:
    """The page of the package: what it asks, and the README's section on scoring."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text[text.index(SECTION) :]
    section = section[: section.index("\n## ", 1)]
    section = re.sub(r"\[([^]]+)\]\((?!https?:)[^)]+\)", r"\1", section)  # only in the repository
    asks = next(line for line in text.split("\n") if line.startswith("**"))
    return f"# Garden Path\n\n{asks.split('** ')[0]}**\n\n{section}\n"


def _built(hook: str, out: str) -> str:
    """What setuptools makes of the staged tree, which it wants as the current folder."""
    before = Path.cwd()
    folder = Path(tempfile.mkdtemp(prefix="garden-path-"))
    try:
        stage(folder, Path(os.environ.get("GARDEN_PATH_HUB") or ROOT / "hub"))
        os.chdir(folder)
        from setuptools import build_meta

        return str(getattr(build_meta, hook)(out))
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)
