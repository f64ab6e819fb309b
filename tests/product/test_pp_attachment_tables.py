"""PP attachment: one bad table per message, one bad pair per message."""

import re
import shutil
from collections import defaultdict

import pytest

from builders.pp_attachment import frames as frames_module
from builders.pp_attachment.columns import CONLL_SCHEMA
from builders.pp_attachment.draw import draw
from builders.pp_attachment.validity import problems
from builders.sorts.columns import clause_table
from ground.tables import DataFileError
from tests.conftest import ROOT
from tests.support.cases import cases

INVALID = ROOT / "tests" / "invalid" / "pp_attachment"
READERS = {
    "adverbs": lambda: frames_module.adverbs.__wrapped__("local"),
    "companions": lambda: frames_module.companions.__wrapped__("time"),
    "exclusions": frames_module.exclusions.__wrapped__,
    "frames": frames_module.frames.__wrapped__,
    "holders": frames_module.holders.__wrapped__,
    "orders": frames_module.orders.__wrapped__,
    "other_verbs": frames_module.other_verbs.__wrapped__,
    "prepositions": frames_module.prepositions.__wrapped__,
    "verb_forms": frames_module.verb_forms.__wrapped__,
}


@pytest.mark.parametrize(*cases("pp_attachment_tables/bad_files"))
def test_broken_tables_are_refused(name, message, tmp_path, monkeypatch):
    table = name.split("__")[0]
    shutil.copyfile(INVALID / f"{name}.tsv", tmp_path / f"{table}.tsv")
    for read in ("lexicon", "verb_forms", "prepositions", "frames"):
        getattr(frames_module, read)()
    monkeypatch.setattr(frames_module, "DATA", tmp_path)
    with pytest.raises(DataFileError, match=rf"{table}\.tsv(:\d+)?: {re.escape(message)}"):
        READERS[table]()


@pytest.fixture(scope="module")
def pairs() -> dict[str, list[list[dict]]]:
    """Both members of each pair, by what they differ in."""
    rows, found = clause_table(draw(3, 400), CONLL_SCHEMA).to_pylist(), defaultdict(list)
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        found[first["pair_factor"]].append([first, second])
    return found


def elsewhere(row):
    return next(place for place in row["candidates"] if place != row["head"])


def words_of(row):
    return {name: value for name, value in row.items() if name not in ("id", "pair_id")}


BAD_PAIRS = {  # rows that have it, of the members of a pair of topology
    "heads, got one kind; expected a verb and a noun": lambda a, b: [a, a | {"id": "again"}],
    "pair, got one member; expected two": lambda a, b: [a],
    "id, got it twice; expected unique ids": lambda a, b: [a, b, a, b],
    "sentence, got it with another head elsewhere": lambda a, b: (
        [a, b, a | {"id": "x", "head": elsewhere(a)}, b | {"id": "y"}]
    ),
}


def problems_of(rows):
    return problems(clause_table({name: [r[name] for r in rows] for name in rows[0]}, CONLL_SCHEMA))


@pytest.mark.parametrize("message", BAD_PAIRS)
def test_a_bad_pair_is_named(pairs, message):
    first, second = pairs["topology"][0]
    assert problems_of([first, second]) == []
    found = problems_of(BAD_PAIRS[message](first, second))
    assert any(message in line for line in found), found


def test_members_that_differ_in_more_or_less_than_the_factor_are_named(pairs):
    (first, _), *_, (_, stranger) = pairs["topology"]
    lines = problems_of([first, stranger | {"pair_id": first["pair_id"]}])
    assert any("words, got others in its second member; expected the same" in x for x in lines)
    first, second = pairs["verb"][0]
    lines = problems_of([first, second | words_of(first)])
    assert any("changed words, got 0; expected 1 to 2" in line for line in lines), lines
