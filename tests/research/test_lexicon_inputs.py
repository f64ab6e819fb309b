"""Lexicons that a person hands in: their rows of the table, in every spelling."""

import pytest

from research.systems.segmenters.longest_match import read_lexicon
from tests.product.inputs import test_inputs as inputs

ROWS = [row for row in inputs.table() if row[0] == "lexicon"]
READ = [row for row in ROWS if row[3].startswith("ok")]


@pytest.fixture(autouse=True)
def _lexicons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(inputs.VALUE_OF, "lexicon", lambda path: sorted(read_lexicon(path)))
    monkeypatch.setitem(inputs.EXPECTED, "lexicon", sorted(["心机", "机动"]))


@pytest.mark.parametrize(("text", "expected"), [row[2:] for row in ROWS], ids=[r[1] for r in ROWS])
def test_every_lexicon_gives_what_it_should(text, expected, tmp_path):
    path = tmp_path / "given"
    path.write_text(text, encoding="utf-8", newline="")
    inputs.check("lexicon", path, expected)


def test_every_spelling_of_a_lexicon_gives_the_same(tmp_path):
    for variant in inputs.variants().values():
        inputs.check_spelling(variant, tmp_path, READ)
    inputs.check_packed(tmp_path, READ)


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "big5"])
def test_another_encoding_is_said(encoding, tmp_path):
    inputs.check_encoding(encoding, tmp_path, ["lexicon"])
