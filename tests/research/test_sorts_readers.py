"""Readers by cues: what each cue says of single clauses, what it settles in the suite, and the
baseline that takes the first argument for the subject against its published figures."""

import pytest

from dataset_scripts.registry import split_table
from ground.paths import ROOT
from metrics.subject_object_las.options import read_options
from research.systems.parsers.sorts_readers import (
    CUE_READERS,
    CueClause,
    animacy,
    inflection,
    is_animate,
    read_clauses,
)
from research.systems.registry import load
from tests.product.test_parsers import GOLD, tables  # noqa: F401
from tests.support.cases import cases
from tests.support.scored_clauses import score_rows

PAPER = read_options(mode="paper", confidence=None)


def clause(text: str, verb: str, lemmas: tuple[str, str], finite: str | None = None) -> CueClause:
    first, second = (tuple(phrase.split()) for phrase in text.split(" | "))
    return CueClause("clause", (first, second), lemmas, verb, finite or verb)


@pytest.mark.parametrize(*cases("sorts_readers/cue_readers_single_cues"))
def test_cue_readers_single_cues(text, verb, lemmas, finite, by_inflection, by_animacy):
    seen = clause(text, verb, tuple(lemmas), finite)
    assert (inflection(seen), animacy(seen)) == (by_inflection, by_animacy)


@pytest.fixture(scope="module")
def splits():
    return {
        split: split_table("sorts", "conll", split).to_pydict() for split in ("part_amb", "amb")
    }


def las(splits, split, reader, unresolved="apart"):
    trees = read_clauses(splits[split], CUE_READERS[reader])
    options = read_options(unresolved=unresolved, confidence=None)
    return score_rows(trees, splits[split], options)


def test_cue_readers_inflection_settles_what_the_suite_says_it_settles(splits):
    result = las(splits, "part_amb", "inflection-first", "included")
    by_resolved = {row["resolved_by"]: row["las"] for row in result["by_resolved_by"]}
    assert by_resolved["case"] == by_resolved["agreement"] == 1
    result = las(splits, "part_amb", "subject-first", "included")
    order = {row["resolved_by"]: row["las"] for row in result["by_resolved_by"]}
    for cue in ("animacy", "selection", "none"):
        assert by_resolved[cue] == order[cue]
    # in split amb inflection tells nothing: it is order alone
    trees = read_clauses(splits["amb"], CUE_READERS["inflection-first"])
    assert trees == read_clauses(splits["amb"], ())


def test_cue_readers_animacy_misleads_where_the_suite_wants_it_to(splits):
    by_property, order = (
        {row["property"]: row["las"] for row in las(splits, "amb", reader)["by_property"]}
        for reader in ("animacy-first", "subject-first")
    )
    assert "oan" not in by_property  # inanimate subjects, animate objects: none is decided
    for name in ("invan", "psy"):
        assert by_property[name] < 0.1 < 0.5 <= order[name]


def test_cue_readers_know_their_own_words_only(splits):
    clauses = {name: values[:2] for name, values in splits["amb"].items()}
    strange = clauses | {
        "lemmas": [
            [{"VERB": "googeln"}.get(tag, lemma) for lemma, tag in zip(*row, strict=True)]
            for row in zip(clauses["lemmas"], clauses["upos"], strict=True)
        ]
    }
    place = clauses["id"][0].replace("[", r"\[")
    message = rf"{place}: verb, got 'googeln'; expected one of verbs.tsv"
    with pytest.raises(ValueError, match=message):
        read_clauses(strange, (inflection,))
    message = r"here: noun, got 'Selfie'; expected one of nouns.tsv, names.tsv or pronouns.tsv"
    with pytest.raises(ValueError, match=message):
        is_animate(("ein", "Selfie"), "Selfie", "here")
    message = "columns, got none named lemmas, upos, verb; expected clauses of config conll"
    few = {name: clauses[name] for name in clauses if name not in ("lemmas", "upos", "verb")}
    with pytest.raises(ValueError, match=message):
        read_clauses(few, (animacy,))


def test_a_perfect_parser_that_says_iobj_is_right_only_where_labels_are_merged():
    rows = split_table("sorts", "conll", "part_amb")
    trees = rows.select(["heads", "deprels"]).to_pylist()
    places = zip(trees, rows["feats"].to_pylist(), rows["object"].to_pylist(), strict=True)
    for tree, feats, place in places:
        if "Case=Dat" in feats[place]:
            tree["deprels"][place] = "iobj"
    options = read_options(confidence=None)
    result = score_rows(trees, rows, options)
    assert result["las_merged"] == result["informedness_merged"] == 1
    las, headline = (f"{100 * result[name]:.2f}" for name in ("las", "informedness"))
    card = (ROOT / "cards" / "metrics" / "subject_object_las.md").read_text(encoding="utf-8")
    assert f"strict LAS of {las} and a headline of {headline} on `part_amb`" in card


# --- the published baseline
def test_subject_first_takes_the_first_argument_for_the_subject():
    trees = read_clauses(GOLD, ())
    assert trees["deprels"] == [["det", "nsubj", "root", "det", "obj", "punct"]] * 2
    assert trees["heads"] == GOLD["heads"]
    assert load("parser", "subject-first").predict(GOLD) == trees


@pytest.mark.parametrize(*cases("subject_first/subject_first_has_its_published_scores"))
def test_subject_first_has_its_published_scores(tables, config, split, n_right, n, published):  # noqa: F811
    columns = tables[config][split.split(" ")[0]]
    rows = [
        i
        for i, tags in enumerate(columns["properties"])
        if "amb" not in tags or not split.endswith(" without amb")
    ]
    clauses = {name: [column[i] for i in rows] for name, column in columns.items()}
    result = score_rows(read_clauses(clauses, ()), clauses, PAPER)
    assert (round(2 * n * result["las"]), result["n"]) == (2 * n_right, n)
    assert 100 * result["las"] == pytest.approx(published, abs=0.005)
    assert result["swap_rate"] == pytest.approx(1 - result["las"])
    assert result["svo_ovs_score"] == 0
