"""Phrases harvested from a treebank: a tiny one by hand, what is refused, the German treebanks."""

from pathlib import Path

import pyarrow as pa
import pytest

from builders.pp_attachment.natural_rows import (
    harvest,
    natural_columns,
    natural_problems,
    natural_table,
    position_of,
    read_sentences,
)
from dataset_scripts.pp_attachment import PpAttachment
from dataset_scripts.registry import split_table
from metrics._shared.treebanks import ConllError
from metrics.pp_attachment_accuracy.options import read_options
from metrics.pp_attachment_accuracy.scoring import score
from publish.hub.upload import local
from tests.support.cases import cases, golden

# word, lemma, upos, feats, head, deprel; a sentence to a block
TINY = golden("pp_natural/tiny")


def write(path: Path, text: str = TINY) -> str:
    blocks = [block.splitlines() for block in text.strip().split("\n\n")]
    lines = []
    for number, block in enumerate(blocks, start=1):
        lines.append(f"# sent_id = s{number}")
        for place, line in enumerate(block, start=1):
            form, lemma, upos, feats, head, deprel = line.split()
            lines.append(
                "\t".join(map(str, (place, form, lemma, upos, "_", feats, head, deprel, "_", "_")))
            )
        lines.append("")
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return str(path)


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    return write(tmp_path / "de_tiny-ud-test.conllu")


def test_candidates_and_positions_by_hand(tiny):
    sentences = read_sentences(tiny)
    found = [
        (
            *(sentence.id, phrase.preposition, position_of(phrase)),
            *(sentence.tokens[word] for word in (phrase.head, *phrase.candidates)),
        )
        for sentence in sentences
        for phrase in harvest(sentence)
    ]
    assert found == [
        ("s1", "mit", "next_to_noun", "Frau", "Mann", "Frau", "gesehen"),
        # the finite verb follows, so that a noun before is the only way
        ("s2", "mit", "inside_np", "Frau", "Frau", "sieht"),
        # the noun inside the first phrase is a candidate of the second
        ("s2", "in", "away_from_noun", "sieht", "Frau", "Fernglas", "sieht"),
        # s3 has no verb but a noun; in s4 one phrase has the verb alone, the other hangs on `stolz`
    ]


def test_rows_score_with_the_metric(tiny):
    columns = natural_columns([tiny])
    assert columns["id"] == [f"de_tiny_ud_test/{i:05d}" for i in (1, 2, 3)]
    assert columns["item_id"] == [f"de_tiny_ud_test/s{i}" for i in (1, 2, 2)]
    assert columns["distance"] == [0, 0, 2]
    assert columns["definiteness"] == ["bare", "definite", "indefinite"]
    heads = [list(one) for one in columns["heads"]]
    heads[2][columns["pp"][2]] = columns["candidates"][2][1] + 1  # the nearest noun
    trees = {name: columns[name] for name in ("tokens", "deprels")} | {"heads": heads}
    result = score({"predictions": trees, "references": columns}, read_options(confidence=None))
    assert result["accuracy"] == pytest.approx(2 / 3)  # all but the last
    assert result["verb_rate_gold"] == pytest.approx(1 / 3)
    assert result["topology_pair_accuracy"] != result["topology_pair_accuracy"]  # no pairs: nan


def test_a_row_that_breaks_a_rule_is_named(tiny):
    rows = natural_table([tiny]).to_pylist()
    assert list(natural_problems(rows)) == []
    broken = [rows[0] | {"head": 0}, rows[1] | {"adposition": 5, "verb": 0}, rows[1]]
    found = [line.rpartition("expected ")[2] for line in natural_problems(broken)]
    assert found == [
        "the gold head among the candidates",
        "the head of the tree",
        "the verb among the candidates",
        "a preposition before its noun",
        "an id of its own",
    ]


@pytest.mark.parametrize(*cases("pp_natural/a_treebank_without_phrases_or_trees_is_named"))
def test_a_treebank_without_phrases_or_trees_is_named(tmp_path, text, message):
    with pytest.raises((ValueError, ConllError), match=message):
        natural_columns([write(tmp_path / "some.conllu", text)])


def test_files_that_cannot_be_are_named(tiny):
    with pytest.raises(ValueError, match="natural, got no treebank; expected CoNLL-U files"):
        natural_columns([])
    with pytest.raises(ValueError, match="named de_tiny_ud_test, de_tiny_ud_test; expected each"):
        natural_columns([tiny, tiny])
    with pytest.raises(ValueError, match=r"natural, got nowhere\.conllu, no such file; expected a"):
        natural_columns(["nowhere.conllu"])


def test_local_rows_are_built_on_request_and_never_published(tiny):
    assert "natural" not in PpAttachment.config_names(views=True)
    assert "natural" not in PpAttachment.stamped_configs()
    assert "natural" in PpAttachment.config_names(local=True)
    table = split_table("pp_attachment", "natural", "test", {"natural": [tiny]})
    assert table["id"].to_pylist() == natural_columns([tiny])["id"]
    assert local("pp_attachment", {"rows": {"conll/test": 1, "natural/test": 3}}) == [
        "pp_attachment: natural, got rows of a text that is not ours to pass on; expected a build"
        " without it"
    ]


# phrases of each German treebank, and how many of them hang on the verb
TREEBANKS = {
    "de_gsd-ud-dev": (514, 348),
    "de_gsd-ud-test": (790, 458),
    "de_lit-ud-test": (732, 528),
    "de_pud-ud-test": (1104, 614),
}


@pytest.mark.parametrize("name", TREEBANKS)
def test_german_treebanks(sources, name):
    columns = natural_columns([str(sources / "treebanks" / "de" / f"{name}.conllu.gz")])
    n_verbs = sum(v == h for v, h in zip(columns["verb"], columns["head"], strict=True))
    assert (len(columns["id"]), n_verbs) == TREEBANKS[name]
    assert list(natural_problems(pa.table(columns).to_pylist())) == []
