"""The readings of ERAS pairs: fixed before they were read, complete, and told in the card."""

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

import pytest

from builders.eras import DRAW
from builders.eras.assembly import pair_table
from builders.eras.draw import draw
from builders.eras.words import read_words
from ground.tables import read_raw, read_table
from research.readings import DATA as READINGS
from research.readings.agreement import cohen_kappa
from tests.research.test_eras_extended_readings import card_text, rate_text

Judgement = Literal["ok", "collocation", "polarity", "ambiguity"]
FIRST_LIST = "c97d427efadb61f4de1288acd2cbf3c2fd11147c40f133eda73dacad903f4649"
LAST_ROUND, LAST_SALT = 2, "fourth reading|"
ONE_FORM = ["11-00613", "18-03005"]  # 雇 stands as 僱 since they were read


@dataclass(frozen=True)
class Reading:
    round: int
    id: str
    script: Literal["simplified", "traditional"]
    sentence: str
    control: str
    author: Judgement | None
    first: Judgement
    second: Judgement
    remark: str | None


def read_round(number: int) -> list[Reading]:
    rows = read_table(READINGS / "eras" / "review.tsv", Reading)
    return [row for row in rows if row.round == number]


def reading_key(row_id: str) -> str:
    return hashlib.sha256(f"{LAST_SALT}{row_id}".encode()).hexdigest()


def digest_of(ids: list[str]) -> str:
    return hashlib.sha256("\n".join(ids).encode()).hexdigest()


@pytest.fixture(scope="module")
def default_draw():
    return draw()


def test_every_pair_of_either_list_was_read():
    source = read_raw(READINGS / "eras" / "review.tsv").comments["source"]
    assert f"version {DRAW} " in source  # of the draw that was read; its order alone has changed
    for number in (1, LAST_ROUND):
        ids = [row.id for row in read_round(number)]
        assert len(ids) == 400
        assert digest_of(ids) in source
    assert digest_of([row.id for row in read_round(1)]) == FIRST_LIST


def test_the_rows_that_were_read_are_those_that_the_rule_draws(default_draw):
    """The list was fixed by its hash before anybody read, so it cannot have been chosen since."""
    table = pair_table(default_draw, "simplified").select(["id", "paradigm_id"]).to_pylist()
    ranked: dict[int, list[str]] = {}
    for row in sorted(table, key=lambda row: reading_key(row["id"])):
        ranked.setdefault(row["paradigm_id"], []).append(row["id"])
    chosen = [row_id for ids in ranked.values() for row_id in ids[:10]]
    chosen += sorted((row for ids in ranked.values() for row in ids[10:12]), key=reading_key)[:10]
    assert [row.id for row in read_round(LAST_ROUND)] == sorted(chosen)


def test_read_sentences_are_rows_of_the_draw(default_draw):
    for script in ("simplified", "traditional"):
        table = pair_table(default_draw, script).select(["id", "test", "control"]).to_pylist()
        drawn = {row["id"]: (row["test"], row["control"]) for row in table}
        mine = [row for row in read_round(LAST_ROUND) if row.script == script]
        assert 160 <= len(mine) <= 240
        changed = [row.id for row in mine if drawn[row.id] != (row.sentence, row.control)]
        assert changed == (ONE_FORM if script == "traditional" else [])
        assert {row.script for row in mine if int(reading_key(row.id)[-1], 16) % 2} == (
            {"traditional"} if script == "traditional" else set()
        )


def test_every_remark_is_about_an_objection():
    for number in (1, LAST_ROUND):
        for row in read_round(number):
            has_objection = {row.author, row.first, row.second} - {"ok", None}
            assert row.remark is None or has_objection or "author: " not in row.remark, row.id


@pytest.mark.parametrize("number", [1, LAST_ROUND])
def test_the_card_tells_the_rates_with_their_intervals(number):
    rows, card = read_round(number), card_text()
    first, second = [row.first != "ok" for row in rows], [row.second != "ok" for row in rows]
    both = sum(map(min, first, second))
    assert rate_text(sum(first), len(rows)) in card
    assert rate_text(sum(second), len(rows)) in card
    assert re.search(rf"[Bb]oth (to|found) {both}, kappa {cohen_kappa(first, second):.2f}", card)


def test_the_card_tells_what_kinds_of_objections_are_left():
    kinds = Counter(one for row in read_round(LAST_ROUND) for one in (row.first, row.second))
    assert f"{kinds['ambiguity']} of them for an ambiguity" in card_text()
    assert f"{kinds['polarity']} for a sentiment" in card_text()


def test_reading_says_that_models_read():
    notes = read_raw(READINGS / "eras" / "review.tsv").comments["notes"]
    assert notes.startswith("read by language models, not by people")


@dataclass(frozen=True)
class RejectedWord:
    word: str
    type: str
    class_: str
    reason: str


def test_words_that_readers_objected_to_are_in_their_class_no_more():
    rejected = {
        (r.word, r.type, r.class_)
        for r in read_table(READINGS / "eras" / "rejected.tsv", RejectedWord)
    }
    assert len(rejected) == 82
    assert rejected.isdisjoint((word.word, word.type, word.class_) for word in read_words())
