"""Committed pages of results beside the search for shallow readers, which may be newer."""

import re

import pytest

from builders.shallow import shallow_readers
from dataset_scripts.registry import suite_names
from tests.conftest import ROOT

PAGES = [
    page
    for suite in suite_names()
    for page in sorted((ROOT / "cards/results" / suite).glob("*.md"))
]
NAMED = re.compile(r"(?:a reader that knows nothing|reads one cue) \((.+?)\)[;.]")
NONE = {"–", "0.0"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_page_has_the_readers_and_the_bars_that_the_search_found(page):
    """A new search raises the bars of pages whose systems are not run again."""
    text, readers = page.read_text(encoding="utf-8"), shallow_readers(page.parent.name)
    assert set(NAMED.findall(text)) <= {one.reader for one in readers}
    bars, place = {f"{100 * one.value:.1f}" for one in readers} | NONE, None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if "NULL" in cells and "shortcut" in cells:
            place = cells.index("shortcut")
        elif not line.startswith("|"):
            place = None
        elif place and not cells[place].startswith("-"):
            assert cells[place] in bars, line
