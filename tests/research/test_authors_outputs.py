"""What the parsers of SORTS' authors gave, as systems: found by checksum, scored on their clauses.
The figures are those that two other scorers give for the same files."""

import gzip
from pathlib import Path

import pytest

from ground.tables import DataFileError
from metrics.subject_object_las import scoring
from metrics.subject_object_las.options import read_options
from research.studies.sorts.subject_object import read_gold
from research.systems.registry import load
from tests.support.skips import released_folder, sources_folder


def las(config: str, folder: Path, name: str) -> dict[str, float]:
    gold = read_gold(f"{config}/amb", released=folder)
    trees = load("parser", name).predict(gold.columns)
    inputs = {"predictions": trees, "references": gold.columns}
    return scoring.score(inputs, read_options(confidence=None))


def test_sticker2_reads_german():
    if not released_folder().is_dir():
        pytest.skip("the authors' files are not at hand")
    found = las("released_head", released_folder() / "sorts", "authors:german/sticker2")
    assert (found["n"], round(100 * found["las"], 2)) == (6812, 84.31)
    assert round(100 * found["svo_ovs_score"], 1) == 51.0


@pytest.mark.slow
def test_a_parser_reads_dutch():
    if not sources_folder().is_dir():
        pytest.skip("the further sources are not at hand")
    folder = sources_folder() / "sorts" / "dutch"
    found = las("released_dutch_head", folder, "authors:dutch/dpar-pmi")
    assert (found["n"], round(100 * found["las"], 2)) == (6303, 80.41)


def test_another_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("GARDENPATH_RELEASED", str(tmp_path))
    monkeypatch.setenv("GARDENPATH_SOURCES", str(tmp_path))
    with pytest.raises(DataFileError, match="expected it there, perhaps gzipped"):
        load("parser", "authors:german/sticker2")
    path = tmp_path / "sorts" / "head_german_amb_sticker2.conll.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(b"1\tJa\t_\t_\t_\t_\t0\troot\t_\t_\n\n"))
    with pytest.raises(DataFileError, match=r"sha256, got .* \(authors_outputs\.tsv\)"):
        load("parser", "authors:german/sticker2")


def test_an_unknown_parser_is_named():
    with pytest.raises(ValueError, match=r"got 'german/sticker1'; expected one of dutch/dpar-"):
        load("parser", "authors:german/sticker1")
