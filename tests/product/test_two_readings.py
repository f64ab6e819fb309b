"""Strings with two readings: rows, words, readings, and what the metric makes of them."""

import itertools
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from builders.eras.assembly import pair_table, to_traditional
from builders.eras.extended import LONGEST_OVERLAP, read_extended
from builders.eras.paradigms import SITE_LENGTH
from builders.eras.two_readings import (
    FIRST_ID,
    PAIRS,
    TWO_READINGS,
    TwoReadingsRow,
    draw_two_readings,
    read_two_readings,
)
from builders.eras.validity import problems
from builders.eras.words import known_words
from ground.paths import ROOT
from ground.tables import DataFileError, read_table
from metrics._shared.paradigms import EVERY_PARADIGM, GROUPS
from metrics.garden_path_accuracy.options import Options
from metrics.garden_path_accuracy.scoring import score
from tests.support.cases import cases
from tests.support.lexicons import bakeoff_lexicons

STRINGS = read_two_readings()
WRITTEN = read_table(TWO_READINGS, TwoReadingsRow)


@pytest.fixture(scope="module", params=["simplified", "traditional"])
def table(request: pytest.FixtureRequest) -> pa.Table:
    return pair_table(draw_two_readings(STRINGS), request.param)


def ends(words: list[str]) -> set[int]:
    return {0, *itertools.accumulate(map(len, words))}


def test_every_row_keeps_the_rules(table):
    assert table.num_rows == PAIRS * len(STRINGS)
    assert problems(table) == []


def test_the_string_is_cut_one_way_and_the_other(table):
    """An oracle of its own: the ends of words in and around the string, of every row."""
    inner = {"left": ({0, 2, 3}, {0, 1, 3}), "right": ({0, 1, 3}, {0, 2, 3})}
    for row in table.to_pylist():
        start, expected = row["site_start"], inner[row["branching"]]
        for side, wanted in zip(("test", "control"), expected, strict=True):
            assert row[side][start : start + SITE_LENGTH] == row["test_site"] == row["control_site"]
            places = {end - start for end in ends(row[f"{side}_words"])}
            assert places & {0, 1, 2, 3} == wanted, row
        assert len(row["test"]) == len(row["control"]), row


def test_no_word_of_the_dictionary_crosses_an_edge_of_the_string():
    """Else counts of words alone would tell the two sentences apart. In simplified script."""
    known = known_words()
    for row in pair_table(draw_two_readings(STRINGS), "simplified").to_pylist():
        start, end = row["site_start"], row["site_start"] + SITE_LENGTH
        for text in (row["test"], row["control"]):
            crossing = [
                text[a:b]
                for a in range(max(0, start - LONGEST_OVERLAP), end)
                for b in range(a + 2, min(len(text), a + LONGEST_OVERLAP) + 1)
                if (a < start < b or a < end < b) and known.get(text[a:b])
            ]
            assert crossing == [], row


def test_both_words_are_in_two_lexicons_and_the_string_in_none(sources):
    lexicons = bakeoff_lexicons(sources)

    def has(word: str) -> int:
        own = [word in lexicons["msr"], word in lexicons["pku"], known_words().get(word, 0) > 0]
        turned = to_traditional(word)
        return sum([*own, turned in lexicons["as"], turned in lexicons["cityu"]])

    for string in STRINGS:
        assert has(string.row.true_word) >= 2 <= has(string.row.canary_word), string.test_site
        assert has(string.test_site) == 0, string.test_site


def test_half_of_the_strings_have_the_left_reading_in_the_test():
    """So that a system which always prefers one side is at chance in `by_branching` too."""
    left = sum(string.row.branching == "left" for string in STRINGS)
    assert abs(left / len(STRINGS) - 0.5) < 0.1


def test_the_metric_knows_the_same_strings():
    """Only `.py` files travel with a metric, so that the table stands there once more."""
    own = [(p.paradigm_id, p.branching, p.family) for p in EVERY_PARADIGM if p.has_two_readings]
    rows = [string.row for string in STRINGS]
    assert own == [(row.paradigm_id, row.branching, row.family) for row in rows]
    assert GROUPS["two_readings"] == tuple(range(FIRST_ID, FIRST_ID + len(STRINGS)))
    assert read_extended()[-1].templates.row.paradigm_id + 1 == FIRST_ID


