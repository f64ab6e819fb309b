"""Parsers trained here: what they are trained on, how they are named, and that they learn."""

import dataclasses
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from garden_path.models.parsers import Parser, make_parser, spacy_trees
from ground.downloads import checksum
from metrics._shared.treebanks import read_conll
from research.studies.sorts import train_parser
from research.systems.parsers import stanza_parser, trained_parsers
from research.systems.registry import load
from tests.research.conftest import conll, fail
from tests.support.cases import golden

SMALL = golden("trained_parsers/small")
NAMES = ("Anna", "Berta", "Carla", "Dora", "Emma", "Frida")


def sentence(subject: str, verb: str, object_: str) -> str:
    """A clause of four words with its tree; the first line is a comment, as in UD files."""
    arguments = ((subject, "PROPN", 2, "nsubj"), (verb, "VERB", 0, "root"))
    rest = ((object_, "PROPN", 2, "obj"), (".", "PUNCT", 2, "punct"))
    return "# text = a test\n" + conll(*arguments, *rest)


def small_network(folder: Path) -> Path:
    """Stanza's settings, with a network and steps that suffice for the clauses of this test."""
    text = stanza_parser.SETTINGS.read_text(encoding="utf-8")
    for name, value in SMALL.items():
        text, n = re.subn(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
        assert n == 1, name
    (folder / "small.toml").write_text(text, encoding="utf-8")
    return folder / "small.toml"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A treebank `tiny` of a hundred clauses, one of which stands in its test too."""
    pairs = itertools.product(("sieht", "hört", "kennt"), NAMES, NAMES)
    train = "".join(sentence(a, verb, b) for verb, a, b in pairs)
    test = sentence("Anna", "sieht", "Berta") + sentence("Anna", "liebt", "Berta")
    (tmp_path / "train.conllu").write_text(train, encoding="utf-8")
    (tmp_path / "test.conllu").write_text(test, encoding="utf-8")
    digits = [checksum(text.encode()) for text in (train, test)]
    table = tmp_path / "treebanks.toml"
    entry = '[tiny]\nlanguage = "de"\nlicence = "CC0"\ntrain = ["train.conllu"]\n'
    entry += 'test = "test.conllu"\n[sha256]\n'
    sums = f'"train.conllu" = "{digits[0]}"\n"test.conllu" = "{digits[1]}"\n'
    table.write_text(f"# source: a test\n# licence: CC0\n{entry}{sums}", encoding="utf-8")
    monkeypatch.setattr(trained_parsers, "TABLE", table)
    monkeypatch.setenv("GARDENPATH_SOURCES", str(tmp_path))
    monkeypatch.setenv("GARDENPATH_WEIGHTS", str(tmp_path / "weights"))
    trained_parsers.mixes.cache_clear()
    yield tmp_path
    trained_parsers.mixes.cache_clear()


def test_sentences_of_the_test_leave_the_training(here):
    found, test = trained_parsers.training_and_test("tiny")
    assert len(found) == 3 * 36 - 1  # Anna sieht Berta .
    assert len(list(trained_parsers.sentences_of(test))) == 2
    assert not any("Anna\tAnna" in s and "sieht" in s and "3\tBerta" in s for s in found)


def test_only_words_are_kept_and_upos_is_the_tag():
    text = "# text = zum Tee\n1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n"
    text += "1\tzu\tzu\tADP\tAPPR\t_\t3\tcase\t_\t_\n2\tdem\tder\tDET\tART\t_\t3\tdet\t_\t_\n"
    text += "2.1\tleer\t_\t_\t_\t_\t_\t_\t_\t_\n3\tTee\tTee\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"
    [found] = trained_parsers.sentences_of(text)
    cells = [line.split("\t")[:5:4] for line in found.split("\n") if line]
    assert cells == [["1", "ADP"], ["2", "DET"], ["3", "NOUN"]]


@pytest.mark.parametrize(
    "text", ["spacy", "spacy/german-free", "spacy/latin/1", "malt/german-free/1", "spacy/dutch/x"]
)
def test_a_recipe_that_is_none_names_the_known_ones(text):
    with pytest.raises(ValueError, match="expected KIND/TREEBANKS/SEED with KIND one of spacy"):
        trained_parsers.read_recipe(text)
    with pytest.raises(ValueError, match="expected KIND/TREEBANKS/SEED"):
        load("parser", f"trained:{text}")


def test_a_missing_treebank_is_named(here):
    (here / "train.conllu").unlink()
    with pytest.raises(ValueError, match=r"train\.conllu: source, got no such file; expected it"):
        trained_parsers.trained(trained_parsers.read_recipe("udpipe/tiny/1"))


def test_scores_are_those_of_the_held_out_sentences(here):
    test = (here / "test.conllu").read_text(encoding="utf-8")

    def parse(sentences: list[list[str]]) -> list[list[tuple[int, str]]]:
        # the second label is wrong in both sentences, one head in the first
        trees = [[(2, "nsubj"), (0, "root"), (2, "iobj"), (2, "punct")] for _ in sentences]
        trees[0][3] = (1, "punct")
        return trees

    assert trained_parsers.held_out_scores(test, make_parser("stub", "1", parse)) == {
        "las": 5 / 8,
        "uas": 7 / 8,
    }


@pytest.mark.parametrize(
    "kind",
    ["udpipe", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("stanza", "spacy"))],
)
def test_a_parser_is_trained_once_and_learns_its_clauses(kind, here, monkeypatch):
    pytest.importorskip("ufal.udpipe" if kind == "udpipe" else kind)
    monkeypatch.setattr(stanza_parser, "SETTINGS", small_network(here))
    parser = load("parser", f"trained:{kind}/tiny/1")
    assert parser.version.startswith(f"{kind} ")
    found = parser.predict({"tokens": [["Anna", "hört", "Carla", "."]]})
    assert found["heads"] == [[2, 0, 2, 2]]
    assert found["deprels"][0][:2] == ["nsubj", "root"]
    record = trained_parsers.trained(trained_parsers.read_recipe(f"{kind}/tiny/1"))
    assert record.las >= 0.75

    changed = dataclasses.replace(trained_parsers.KINDS[kind], train=fail)
    monkeypatch.setattr(trained_parsers, "KINDS", {kind: changed})
    assert load("parser", f"trained:{kind}/tiny/1").version == parser.version
    about = json.loads(record.path.with_suffix(".json").read_text(encoding="utf-8"))
    scores = {"las": record.las, "uas": record.uas, "minutes": record.minutes}
    assert about == {**scores, "scoring": trained_parsers.SCORING}
    assert 0 < record.minutes < 5


def stub() -> trained_parsers.Kind:
    """A kind that trains nothing and finds every head."""
    tree = [(2, "nsubj"), (0, "root"), (2, "obj"), (2, "punct")]

    def load(name: str, path: str, settings: object) -> Parser:
        return make_parser(name, "1", lambda sentences: [tree for _ in sentences])

    return trained_parsers.Kind("numpy", lambda *_: None, load, lambda: "settings")


@pytest.mark.parametrize("minutes", [{}, {"minutes": 3.5}])
def test_a_record_scored_otherwise_is_scored_anew_and_not_trained(minutes, here, monkeypatch):
    monkeypatch.setattr(trained_parsers, "KINDS", {"stub": stub()})
    first = trained_parsers.trained(trained_parsers.read_recipe("stub/tiny/2"))
    assert (first.las, first.uas) == (1, 1)
    about = first.path.with_suffix(".json")
    for scoring, expected in (({}, 1), ({"scoring": trained_parsers.SCORING}, 0.5)):
        old = {"las": 0.5, "uas": 0.5, **minutes, **scoring}
        about.write_text(json.dumps(old), encoding="utf-8")
        found = trained_parsers.trained(trained_parsers.read_recipe("stub/tiny/2"))
        assert (found.las, found.uas) == (expected, expected)
        assert found.minutes == minutes.get("minutes")
        assert json.loads(about.read_text(encoding="utf-8"))["las"] == expected


@pytest.mark.parametrize(("subject", "root"), [("nsubj", "root"), ("sb", "ROOT")])
def test_the_root_is_called_as_the_scheme_has_it(subject, root):
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("de")
    pipeline.add_pipe("parser").add_label(subject)
    pipeline.initialize()

    @spacy.Language.component(f"tree_of_{subject}")
    def tree(document: Any) -> Any:
        for token, label in zip(document, [subject, "ROOT"], strict=True):
            token.head, token.dep_ = document[1], label
        return document

    pipeline.add_pipe(f"tree_of_{subject}")
    assert list(spacy_trees(pipeline, [["Anna", "singt"]])) == [[(2, subject), (0, root)]]


def test_a_graph_parser_reads_no_tags_and_no_lemmas():
    rows = sentence("Anna", "sieht", "Berta").split("\n", 1)[1]
    told = stanza_parser._without_lemmas(rows.replace("\tAnna\tPROPN", "\tEVA\tPROPN"))
    assert told == rows
    assert {"no_upos", "no_xpos", "no_ufeats"} < set(stanza_parser.FLAGS)


def test_every_recorded_treebank_reads_and_its_test_is_held_out(sources, monkeypatch, tmp_path):
    monkeypatch.setenv("GARDENPATH_SOURCES", str(sources))
    found, test = trained_parsers.training_and_test("german-free")
    # 799 of GSD dev, six of which stand in GSD test, and 1,000 of PUD
    assert len(found) == 799 - 6 + 1000
    assert trained_parsers.training_and_test("german-quarter") == (found[::4], test)
    path = tmp_path / "test.conllu"
    path.write_text("".join(trained_parsers.sentences_of(test)), encoding="utf-8")
    assert read_conll(str(path)).n_sentences == 977


def test_a_line_of_the_study_says_what_a_parser_learnt_from(here, monkeypatch, capsys):
    found = trained_parsers.TrainedParser("udpipe 1", 0.625, 0.875, 4.25, here / "model")
    monkeypatch.setattr(train_parser, "trained", lambda recipe: found)
    (result,) = train_parser.score(["udpipe/tiny/1"], None)
    assert "udpipe/tiny/1: 4.2 minutes of processor time" in capsys.readouterr().out
    (shown,) = train_parser.show([result], None)
    assert "| trained:udpipe/tiny/1 | train | 107 | test | 2 | 62.5 | 87.5 |" in shown.text


def test_seeds_of_a_recipe_have_one_mean_beside_its_aim():
    results = [
        {"parser": f"spacy/{mix}/{seed}", "las": las, "uas": 0.8}
        for mix, seed, las in (("german-free", 0, 0.6), ("dutch", 0, 0.7), ("german-free", 1, 0.7))
    ]
    free, dutch = train_parser.mean_rows(results)
    assert list(free.values()) == ["spacy/german-free", 2, pytest.approx(65), pytest.approx(80), 65]
    assert (dutch["LAS"], dutch["aim"]) == (pytest.approx(70), None)
