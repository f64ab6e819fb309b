"""Finds what can be published: suites in `dataset_scripts`, metrics in `metrics`. A folder or module of the right shape is registered."""

import hashlib
import importlib
from pathlib import Path

from dataset_scripts.suite import SuiteBuilder

ROOT = Path(__file__).resolve().parent.parent


def suite_names() -> list[str]:
    """Gives the names of the suites: the modules of `dataset_scripts` but `suite`, which is their base."""
    return sorted(path.stem for path in (ROOT / "dataset_scripts").glob("*.py") if path.stem not in ("__init__", "suite"))


def metric_names() -> list[str]:
    """Gives the names of the metrics: the folders of `metrics` with a module of their own name."""
    return sorted(path.parent.name for path in (ROOT / "metrics").glob("*/*.py") if path.stem == path.parent.name)


def suite_builder(name: str) -> type[SuiteBuilder]:
    """Gives the builder class of a suite.

    Raises:
        ValueError: There is no such suite, or its module does not hold exactly one builder.
    """
    if name not in suite_names():
        raise ValueError(f"suite, got {name!r}; expected one of {', '.join(suite_names())}")
    module = importlib.import_module(f"dataset_scripts.{name}")
    found = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, SuiteBuilder)]
    builders = [value for value in found if value.__module__ == module.__name__]
    if len(builders) != 1:
        raise ValueError(f"dataset_scripts/{name}.py: builders, got {len(builders)}; expected one subclass of SuiteBuilder")
    return builders[0]


def source_hash(name: str) -> str:
    """Gives the SHA-256 of everything a suite or metric is built from, so that a build older than the tree is found out."""
    if name in suite_names():
        paths = [*(ROOT / "builders" / name).rglob("*"), ROOT / "builders" / "tables.py", *(ROOT / "dataset_scripts").glob("*.py")]
        paths += [ROOT / "cards" / "datasets" / f"{name}.md", *(ROOT / "cards" / "results" / name).glob("*")]
    else:
        paths = [*(ROOT / "metrics" / name).glob("*.py"), ROOT / "cards" / "metrics" / f"{name}.md"]
    paths += (ROOT / "publish").glob("*.py")
    digest = hashlib.sha256()
    for path in sorted(p for p in paths if p.is_file() and "__pycache__" not in p.parts):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()
