"""The bibliography: one BibTeX entry per paper, from which every citation is rendered."""

import re
from pathlib import Path

from ground.paths import ROOT

BIBLIOGRAPHY = ROOT / "cards" / "references.bib"
ENTRY = re.compile(r"^@\w+\{([^,\s]+),\n.*?^\}$", re.MULTILINE | re.DOTALL)
URL = re.compile(r'^\s*url = "([^"]+)"', re.MULTILINE)


def bibtex(key: str, path: Path = BIBLIOGRAPHY) -> str:
    """BibTeX entry of a paper, without a line feed at its end; a ValueError for an unknown key."""
    entries = read_entries(path)
    if key not in entries:
        raise ValueError(f"{path.name}: key, got {key!r}; expected one of {', '.join(entries)}")
    return entries[key]


def homepage(key: str) -> str:
    """Where a paper or its authors' files are on the web, "" where its entry does not say."""
    found = URL.search(bibtex(key))
    return found[1] if found else ""


def read_entries(path: Path = BIBLIOGRAPHY) -> dict[str, str]:
    """Every entry of a bibliography by its key; a ValueError where a key occurs twice."""
    found = list(ENTRY.finditer(path.read_text(encoding="utf-8")))
    keys = [match[1] for match in found]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise ValueError(f"{path.name}: key, got {twice[0]!r} twice; expected each once")
    return {match[1]: match[0] for match in found}
