"""Which extra of the project holds a package, so that a command says what it needs first."""

import importlib.metadata
import re

from ground.paths import ROOT
from ground.tables import read_toml

PROJECT = "garden-path"
NOT_FOR_USERS = ("test", "docs")
DISTRIBUTIONS = {  # of modules whose package has another name
    "cyclonedx": "cyclonedx-python-lib",
    "markdown_it": "markdown-it-py",
    "pycrfsuite": "python-crfsuite",
    "sklearn": "scikit-learn",
    "ufal": "ufal.udpipe",
    "yaml": "pyyaml",
}


def require(*packages: str, command: str) -> None:
    """A ModuleNotFoundError that names the first package that is not installed, before all else."""
    for package in packages:
        try:
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError as error:
            raise ModuleNotFoundError(f"{command}: {told(package)}", name=package) from error


def packages_of(extra: str) -> tuple[str, ...]:
    """Names of the packages that an extra holds, without those of the extras in it."""
    return tuple(name for name in _extras().get(extra, ()) if name != PROJECT)


def told(module: str) -> str:
    """One line that says which package is missing and how to install it.

    Example:
        >>> told("pycrfsuite")
        "package python-crfsuite is not installed; pip install '.[research]'"
    """
    package = DISTRIBUTIONS.get(module, module).replace("_", "-")
    holders = [extra for extra, names in _extras().items() if package in names]
    extra = next((one for one in holders if one not in NOT_FOR_USERS), None)
    place = "." if (ROOT / "pyproject.toml").exists() else PROJECT
    what = f"'{place}[{extra}]'" if extra else package
    return f"package {package} is not installed; pip install {what}"


def _extras() -> dict[str, list[str]]:
    """Packages of each extra: of this tree, else as the installed package says."""
    found: dict[str, list[str]] = {}
    if (path := ROOT / "pyproject.toml").exists():
        declared = read_toml(path.read_text("utf-8"))["project"]["optional-dependencies"]
        pairs = [(extra, line) for extra, lines in declared.items() for line in lines]
    else:
        lines = importlib.metadata.requires(PROJECT) or []
        pairs = [(one[1], line) for line in lines if (one := re.search(r"extra == .(\w+)", line))]
    for extra, line in pairs:
        name = re.match(r"[\w.-]+", line)
        found.setdefault(extra, []).append(name[0].lower() if name else line)
    return found
