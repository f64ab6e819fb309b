"""The studies of attachment: the suite and treebanks side by side, by hand; what they refuse."""

import warnings
from pathlib import Path

import pytest

from ground.downloads import checksum
from research.studies.__main__ import main
from research.studies.pp_attachment import treebanks
from research.studies.pp_attachment.attachment import STUDY, part_rows
from research.studies.pp_attachment.treebanks import STUDY as TREEBANKS
from research.systems.parsers import trained_parsers
from research.systems.parsers.trained_parsers import mixes, treebank_files
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


READERS = ["verb-always", "nearest-noun", "adjacent-noun"]


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of treebanks with one file, of three phrases, one of them on the verb."""
    path = Path(write(tmp_path / "de_tiny-ud-test.conllu"))
    table = tmp_path / "treebanks.toml"
    table.write_text(
        "# source: a test\n# licence: CC0\n"
        f'[tiny]\nlanguage = "de"\nlicence = "CC0"\ntrain = ["{path.name}"]\ntest = "{path.name}"\n'
        f'[sha256]\n"{path.name}" = "{checksum(path.read_bytes())}"\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(trained_parsers, "TABLE", table)
    monkeypatch.setenv("GARDENPATH_SOURCES", str(tmp_path))
    mixes.cache_clear()
    yield tmp_path
    mixes.cache_clear()


def test_names_of_treebanks_are_short():
    assert treebanks.name_of("treebanks/de/de_lit-ud-test.conllu") == "LIT test"
    assert list(map(treebanks.name_of, treebank_files("de"))) == [
        *("GSD dev", "GSD test", "LIT test", "PUD test")
    ]


def test_a_parser_is_not_scored_on_what_it_was_trained_on():
    free, whole = "trained:spacy/german-free/0", "trained:udpipe/german-all/2"
    assert treebanks.is_trained_on(free, "PUD test")
    assert treebanks.is_trained_on(free, "GSD dev")
    assert not treebanks.is_trained_on(free, "LIT test")  # not of the free ones
    assert treebanks.is_trained_on(whole, "LIT test")
    assert not treebanks.is_trained_on(whole, "GSD test")  # held out
    assert not treebanks.is_trained_on("verb-always", "GSD dev")


def test_suite_and_treebank_are_scored_side_by_side(tiny):
    results = scored(TREEBANKS, tiny, "--resamples", "100", "--systems", *READERS)
    assert list(results) == ["lite", "TINY test"]
    verb = next(row for row in treebanks.system_rows(results) if row["system"] == "verb-always")
    assert str(verb["TINY test"]).startswith("33.3")
    assert "signature" not in results["TINY test"][0]
    row = treebanks.agreement_row(results, "TINY test")
    assert row["n_systems"] == 3
    assert -1 <= row["spearman"] <= 1
    text = treebanks.result_text(results, [row])
    assert "TINY test 3 (33 %)" in text
    assert treebanks.dots(results).startswith(b"\x89PNG")


def test_a_treebank_that_every_system_has_seen_has_no_dots():
    results = {"lite": [{"system": "trained", "accuracy": 0.5}], "GSD dev": []}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert treebanks.dots(results).startswith(b"\x89PNG")


def test_the_ranks_of_a_suite_and_itself_agree(tiny):
    results = scored(TREEBANKS, tiny, "--resamples", "100", "--systems", *READERS)
    row = treebanks.agreement_row(results | {"again": results["lite"]}, "again")
    assert row["spearman"] == pytest.approx(1)
    assert row["pearson"] == pytest.approx(1)


def test_a_treebank_that_is_missing_is_named(tiny, monkeypatch, capsys):
    (tiny / "de_tiny-ud-test.conllu").unlink()
    assert main(["pp_attachment", "treebanks", "--systems", "verb-always"]) == 1
    assert "source, got no such file; expected it there" in capsys.readouterr().err
