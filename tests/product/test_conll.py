"""The CoNLL reader: what it reads, what it refuses. That it agrees with two independent readers."""

import gzip

import conllu
import numpy as np
import pytest

from ground.paths import ROOT
from metrics._shared import treebanks
from metrics._shared.treebanks import ConllError, parse_conll, read_conll
from metrics.subject_object_las.inputs import ANNOTATED_COLUMNS
from tests.support.cases import cases, golden

INVALID = ROOT / "tests" / "invalid" / "conll"
CONLLU = golden("conll/two_sentences")


def parse(text: str, **options):
    return parse_conll(text.encode(), "x.conll", **options)


def test_reads_words_of_conllu_without_ranges_and_empty_nodes():
    treebank = parse(CONLLU, is_tree=True)
    assert " ".join(treebank.strings("form").to_pylist()) == "In dem Garten schläft sie . Ja"
    assert treebank.heads.tolist() == [3, 3, 4, 0, 4, 4, 0]
    assert treebank.offsets.tolist() == [0, 6, 7]
    assert treebank.lines.tolist() == [4, 5, 6, 7, 9, 10, 13]
    tags = [["ADP", "DET", "NOUN", "VERB", "PRON", "PUNCT"], ["INTJ"]]
    assert treebank.lists("upos").to_pylist() == tags
    assert treebank.strings("misc", np.array([4])).to_pylist() == ["SpaceAfter=No"]
    # comments belong to the sentence after them
    assert treebank.comments("text") == ["Im Garten schläft sie.", "Ja"]
    assert treebank.comments("sent_id") == ["1", None]


WINDOWS = CONLLU.rstrip("\n").replace("\n", "\r\n")
SPELLINGS = {
    "lines of Windows": (WINDOWS, ()),
    "lines of Windows, the last too": (f"{WINDOWS}\r\n", ()),
    "lines of Windows, and a blank one": (f"{WINDOWS}\r\n\r\n", ()),
    "byte order mark": (f"\ufeff{CONLLU}", ("a byte order mark",)),
    "no line end": (CONLLU.rstrip("\n"), ()),
    "no blank line at the end": (f"{CONLLU.rstrip()}\n", ()),
    "two blank lines": (CONLLU.replace("\n\n", "\n\n\n"), ()),
    "leading blank lines": (f"\n \n{CONLLU}", ()),
    "blank lines with blanks": (CONLLU.replace("\n\n", "\n\t\n\u00a0\n"), ()),
    "comment at the end": (f"{CONLLU.rstrip()}\n# the end", ()),
    "comments at the end": (f"{CONLLU}\n# the\n\n# end\n", ()),
    "comments on their own": (f"# newdoc id = a\n\n{CONLLU}", ()),
    "decomposed": (CONLLU.replace("ä", "a\u0308"), ("normalized to NFC",)),
    "line ends of two kinds": (CONLLU.replace("\n", "\r\n", 3), ()),
    "line ends of an old Mac": (CONLLU.replace("\n", "\r"), ()),
    "line ends converted twice": (CONLLU.replace("\n", "\r\r\n"), ()),
}


@pytest.mark.parametrize(("text", "said"), SPELLINGS.values(), ids=SPELLINGS)
def test_spellings_of_one_file_are_read_alike(text, said):
    found, expected = parse(text, is_tree=True), parse(CONLLU)
    assert found.trees() == expected.trees()
    assert found.comments("text") == expected.comments("text")
    assert found.strings("misc").to_pylist() == expected.strings("misc").to_pylist()
    assert found.said == (*said, *expected.said)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read(encoding):
    found = parse_conll(CONLLU.encode(encoding), "x.conllu")
    assert found.trees() == parse(CONLLU).trees()
    assert found.said[0].startswith("UTF-16")


def test_multiword_tokens_and_empty_nodes_are_kept_and_said():
    treebank = parse(CONLLU)
    assert treebank.multiwords == ((0, 1, "Im"),)
    assert treebank.surfaces().to_pylist() == [["Im", "", "Garten", "schläft", "sie", "."], ["Ja"]]
    assert treebank.said == ("1 empty nodes left out", "1 multiword tokens")
    assert "surfaces" not in parse(CONLLU[CONLLU.index("# text = Ja") :]).trees()


@pytest.mark.parametrize("bad", ["2-3", "1-1-2", "1-9", "2-1"])
def test_a_range_of_other_words_is_refused(bad):
    with pytest.raises(ConllError, match=r"x\.conll:3: ID, got"):
        parse(CONLLU.replace("\n1-2\t", f"\n{bad}\t"))


