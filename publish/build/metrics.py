"""Finds the metrics, and tells whether a build is as new as the tree.

A folder of the right shape is registered.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from dataset_scripts.registry import suite_names
from ground.found import found, imported_files
from ground.paths import ROOT
from publish.build.metric_files import metric_files, metric_version

LEADERBOARD = "leaderboard"


def metric_names() -> list[str]:
    """Names of the metrics: the folders of `metrics` with a module that has `score`."""
    return [module.split(".")[0] for module in found(ROOT / "metrics", "score")]


def source_hash(name: str) -> str:
    """SHA-256 of everything a suite or metric is built from: an older build is found out by it.

    What is not listed here, such as another study's result in a card, is found by making the folder
    again; this hash says at once that it must be.
    """
    if name == LEADERBOARD:
        files = _board_sources()
    else:
        files = _suite_sources(name) if name in suite_names() else _metric_sources(name)
    digest = hashlib.sha256()
    for place, content in sorted(files.items()):
        digest.update(f"{place}\0".encode() + content)
    return digest.hexdigest()


def _suite_sources(name: str) -> dict[str, bytes]:
    """A suite's folder, every module that is imported on the way, its card and results."""
    modules = imported_files(
        [
            *(ROOT / "builders" / name).rglob("*.py"),
            ROOT / "dataset_scripts" / f"{name}.py",
            *(ROOT / "publish" / "build").glob("*.py"),
        ],
        ROOT,
    )
    versions = {f"metrics/{one}/VERSION": metric_version(one).encode() for one in metric_names()}
    return versions | _read(
        [
            *modules,
            *(ROOT / "builders" / name).rglob("*"),
            *(ROOT / "cards" / "datasets").glob(f"{name}.*"),
            *(ROOT / "cards" / "results" / name).glob("*"),
            *_of_all(),
        ]
    )


def _metric_sources(name: str) -> dict[str, bytes]:
    """A metric's code as it is staged, what else lies in its folder, its card and all results."""
    staged = {f"{name}/{file}": text.encode() for file, text in metric_files(name).items()}
    return staged | _read(
        [
            *(p for p in (ROOT / "metrics" / name).rglob("*") if p.suffix != ".py"),
            *(ROOT / "publish" / "page").rglob("*"),
            ROOT / "cards" / "metrics" / f"{name}.md",
            *(ROOT / "cards" / "results").rglob("*.md"),
            ROOT / "constraints.txt",  # the version of Gradio
            *_of_all(),
        ]
    )


def _board_sources() -> dict[str, bytes]:
    """Results and settings of all suites, and the versions that results are compared by."""
    versions = {f"metrics/{one}/VERSION": metric_version(one).encode() for one in metric_names()}
    return versions | _read(
        [
            *(ROOT / "builders").glob("*/suite.toml"),
            *(ROOT / "builders").glob("*/data/shallow*.tsv"),
            *(ROOT / "builders").glob("*/__init__.py"),
            *(ROOT / "cards" / "results").glob("*/*.json"),
            *(ROOT / "cards" / "datasets").glob("*.md"),
            *_of_all(),
        ]
    )


def _of_all() -> list[Path]:
    """What makes every folder: the stages of a build, and the bibliography of the cards."""
    return [*(ROOT / "publish" / "build").rglob("*"), ROOT / "cards" / "references.bib"]


def _read(paths: Iterable[Path]) -> dict[str, bytes]:
    """Contents of files by their place in the repository, line ends as they lie."""
    files = {p for p in paths if p.is_file() and "__pycache__" not in p.parts}
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in files}
