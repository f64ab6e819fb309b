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
from metrics._shared.uncertainty import wilson_interval
from research.readings import DATA as READINGS
from research.readings.agreement import cohen_kappa
from tests.conftest import ROOT

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
    return [
        row for row in read_table(READINGS / "eras" / "review.tsv", Reading) if row.round == number
    ]


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


def rate_text(judgements: list[str]) -> str:
    worse, n = sum(judgement != "ok" for judgement in judgements), len(judgements)
    low, high, *_ = wilson_interval(worse, n, 0.95)
    return f"{worse} ({100 * worse / n:.1f} %, {100 * low:.1f} to {100 * high:.1f})"


@pytest.mark.parametrize("number", [1, LAST_ROUND])
def test_the_card_tells_the_rates_with_their_intervals(number):
    rows = read_round(number)
    card = " ".join((ROOT / "cards" / "datasets" / "eras.md").read_text("utf-8").split())
    first, second = ([row.first for row in rows], [row.second for row in rows])
    kappa = cohen_kappa([a != "ok" for a in first], [b != "ok" for b in second])
    both = sum("ok" not in (row.first, row.second) for row in rows)
    assert rate_text(first) in card
    assert rate_text(second) in card
    assert re.search(rf"[Bb]oth (to|found) {both}, kappa {kappa:.2f}", card)


def test_the_card_tells_what_kinds_of_objections_are_left():
    kinds = Counter(row.first for row in read_round(LAST_ROUND))
    kinds += Counter(row.second for row in read_round(LAST_ROUND))
    card = " ".join((ROOT / "cards" / "datasets" / "eras.md").read_text("utf-8").split())
    assert f"{kinds['ambiguity']} of them for an ambiguity" in card
    assert f"{kinds['polarity']} for a sentiment" in card


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
