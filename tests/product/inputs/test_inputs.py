"""What people hand in: every row of `table.tsv` against every reader that takes its kind. A
generator of variants (encodings, line ends, Unicode forms, packing) goes over all rows that are
read, and asks that the same comes out."""

import ast
import bz2
import gzip
import json
import lzma
import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from builders.eras.gold_text import read_gold_text
from garden_path.models.registry import USERS
from garden_path.readers import morphemes, predictions
from garden_path.readers.files import match
from garden_path.readers.predictions import Predictions
from ground.paths import ROOT
from ground.tables import read_json_lines
from metrics._shared.plain_text import decode, lines_of
from metrics._shared.treebanks import parse_conll
from metrics.morpheme_segmentation.inputs import morphemes_of

IDS = ["a", "b"]
SENTENCES = ["他有信心。", "机动的吊车。"]
QUESTIONS = ["The dog ran. Who?", "The cat ran. Who?"]
WORDS = ["boats", "undoing"]
TOKENS = [["Er", "sitzt", "am", "Ufer", "."], ["Ja", "."]]
VALUES: dict[str, list[Any]] = {
    "words": [["他", "有", "信心", "。"], ["机动", "的", "吊车", "。"]],
    "probabilities": [0.25, 1.0],
    "log_probabilities": [-0.25, -1.0],
    "answers": ["the dog", "the cat"],
    "morphemes": [["boat", "s"], ["un", "do", "ing"]],
    "trees": [
        ([2, 0, 4, 2, 2], ["nsubj", "root", "case", "obl", "punct"]),
        ([0, 1], ["root", "punct"]),
    ],
}
ROWS: dict[str, list[Any]] = {
    **dict.fromkeys(("words", "probabilities", "log_probabilities"), SENTENCES),
    "answers": QUESTIONS,
    "morphemes": WORDS,
    "trees": TOKENS,
}


def table() -> list[tuple[str, str, str, str]]:
    """Rows of the table: reader, case, text, what is expected."""
    text = (Path(__file__).parent / "table.tsv").read_text(encoding="utf-8")
    cells = [line.split("\t") for line in lines_of(text) if not line.startswith("#")][1:]
    return [(reader, case, json.loads(held), said) for reader, case, held, said in cells]


TABLE = [row for row in table() if row[0] != "lexicon"]
READ = [row for row in TABLE if row[3].startswith("ok") and row[0] != "cut"]


def read(reader: str, path: Path) -> Predictions:
    if reader == "log_probabilities":  # of tokens, or of texts, which have no ids of their own
        return predictions.read_token_scores(path, ROWS[reader])
    module = {"morphemes": morphemes}.get(reader, predictions)
    return getattr(module, f"read_{reader}")(path, ROWS[reader], IDS)  # type: ignore[no-any-return]


def plain(reader: str, values: list[Any]) -> list[Any]:
    if reader == "trees":
        return [tree and (tree["heads"], tree["deprels"]) for tree in values]
    if reader == "log_probabilities":
        return [text and sum(text.log_probabilities) for text in values]
    return [v.strip() if isinstance(v, str) else v for v in values]


def cut_of(path: Path) -> list[str] | None:
    word, _, reply = path.read_text(encoding="utf-8").partition("\t")
    found = morphemes_of(reply, word)
    return found[0] if found else None


VALUE_OF: dict[str, Callable[[Path], Any]] = {
    "gold_text": lambda path: [[w.text for w in s] for s in read_gold_text(str(path)).sentences],
    "json_lines": lambda path: [record["a"] for _, record in read_json_lines(path)],
    "cut": cut_of,
}
"""Readers of no predictions; the laboratory adds that of lexicons."""


def outcome(reader: str, path: Path) -> tuple[Any, str]:
    """What comes out of a file, and the report."""
    if reader in VALUE_OF:
        return VALUE_OF[reader](path), ""
    found = read(reader, path)
    return plain(reader, found.values), found.report()


EXPECTED: dict[str, Any] = {
    **VALUES,
    "gold_text": [["他", "有", "信心", "。"]],
    "json_lines": [1, 2],
    "cut": ["boat", "s"],
}


def check(reader: str, path: Path, expected: str) -> None:
    word, _, rest = expected.partition(" ")
    if word == "error":
        with pytest.raises(ValueError, match=re.escape(rest)) as error:
            outcome(reader, path)
        assert len(str(error.value)) < 600 + len(str(path))
        return
    values, report = outcome(reader, path)
    if word == "missing":
        assert f", {rest} missing" in report
        assert [v for v in values if v is not None] == [
            expected for v, expected in zip(values, VALUES[reader], strict=True) if v is not None
        ]
        with pytest.raises(ValueError, match="expected one for every row"):
            read(reader, path).whole()
        return
    if word == "left":
        assert re.search(rf"\b{rest} predictions? of no row left over", report)
    by, _, said = rest.partition(" ") if word == "ok" else ("", "", "")
    assert f"matched by {by}" in report or not report or word == "left"
    if said in ("split", "wrong", "stripped"):
        said = ""
    assert said in report
    if expected == "none":
        assert values is None
        return
    if expected in ("ok text split", "ok order wrong", "ok none"):
        return
    assert values == EXPECTED[reader]


