"""Groups of paradigms that `exclude` takes by name. Against the tables and the Bakeoff's
lexicons."""

import gzip

import pytest
from chinese_converter import to_traditional

from builders.eras.paradigms import read_ambiguity, read_lexicon_membership
from ground.tables import read_raw
from metrics._shared.paradigms import GROUPS, read_excluded
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def paradigms():
    raw = read_raw(ROOT / "builders" / "eras" / "data" / "paradigms.tsv")
    return [dict(zip(raw.header, cells, strict=True)) for _, cells in raw.rows]


def ids_of(rows):
    return tuple(int(row["paradigm_id"]) for row in rows)


def test_controls_that_keep_the_true_word(paradigms):
    texts = [(row, row["control_template"].replace(" ", "")) for row in paradigms]
    keeping = ids_of(row for row, control in texts if row["true_word"] in control)
    assert GROUPS["control_keeps_true_word"] == keeping


@pytest.mark.parametrize("lexicon", ["as", "cityu", "msr", "pku"])
@pytest.mark.parametrize("word", ["true_word", "canary_word"])
def test_words_that_a_lexicon_lacks(paradigms, sources, lexicon, word):
    path = sources / "segmentation_bakeoff" / f"{lexicon}_training_words.utf8.gz"
    known = set(gzip.decompress(path.read_bytes()).decode("utf-8").split())
    convert = to_traditional if lexicon in ("as", "cityu") else str
    missing = [row for row in paradigms if not {row[word], convert(row[word])} & known]
    assert GROUPS[f"{word}_not_in_{lexicon}"] == ids_of(missing)


def test_groups_of_the_readers_are_those_of_the_tables(paradigms):
    readings = read_ambiguity()
    for group, judgement in (("globally_ambiguous", "yes"), ("arguably_ambiguous", "arguable")):
        found = [i for i, row in readings.items() if row.is_globally_ambiguous == judgement]
        assert GROUPS[group] == tuple(sorted(found))
    ill_formed = [i for i, row in readings.items() if not row.is_control_well_formed]
    assert GROUPS["control_ill_formed"] == tuple(ill_formed)
    assert GROUPS["not_a_clause"] == ids_of([row for row in paradigms if row["is_clause"] == "no"])
    inexact = [row for row in paradigms if row["is_exact_pair"] == "no"]
    assert GROUPS["inexact"] == ids_of(inexact)


@pytest.mark.parametrize("lexicon", ["as", "cityu", "msr", "pku"])
@pytest.mark.parametrize("word", ["true_word", "canary_word"])
def test_groups_of_the_lexicons_are_those_of_the_table(lexicon, word):
    found = read_lexicon_membership()
    missing = [i for i, row in found.items() if not getattr(row, f"is_{word}_in_{lexicon}")]
    assert GROUPS[f"{word}_not_in_{lexicon}"] == tuple(sorted(missing))


def test_groups_and_ids_are_taken_together():
    assert read_excluded("gper: exclude", ["degenerate", 36, 7]) == (7, 21, 22, 30, 31, 36, 38)
    assert read_excluded("gper: exclude", ["inexact"]) == (36,)
    message = r"gper: exclude, got 'degenerated'; .*groups are inexact, "
    with pytest.raises(ValueError, match=message):
        read_excluded("gper: exclude", ["degenerated"])