def test_the_readings_decide_which_strings_stay():
    kept = {row.site for row in WRITTEN if row.is_kept}
    assert [string.test_site for string in STRINGS] == [r.site for r in WRITTEN if r.site in kept]
    for row in WRITTEN:
        is_found = row.first_found == row.second_found == "both"
        natural = (row.first_natural, row.second_natural)
        is_natural = min(natural) >= 4 and sum(natural) >= 10
        assert row.is_kept == (is_found and is_natural), row.site
        assert row.is_kept or row.remark, row.site  # what a reader objected to


def scored(table: pa.Table, cut: Any) -> dict[str, Any]:
    rows = table.to_pylist()
    predictions = [[cut(row, side) for side in ("test", "control")] for row in rows]
    return score({"predictions": predictions, "references": rows}, Options(per_item=True))


def test_gold_has_all_and_who_cuts_the_string_alike_has_nothing(table):
    gold = scored(table, lambda row, side: row[f"{side}_words"])
    assert (gold["pair_accuracy"], gold["resolution"], gold["commitment"]) == (1.0, 1.0, 1.0)
    assert gold["pair_accuracy_chance"] == 0.0  # cuts that do not depend on the sentence
    assert gold["pair_accuracy_above_chance"] == 1.0

    def at(*places: int) -> Any:
        def cut(row: dict[str, Any], side: str) -> list[str]:
            text, start = row[side], row["site_start"]
            found = sorted({0, *(start + place for place in places), len(text)})
            return [text[a:b] for a, b in itertools.pairwise(found)]

        return cut

    for places in ((0, 2, 3), (0, 1, 3), (0, 1, 2, 3), (0, 3), ()):
        found = scored(table, at(*places))
        assert found["pair_accuracy"] == 0.0, places
        assert found["pair_accuracy_above_chance"] == 0.0, places
    one_side = scored(table, at(0, 2, 3))
    assert one_side["word_accuracy"] == pytest.approx(one_side["resolution"])
    flags = [(row["is_pair_correct"], row["is_test_correct"]) for row in one_side["per_item"]]
    assert {flag for flag, _ in flags} == {False}
    assert len({right for _, right in flags}) == 2


def test_sentences_without_the_same_string_are_refused(table):
    row = table.slice(0, 1).to_pylist()[0]
    moved = row | {"control": row["control"][1:] + "。"}
    inputs = {"predictions": [[row["test_words"], list(moved["control"])]], "references": [moved]}
    with pytest.raises(ValueError, match=r"expected two sentences with the same 3 characters"):
        score(inputs)


def written(tmp_path: Path, **changes: str) -> Path:
    lines = TWO_READINGS.read_text(encoding="utf-8").split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("number\t"))
    kept = next(line for line in lines if re.search("\tboth\t([67])\tboth\t\\1", line))
    row = dict(zip(lines[start].split("\t"), kept.split("\t"), strict=True)) | changes
    path = tmp_path / "two_readings.tsv"
    path.write_text("\n".join([*lines[: start + 1], "\t".join(row.values()), ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize(*cases("two_readings/a_string_that_a_sentence_lacks_is_named"))
def test_a_string_that_a_sentence_lacks_is_named(tmp_path, changes, expected):
    with pytest.raises(DataFileError, match=expected):
        read_two_readings(written(tmp_path, **changes))


@pytest.mark.parametrize(*cases("two_readings/sentences_of_another_place_or_length_are_named"))
def test_sentences_of_another_place_or_length_are_named(tmp_path, added, expected):
    row = STRINGS[0].row
    template = row.test_template if row.branching == "left" else row.control_template
    longer = added + template if added else template.replace(" 。", " 了 。")
    changed = TWO_READINGS.read_text(encoding="utf-8").replace(template, longer, 1)
    copy = tmp_path / "two_readings.tsv"
    copy.write_text(changed, encoding="utf-8")
    with pytest.raises(DataFileError, match=expected):
        read_two_readings(copy)


def test_the_card_counts_what_is_there():
    card = (ROOT / "cards" / "datasets" / "eras.md").read_text(encoding="utf-8")
    told = card.partition("## Strings with two readings")[2].partition("\n## ")[0]
    ids = [string.row.paradigm_id for string in STRINGS]
    assert f"{len(STRINGS)} of {len(WRITTEN)} strings stay" in told
    assert f"The ids are {ids[0]} to {ids[-1]}" in told
    n_families = len({string.row.family for string in STRINGS})
    assert f"A family is the strings that share a word; there are {n_families}" in told
    assert f"{PAIRS} pairs of each of {len(STRINGS)} strings" in card
