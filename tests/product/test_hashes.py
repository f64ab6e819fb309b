"""A set of hashes says what a set of the texts says, in whatever order they are sorted in."""

import random

import pytest

from ground.hashes import HashSet


@pytest.mark.parametrize("most_recent", [1, 7, 1_000])
def test_a_text_is_new_once(most_recent):
    rng, known, found = random.Random(0), set[str](), HashSet(most_recent)
    for _ in range(500):
        text = f"Wort {rng.randrange(200)} ä"
        assert found.add(text) == (text not in known)
        known.add(text)
        assert len(found) == len(known)


def test_texts_of_one_hash_count_as_one(monkeypatch):
    class Digest:
        def __init__(self, *_: object, **__: object) -> None: ...

        def digest(self) -> bytes:
            return bytes([255] * 8)  # -1 as a signed number

    monkeypatch.setattr("ground.hashes.hashlib.blake2b", Digest)
    found = HashSet(1)
    assert found.add("a")
    assert not found.add("b")
    assert len(found) == 1