@pytest.mark.parametrize(
    ("reader", "text", "expected"),
    [(r, t, e) for r, _, t, e in TABLE],
    ids=[f"{r}: {c}" for r, c, _, _ in TABLE],
)
def test_every_input_gives_what_it_should(reader, text, expected, tmp_path):
    path = tmp_path / "given"
    path.write_text(text, encoding="utf-8", newline="")
    check(reader, path, expected)


Variant = Callable[[str], bytes]
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")
ENDS = ("\n", "\r\n", "\r", "\r\r\n")


def variants() -> dict[str, Variant]:
    """Ways in which one text is written: encodings, line ends, decomposed characters, packed."""

    def written(encoding: str, end: str, form: str) -> Variant:
        return lambda text: unicodedata.normalize(form, text).replace("\n", end).encode(encoding)

    return {
        f"{encoding} {end!r} {form}": written(encoding, end, form)
        for encoding in ENCODINGS
        for end in ENDS
        for form in ("NFC", "NFD")
    }


@pytest.mark.parametrize("variant", variants().values(), ids=variants())
def test_every_spelling_of_an_input_gives_the_same(variant, tmp_path):
    check_spelling(variant, tmp_path, READ)


def check_spelling(variant: Variant, folder: Path, rows: list[tuple[str, str, str, str]]) -> None:
    path = folder / "given"
    for reader, case, text, _ in rows:
        if not text:
            continue
        path.write_text(text, encoding="utf-8", newline="")
        expected, _ = outcome(reader, path)
        path.write_bytes(variant(text))
        assert outcome(reader, path)[0] == expected, f"{reader}: {case}"


def test_a_packed_input_gives_the_same(tmp_path):
    check_packed(tmp_path, READ)


def check_packed(folder: Path, rows: list[tuple[str, str, str, str]]) -> None:
    path, packed = folder / "given", folder / "given.gz"
    for reader, case, text, _ in rows:
        path.write_text(text, encoding="utf-8", newline="")
        packed.write_bytes(gzip.compress(text.encode()))
        assert outcome(reader, packed)[0] == outcome(reader, path)[0], f"{reader}: {case}"


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "big5"])
def test_another_encoding_is_said_with_file_line_and_help(encoding, tmp_path):
    check_encoding(encoding, tmp_path, ("words", "answers", "gold_text", "json_lines"))


def check_encoding(encoding: str, folder: Path, readers: Sequence[str]) -> None:
    path = folder / "given.txt"
    name = "Big5" if encoding == "big5" else "GBK"
    text = "他 有 信心 的 人\n" if name == "GBK" else "他 有 信心 的 這 們\n"
    path.write_bytes(b"plain\n" + text.encode(encoding))
    for reader in readers:
        with pytest.raises(ValueError, match=r"given\.txt:2: encoding, got the byte") as error:
            outcome(reader, path)
        assert f"iconv -f {name} -t UTF-8" in str(error.value)


SYSTEMS = {
    "words": "segmenter",
    "probabilities": "classifier",
    "trees": "parser",
    "log_probabilities": "language_model",
}


@pytest.mark.parametrize("reader", SYSTEMS)
def test_a_file_is_a_system_of_every_kind(reader, tmp_path):
    path = tmp_path / "given"
    for kind, _, text, expected in TABLE:
        if kind != reader or not expected.startswith("ok") or expected == "ok text split":
            continue
        if "id" in expected.split() and reader != "trees":
            continue  # a system sees texts, no ids
        path.write_text(text, encoding="utf-8", newline="")
        system = USERS.load(SYSTEMS[reader], f"file:{path}")
        batch = {"tokens": TOKENS, "id": IDS} if reader == "trees" else ROWS[reader]
        found = system.predict(batch)
        if reader == "trees":
            found = list(zip(found["heads"], found["deprels"], strict=True))
        if reader == "log_probabilities":
            found = [one.log_probabilities.sum() for one in found]
        assert list(found) == VALUES[reader]


def test_conll_of_the_table_is_read_by_the_metrics(tmp_path):
    for reader, case, text, expected in TABLE:
        if (
            reader == "trees"
            and expected.startswith("ok")
            and text.lstrip("\n")[:1] in "0123456789#"
        ):
            assert parse_conll(text.encode(), case, is_output=True).n_sentences == 2, case


