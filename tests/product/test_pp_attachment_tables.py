"""PP attachment: one bad table per message, one bad pair per message."""

import re
import shutil

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
def pairs() -> list[list[dict]]:
    rows = clause_table(draw(3, 400), CONLL_SCHEMA).to_pylist()
    return [rows[i : i + 2] for i in range(0, 400, 2)]


def pair(pairs, factor):
    return [dict(row) for row in next(two for two in pairs if two[0]["pair_factor"] == factor)]


def found(rows):
    return problems(clause_table({name: [r[name] for r in rows] for name in rows[0]}, CONLL_SCHEMA))


def test_both_members_of_a_topology_pair_on_one_kind_of_head_are_named(pairs):
    first, _ = pair(pairs, "topology")
    lines = found([first, first | {"id": "again"}])
    assert any("heads, got one kind; expected a verb and a noun" in line for line in lines), lines


def test_members_of_other_words_are_named(pairs):
    first, second = pair(pairs, "topology")
    *_, other = (two for two in pairs if two[0]["pair_factor"] == "topology")
    stranger = other[1] | {"pair_id": first["pair_id"]}
    lines = found([first, stranger])
    assert any("words, got others in its second member; expected the same" in x for x in lines)
    assert found([first, second]) == []


def test_members_that_differ_in_more_than_the_factor_are_named(pairs):
    first, second = pair(pairs, "verb")
    lines = found([first, second | {"pair_factor": "verb", **_words_of(first)}])
    assert any("changed words, got 0; expected 1 to 2" in line for line in lines), lines


def _words_of(row):
    return {name: value for name, value in row.items() if name not in ("id", "pair_id")}


def test_a_single_member_an_id_twice_and_two_heads_of_a_sentence_are_named(pairs):
    first, second = pair(pairs, "topology")
    assert any("pair, got one member; expected two" in line for line in found([first]))
    lines = found([first, second, first | {"head": first["candidates"][0]}, second])
    assert any("id, got it twice; expected unique ids" in line for line in lines)
    elsewhere = next(place for place in first["candidates"] if place != first["head"])
    lines = found([first, second, first | {"id": "x", "head": elsewhere}, second | {"id": "y"}])
    assert any("sentence, got it with another head elsewhere" in line for line in lines)
