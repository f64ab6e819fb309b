"""Finds the metrics, and tells whether a build is as new as the tree."""

import hashlib

from dataset_scripts.registry import suite_names
from ground.found import found, imported_files
from ground.paths import ROOT
from publish.build.metric_files import metric_files, metric_version

LEADERBOARD = "leaderboard"
SOURCES = {
    "suite": (
        *("builders/{name}/**/*", "dataset_scripts/{name}.py"),
        *("cards/datasets/{name}.*", "cards/results/{name}/*"),
    ),
    "metric": (
        *("metrics/{name}/**/*", "cards/metrics/{name}.md", "cards/results/**/*.md"),
        *("publish/page/**/*", "constraints.txt"),  # the version of Gradio
    ),
    LEADERBOARD: (
        *("builders/*/suite.toml", "builders/*/data/shallow*.tsv", "builders/*/__init__.py"),
        *("cards/results/*/*.json", "cards/datasets/*.md"),
    ),
}
OF_ALL = ("publish/build/**/*", "cards/references.bib")


def metric_names() -> list[str]:
    """Names of the metrics: the folders of `metrics` with a module that has `score`."""
    return [module.split(".")[0] for module in found(ROOT / "metrics", "score")]


def source_hash(name: str) -> str:
    """SHA-256 of everything a suite or metric is built from: an older build is found out by it.

    What is not listed here, such as another study's result in a card, is found by making the folder
    again; this hash says at once that it must be.
    """
    kind = "suite" if name in suite_names() else name if name == LEADERBOARD else "metric"
    patterns = [pattern.format(name=name) for pattern in (*SOURCES[kind], *OF_ALL)]
    paths = {path for pattern in patterns for path in ROOT.glob(pattern)}
    if kind == "metric":  # its code as it is staged, not as it lies
        paths = {p for p in paths if p.suffix != ".py" or ROOT / "metrics" not in p.parents}
        files = {f"{name}/{file}": text.encode() for file, text in metric_files(name).items()}
    else:
        names = metric_names()
        files = {f"metrics/{one}/VERSION": metric_version(one).encode() for one in names}
    if kind == "suite":  # and every module that is imported on the way
        paths |= imported_files([path for path in paths if path.suffix == ".py"], ROOT)
    for path in paths:
        if path.is_file() and "__pycache__" not in path.parts:
            files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    digest = hashlib.sha256()
    for place, content in sorted(files.items()):
        digest.update(f"{place}\0".encode() + content)
    return digest.hexdigest()
