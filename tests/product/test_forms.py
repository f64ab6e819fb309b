"""Forms: what every one keeps, and the designs of each."""

import math
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from builders.centerbench import forms as centerbench
from builders.eras import forms as eras
from builders.forms import STEPS, FormItem, spread, williams_square
from builders.sorts import forms as sorts
from publish.form.sheets import find_form, forms, forms_about_files

REPLIES = [
    '{"id": "1-00000-p-0-action_performed", "system": "invented", "answer": "nothing"}',
    '{"id": "1-00000-i-0-action_performed", "system": "invented", "answer": "something"}',
    '{"id": "2-00001-p-1-entity_count", "system": "invented", "answer": "3"}',
]


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(REPLIES) + "\n", encoding="utf-8")
    return path


def answer_ids(item: FormItem) -> set[object]:
    """What may be answered to an item."""
    if item.kind == "rate":
        return set(range(1, STEPS + 1))
    return {option["id"] for option in item.content["options"]}


@pytest.mark.parametrize("form", forms(), ids=lambda form: form.full_name)
def test_a_form_keeps_the_contract(form):
    asked: Counter[str] = Counter()
    for number in range(form.n_sheets):
        pages = form.sheet(0, number)
        assert pages == form.sheet(0, number)
        ids = [page.id for page in pages]
        assert len(set(ids)) == len(ids)
        roles = [page.role for page in pages]
        assert roles.index("item") > max(i for i, role in enumerate(roles) if role[0] in "pc")
        assert {"practice", "comprehension", "item", "attention"} == set(roles)
        again = form.sheet(0, number + form.n_sheets)
        assert sorted(page.id for page in again) == sorted(ids)
        asked.update(page.id for page in pages if page.role == "item")
    assert form.n_raters % form.n_sheets == 0
    assert len(set(asked.values())) == 1, "every item is on as many sheets as any other"


@pytest.mark.parametrize("form", forms(), ids=lambda form: form.full_name)
def test_checks_have_right_answers_that_the_page_can_give(form):
    settings = form.settings()
    assert settings["instructions"]
    for page in form.sheet(0, 0):
        assert (page.role == "item") == (page.expected == ())
        if page.kind in ("rate", "choose") and page.content.get("options") != "shared":
            assert set(page.expected) <= answer_ids(page), page.id
        if page.kind == "rank" and page.expected:
            assert all(
                set(ranks) == {one["id"] for one in page.content["sentences"]}
                for ranks in page.expected
            )
        if page.role in ("practice", "comprehension"):
            assert page.content["why"]["en"]


def test_a_form_is_found_by_name(replies):
    assert find_form("eras-ranking").n_raters == 10
    with pytest.raises(ValueError, match="form, got 'eras'; expected one of centerbench-pilot"):
        find_form("eras")
    with pytest.raises(ValueError, match="about, got none; expected the file"):
        find_form("centerbench-scorer-audit")
    with pytest.raises(ValueError, match=r"about, got .*; expected none"):
        find_form("eras-ranking", replies)
    assert [*forms_about_files()] == ["centerbench-scorer-audit"]


# --- ERAS: triples
def minimum_triples(n_pairs: int) -> int:
    """The least number of triples that cover n pairs, n from 3."""
    return n_pairs + math.ceil(n_pairs / eras.GROUP)


def test_the_paper_s_number_of_triples():
    assert minimum_triples(4 * 39) == 208 == len(eras.ranking(0, 0))


def covers(chosen: list[eras.SiteTriple], n: int) -> bool:
    """Whether each of n pairs has both its triples, with the same two others."""
    sets = {frozenset(triple.sentences()) for triple in chosen}
    return all(
        any(
            sets >= {frozenset({f"{p}/test", *two}), frozenset({f"{p}/control", *two})}
            for others in combinations([q for q in range(n) if q != p], 2)
            for two in [tuple(f"{q}/control" for q in others)]
        )
        for p in range(n)
    )


def all_triples(n: int) -> list[eras.SiteTriple]:
    tests = [
        eras.SiteTriple("test", str(p), (str(a), str(b)))
        for p in range(n)
        for a, b in combinations([q for q in range(n) if q != p], 2)
    ]
    controls = [
        eras.SiteTriple("control", str(a), (str(b), str(c)))
        for a, b, c in combinations(range(n), 3)
    ]
    return tests + controls


