"""The tables of the papers, as they are printed."""

import csv
from pathlib import Path


def published(released: Path, name: str) -> list[dict[str, str]]:
    """The rows of a table, among the authors' files, by the names of its columns."""
    return rows_of(released / "published" / f"{name}.tsv")


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table whose comments begin with `#`."""
    text = path.read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return list(csv.DictReader(lines, delimiter="\t"))
