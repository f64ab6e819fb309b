"""Edit distances in numpy: by hand, against rapidfuzz, and the metric axioms."""

import random
from itertools import product

import numpy as np
import pytest

from metrics.morpheme_segmentation import matching
from metrics.morpheme_segmentation.matching import edit_distances
from tests.support.cases import cases


@pytest.mark.parametrize(*cases("morpheme_edit_distance/distance_by_hand"))
def test_distance_by_hand(first, second, distance):
    assert edit_distances([first], [second]).tolist() == [distance]
    filled = ["", "abc" * 40, first, "x"]  # among strings of other lengths it is the same
    assert edit_distances(filled, ["abc", "b", second, "x"])[2] == distance


def strings(rng: random.Random, n: int, longest: int) -> list[str]:
    return ["".join(rng.choices("abс |\0", k=rng.randint(0, longest))) for _ in range(n)]


@pytest.mark.parametrize("longest", [3, 12, 90])
def test_distances_equal_rapidfuzz(longest):
    oracle = pytest.importorskip("rapidfuzz.distance").Levenshtein
    rng = random.Random(longest)
    first, second = strings(rng, 700, longest), strings(rng, 700, longest)
    expected = [oracle.distance(a, b) for a, b in zip(first, second, strict=True)]
    assert edit_distances(first, second).tolist() == expected


def test_number_of_pairs_at_once_changes_nothing(monkeypatch):
    rng = random.Random(5)
    first, second = strings(rng, 100, 9), strings(rng, 100, 9)
    whole = edit_distances(first, second)
    monkeypatch.setattr(matching, "PAIRS_AT_ONCE", 7)
    assert np.array_equal(edit_distances(first, second), whole)


def test_distance_is_a_metric():
    words = ["".join(letters) for n in range(4) for letters in product("ab", repeat=n)]
    pairs = list(product(words, repeat=2))
    found = dict(zip(pairs, edit_distances(*zip(*pairs, strict=True)).tolist(), strict=True))
    assert all((found[a, b] == 0) == (a == b) for a, b in pairs)
    assert all(found[a, b] == found[b, a] for a, b in pairs)
    assert all(found[a, c] <= found[a, b] + found[b, c] for a, b in pairs for c in words)


def test_nothing_has_no_distances():
    assert edit_distances([], []).shape == (0,)
    with pytest.raises(ValueError, match="shorter"):
        edit_distances(["a"], [])
