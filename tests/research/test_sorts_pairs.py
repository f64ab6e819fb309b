"""Sorts pairs: what the laboratory says of it."""

import pytest

from builders.sorts.design import SPLITS
from builders.sorts.items import MODIFIERS
from research.readings.sorts_pairs import changed_slots, property_pairs, word_order_pairs
from tests.support.sorts_draw import default_suite


@pytest.fixture(scope="module")
def suite():
    return default_suite()


def test_pairs_by_word_order(suite):
    pairs = list(word_order_pairs(suite["amb"]))
    assert len(pairs) == 1043 * 10 + 306 * 28
    columns = suite["amb"]
    added = {"deshalb", "weil", ".", "?"}
    for pair in pairs[:: len(pairs) // 500]:
        words = [sorted({*map(str.lower, columns["tokens"][row])} - added) for row in pair[:2]]
        assert words[0] == words[1]


def phrase(columns, row, slot):
    head = columns[slot][row]
    return [
        token.lower()
        for i, token in enumerate(columns["tokens"][row])
        if i == head or columns["heads"][row][i] == head + 1
    ]


@pytest.mark.parametrize("split", SPLITS)
def test_pairs_by_property_differ_in_what_the_property_names(suite, split):
    columns = suite[split]
    for pair in property_pairs(columns):
        changed = {*changed_slots(columns["properties"][pair.second], pair.contrast)}
        changed |= {"object"} if pair.contrast == "oneg" else set()
        for slot in {"subject", "object"} - changed:
            assert phrase(columns, pair.first, slot) == phrase(columns, pair.second, slot), pair
        has = [
            ("AUX" in columns["upos"][row], "obl" in columns["deprels"][row]) for row in pair[:2]
        ]
        assert has[1] == (has[0][0] or pair.contrast == "aux", has[0][1] or pair.contrast == "pp")
        verbs = [columns["lemmas"][row][columns["verb"][row]] for row in pair[:2]]
        assert (verbs[0] == verbs[1]) == (pair.contrast != "syn")
        nouns = [columns["lemmas"][row][columns["object"][row]] for row in pair[:2]]
        assert (
            pair.contrast != "oneg"
            or nouns[0] == nouns[1]
            or "opron" in columns["properties"][pair.second]
        )


def test_nearly_every_modified_item_has_a_pair(suite):
    columns = {name: suite["part_amb"][name] + suite["amb"][name] for name in suite["amb"]}
    paired = {columns["item_id"][pair.second] for pair in property_pairs(columns)}
    rows = zip(columns["item_id"], columns["properties"], strict=True)
    modified = {item for item, tags in rows if MODIFIERS.keys() & set(tags)}
    # of the 8 without a base item one has a partner in another block without one
    assert len(modified - paired) == 7
    assert not [item for item in modified - paired if item.startswith("amb/")]
