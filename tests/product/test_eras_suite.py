"""ERAS: the design of the draw on small lists, and what holds for every row of the whole suite."""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from builders.eras.assembly import pair_table, read_overrides
from builders.eras.columns import SLOT_NAMES
from builders.eras.dictionary import LEAST_COUNT, read_dictionary
from builders.eras.draw import (
    DEFAULT_SIZE,
    ParadigmDraw,
    capacity,
    combine,
    draw,
    paradigm_quotas,
    pick,
)
from builders.eras.extended import PAIRS, draw_extended, extended_table, read_extended
from builders.eras.paradigms import TemplateParadigm, read_paradigms
from builders.eras.validity import problems
from builders.eras.words import SlotWord
from ground.tables import DataFileError
from tests.conftest import ROOT
from tests.support.cases import cases

INVALID = ROOT / "tests" / "invalid" / "eras"
SAMPLED = 200  # pairs of each paradigm


@pytest.fixture(scope="module")
def drawn() -> list[ParadigmDraw]:
    return draw()


@pytest.fixture(scope="module")
def first(drawn: list[ParadigmDraw]) -> list[ParadigmDraw]:
    """The first pairs of each paradigm; the rules are asked of all where the suite is built."""
    return [part._replace(picks=part.picks[:SAMPLED]) for part in drawn]


@pytest.fixture(scope="module")
def simplified(first: list[ParadigmDraw]) -> pa.Table:
    return pair_table(first, "simplified")


class Edition(NamedTuple):
    """Every row of the published or of the extended paradigms, in both scripts."""

    simplified: pa.Table
    traditional: pa.Table
    paradigms: Sequence[TemplateParadigm]
    n_pairs: int

    def rows(self, *names: str) -> list[dict[str, object]]:
        """Columns of all rows in simplified script."""
        return list(self.simplified.select(list(names)).to_pylist())


@pytest.fixture(scope="module")
def extended() -> Edition:
    written = read_extended()
    own = draw_extended(written)
    tables = (extended_table(written, own, script) for script in ("simplified", "traditional"))
    return Edition(*tables, [paradigm.templates for paradigm in written], PAIRS * len(written))


@pytest.fixture(scope="module", params=["published", "extended"])
def edition(request, first, simplified, extended) -> Edition:
    if request.param == "extended":
        return extended
    traditional = pair_table(first, "traditional")
    return Edition(simplified, traditional, read_paradigms(), 39 * SAMPLED)


@pytest.mark.parametrize(*cases("eras_suite/bad_files"))
def test_paradigms_that_contradict_themselves_are_refused(file, message):
    with pytest.raises(DataFileError) as error:
        read_paradigms(INVALID / file)
    assert message in str(error.value)


# --- The draw
@pytest.mark.parametrize(
    "lengths", [(2, 3), (4, 6), (5, 5), (1, 7), (4, 6, 9), (3, 5, 5), (6, 4, 4), (4, 4, 4)]
)
def test_combine_gives_every_combination_once_and_words_in_balance(lengths):
    total = math.prod(lengths)
    rows = combine(lengths, 0, total)
    assert sorted(map(tuple, rows.tolist())) == list(itertools.product(*map(range, lengths)))
    for stop in range(1, total + 1):
        for slot, n in enumerate(lengths):
            counts = np.bincount(rows[:stop, slot], minlength=n)
            assert np.ptp(counts) <= (1 if slot < 2 else 2), (lengths, stop, slot)


def test_combine_does_not_lock_two_slots_together():
    """No word of the third slot always comes with the same word of the second."""
    rows = combine((7, 5, 5), 0, 35)
    assert len({(b, c) for _, b, c in rows.tolist()}) == 25


def test_paradigm_quotas_share_the_size():
    assert paradigm_quotas(DEFAULT_SIZE, 39) == [5230] * 13 + [5229] * 26
    message = "eras: size, got 38; expected at least 39, a pair for each paradigm"
    with pytest.raises(ValueError, match=message):
        paradigm_quotas(38, 39)


def test_capacity_counts_combinations_without_a_repeated_word():
    a, b, c, d = (SlotWord(text, "person", "x", 1.0) for text in "甲乙丙丁")
    lists = [[a, b], [b, c], [a, c, d]]
    texts = ["甲乙", "乙丙", "甲丙丁"]
    assert capacity(lists) == sum(len(set(words)) == 3 for words in itertools.product(*texts))
    assert capacity(lists[:2]) == 3


def test_draw_fails_with_the_capacity():
    people = [SlotWord(text, "person", "x", 1.0) for text in ("老师", "学生")]
    expected = r"expected at most 2, the capacity of its lists \(2 x 2\)"
    with pytest.raises(ValueError, match=f"eras: paradigm 2: pairs, got 26; {expected}"):
        pick(read_paradigms()[1], [people, people], 26)


