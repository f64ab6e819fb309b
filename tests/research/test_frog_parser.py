"""Frog as a parser: a program of the same manners in its place, and itself where it is."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from metrics.subject_object_las.options import read_options
from research.systems.registry import load
from tests.support.cases import golden
from tests.support.scored_clauses import score_rows

PROGRAM = golden("frog/program")
# Lotte van Dam heeft de patiënt gezien .    one name, which Frog writes as one word
UNITS, CLAUSE = golden("frog/sentence").values()
WORDS = CLAUSE["tokens"]


class Frog:
    """A program called `frog`, alone on the PATH, and the trees that it gives."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder / "bin", folder / "data"
        self.folder.mkdir()
        self.data.mkdir()
        (self.data / "frog.cfg").write_text("version=0.12\n", encoding="utf-8")
        self.ends_with(0)

    def ends_with(self, status: int) -> None:
        """Its exit status."""
        path = self.folder / "frog"
        text = PROGRAM.format(python=sys.executable, data=self.data, ends=status)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def answers(self, words: list[str], line: str) -> None:
        """What it writes for a sentence."""
        path = self.data / f"{' '.join(words)}.json"
        path.write_text(line + "\n", encoding="utf-8")


@pytest.fixture
def frog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Frog:
    found = Frog(tmp_path)
    monkeypatch.setenv("PATH", str(found.folder))
    monkeypatch.chdir(tmp_path)
    return found


def line(units: list[tuple[str, int, str]]) -> str:
    words = [
        {"word": word, "parse": {"parse_index": head, "parse_role": label}}
        for word, head, label in units
    ]
    return json.dumps(words, ensure_ascii=False)


def trees(parser: Any, *sentences: list[str]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = parser.predict({"tokens": list(sentences)})
    return found


def test_words_of_a_unit_hang_on_its_first(frog, tmp_path):
    frog.answers(WORDS, line(UNITS))
    parser = load("parser", "frog")
    found = trees(parser, WORDS, WORDS)
    assert found["tokens"] == [WORDS, WORDS]
    assert found["heads"] == [[4, 1, 1, 0, 6, 7, 4, 7]] * 2
    assert found["deprels"][1] == ["su", "mwp", "mwp", "ROOT", "det", "obj1", "vc", "--"]
    assert parser.scheme == "alpino"
    options = read_options(scheme=parser.scheme, confidence=None)
    assert score_rows(trees(parser, WORDS), [CLAUSE], options)["las"] == 1.0
    # what it leaves does not lie here
    assert {path.name for path in tmp_path.iterdir()} == {"bin", "data"}


def test_words_with_underscores_are_words(frog):
    words = ["a_b", "ziet", "c", "d"]
    frog.answers(words, line([("a_b", 2, "su"), ("ziet", 0, "ROOT"), ("c_d", 2, "obj1")]))
    assert trees(load("parser", "frog"), words)["heads"] == [[2, 0, 2, 3]]


def test_the_version_is_of_program_and_data(frog):
    first = load("parser", "frog").version
    assert first.startswith("frog 0.20, frogdata 0.12 ")
    assert load("parser", "frog").version == first
    (frog.data / "Frog.mbt.1.0.lex").write_text("another lexicon\n", encoding="utf-8")
    assert load("parser", "frog").version != first


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda frog: (frog.folder / "frog").unlink(),
            "program frog, got none; expected it from: apt-get install frog frogdata$",
        ),
        (
            lambda frog: (frog.data / "frog.cfg").unlink(),
            r"data, got .*frog\.cfg; expected them from: apt-get install frog",
        ),
        (
            lambda frog: frog.ends_with(3),
            r"frog ended with 3, got .*version = 0\.12'; expected trees; .*apt-get",
        ),
    ],
)
def test_a_missing_or_failing_program_is_an_error(frog, spoil, message):
    spoil(frog)
    with pytest.raises(ValueError, match=f"^parser frog: {message}"):
        load("parser", "frog")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            line([("Lotte_van_Dam", 0, "ROOT"), ("heeft", 1, "mod")]),
            "words, got 'Lotte_van_Dam heeft'; expected those of 'Lotte van Dam heeft de patiënt",
        ),
        (
            line([("Lotte", 0, "ROOT"), ("vandam", 1, "mod")]),
            "words, got 'Lotte vandam'; expected those of 'Lotte van Dam heeft",
        ),
        (line([*UNITS, ("!", 2, "punct")]), r"words, got '.* !'; expected those of"),
        ("Lotte\t2\tsu", r"output, got 'Lotte\\t2\\tsu' .*; expected words with head and label"),
        ('[{"word": "Lotte"}]', r"output, got .*KeyError.*; expected words with head and label"),
        (f"{line(UNITS)}\n{line(UNITS)}", "sentences, got 2; expected 1"),
    ],
)
def test_other_words_than_the_gold_ones_are_an_error(frog, answer, message):
    frog.answers(WORDS, answer)
    with pytest.raises(ValueError, match=f"^parser frog: {message}"):
        trees(load("parser", "frog"), WORDS)


@pytest.mark.parametrize(
    ("words", "shown"), [(["New York"], "New York"), (["a", ""], ""), ([], "")]
)
def test_words_that_a_line_cannot_hold_are_refused(frog, words, shown):
    message = f"^parser frog: word, got '{shown}'; expected one without blanks$"
    with pytest.raises(ValueError, match=message):
        trees(load("parser", "frog"), words)


def test_frog_itself():
    if shutil.which("frog") is None:
        pytest.skip("frog is not at hand: apt-get install frog frogdata")
    sentences = [
        ["Daarom", "fascineren", "de", "oplichters", "een", "detective", "."],
        ["De", "wethouder", "heeft", "voorstellen", "gedaan", "."],
        ["Zij", "zien", "in", "het", "algemeen", "'s", "avonds", "één", "patiënt", "?"],
    ]
    found = trees(load("parser", "frog"), *sentences)
    for words, heads, labels in zip(sentences, found["heads"], found["deprels"], strict=True):
        assert len(heads) == len(labels) == len(words)
    assert found["deprels"][0][3:6:2] == ["su", "obj1"]
    assert found["heads"][1] == [2, 3, 0, 5, 3, 5]
    assert found["deprels"][2][2:5] == ["mod", "mwp", "mwp"]
