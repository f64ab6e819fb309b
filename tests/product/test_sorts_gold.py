"""Gold clauses of SORTS: names, layouts, errors. And the authors' files read and written back byte
by byte."""

import pytest

from builders.sorts.released import read_gold_tsv
from builders.sorts.writers import conllu, paper_conll, paper_tsv, sentence_columns
from ground.files import write_whole
from ground.paths import ROOT
from ground.tables import DataFileError
from metrics._shared.treebanks import read_bytes, read_conll
from metrics.subject_object_las.inputs import detect_scheme, final_labels, schemes
from tests.support.cases import cases
from tests.support.gold_conll import read_gold_conll

INVALID = ROOT / "tests" / "invalid" / "sorts_gold"

# Dutch, written for this test: the names of the Dutch files, five orders, LF.
DUTCH = [
    ("VF[S]LK[V]MF[O]", "De hond ziet een kat .", 2, 3, 5),
    ("VF[O]LK[V]MF[S]", "Een kat ziet de hond .", 5, 3, 2),
    ("VF[ADV]LK[V]MF[SO]", "Daarom ziet de hond een kat .", 4, 2, 6),
    ("LK[V]MF[SO]", "Ziet de hond een kat ?", 3, 1, 5),
    ("MF[SO]VC[V]", "Omdat de hond een kat ziet .", 3, 6, 5),
]


def dutch_conll(properties: str = "snp-syn", equals: str = ":") -> str:
    clauses = []
    for order, sentence, subject, verb, object_ in DUTCH:
        labels = {subject: f"{verb}\tnsubj", verb: "0\tverb", object_: f"{verb}\tobj"}
        feature = f"order{equals}{order}|props{equals}{properties}"
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


def test_the_renamed_files_are_the_paper_files_under_final_names(released):
    folder = released / "sorts"
    for subset in ("amb", "part-amb"):
        paper, renamed = (
            read_gold_conll(folder / f"{version}_german_{subset}_gold.conll.gz")
            for version in ("paper", "paper-renamed")
        )
        assert paper == renamed


@pytest.mark.parametrize("equals", [":", "="], ids=["gold", "gold_u"])
def test_dutch_files_of_the_same_layout(tmp_path, equals):
    path = tmp_path / "dutch.conll"
    write_whole(path, dutch_conll(equals=equals))
    columns = read_gold_conll(path)
    assert columns["word_order"] == [order for order, *_ in DUTCH]
    assert columns["properties"] == [["sname", "syn"]] * 5
    assert [
        (s + 1, v + 1, o + 1)
        for s, v, o in zip(columns["subject"], columns["verb"], columns["object"], strict=True)
    ] == [(subject, verb, object_) for _, _, subject, verb, object_ in DUTCH]
    assert columns["heads"][0] == [None, 3, 0, None, 3, None]
    assert paper_conll(under_names(columns, "dutch")) == dutch_conll()
    tsv = paper_tsv(under_names(sentence_columns(columns), "dutch"))
    write_whole(tmp_path / "dutch.tsv", tsv)
    assert tsv.splitlines()[1] == "VF[S]LK[V]MF[O]\tsnp-syn\t2\t5\tDe hond ziet een kat ."
    assert read_gold_tsv(tmp_path / "dutch.tsv") == sentence_columns(columns)


def test_the_same_name_means_another_clause_in_the_papers_files():
    assert final_labels("paper", "word_order")["LK[V]MF[SO]"] == "VF[ADV]LK[V]MF[SO]"
    assert final_labels("final", "word_order")["LK[V]MF[SO]"] == "LK[V]MF[SO]"
    assert "VF[ADV]LK[V]MF[SO]" not in final_labels("paper", "word_order")


@pytest.mark.parametrize("scheme", ["paper", "renamed", "final"])
def test_names_go_to_final_ones_and_back(scheme):
    assert scheme in schemes()
    for kind, n in (("word_order", 8), ("property", 20)):
        assert len(final_labels(scheme, kind)) == n
        assert len(set(final_labels(scheme, kind).values())) == n


@pytest.mark.parametrize(*cases("sorts_gold/a_file_tells_its_scheme"))
def test_a_file_tells_its_scheme(orders, tags, scheme):
    assert detect_scheme(orders, tags) == scheme


def test_conllu_is_read_back(tmp_path):
    columns = {
        "id": ["a/0/SVO"],
        "item_id": ["a/0"],
        "base_item_id": ["b/0"],
        "triple_id": ["t7"],
        "word_order": ["VF[S]LK[V]MF[O]"],
        "properties": [["base", "dat"]],
        "resolved_by": ["case"],
        "tokens": [["Der", "Hund", "hilft", "ihr", "."]],
        "lemmas": [["der", "Hund", "helfen", "sie", "."]],
        "upos": [["DET", "NOUN", "VERB", "PRON", "PUNCT"]],
        "xpos": [["ART", "NN", "VVFIN", "PPER", "$."]],
        "feats": [["Case=Nom", "Case=Nom", "_", "Case=Dat", "_"]],
        "heads": [[2, 3, 0, 3, 3]],
        "deprels": [["det", "nsubj", "root", "obj", "punct"]],
    }
    write_whole(tmp_path / "a.conllu", conllu(columns))
    read = read_gold_conll(tmp_path / "a.conllu")
    assert read == {name: columns[name] for name in read if name in columns} | {
        "subject": [1],
        "verb": [2],
        "object": [3],
    }
    assert set(read) >= {"id", "item_id", "base_item_id", "triple_id", "resolved_by"}
    treebank = read_conll(tmp_path / "a.conllu", is_tree=True)
    assert treebank.comments("text") == ["Der Hund hilft ihr."]
    assert treebank.strings("misc").to_pylist() == ["_", "_", "_", "SpaceAfter=No", "_"]
    assert treebank.lists("feats").to_pylist() == columns["feats"]


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


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.conll"
    write_whole(path, "old\n")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "new\n\ud800")
    assert [p.read_text() for p in tmp_path.iterdir()] == ["old\n"]
