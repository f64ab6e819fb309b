"""SORTS as a data set: columns, what its configs share, the authors' configs. The study of its
design."""

import pytest

import dataset_scripts.sorts
from dataset_scripts.registry import builder_for, split_table, suite_builder
from dataset_scripts.sorts import released_configs


def test_sentences_are_the_clauses():
    clauses, sentences = (
        split_table("sorts", "conll", "amb").to_pydict(),
        split_table("sorts", "sentence", "amb").to_pydict(),
    )
    assert sentences["id"] == clauses["id"]
    assert sentences["sentence"] == [" ".join(tokens) for tokens in clauses["tokens"]]
    assert sentences["subject_position"] == [place + 1 for place in clauses["subject"]]
    assert clauses["n_tokens"] == [len(tokens) for tokens in clauses["tokens"]]
    assert set(clauses["rating_mean"]) == set(clauses["n_raters"]) == {None}


def test_frequencies_are_of_the_heads():
    clauses = split_table("sorts", "conll_lite", "amb").to_pylist()
    for clause in clauses:
        for role in ("subject", "object"):
            assert clause[f"{role}_zipf"] is None or clause["upos"][clause[role]] in (
                "NOUN",
                "PROPN",
            )
    assert all(clause["verb_zipf"] is not None for clause in clauses)


def test_problems_of_a_built_table_are_found(tmp_path):
    builder = builder_for(suite_builder("sorts"), "sorts", "conll_lite", {}, str(tmp_path))
    table = builder.split_tables()["amb"]
    assert builder.problems(table) == []
    changed = table.set_column(
        table.column_names.index("resolved_by"), "resolved_by", [["case"] * table.num_rows]
    )
    assert len(builder.problems(changed)) == table.num_rows


def test_a_version_that_the_folder_lacks_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(
        dataset_scripts.sorts, "released_columns", lambda folder: {"released_paper": {}}
    )
    message = r"released_head: files of this version, got none in .*; it has released_paper"
    with pytest.raises(ValueError, match=message):
        split_table("sorts", "released_head", "amb", {"released": tmp_path})


def test_the_authors_rows_have_the_same_columns(released):
    table = split_table("sorts", "released_paper", "amb", {"released": released / "sorts"})
    assert table.num_rows == 7663
    *columns, mean, raters = split_table("sorts", "conll_lite", "amb").column_names
    assert table.column_names == [*columns, "irregularities", mean, raters]
    for name in ("resolved_by", "is_marked_order", "rating_mean"):
        assert table[name].null_count == table.num_rows


def test_a_folder_has_the_configs_of_its_files(released, sources):
    german = [
        "released_paper",
        "released_head",
        "released_head_repaired",
        "released_paper_repaired",
    ]
    assert released_configs(released / "sorts") == german
    assert released_configs(sources / "sorts") == ["released_dutch_head"]
    names = suite_builder("sorts").config_names(sources / "sorts")
    assert [name for name in names if "released" in name] == ["released_dutch_head"]


def test_the_authors_placement_is_an_option_of_a_draw():
    rows = split_table("sorts", "sentence", "amb", {"placement": "paper"}).to_pydict()
    # idiomatic: Weil die Dozentin in dem Jahr eine Studie liest .
    verb_last = [
        sentence
        for name, sentence in zip(rows["id"], rows["sentence"], strict=True)
        if name.startswith("amb/base-pp/") and name.endswith("MF[SO]VC[V]")
    ]
    assert len(verb_last) == 15
    assert all(sentence.startswith("Weil in dem Jahr ") for sentence in verb_last)