def test_lines_of_data_are_split_by_the_contract_alone():
    rooms = ("ground", "builders", "dataset_scripts", "metrics", "garden_path", "publish")
    rooms += ("integrations", "research", "examples")
    paths = [ROOT / "push.py", *(p for room in rooms for p in sorted((ROOT / room).rglob("*.py")))]
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "splitlines"
    ]
    assert found == [], "str.splitlines splits at U+2028: use metrics.plain_text.lines_of"


def test_what_was_changed_is_said():
    data = "﻿a\u0308\r\n".encode("utf-16")
    assert decode(data, "x") == ("ä\n", ("UTF-16", "normalized to NFC"))
    assert len(TABLE) >= 300


def test_a_text_that_differs_takes_no_record_of_another_row():
    """As many records as rows: the second's own record is there, under a text of no row."""
    same = ["Ja .", "Ja ."]
    assert match("f", [None] * 2, same, None, same).places == [0, 1]
    assert match("f", [None], ["Ja ."], None, same).places == [0, 0]
    with pytest.raises(ValueError, match=r"f: record 2, got the text 'Ja!'; expected one of"):
        match("f", [None] * 2, ["Ja .", "Ja!"], None, same)


def test_what_is_no_file_of_text_is_said_to_be(tmp_path):
    path = tmp_path / "given"
    packed = {"gzip": gzip.compress(b"x"), "bzip2": bz2.compress(b"x"), "xz": lzma.compress(b"x")}
    packed |= {"zip": b"PK\x03\x04x", "zstd": b"\x28\xb5\x2f\xfdx"}
    for name, data in packed.items():
        path.write_bytes(data)
        with pytest.raises(ValueError, match=f"got a {name} file; expected text: unpack it"):
            read("words", path)
    stream = tmp_path / "stream"
    os.mkfifo(stream)
    for given, got in (("", "an empty name"), ("-", "a stream"), (stream, "a stream")):
        with pytest.raises(ValueError, match=f"predictions, got {got}; expected one file"):
            predictions.read_answers(given, QUESTIONS, IDS)


def test_values_that_tell_nothing_apart_are_said_to_be_equal(tmp_path):
    path = tmp_path / "given"
    path.write_text("-1\n-1.0\n")
    assert "; all values are equal" in read("log_probabilities", path).report()
    rows = [{"text": text, "tokens": [[0, len(text), -1]]} for text in SENTENCES]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert "; all values are equal" in read("log_probabilities", path).report()
    path.write_text("0.5\n0.50\n")
    assert "; all values are equal" in read("probabilities", path).report()


def test_the_id_of_a_row_without_a_prediction_is_said(tmp_path):
    path = tmp_path / "given"
    path.write_text("id,answer\na,the dog\n")
    with pytest.raises(ValueError, match="got none for row 2, 'b'"):
        read("answers", path).whole()


def test_morphemes_of_other_rows_are_refused_with_their_line(tmp_path):
    path = tmp_path / "given"
    words = ["boats", "undoing", "cats"]
    path.write_text("x\tcat s\ny\tboat s\nz\tun do ing\n")
    with pytest.raises(ValueError, match="given:1: morphemes, got those of 'cats', and 3 alike"):
        morphemes.read_morphemes(path, words, ["x", "y", "z"])


def test_blanks_count_where_texts_of_the_suite_differ_in_nothing_else(tmp_path):
    """`kutpi k` and `kutpik` of morphseg's pairs; elsewhere `Er sitzt .` is `Er sitzt.`."""
    path = tmp_path / "given"
    path.write_text('{"text":"a b","logprob":-1}\n{"text":"ab","logprob":-2}\n', encoding="utf-8")
    found = predictions.read_token_scores(path, ["ab", "a b"])
    assert plain("log_probabilities", found.values) == [-2, -1]
    path.write_text('{"text":"a b","logprob":-1}\n{"text":"x","logprob":-2}\n', encoding="utf-8")
    assert predictions.read_token_scores(path, ["ab", "a b"]).matched.n_missing == 1
    assert predictions.read_token_scores(path, ["ab"]).matched.n_missing == 0


def test_morphemes_that_miss_their_words_alike_are_refused_with_their_line(tmp_path):
    """By order nothing else tells whose they are; beside the word a canonical form is one."""
    path = tmp_path / "given"
    words = [f"{letter}oats" for letter in "bcdfghkl"]
    path.write_text("".join(f"{word[:4].title()} s\n" for word in words))
    with pytest.raises(ValueError, match=r"given:1: .* for 'boats', 8 alike; expected letters in"):
        morphemes.read_morphemes(path, words)
    path.write_text("".join(f"{word[:3]} z\n" for word in words))
    with pytest.raises(ValueError, match=r"given:1: .* 'boats', and nearly none that spell their"):
        morphemes.read_morphemes(path, words)
    path.write_text("".join(f"{word}\t{word[:3]} z\n" for word in words))
    assert morphemes.read_morphemes(path, words).values[1] == ["coa", "z"]
