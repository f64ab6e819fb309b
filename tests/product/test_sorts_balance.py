"""Draws of SORTS: nothing of a clause's surface tells which noun is its subject."""

from collections import defaultdict

import pytest

from builders.sorts.columns import Columns
from builders.sorts.draw import draw
from builders.sorts.lexicon import DUTCH, GERMAN
from metrics.subject_object_las.inputs import OVS, SVO, UNDECIDED


def _phrase(columns: Columns, row: int, head: int) -> str:
    words = zip(columns["tokens"][row], columns["heads"][row], strict=True)
    return " ".join(w.lower() for i, (w, g) in enumerate(words) if i == head or g == head + 1)


def _signs(columns: Columns, row: int) -> dict[str, int]:
    """For each reader 1 if it finds the subject of a clause, -1 if the object."""
    places = (columns["object"][row], columns["subject"][row])
    object_, subject = (columns["tokens"][row][place].lower() for place in places)
    phrases = [_phrase(columns, row, place) for place in places]
    return {
        "noun length": (len(object_) > len(subject)) - (len(object_) < len(subject)),
        "noun alphabet": (object_ > subject) - (object_ < subject),
        "phrase length": (len(phrases[0]) > len(phrases[1])) - (len(phrases[0]) < len(phrases[1])),
        "phrase alphabet": (phrases[0] > phrases[1]) - (phrases[0] < phrases[1]),
    }


def _gains(columns: Columns) -> dict[str, float]:
    """Informedness in points of each reader, over items that are decided throughout."""
    items: dict[str, dict[str, int]] = defaultdict(dict)
    open_ = set()
    for row, (item, order) in enumerate(
        zip(columns["item_id"], columns["word_order"], strict=True)
    ):
        items[item][order] = row
        if columns["resolved_by"][row] in UNDECIDED:
            open_.add(item)
    signs = [
        _signs(columns, orders[SVO])
        for item, orders in items.items()
        if item not in open_ and {SVO, OVS} <= set(orders)
    ]
    return {name: 100 * sum(one[name] for one in signs) / len(signs) for name in signs[0]}


@pytest.mark.parametrize(("tables", "most"), [(GERMAN, 1.0), (DUTCH, 3.0)])
def test_lite_is_balanced(tables, most):
    for split, columns in draw(lite=True, tables=tables).items():
        gains = _gains(columns)
        assert all(abs(gain) <= most for gain in gains.values()), (split, gains)


@pytest.mark.parametrize(("tables", "most"), [(GERMAN, 5.0), (DUTCH, 7.0)])
def test_whole_draws_are_balanced_by_noun(tables, most):
    for split, columns in draw(tables=tables).items():
        gains = _gains(columns)
        assert abs(gains["noun length"]) <= most, (split, gains)
        assert abs(gains["noun alphabet"]) <= most, (split, gains)


def test_each_phrase_is_the_definite_one_in_half_of_the_german_triples():
    columns = draw()["part_amb"]
    definite = {
        triple: "Definite=Def" in columns["feats"][row][0]
        for row, (triple, name) in enumerate(zip(columns["triple_id"], columns["id"], strict=True))
        if name.startswith("part_amb/base-acc/") and name.endswith(SVO)
    }
    assert 0.25 < sum(definite.values()) / len(definite) < 0.75