@pytest.mark.parametrize(
    ("is_output", "heads", "labels", "read"),
    [
        (False, [2, 3, 0], ["det", "nsubj", "root"], "HEAD, DEPREL"),
        (True, [3, 3, 0], ["x", "obj", "root"], "PHEAD, PDEPREL"),
    ],
)
def test_conll_2009_is_told_by_its_width(is_output, heads, labels, read):
    text = golden("conll/conll_2009")
    treebank = parse(text, is_output=is_output)
    assert treebank.heads.tolist() == heads
    assert treebank.strings("deprel").to_pylist() == labels
    assert treebank.said == (f"CoNLL-2009 by its 14 columns; heads and labels are {read}",)
    blank = text.replace("\t3\tdet", "\t_\tdet").replace("\t3\tnsubj", "\t_\tnsubj")
    blank = blank.replace("\t0\troot", "\t_\troot").replace("\tx\t", "\t_\t")
    blank = blank.replace("\tobj\t", "\t_\t").replace("root\troot", "root\t_")
    assert parse(blank, is_output=True).heads.tolist() == [2, 3, 0]


def test_columns_are_named_by_a_comment():
    text = "# global.columns = ID FORM HEAD DEPREL\n1\tJa\t0\troot\n"
    assert parse(text).trees()["heads"].to_pylist() == [[0]]
    message = r"x\.conll:1: columns, got no HEAD; expected ID FORM HEAD"
    with pytest.raises(ConllError, match=message):
        parse("# global.columns = ID FORM\n1\tJa\n")


def test_further_columns_are_not_read():
    wide = "\n".join(
        line + "\tx\t9" if line and not line.startswith("#") else line
        for line in CONLLU.split("\n")
    )
    assert parse(wide).trees() == parse(CONLLU).trees()
    narrow = wide.replace("\tx\t9\n2\t", "\tx\n2\t")
    with pytest.raises(ConllError, match=r"x\.conll:4: columns, got 11; expected 12, separated"):
        parse(narrow)


def test_unlabelled_words_have_no_head():
    treebank = read_conll(INVALID / "unlabelled.conll")  # invalid only where a tree is asked for
    assert treebank.heads.tolist() == [-1, 3, 0, 3, -1]
    assert treebank.trees()["heads"].to_pylist() == [[None, 3, 0, 3, None]]
    assert treebank.trees()["deprels"].to_pylist() == [["_", "nsubj", "verb", "obj", "_"]]


def test_other_columns_and_gzip(tmp_path):
    path = tmp_path / "a.conll.gz"
    path.write_bytes(gzip.compress(b"1\tDie\tder\t_\tDET-ART\ttf:VF\n"))
    treebank = read_conll(path, columns=ANNOTATED_COLUMNS)
    assert treebank.strings("pos").to_pylist() == ["DET-ART"]
    assert treebank.heads.tolist() == [-1]
    with pytest.raises(ConllError, match="column, got 'deprel'; expected id, form, lemma"):
        treebank.strings("deprel")


def test_a_long_sentence_has_heads_of_several_digits():
    lines = [f"{i}\tw\t_\t_\t_\t_\t{i - 1}\tdep\t_\t_" for i in range(1, 1203)]
    assert parse("\n".join(lines) + "\n", is_tree=True).heads.tolist() == list(range(1202))


@pytest.mark.parametrize(*cases("conll/bad_files"))
def test_a_bad_file_is_refused_with_file_and_line(name, message):
    path = INVALID / f"{name}.conll"
    with pytest.raises(ConllError) as error:
        read_conll(path, is_tree=name in ("two_roots", "no_root", "cycle", "unlabelled"))
    assert str(error.value) == f"{path}{message}"


@pytest.mark.parametrize("name", ["head_german_amb_sticker2", "paper_german_part-amb_gold"])
def test_agrees_with_a_line_by_line_reading_of_the_authors_files(released, name):
    path = released / "sorts" / f"{name}.conll.gz"
    lines = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().split("\n")]
    treebank = read_conll(path)
    words = [line for line in lines if len(line) == 10]
    assert treebank.n_sentences == sum(line[0] == "1" for line in words)
    for column, index in (("form", 1), ("feats", 5), ("deprel", 7), ("misc", 9)):
        assert treebank.strings(column).to_pylist() == [line[index] for line in words]
    assert treebank.heads.tolist() == [-1 if line[6] == "_" else int(line[6]) for line in words]


def test_agrees_with_conllu():
    treebank = parse(CONLLU)
    for name, found in (("lemma", treebank.lists("lemma")), ("head", treebank.trees()["heads"])):
        assert found.to_pylist() == [
            [word[name] for word in sentence if isinstance(word["id"], int)]
            for sentence in conllu.parse(CONLLU)
        ]


def test_a_file_that_has_more_places_than_an_array_is_refused(monkeypatch):
    monkeypatch.setattr(treebanks, "MOST_BYTES", 10)
    with pytest.raises(ConllError, match=r"size, got \d+ bytes; expected at most 10: score the"):
        parse(CONLLU)
