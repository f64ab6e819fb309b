"""Exports: a split of a suite in its field's own format, by the command line."""

import pytest
from datasets import load_dataset

import push
from builders.sorts.released import read_gold_tsv
from dataset_scripts.registry import builder_for, suite_builder
from publish.hub.export import export
from tests.support.cases import cases
from tests.support.gold_conll import read_gold_conll

PARADIGMS = ("--config", "paradigms", "--split", "test")


def rows_of(config, options=None):
    """Rows of `amb` in the order that `load_dataset` gives them."""
    builder = builder_for(suite_builder("sorts"), "sorts", config, options or {}, "")
    return builder.split_tables()["amb"].to_pydict()


@pytest.mark.parametrize("format", ["conllu", "conll"])
def test_an_export_reads_back(tmp_path, format):
    path = tmp_path / "trees.conll"
    arguments = ["export", "sorts", "--format", format, "--config", "conll_lite", "--split", "amb"]
    assert push.main([*arguments, "--seed", "1", "--to", str(path)]) == 0
    columns = rows_of("conll_lite", {"seed": 1})
    read = read_gold_conll(path)
    for name in ("tokens", "word_order", "properties", "subject", "verb", "object"):
        assert list(read[name]) == columns[name]


def test_the_sentence_format_comes_from_either_config(tmp_path):
    whole = export("sorts", "tsv", "conll", "amb")
    assert whole == export("sorts", "tsv", "sentence", "amb")
    path = tmp_path / "amb.tsv"
    path.write_text(whole, encoding="utf-8", newline="")
    assert read_gold_tsv(path)["sentence"] == [" ".join(t) for t in rows_of("conll")["tokens"]]


def test_json_has_the_rows_of_load_dataset(tmp_path):
    path = tmp_path / "paradigms.json"
    assert push.main(["export", "eras", "--format", "json", *PARADIGMS, "--to", str(path)]) == 0
    table = builder_for(suite_builder("eras"), "eras", "paradigms", {}, "").split_tables()["test"]
    home = str(tmp_path / "cache")
    read = load_dataset("json", data_files=str(path), split="train", cache_dir=home)
    assert read.to_list() == table.to_pylist()
    assert "\\u" not in path.read_text(encoding="utf-8")  # characters stand as they are


@pytest.mark.parametrize(*cases("export/what_cannot_be_exported_is_one_line"))
def test_what_cannot_be_exported_is_one_line(capsys, arguments, message):
    assert push.main(["export", *arguments]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
