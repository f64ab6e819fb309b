"""The config `pairs` of CenterBench: what a reader counts tells no answer."""

from collections import Counter

import pytest

from builders.centerbench.counterparts import exchange_in_counterparts
from builders.centerbench.draw import default_drawer, draw
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


CUES = {
    "left": lambda left, right, verb, words: left,
    "right": lambda left, right, verb, words: right,
    "verb": lambda left, right, verb, words: verb,
    "nouns before": lambda left, right, verb, words: words[:left].count("that"),
    "nouns between": lambda left, right, verb, words: words[left:verb].count("that"),
    "nouns": lambda left, right, verb, words: words.count("that"),
    "word before": lambda left, right, verb, words: words[verb - 1].endswith("ed"),
    "word before that": lambda left, right, verb, words: words[verb - 2].endswith("ed"),
}


@pytest.mark.parametrize("cue", CUES)
def test_no_place_and_no_word_beside_the_verb_tells_much(rows, cue):
    """The best guess in hindsight; a coin in hindsight has up to as much."""
    sides = Counter()
    for row in rows:
        left, right, verb, is_left, words = places(row)
        sides[CUES[cue](left, right, verb, words)] += 1 if is_left else -1
    assert 0.5 + sum(map(abs, sides.values())) / 2 / len(rows) < 0.55


def test_counts_of_rows(rows):
    counts = Counter((row["construction"], places(row)[3]) for row in rows)
    assert counts == {
        ("center_embedded", True): 108,
        ("center_embedded", False): 108,
        ("nested_and_right_branching", True): 252,
        ("nested_and_right_branching", False): 252,
    }


@pytest.mark.parametrize("level", [4, 7])
def test_few_pairs_have_questions_too(level):
    [pairs] = draw(0, 3, levels=(level,))
    asked = list(exchange_in_counterparts(pairs, default_drawer().knowledge))
    assert len({one.id for one in asked}) == len(asked) > 0
    labels = Counter(one.label for one in asked)
    assert labels[0] == labels[1]
