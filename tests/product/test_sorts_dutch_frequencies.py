"""Why Dutch rows have no frequencies: what the treebanks have of the tables' words."""

import gzip
from collections import Counter

from builders.sorts.lexicon import DUTCH, read_lexicon
from tests.conftest import ROOT


def test_the_treebanks_have_fewer_than_half_of_the_words(sources):
    counts = Counter()
    for path in sorted((sources / "treebanks" / "nl").glob("*.conllu.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            cells = (line.split("\t") for line in file)
            counts.update(row[2].lower() for row in cells if row[0].isdigit())
    lexicon = read_lexicon(DUTCH)
    words = [*lexicon.nouns, *lexicon.verbs]
    found = sum(counts[word.lower()] > 0 for word in words)
    often = sum(counts[word.lower()] >= 5 for word in words)
    card = (ROOT / "cards" / "datasets" / "sorts.md").read_text(encoding="utf-8")
    assert f"have {found} of the {len(words)} nouns and verbs, {often} of them five times" in card
    assert found < len(words) / 2
