"""Labels, attributes and the two decoders, by hand."""

import pytest

from research.systems.morphology.crf_features import (
    decode_as_published,
    decode_ends,
    segmentation_labels,
    substring_attributes,
)
from research.systems.morphology.crf_orders import SubstringIndex

WORDS = ["papers", "a", "aa", "go-to", "кот"]

# word, labels, published decoder, after E and S; lengths worked out by hand from the published rule
DECODED = [
    ("papers", "[BMMMES]", ["paper", "s"], ["paper", "s"]),  # well formed: both agree
    ("papers", "[SSBMME]", ["p", "a", "pers"], ["p", "a", "pers"]),
    ("papers", "[SSSSSS]", list("papers"), list("papers")),  # S only: no length is added
    ("papers", "[BMMMMM]", ["papers"], ["papers"]),  # no E at the end: length 7, cut off at 6
    # S after M: pieces BM, BM, "" of 3, 3 and 1
    ("papers", "[BMSBMS]", ["pap", "ers", ""], ["pap", "ers"]),
    # E E: its empty piece goes, not the last one
    ("papers", "[BMEEBE]", ["pap", "er", "s"], ["pap", "e", "rs"]),
    # the letter s is lost
    ("papers", "[BEESSS]", ["pa", "p", "e", "r"], ["pa", "p", "e", "r", "s"]),
    ("papers", "[MEMEME]", ["pa", "pe", "rs"], ["pa", "pe", "rs"]),  # B missing: harmless
    ("papers", "[BBBBBB]", ["papers"], ["papers"]),  # neither decoder looks at B
    ("papers", "[BE[]BE]", ["pa", "pers"], ["pa", "pers"]),  # boundaries inside count as letters
    ("a", "[E]", ["a"], ["a"]),  # the empty piece before E goes, the one after it stays
]


@pytest.mark.parametrize(("word", "labels", "published", "ends"), DECODED)
def test_crf_features_decoders(
    word: str, labels: str, published: list[str], ends: list[str]
) -> None:
    assert decode_as_published(word, labels) == published
    assert decode_ends(word, labels) == ends


def test_crf_features_labels_of_every_morpheme_length() -> None:
    assert segmentation_labels(["a", "bc", "def"]) == "[SBEBME]"


@pytest.mark.parametrize("morphemes", [[], ["a", ""]])
def test_crf_features_no_empty_morpheme(morphemes: list[str]) -> None:
    with pytest.raises(ValueError, match="expected at least one, none of them empty"):
        segmentation_labels(morphemes)


def test_crf_features_attributes_of_a_middle_position() -> None:
    # [ p a p e r s ], position 3 is the second p: up to four characters to either side, both
    # boundaries included
    right, left = ("Rp", "Rpe", "Rper", "Rpers"), ("La", "Lpa", "L[pa")
    assert substring_attributes("papers")[3] == [*right, *left, "P3"]
    assert substring_attributes("papers")[0] == ["R[", "R[p", "R[pa", "R[pap", "P0"]
    assert substring_attributes("papers")[7] == ["R]", "Ls", "Lrs", "Lers", "Lpers", "P7"]


def test_substring_index_is_the_string_attributes() -> None:
    training, words = WORDS[:4], [*WORDS, "papaye"]
    names = sorted(
        {a for word in training for position in substring_attributes(word) for a in position}
    )
    index = SubstringIndex.of(training)
    assert len(index.keys) == len(names)
    strings = [
        [a for a in position if a in names]
        for word in words
        for position in substring_attributes(word)
    ]
    matrix = index.matrix(words)
    assert matrix.sum(1).astype(int).tolist() == [len(position) for position in strings]
    # the same positions share an attribute, whatever its number is
    shared = (matrix @ matrix.T).toarray()
    assert shared.tolist() == [[float(len(set(a) & set(b))) for b in strings] for a in strings]
