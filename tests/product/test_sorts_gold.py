"""Gold clauses of SORTS: names, layouts, errors; the authors' files read and written back byte by
byte. Read by the metric itself: three lines to a score."""

import gzip

import evaluate
import pytest

from builders.sorts.released import read_gold_tsv
from builders.sorts.writers import paper_conll, paper_tsv, sentence_columns
from ground.files import write_whole
from ground.paths import ROOT
from ground.tables import DataFileError, read_raw
from metrics._shared.treebanks import ConllError, read_bytes
from metrics.subject_object_las.inputs import (
    CHANGES,
    OVS,
    SVO,
    detect_scheme,
    final_labels,
    read_gold,
)
from metrics.subject_object_las.options import read_options
from tests.support.cases import cases, golden
from tests.support.gold_conll import read_gold_conll
from tests.support.scored_clauses import score_rows

INVALID = ROOT / "tests" / "invalid" / "sorts_gold"

DUTCH = golden("sorts_gold/dutch")  # the names of the Dutch files, five orders


def dutch_conll(equals: str = ":") -> str:
    clauses = []
    for order, sentence, subject, verb, object_ in DUTCH:
        labels = {subject: f"{verb}\tnsubj", verb: "0\tverb", object_: f"{verb}\tobj"}
        feature = f"order{equals}{order}|props{equals}snp-syn"
        rows = (
            f"{i}\t{word}\t_\t_\t_\t{feature}\t{labels.get(i, '_' + chr(9) + '_')}\t_\t_\n"
            for i, word in enumerate(sentence.split(), 1)
        )
        clauses.append("".join(rows))
    return "\n".join(clauses) + "\n"


def under_names(columns, scheme):
    """Columns with the names that a version of the files has for orders and properties."""
    orders, tags = (
        {final: label for label, final in final_labels(scheme, kind).items()}
        for kind in ("word_order", "property")
    )
    return columns | {
        "word_order": [orders[order] for order in columns["word_order"]],
        "properties": [[tags[tag] for tag in of_clause] for of_clause in columns["properties"]],
    }


@pytest.mark.parametrize(*cases("sorts_gold/reading_and_writing_gives_the_same_bytes"))
def test_reading_and_writing_gives_the_same_bytes(released, name, layout):
    path = released / "sorts" / f"{name}.gz"
    scheme, line_end, end_of_tsv, end_of_conll = layout
    if name.endswith(".tsv"):
        lines = paper_tsv(under_names(read_gold_tsv(path), scheme)).removesuffix("\n")
        written = lines.replace("\n", line_end) + end_of_tsv
    else:
        clauses = paper_conll(under_names(read_gold_conll(path), scheme))
        written = clauses.removesuffix("\n\n") + end_of_conll
    assert written.encode() == read_bytes(path)


@pytest.mark.parametrize("subset", ["amb", "part-amb"])
@pytest.mark.parametrize("version", ["paper", "paper-renamed"])
def test_both_formats_say_the_same(released, version, subset):
    stem = released / "sorts" / f"{version}_german_{subset}_gold"
    assert sentence_columns(read_gold_conll(f"{stem}.conll.gz")) == read_gold_tsv(f"{stem}.tsv.gz")


@pytest.mark.parametrize("equals", [":", "="], ids=["gold", "gold_u"])
def test_dutch_files_of_the_same_layout(tmp_path, equals):
    path = tmp_path / "dutch.conll"
    write_whole(path, dutch_conll(equals=equals))
    columns = read_gold_conll(path)
    assert columns["word_order"] == [order for order, *_ in DUTCH]
    assert columns["properties"] == [["sname", "syn"]] * 5
    for role, place in (("subject", 2), ("verb", 3), ("object", 4)):
        assert [one + 1 for one in columns[role]] == [row[place] for row in DUTCH]
    assert columns["heads"][0] == [None, 3, 0, None, 3, None]
    assert paper_conll(under_names(columns, "dutch")) == dutch_conll()
    tsv = paper_tsv(under_names(sentence_columns(columns), "dutch"))
    write_whole(tmp_path / "dutch.tsv", tsv)
    assert tsv.splitlines()[1] == "VF[S]LK[V]MF[O]\tsnp-syn\t2\t5\tDe hond ziet een kat ."
    assert read_gold_tsv(tmp_path / "dutch.tsv") == sentence_columns(columns)


@pytest.mark.parametrize(*cases("sorts_gold/a_file_tells_its_scheme"))
def test_a_file_tells_its_scheme(orders, tags, scheme):
    assert detect_scheme(orders, tags) == scheme


@pytest.mark.parametrize(*cases("sorts_gold/bad_files"))
def test_a_bad_file_is_refused_with_file_and_line(name, message):
    path = INVALID / name
    with pytest.raises(DataFileError) as error:
        read_gold_conll(path)
    assert str(error.value).startswith(f"{path}{message}")


def test_an_unknown_scheme_is_refused():
    message = "scheme, got 'old'; expected one of final, dutch, paper, renamed"
    with pytest.raises(ValueError, match=message):
        final_labels("old", "property")


# --- By the metric
GOLD = golden("gold_clauses/gold")
OUTPUT = golden("gold_clauses/output")


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


def test_a_file_without_clauses_is_refused(tmp_path):
    path = tmp_path / "plain.conll"
    path.write_text(OUTPUT, encoding="utf-8")
    with pytest.raises(ConllError, match=r"plain\.conll:1: FEATS, got '_'; expected order:"):
        score_rows(path, path)


def test_names_of_old_files_are_those_of_the_builders_table():
    raw = read_raw(ROOT / "builders" / "sorts" / "data" / "label_schemes.tsv")
    assert tuple(tuple(row) for _, row in raw.rows) == CHANGES


def test_a_published_output_on_the_dutch_clauses(sources):
    names = [f"head_dutch_amb_{name}.conll.gz" for name in ("dpar-pmi", "gold")]
    files = [sources / "sorts" / "dutch" / name for name in names]
    result = score_rows(*files, read_options(mode="paper", confidence=None))
    assert (round(100 * result["las"], 2), result["n"]) == (80.41, 6303)