def test_draw_uses_every_word_alike_and_none_twice_in_a_sentence(drawn):
    for part in drawn:
        for slot, words in enumerate(part.lists):
            counts = np.bincount(part.picks[:, slot], minlength=len(words))
            assert np.ptp(counts) <= 2
            is_of_people = {s.type for s in part.paradigm.slots} == {"person"}
            assert len(part.lists) == 3 or np.ptp(counts) <= (2 if is_of_people else 1)
        for row in part.picks[:500]:
            texts = {words[i].word for words, i in zip(part.lists, row, strict=True)}
            assert len(texts) == len(part.lists)


def test_another_seed_is_another_draw_and_a_smaller_one_a_beginning():
    small, other, larger = (
        pair_table(draw(seed, size), "simplified") for seed, size in ((0, 390), (1, 390), (0, 780))
    )
    assert not small["test"].equals(other["test"])
    assert small["test"][:10].equals(larger["test"][:10])


def test_every_pair_is_valid_in_both_scripts(edition):
    assert edition.simplified.num_rows == edition.traditional.num_rows == edition.n_pairs
    assert problems(edition.simplified) == []
    assert problems(edition.traditional) == []


def test_editions_have_no_row_in_common(simplified, extended):
    for column in ("id", "paradigm_id", "test"):
        tables = (simplified, extended.simplified)
        first, second = (set(pc.unique(table[column]).to_pylist()) for table in tables)
        assert first.isdisjoint(second), column


@pytest.mark.parametrize(*cases("eras_suite/a_broken_pair_is_found"))
def test_a_broken_pair_is_found(simplified, column, value, problem):
    rows = simplified.filter(pc.equal(simplified["paradigm_id"], 3)).slice(0, 5).to_pylist()
    rows[2][column] = value
    found = problems(pa.Table.from_pylist(rows, schema=simplified.schema))
    own = [line for line in found if line.startswith("03-00002: got")]
    assert any(line.endswith(f"expected {problem}") for line in own), found


def test_no_rows_break_no_rule(simplified):
    assert problems(simplified.slice(0, 0)) == []


def test_repeated_sentences_and_words_are_found(simplified):
    rows = simplified.slice(0, 3).to_pylist()
    rows[1] = {**rows[0], "id": rows[1]["id"]}
    rows[2]["slot_2"]["word"] = rows[2]["slot_1"]["word"]
    found = problems(pa.Table.from_pylist(rows, schema=simplified.schema))
    assert "test: got 2 distinct values; expected one for each of 3 rows" in found
    assert any(line.endswith("expected no word in two slots") for line in found)


def test_both_scripts_differ_in_the_same_places(edition):
    simplified, traditional = edition.simplified, edition.traditional
    for column in ("id", "paradigm_id", "site_start", "n_chars", "branching"):
        assert simplified[column].equals(traditional[column])
    for column in ("test", "control", "test_site", "control_site"):
        first, second = (pc.utf8_length(table[column]) for table in (simplified, traditional))
        assert first.equals(second)
    for one, other in zip(places_of(simplified), places_of(traditional), strict=True):
        assert one == other


def places_of(table: pa.Table) -> Iterator[list[int]]:
    """Where test and control differ."""
    for both in zip(table["test"].to_pylist(), table["control"].to_pylist(), strict=True):
        yield [i for i, (a, b) in enumerate(zip(*both, strict=True)) if a != b]


def test_fillers_make_no_new_word_at_their_edges(edition):
    """Over whole sentences, without the code that filtered the lists."""
    counts = read_dictionary()
    allowed = {p.row.paradigm_id: set(p.row.allowed_overlaps) for p in edition.paradigms}
    for row in edition.rows("paradigm_id", "test_words", "control_words", *SLOT_NAMES):
        fillers = {row[name]["word"] for name in SLOT_NAMES if row[name]}
        test, control = (
            set(straddles(row[side], fillers)) - allowed[row["paradigm_id"]]
            for side in ("test_words", "control_words")
        )
        assert test == control, row
        assert all(counts[word] < LEAST_COUNT for word in test), row


def straddles(words: list[str], fillers: set[str]) -> Iterator[str]:
    text, edges, start = "".join(words), set(), 0
    for word in words:
        if word in fillers:
            edges |= {start, start + len(word)}
        start += len(word)
    for edge in edges:
        for a in range(max(0, edge - 4), edge):
            for b in range(edge + 1, min(len(text), a + 5) + 1):
                if read_dictionary().get(text[a:b]):
                    yield text[a:b]


def test_slots_are_where_they_say_they_are(edition):
    for row in edition.rows("id", "test", *SLOT_NAMES):
        slots = [row[name] for name in SLOT_NAMES if row[name] is not None]
        assert row["slot_1"] == slots[0]
        for slot in slots:
            end = slot["start"] + len(slot["word"])
            assert row["test"][slot["start"] : end] == slot["word"], row["id"]


# --- The traditional script
def test_an_override_of_another_length_is_refused():
    message = "冲刺: traditional, got '衝'; expected as many characters"
    with pytest.raises(DataFileError, match=message):
        read_overrides(INVALID / "override_length.tsv")
