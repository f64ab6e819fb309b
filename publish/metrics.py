"""Finds the metrics, and tells whether a build is as new as the tree.

A folder of the right shape is registered.
"""

import hashlib

from dataset_scripts.registry import suite_names
from ground.paths import ROOT


def metric_names() -> list[str]:
    """Names of the metrics: the folders of `metrics` with a module of their own name."""
    return sorted(
        path.parent.name
        for path in (ROOT / "metrics").glob("*/*.py")
        if path.stem == path.parent.name
    )


def source_hash(name: str) -> str:
    """SHA-256 of everything a suite or metric is built from: an older build is found out by it."""
    if name in suite_names():
        paths = [
            *(ROOT / "builders" / name).rglob("*"),
            *(ROOT / "ground").glob("*.py"),
            *(ROOT / "dataset_scripts").glob("*.py"),
        ]
        paths += [
            *(ROOT / "cards" / "datasets").glob(f"{name}.*"),
            *(ROOT / "cards" / "results" / name).glob("*"),
        ]
    else:
        paths = [
            *(ROOT / "metrics" / name).rglob("*"),
            *(ROOT / "metrics").glob("*.py"),
            ROOT / "cards" / "metrics" / f"{name}.md",
            *(ROOT / "cards" / "results").rglob("*.md"),
        ]
    paths += (ROOT / "publish").rglob("*")
    digest = hashlib.sha256()
    for path in sorted(p for p in paths if p.is_file() and "__pycache__" not in p.parts):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()