@pytest.mark.parametrize("n", [3, 4])
def test_no_smaller_set_of_triples_covers_the_pairs(n):
    """Every set of fewer triples is tried: 4 of 4 for three pairs, 16 over 5 for four."""
    least = minimum_triples(n)
    candidates = all_triples(n)
    for size in range(least):
        assert not any(covers(list(some), n) for some in combinations(candidates, size))
    assert any(covers(list(some), n) for some in combinations(candidates, least))


@pytest.mark.parametrize("n", range(3, 13))
def test_the_triples_cover_every_pair_and_are_as_few_as_can_be(n):
    triples = eras.covering_triples([str(i) for i in range(n)])
    assert len(triples) == minimum_triples(n)
    assert covers(triples, n)


def test_two_pairs_have_no_triples():
    with pytest.raises(ValueError, match="pairs, got 2; expected at least 3"):
        eras.covering_triples(["a", "b"])


def test_five_raters_share_out_twenty_pairs_of_each_paradigm():
    pairs = [pair for block in range(5) for group in eras.block_pairs(0, block) for pair in group]
    assert len({pair.id for pair in pairs}) == len(pairs) == 39 * 20
    assert set(Counter(pair.paradigm_id for pair in pairs).values()) == {20}
    for block in range(5):
        for group in eras.block_pairs(0, block):
            assert len({pair.family for pair in group}) == 3
            assert {pair.sentiment for pair in group} == {"+", "-"}


def test_raters_of_a_block_rank_the_same_triples_in_another_order():
    first, second = eras.ranking(0, 0), eras.ranking(0, 5)
    assert [item.id for item in first] != [item.id for item in second]
    sets = [
        {frozenset(s["id"] for s in item.content["sentences"]) for item in items}
        for items in (first, second)
    ]
    assert sets[0] == sets[1]


def test_forms_show_pairs_of_the_lite_config():
    from builders.eras.assembly import pair_table
    from builders.eras.draw import draw, lite

    rows = {row["id"]: row for row in pair_table(lite(draw()), "simplified").to_pylist()}
    pairs = [pair for of_paradigm in eras.form_pairs().values() for pair in of_paradigm]
    assert len(pairs) == 39 * 50
    assert all((rows[p.id]["test"], rows[p.id]["control"]) == (p.test, p.control) for p in pairs)


def test_nobody_rates_both_sentences_of_a_pair():
    for number in range(8):
        items = eras.naturalness(0, number)
        assert len({item.id.split("/")[0] for item in items}) == len(items) == 78
        assert Counter(item.id.split("/")[1] for item in items) == {"test": 39, "control": 39}
    shown = [item.id for number in range(8) for item in eras.naturalness(0, number)]
    assert len(set(shown)) == len(shown) == 2 * 39 * 8


# --- CenterBench
def test_a_williams_square_is_balanced():
    for n in (2, 4, 8):
        rows = williams_square(n)
        assert all(sorted(row) == list(range(n)) for row in rows)
        assert all(sorted(column) == list(range(n)) for column in zip(*rows, strict=True))
        follows = Counter(pair for row in rows for pair in pairwise(row))
        assert set(follows.values()) == {1}
        assert len(follows) == n * (n - 1)
    with pytest.raises(ValueError, match="conditions, got 3; expected an even number"):
        williams_square(3)


def test_the_pilot_is_that_of_the_paper():
    sentences = [centerbench.pilot(0, sheet) for sheet in range(24)]
    assert all(len(items) == 1 for items in sentences)
    assert set(Counter(items[0].id for items in sentences).values()) == {3}
    assert len({items[0].id for items in sentences}) == 8
    for (item,) in sentences:
        asked = [one["id"].rsplit("-", 1) for one in item.content["questions"]]
        assert len({place for place, _ in asked}) == 1
        assert len({kind for _, kind in asked}) == 6


def test_a_reader_sees_each_level_and_condition_once_and_no_pair_twice():
    seen: Counter[str] = Counter()
    for sheet in range(16):
        items = centerbench.reading(0, sheet)
        assert len({item.id[:-2] for item in items}) == 8
        assert {(int(item.id[0]), item.id[-1]) for item in items} == {
            (level, condition) for level in (1, 2, 3, 4) for condition in "pi"
        }
        assert {item.content["is_hidden"] for item in items} == {sheet >= 8}
        seen.update(item.id for item in items)
    assert len(seen) == 32
    assert set(seen.values()) == {4}
    assert {name[:-1] + "p" for name in seen} == {name for name in seen if name[-1] == "p"}


