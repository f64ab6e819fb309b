"""Gold clauses read by the metric itself. A file of gold, a file of trees, three lines to a
score."""

import gzip

import evaluate
import pytest

from builders.sorts.writers import conllu
from dataset_scripts.registry import split_table
from ground.paths import ROOT
from ground.tables import read_raw
from metrics._shared.treebanks import ConllError, read_conll
from metrics.subject_object_las.inputs import CHANGES, OVS, SVO, read_gold
from metrics.subject_object_las.options import read_options
from tests.support.cases import cases, golden
from tests.support.scored_clauses import score_rows

GOLD = golden("gold_clauses/gold")
OUTPUT = golden("gold_clauses/output")

# Outputs on the Dutch clauses of `amb`: strict LAS in percent by two independent scorers.


def test_a_user_of_the_hub_scores_two_files(tmp_path, staged_metrics):
    gold, output = tmp_path / "gold.conll", tmp_path / "output.conll"
    gold.write_text(GOLD, encoding="utf-8")
    output.write_bytes(OUTPUT.replace("\n", "\r\n").encode())  # as Windows writes it
    metric = evaluate.load(str(staged_metrics / "subject_object_las"))
    result = metric.compute(predictions=str(output), references=gold)
    assert (result["las"], result["swap_rate"], result["svo_ovs_score"]) == (0.5, 0.5, 0.0)
    assert [row["word_order"] for row in result["by_word_order"]] == [SVO, OVS]


def test_columns_of_gold(tmp_path):
    path = tmp_path / "gold.conll.gz"
    path.write_bytes(gzip.compress(GOLD.encode()))
    columns = read_gold(path)
    assert columns["item_id"] == ["1", "1"]  # an item begins at each subject-verb-object clause
    assert (columns["subject"].tolist(), columns["object"].tolist()) == ([1, 3], [3, 0])
    assert columns["properties"].to_pylist() == [["base", "acc"]] * 2


def test_ids_come_from_comments(tmp_path):
    table = split_table("sorts", "conll", "amb").slice(0, 40)
    rows = {name: table[name].to_pylist() for name in table.column_names}
    path = tmp_path / "gold.conllu"
    path.write_text(conllu(rows), encoding="utf-8")
    columns = read_gold(path)
    for name in ("id", "item_id", "triple_id", "resolved_by"):
        assert columns[name] == rows[name]
    assert score_rows(read_conll(path).trees(), path, read_options(n_resamples=100))["las"] == 1.0


def test_a_file_without_clauses_is_refused(tmp_path):
    path = tmp_path / "plain.conll"
    path.write_text(OUTPUT, encoding="utf-8")
    with pytest.raises(ConllError, match=r"plain\.conll:1: FEATS, got '_'; expected order:"):
        score_rows(path, path)


def test_names_of_old_files_are_those_of_the_builders_table():
    raw = read_raw(ROOT / "builders" / "sorts" / "data" / "label_schemes.tsv")
    assert tuple(tuple(row) for _, row in raw.rows) == CHANGES


@pytest.mark.parametrize(*cases("gold_clauses/published_outputs_on_the_dutch_clauses"))
def test_published_outputs_on_the_dutch_clauses(sources, parser, las):
    folder = sources / "sorts" / "dutch"
    result = score_rows(
        folder / f"head_dutch_amb_{parser}.conll.gz",
        folder / "head_dutch_amb_gold.conll.gz",
        read_options(mode="paper", confidence=None),
    )
    assert round(100 * result["las"], 2) == las
    assert result["n"] == 6303
