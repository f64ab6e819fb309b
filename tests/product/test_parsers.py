"""Parsers by name: the baseline against published figures, pipelines made here, files."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from garden_path.models.registry import USERS
from metrics.subject_object_las.options import read_options
from tests.conftest import ROOT
from tests.support.cases import golden
from tests.support.processes import captured
from tests.support.released_sorts import sorts_tables
from tests.support.results import across
from tests.support.scored_clauses import score_rows

GOLD = golden("parsers/two_clauses")  # Der Hund sieht den Ball . Den Ball sieht der Hund .


@pytest.fixture(scope="module")
def tables(released):
    return sorts_tables(released)


@pytest.fixture(scope="module")
def sticker2(released):
    return USERS.load("parser", f"file:{released / 'sorts' / 'head_german_amb_sticker2.conll.gz'}")


@pytest.fixture(scope="module")
def trees(sticker2, tables):
    return sticker2.predict(tables["released_head"]["amb"])


STICKER2 = golden("parsers/sticker2")  # percent


def test_sticker2_on_the_newest_clauses(tables, sticker2, trees):
    clauses = tables["released_head"]["amb"]
    assert sticker2.scheme == "ud"
    result = score_rows(trees, clauses, read_options(mode="paper", n_resamples=500))
    assert (round(13_624 * result["las"]), result["n"]) == (11_486, 6812)
    assert round(100 * result["las"], 2) == 84.31
    assert round(100 * result["las_merged"], 2) == 84.33  # 3 iobj
    assert round(100 * result["uas"], 2) == 99.31
    assert round(6812 * result["clause_score"]) == 5675
    for part in ("word_order", "property"):
        shown = {row[part]: round(100 * row["las"], 2) for row in result[f"by_{part}"]}
        assert shown == STICKER2[f"by_{part}"]
    # no subtype of subject or object in it
    assert score_rows(trees, clauses, read_options(confidence=None))["las"] == result["las"]


def test_clauses_that_the_paper_and_the_newest_version_share(tables, trees):
    def names(columns):
        return list(map(repr, across(columns, "word_order", "properties", "tokens")))

    paper, newest = (tables[f"released_{version}"]["amb"] for version in ("paper", "head"))
    known = set(names(paper))
    shared = [i for i, name in enumerate(names(newest)) if name in known]
    assert len(shared) == 6197
    predicted, gold = (
        [{name: column[i] for name, column in columns.items()} for i in shared]
        for columns in (trees, newest)
    )
    result = score_rows(predicted, gold, read_options(mode="paper", confidence=None))
    assert round(100 * result["las"], 2) == 85.15


def test_triples_of_one_noun_or_verb_widen_intervals_over_triples_and_items_alike(tables, trees):
    clauses, widths = tables["released_head"]["amb"], []
    for cluster in ("triple_id", "item_id"):
        chosen = clauses | {"triple_id": clauses[cluster]}
        result = score_rows(trees, chosen, read_options(n_resamples=500))
        widths.append(result["las_high"] - result["las_low"])
    assert widths[0] / widths[1] == pytest.approx(1, abs=0.05)


def test_a_file_needs_one_sentence_per_clause(tmp_path):
    path = tmp_path / "output.conllu"
    path.write_text("1\tJa\t_\t_\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    message = r"output.conllu: texts, got none of the suite, such as 'Ja'"
    with pytest.raises(ValueError, match=message):
        USERS.load("parser", f"file:{path}").predict(GOLD)


@pytest.mark.parametrize("name", ["sticker", "spacy", "spacy:", "stanza", "output.txt"])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(
        ValueError,
        match=re.escape(
            f"parser, got {name!r}; expected one of spacy:NAME,"
            " stanza:LANGUAGE[/PACKAGE], udpipe:FILE, file:PATH, python:"
        ),
    ):
        USERS.load("parser", name)


def test_a_missing_file_is_named():
    with pytest.raises(FileNotFoundError, match=r"nowhere\.conllu"):
        USERS.load("parser", "file:nowhere.conllu")


@pytest.fixture(scope="module")
def spacy_pipeline(tmp_path_factory) -> Path:
    """A pipeline in the TIGER scheme, trained on two clauses with `werden`."""
    import spacy
    from spacy.training import Example

    pipeline = spacy.blank("de")
    pipeline.add_pipe("parser", config={"min_action_freq": 1})
    texts = [
        f"{one} .".split()
        for one in ("Der Hund wird den Ball sehen", "Den Ball wird der Hund sehen")
    ]
    labels = [
        f"nk {one} ROOT nk {other} oc punct".split() for one, other in (("sb", "oa"), ("oa", "sb"))
    ]
    heads = [[1, 2, 2, 4, 5, 2, 2], [1, 5, 2, 4, 2, 2, 2]]
    examples = [
        Example.from_dict(spacy.tokens.Doc(pipeline.vocab, words=words), {"heads": h, "deps": deps})
        for words, h, deps in zip(texts, heads, labels, strict=True)
    ]
    spacy.util.fix_random_seed(0)
    pipeline.initialize(lambda: examples)
    for _ in range(60):
        pipeline.update(examples)
    path = tmp_path_factory.mktemp("spacy") / "de_tiny"
    pipeline.to_disk(path)
    return path


def test_a_spacy_pipeline(spacy_pipeline):
    parser = USERS.load("parser", f"spacy:{spacy_pipeline}")
    assert parser.scheme == "tiger"
    assert parser.version.startswith("spacy ")
    clauses = {
        "tokens": [["Der", "Hund", "wird", "den", "Ball", "sehen", "."]],
        "heads": [[2, 6, 6, 5, 6, 0, 6]],
        "deprels": [["det", "nsubj", "aux", "det", "obj", "root", "punct"]],
        "subject": [1],
        "object": [4],
    }
    trees = parser.predict(clauses)
    assert trees["heads"] == [[2, 3, 0, 5, 6, 3, 3]]
    assert trees["deprels"] == [["nk", "sb", "ROOT", "nk", "oa", "oc", "punct"]]
    assert score_rows(trees, clauses, read_options(scheme="tiger", confidence=None))["las"] == 1.0


def test_a_spacy_pipeline_without_a_parser_is_refused(tmp_path):
    import spacy

    spacy.blank("de").to_disk(tmp_path / "blank")
    with pytest.raises(ValueError, match="pipeline, got no component; expected one with a parser"):
        USERS.load("parser", f"spacy:{tmp_path / 'blank'}")


def test_a_missing_spacy_pipeline_is_named():
    message = r"parser spacy:de_no_such: model, got .*; expected a spaCy pipeline on this machine"
    with pytest.raises(ValueError, match=message):
        USERS.load("parser", "spacy:de_no_such")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "stanza", None)
    message = "parser stanza:de: package stanza is not installed; pip install"
    with pytest.raises(ModuleNotFoundError, match=message):
        USERS.load("parser", "stanza:de")


@pytest.mark.slow
def test_a_stanza_pipeline(tmp_path):
    pytest.importorskip("stanza", reason="the package stanza is not installed")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(ROOT / "tests" / "support" / "tiny_stanza.py"), str(tmp_path)]
    run = captured(command, env=environment)
    assert run.returncode == 0, run.stderr[-2000:]
    result = json.loads(run.stdout.splitlines()[-1])
    assert result["scheme"] == "ud"
    assert re.fullmatch(r"stanza [0-9.]+, de [0-9a-f]{16}", result["version"])
    assert result["message"].startswith("parser stanza:fr: model, got ")
    trees = result["trees"]
    assert [len(heads) for heads in trees["heads"]] == [6, 8]
    assert all(0 <= head <= len(heads) for heads in trees["heads"] for head in heads)
    assert [heads.count(0) for heads in trees["heads"]] == [1, 1]
    known = {"det", "nsubj", "root", "obj", "punct"}
    assert {label for labels in trees["deprels"] for label in labels} <= known
