"""The config `pairs` of CenterBench: what a reader counts tells no answer."""

from collections import Counter, defaultdict

import pytest

from dataset_scripts.registry import split_table


@pytest.fixture(scope="module")
def rows():
    return split_table("centerbench", "pairs", "test").to_pylist()


def places(row):
    """Of the left noun, of the right one, of the verb; whether the left one is right."""
    text = row["plausible"].rstrip(".").lower()
    words = text.split()
    verb = row["probe"].removeprefix("The one that ").partition(" another")[0]

    def at(part):
        return len(f" {text} ".partition(f" {part} ")[0].split())

    right, wrong = (at(f"the {row[name]}") for name in ("plausible_noun", "implausible_noun"))
    return min(right, wrong), max(right, wrong), at(verb), right < wrong, words


def test_the_words_from_either_noun_to_the_verb_tell_nothing(rows):
    sides = Counter()
    for row in rows:
        left, right, verb, is_left, _ = places(row)
        sides[row["construction"], verb - left, verb - right] += 1 if is_left else -1
    assert len(sides) > 50
    assert set(sides.values()) == {0}


def test_no_place_and_no_word_beside_the_verb_tells_much(rows):
    """The best guess in hindsight; a coin in hindsight has up to as much."""
    sides = defaultdict(Counter)
    for row in rows:
        left, right, verb, is_left, words = places(row)
        nouns = (words[:left].count("that"), words[left:verb].count("that"), words.count("that"))
        near = [words[verb - k].endswith("ed") for k in (1, 2)]
        for cue, value in enumerate((left, right, verb, *nouns, *near)):
            sides[cue][value] += 1 if is_left else -1
    for counts in sides.values():
        assert 0.5 + sum(map(abs, counts.values())) / 2 / len(rows) < 0.55


def test_counts_of_rows(rows):
    counts = Counter((row["construction"], places(row)[3]) for row in rows)
    sizes = {"center_embedded": 108, "nested_and_right_branching": 252}
    assert counts == {(name, side): sizes[name] for name in sizes for side in (True, False)}
