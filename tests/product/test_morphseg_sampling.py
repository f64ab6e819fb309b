"""The sampling plan: every draw a function of its keys, the protocols' promises, and uniformity."""

import itertools

import numpy as np
import pytest

from builders.morphseg.sampling import (
    METHODS,
    SPLITS,
    Setting,
    data_set_indices,
    derive_seed,
    new_test_indices,
    shuffled_indices,
    split_indices,
)

ENGLISH = Setting("eng", 1686, 500, "without")
RUSSIAN = Setting("rus", 95922, 2000, "with")


def test_draws_are_pinned():
    # the plan is published: a change here makes stored results stale
    assert data_set_indices(ENGLISH, 1)[:5].tolist() == [1422, 401, 1180, 1349, 261]
    assert data_set_indices(RUSSIAN, 50)[:5].tolist() == [60935, 10640, 53856, 26868, 57737]
    assert split_indices(ENGLISH, 1, "A").test[:5].tolist() == [34, 735, 377, 774, 451]
    assert new_test_indices(ENGLISH, 1, 50)[99, :5].tolist() == [1121, 1451, 946, 964, 653]


def test_every_key_changes_the_draw():
    others = [
        Setting("fin", 1686, 500, "without"),
        Setting("eng", 1687, 500, "without"),
        Setting("eng", 1686, 501, "without"),
        Setting("eng", 1686, 500, "with"),
        Setting("eng", 1686, 500, "without", seed=1),
    ]
    first = data_set_indices(ENGLISH, 1)
    assert all(not np.array_equal(first[:50], data_set_indices(other, 1)[:50]) for other in others)
    assert not np.array_equal(first, data_set_indices(ENGLISH, 2))
    assert len({split_indices(ENGLISH, 1, split).test.tobytes() for split in SPLITS}) == 5


def test_protocol_is_no_key_of_a_data_set():
    sound = Setting("eng", 1686, 500, "without", "sound")
    assert np.array_equal(data_set_indices(ENGLISH, 3), data_set_indices(sound, 3))
    # the same words are tested
    assert np.array_equal(split_indices(ENGLISH, 3, "E").test, split_indices(sound, 3, "E").test)


@pytest.mark.parametrize("size", [500, 1000, 1500, 2000, 3000, 4000])
def test_paper_protocol_trains_on_60_percent(size):
    split = split_indices(Setting("rus", 95922, size, "without"), 1, "A")
    n_test = int(0.4 * size)
    assert (len(split.train), len(split.dev), len(split.test)) == (size - n_test, 0, n_test)


def test_without_replacement_all_words_are_distinct():
    whole = Setting("eng", 1686, 1686, "without")  # the largest data set is the pool itself
    assert sorted(data_set_indices(whole, 1).tolist()) == list(range(1686))
    split = split_indices(ENGLISH, 2, "B")
    assert sorted(np.concatenate(split).tolist()) == sorted(data_set_indices(ENGLISH, 2).tolist())
    assert not np.intersect1d(split.train, split.test).size


def test_with_replacement_paper_overlaps_and_sound_does_not():
    paper = split_indices(Setting("eng", 1686, 1500, "with"), 1, "A")
    shared = np.isin(paper.test, paper.train).mean()
    assert 0.36 < shared < 0.47  # 1 - exp(-0.6 K / N) = 0.41
    sound = split_indices(Setting("eng", 1686, 1500, "with", "sound"), 1, "A")
    assert not any(np.intersect1d(a, b).size for a, b in itertools.combinations(sound, 2))
    assert sum(map(len, sound)) == 1500
    assert 600 <= len(sound.test) <= 606
    assert 150 <= len(sound.dev) <= 156


def test_number_of_copies_does_not_decide_on_the_part():
    # a word drawn three times is in the test part as often as one drawn once
    setting = Setting("eng", 400, 400, "with", "sound")
    shares: dict[int, list[bool]] = {1: [], 3: []}
    for data_set in range(1, 41):
        split = split_indices(setting, data_set, "A")
        types, copies = np.unique(shuffled_indices(setting, data_set, "A"), return_counts=True)
        for n, found in shares.items():
            found += np.isin(types[copies == n], split.test).tolist()
    difference = np.mean(shares[1]) - np.mean(shares[3])
    assert abs(difference) < 4 * np.sqrt(0.24 / len(shares[3]))


@pytest.mark.parametrize("method", METHODS)
def test_draws_are_uniform_over_types(method):
    setting = Setting("tiny", 40, 20, method)
    drawn = [data_set_indices(setting, k) for k in range(1, 2001)]
    counts = np.bincount(np.concatenate(drawn), minlength=40)
    expected = 2000 * 20 / 40
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert chi_square < 73  # 39 degrees of freedom, p = 0.001 (smaller without replacement)


def test_new_test_sets_are_unseen_distinct_and_shared():
    drawn = new_test_indices(ENGLISH, 4, 100)
    assert drawn.shape == (100, 100)
    assert not np.intersect1d(drawn, data_set_indices(ENGLISH, 4)).size
    assert all(len(set(row)) == 100 for row in drawn.tolist())
    assert np.array_equal(drawn[:3], new_test_indices(ENGLISH, 4, 100, n=3))
    sound = Setting("eng", 1686, 500, "without", "sound")
    assert np.array_equal(drawn, new_test_indices(sound, 4, 100))


def test_derive_seed_is_the_head_of_a_sha256():
    # sha256 of "a", a unit separator and "1"
    assert derive_seed("a", 1) == 0x839E11A421D370BE28DB56FDE67E9AAD
    assert derive_seed("a", "bc") != derive_seed("ab", "c")


REFUSED = {
    "method, got 'sometimes'; expected with or without": (Setting, "eng", 1686, 500, "sometimes"),
    "protocol, got 'fair'; expected paper": (Setting, "eng", 1686, 500, "with", "fair"),
    "got 1700; expected 5 to 1686 for 1686 types without": (Setting, "eng", 1686, 1700, "without"),
    "split, got 'F'; expected one of A, B, C, D, E": (split_indices, ENGLISH, 1, "F"),
    "data_set, got 0; expected a number from 1": (data_set_indices, ENGLISH, 0),
    "got 1187; expected 1 to 1186, the types outside": (new_test_indices, ENGLISH, 1, 1187),
}


@pytest.mark.parametrize("message", REFUSED)
def test_keys_out_of_range_are_refused(message):
    call, *arguments = REFUSED[message]
    with pytest.raises(ValueError, match=message):
        call(*arguments)
