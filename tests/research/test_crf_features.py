"""Labels, attributes and the two decoders, by hand."""

import pytest

from research.systems.morphology.crf_features import (
    decode_as_published,
    decode_ends,
    segmentation_labels,
    substring_attributes,
)
from research.systems.morphology.crf_orders import SubstringIndex
from tests.support.cases import cases

WORDS = ["papers", "a", "aa", "go-to", "кот"]

# word, labels, published decoder, after E and S; lengths worked out by hand from the published rule


@pytest.mark.parametrize(*cases("crf_features/crf_features_decoders"))
def test_crf_features_decoders(word, labels, published, ends):
    assert decode_as_published(word, labels) == published
    assert decode_ends(word, labels) == ends


def test_crf_features_labels_of_every_morpheme_length():
    assert segmentation_labels(["a", "bc", "def"]) == "[SBEBME]"


@pytest.mark.parametrize("morphemes", [[], ["a", ""]])
def test_crf_features_no_empty_morpheme(morphemes):
    with pytest.raises(ValueError, match="expected at least one, none of them empty"):
        segmentation_labels(morphemes)


def test_crf_features_attributes_of_a_middle_position():
    # [ p a p e r s ], position 3 is the second p: up to four characters to either side, both
    # boundaries included
    right, left = ("Rp", "Rpe", "Rper", "Rpers"), ("La", "Lpa", "L[pa")
    assert substring_attributes("papers")[3] == [*right, *left, "P3"]
    assert substring_attributes("papers")[0] == ["R[", "R[p", "R[pa", "R[pap", "P0"]
    assert substring_attributes("papers")[7] == ["R]", "Ls", "Lrs", "Lers", "Lpers", "P7"]


def test_substring_index_is_the_string_attributes():
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
