"""The training word lists of the Bakeoff 2005, where a person has them."""

from pathlib import Path

import pytest

from builders.eras.gold_text import corpora, read_recorded


def bakeoff_lexicons(sources: Path) -> dict[str, set[str]]:
    """Words of each list by its short name."""
    if not (sources / "segmentation_bakeoff").is_dir():
        pytest.skip(f"the Bakeoff's word lists are not at hand: {sources}")
    lists = {name: one for name, one in corpora().items() if one.lexicon}
    return {
        name: set(read_recorded(one.lexicon, one.lexicon_sha256).split())
        for name, one in lists.items()
    }
