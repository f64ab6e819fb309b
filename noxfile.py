"""The matrix: Python versions, lowest and newest dependencies, core and extras, odd checkouts.

Each cell makes a venv, builds a suite and all metrics with the core alone, has `check` load them
and compute one example per metric, then runs the metric tests: those that pytest's `-m` chooses
by the words after `--`. `make cells` runs all of them, `.ci/run` the two tagged `ci`. A Python that
is not on the machine is said to be missing.
"""

import re
import shutil
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
SUITE = ("eras", "--size", "390")
TOOLS = ("pytest", "scipy", "hypothesis", "statsmodels", "pandas", "rapidfuzz", "udtools")
PINNED = ("-c", "constraints.txt")
ODD_CHECKOUT = ("core.symlinks=false", "core.autocrlf=true", "core.eol=crlf")
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
CELLS = (  # Python, dependencies, extra, checkout, locale, what is built
    nox.param("3.10", "lowest", "", "plain", "utf8", "small", id="3.10", tags=["ci"]),
    nox.param("3.11", "lowest", "", "plain", "utf8", "small", id="lowest"),
    nox.param("3.11", "newest", "", "plain", "utf8", "whole", id="newest"),
    nox.param("3.11", "pinned", "test", "plain", "utf8", "small", id="all-extras"),
    nox.param("3.11", "pinned", "", "odd", "utf8", "small", id="windows"),
    nox.param("3.11", "pinned", "", "plain", "ascii", "small", id="ascii"),
    nox.param("3.12", "lowest", "", "plain", "utf8", "small", id="3.12-lowest"),
    nox.param("3.12", "newest", "", "plain", "utf8", "small", id="3.12-newest"),
    nox.param("3.13", "newest", "", "odd", "ascii", "small", id="3.13-odd", tags=["ci"]),
    nox.param("3.13", "newest", "", "plain", "utf8", "small", id="3.13-newest"),
    nox.param("3.14", "newest", "", "plain", "utf8", "small", id="3.14-newest"),
)

nox.options.default_venv_backend = "uv"


@nox.session(reuse_venv=True)
@nox.parametrize("python,dependencies,extra,checkout,locale,size", CELLS)
def cell(
    session: nox.Session, dependencies: str, extra: str, checkout: str, locale: str, size: str
) -> None:
    """One cell: build, check, metric tests."""
    work = ROOT / session.create_tmp()
    shutil.rmtree(work)  # also the bytecode, which tells versions by date and size alone
    folder = clone(session) if checkout == "odd" else ROOT
    session.chdir(folder)
    session.env.update(ASCII if locale == "ascii" else {})
    session.env.update(PYTHONPATH="", HF_HUB_OFFLINE="1", TQDM_DISABLE="1")
    session.env.update(PYTHONDONTWRITEBYTECODE="", PYTHONPYCACHEPREFIX=str(work / "bytecode"))
    install(session, dependencies, extra)
    metrics = sorted(path.parent.name for path in folder.glob("metrics/*/scoring.py"))
    out = str(work / "hub")
    for names in [()] if size == "whole" else [SUITE, metrics]:
        session.run("python", "push.py", "build", *names, "--out", out)
    session.run("python", "push.py", "check", "--again", *metrics, "eras", "--out", out)
    if not extra:
        session.install(*TOOLS, *(PINNED if dependencies == "pinned" else ()))
    tests = metric_tests(folder, metrics, extra)
    chosen = " ".join(session.posargs) or "not slow"
    session.run("python", "-m", "pytest", "-m", chosen, "-rN", *tests)


def install(session: nox.Session, dependencies: str, extra: str) -> None:
    """What builds the suites, and the requirements of an extra; the project itself stays out."""
    chosen = ("--extra", extra or "hub")
    how = {"lowest": ("--resolution", "lowest-direct"), "newest": ("--upgrade",), "pinned": PINNED}
    session.install("-r", "pyproject.toml", *chosen, *how[dependencies])


def clone(session: nox.Session) -> Path:
    """The committed tree, checked out as on a system without links that ends lines by CR LF."""
    folder = ROOT / session.cache_dir / re.sub(r"\W+", "_", session.name)
    session.run("rm", "-rf", str(folder), external=True)
    options = [part for setting in ODD_CHECKOUT for part in ("-c", setting)]
    session.run("git", *options, "clone", "-q", str(ROOT), str(folder), external=True)
    return folder


def metric_tests(folder: Path, metrics: list[str], extra: str) -> list[str]:
    """Tests of the metrics and of what they share; those that train models need the extras."""
    shared = [path.stem for path in folder.glob("metrics/_shared/*.py")]
    found = [
        path.relative_to(folder).as_posix()
        for name in sorted({*metrics, *shared})
        for path in folder.glob(f"tests/*/test_{name}.py")
    ]
    if not extra:
        found = [name for name in found if "transformers" not in (folder / name).read_text("utf-8")]
    if len(found) < len(metrics):
        raise LookupError(f"{folder}: tests of the metrics, got {found}; expected {len(metrics)}")
    return found