def test_both_members_of_a_pair_are_asked_about_the_same_depth():
    depths: dict[str, set[str]] = {}
    for sheet in range(8):
        for item in centerbench.reading(0, sheet):
            question = item.content["questions"][0]["id"]
            depths.setdefault(item.id[:-2], set()).add(question.split("-")[3])
    assert all(len(found) == 1 for found in depths.values())


def test_every_event_of_a_sentence_is_on_one_sheet():
    shown: Counter[str] = Counter()
    for sheet in range(10):
        items = centerbench.plausibility(0, sheet)
        sentences = Counter(item.id.split("#")[0] for item in items)
        assert len({name[:-2] for name in sentences}) == len(sentences) == 12
        assert all(n == int(name[0]) + 1 for name, n in sentences.items())
        shown.update(sentences.keys())
    assert len(shown) == 120
    assert set(shown.values()) == {1}


def test_the_audit_shows_the_answer_and_not_what_the_scorer_says(replies):
    form = find_form("centerbench-scorer-audit", replies)
    items = [page for page in form.sheet(0, 0) if page.role == "item"]
    assert len(items) == 3
    shown = {item.id: item.content["facts"] for item in items}
    assert shown["2-00001-p-1-entity_count@invented"][1:] == ["3", "3"]
    assert {page.role for page in form.sheet(0, 0)} == {
        "practice",
        "comprehension",
        "item",
        "attention",
    }


def test_replies_say_what_is_wrong_with_them(tmp_path):
    path = tmp_path / "replies.jsonl"
    for text, message in (
        ("", "replies, got none"),
        ('{"id": 1}', r"replies.jsonl:1: line, got .*; expected texts id, system, answer"),
        (f"{REPLIES[0]}\n{REPLIES[0]}", r"replies.jsonl:2: reply, got .* twice"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            centerbench.read_replies(path)
    other = [centerbench.Reply("9-00000-p-0-action_performed", "invented", "")]
    with pytest.raises(ValueError, match="expected one of config questions"):
        centerbench.audited(other, 0)


# --- SORTS
def test_the_clauses_are_stratified():
    rows = sorts.form_clauses()
    assert len({row["id"] for row in rows}) == len(rows) == 400
    strata = Counter((row["item_id"].split("/")[0], row["resolved_by"]) for row in rows)
    for split in ("amb", "part_amb"):
        assert strata[split, "none"] == strata[split, "plausibility"] == 50
    others = [n for (_, settled), n in strata.items() if settled not in ("none", "plausibility")]
    assert max(others) - min(others) <= 1 or min(others) >= 20


def test_sheets_of_clauses_share_them_out_evenly():
    found = sorts.sheets()
    assert [len(rows) for rows in found] == [100] * 4
    assert sum(len({row["id"] for row in rows}) for rows in found) == 400
    for name in ("none", "plausibility"):
        counts = [sum(row["resolved_by"] == name for row in rows) for rows in found]
        assert max(counts) - min(counts) <= 4


def test_the_question_names_verb_and_case_and_the_options_are_the_phrases():
    row = {
        "id": "x",
        "tokens": ["Deshalb", "gehorcht", "der", "Soldat", "keinem", "Befehl", "."],
        "lemmas": ["deshalb", "gehorchen", "der", "Soldat", "kein", "Befehl", "."],
        "upos": ["ADV", "VERB", "DET", "NOUN", "DET", "NOUN", "PUNCT"],
        "feats": ["_", "_", "_", "Case=Nom", "_", "Case=Dat", "_"],
        "heads": [2, 0, 4, 2, 6, 2, 2],
        "subject": 3,
        "verb": 1,
        "object": 5,
    }
    content = sorts._who_item(row, 0, 0).content
    assert content["text"] == "Deshalb gehorcht der Soldat keinem Befehl."
    assert content["question"] == "Wer oder was gehorcht hier wem?"
    assert sorted(one["text"] for one in content["options"]) == ["der Soldat", "keinem Befehl"]
    assert {one["id"] for one in content["options"]} == {"3", "5"}


def test_spread_places_an_attention_item_in_a_short_sheet():
    page, check = SimpleNamespace(id="p"), SimpleNamespace(id="c")
    assert [one.id for one in spread([page], [check], 25)] == ["c", "p"]
