"""The study of attachment: suite and treebank side by side, by hand; what it refuses."""

import pytest

from research.studies.__main__ import main
from research.studies.pp_attachment.attachment import STUDY, part_rows
from research.systems.registry import load
from tests.product.test_pp_natural import write
from tests.support.study_runs import scored

NULLS = ["verb-always", "nearest-noun"]
FAST = ["--config", "lite", "--resamples", "100", "--systems", *NULLS]


def test_suite_and_treebank_stand_side_by_side(tmp_path, capsys):
    treebank = write(tmp_path / "de_tiny.conllu")
    arguments = [*FAST, "--natural", treebank, "--store", str(tmp_path / "store")]
    assert main(["pp_attachment", "attachment", *arguments]) == 0
    told = capsys.readouterr().out
    assert "The suite and 3 phrases of treebanks with at least two candidate heads" in told
    (line,) = [one for one in told.splitlines() if one.startswith("| verb-always | 0.0 | ")]
    # one of the three phrases belongs to the verb
    assert line.split("|")[4].strip().startswith("33.3")
    assert "| before_verb |" in told
    assert "not above" in told


def test_a_trained_parser_reads_batches_of_tokens(tmp_path):
    """What stands for `trained:spacy/...`: a parser that sees tokens alone, batch by batch."""
    module = tmp_path / "my_parser.py"
    module.write_text(
        "def parse(sentences):\n"
        "    return [([0] + [1] * (len(s) - 1), ['root'] + ['obl'] * (len(s) - 1))"
        " for s in sentences]\n",
        encoding="utf-8",
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(tmp_path))
        name = "python:my_parser:parse"
        assert load("parser", name).batch_size
        arguments = ["--config", "lite", "--resamples", "100", "--systems", name]
        results = scored(STUDY, tmp_path, *arguments)["lite"]
    (result,) = results
    assert result["system"] == name
    assert result["outside_rate"] > 0.5  # the first word is seldom a candidate
    rows = part_rows(results, "position")
    assert rows[0]["position"] == "before_verb"


def test_a_treebank_that_is_none_is_named(tmp_path, capsys):
    arguments = [*FAST, "--natural", "nowhere.conllu", "--store", str(tmp_path)]
    assert main(["pp_attachment", "attachment", *arguments]) == 1
    assert "natural, got nowhere.conllu, no such file" in capsys.readouterr().err
