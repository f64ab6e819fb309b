"""Readers of the 11 languages: every format, the counts of Table 1, one bad file per message."""

import functools
import gzip
import re
from pathlib import Path

import pytest

import push
from builders.morphseg.columns import pool_table
from builders.morphseg.draw import draw
from builders.morphseg.sources import (
    Word,
    check_files,
    find_file,
    has_files,
    language,
    languages,
    merge_analyses,
    parse_analyses,
    read_language,
)
from builders.morphseg.validity import problems
from ground.tables import DataFileError
from tests.conftest import ROOT
from tests.support.cases import cases, golden

HERE = ROOT / "tests"
INVALID = HERE / "invalid" / "morphseg"


@functools.cache
def pool_of(code: str, folder: Path) -> list[Word]:
    return read_language(code, folder)


def read_lines(tmp_path: Path, file_format: str, *lines: str) -> list[Word]:
    path = tmp_path / "words"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return merge_analyses(parse_analyses(path, file_format, "utf-8"))


def test_table_1_has_41_settings_of_11_languages_and_six_families():
    table = languages()
    assert len(table) == 11
    # 82 settings with both methods (section 7.2)
    assert sum(len(entry.sizes) for entry in table.values()) == 41
    assert len({entry.family for entry in table.values()}) == 6
    types = {"agglutinative", "fusional", "polysynthetic"}
    assert {entry.morphology for entry in table.values()} == types
    assert sum(len(entry.sizes) * len(entry.new_test_sizes) for entry in table.values()) == 115
    found = max(max(entry.sizes) for entry in table.values() if entry.new_test_sizes == (50, 100))
    assert found == 1500


def test_no_source_is_redistributable_and_each_is_pinned():
    for entry in languages().values():
        assert not entry.is_redistributable
        for file in entry.files:
            assert file.url.startswith("https://")
            assert any(len(part) == 40 for part in file.url.split("/"))  # a commit, not a branch
            assert re.fullmatch("[0-9a-f]{64}", file.sha256), file.name


@pytest.mark.parametrize(*cases("morphseg_sources/morpho_challenge_keeps_all_analyses"))
def test_morpho_challenge_keeps_all_analyses(word, morphemes, alternatives, tags):
    path = HERE / "golden" / "morpho_challenge.txt"
    words = merge_analyses(parse_analyses(path, "morpho_challenge", "latin-1"))
    found = next(one for one in words if one.word == word)
    assert [list(found.morphemes), list(found.tags)] == [morphemes, tags]
    assert list(map(list, found.alternatives)) == alternatives


def test_chipmunk_collects_analyses_from_several_lines(tmp_path):
    lines = ["oats\toat:ROOT|ROOT::NOMINAL s:INFL|SUFFIX", "a\ta:ROOT"]
    lines += ["oats\toats:ROOT", "oats\toat:ROOT s:UNK"]
    oats, a = read_lines(tmp_path, "chipmunk", *lines)
    tags = ("ROOT|ROOT::NOMINAL", "INFL|SUFFIX")
    assert oats == ("oats", ("oat", "s"), (("oat", "s"), ("oats",)), tags)
    assert a.word == "a"


@pytest.mark.parametrize(*cases("morphseg_sources/other_formats_give_one_segmentation"))
def test_other_formats_give_one_segmentation(tmp_path, file_format, line, morphemes, tags):
    [word] = read_lines(tmp_path, file_format, line, line)
    assert word == ("boats", tuple(morphemes), (tuple(morphemes),), tuple(tags))


# the paper, column "types"
TABLE_1 = golden("morphseg_sources/table_1")


def test_table_1_has_every_language():
    assert TABLE_1.keys() == languages().keys()


@pytest.mark.parametrize(
    ("code", "n_types"),
    [
        pytest.param(*one, marks=pytest.mark.slow if one[1] > 30_000 else ())
        for one in TABLE_1.items()
    ],
)
def test_pool_has_the_types_of_table_1(sources, code, n_types):
    folder = sources / "segmentation"
    assert has_files(code, folder)
    check_files(code, folder)
    pool = pool_of(code, folder)
    assert len(pool) == n_types == language(code).n_types
    assert problems(pool_table(code, pool)) == []
    assert all(len(set(w.alternatives)) == len(w.alternatives) for w in pool)


@pytest.mark.parametrize(
    # published counts of the files: segmentation.md, section 3
    ("code", "n_morphemes", "n_types", "n_ambiguous"),
    [("eng", 2.286, 1599, 60), ("fin", 3.417, 2153, 176), ("rus", 3.856, 15683, 0)],
)
def test_pool_has_the_measured_characteristics(sources, code, n_morphemes, n_types, n_ambiguous):
    pool = pool_of(code, sources / "segmentation")
    assert round(sum(len(w.morphemes) for w in pool) / len(pool), 3) == n_morphemes
    assert len({m for w in pool for m in w.morphemes}) == n_types
    assert sum(len(w.alternatives) > 1 for w in pool) == n_ambiguous


@pytest.mark.parametrize(*cases("morphseg_sources/bad_files"))
def test_malformed_line_is_named(name, message):
    with pytest.raises(DataFileError, match=message):
        parse_analyses(INVALID / f"{name}.txt", "morpho_challenge", "latin-1")


def test_missing_file_is_named(tmp_path):
    assert not has_files("tur", tmp_path)
    message = r"source file, got no goldstd_combined\.segmentation\.tur; expected .* or .*\.gz"
    with pytest.raises(DataFileError, match=message):
        read_language("tur", tmp_path)


def test_gzipped_file_is_found_and_a_changed_one_is_refused(tmp_path):
    path = tmp_path / "goldstd_combined.segmentation.eng.gz"
    path.write_bytes(gzip.compress(b"boats\tboat:boat_N s:+PL\n"))
    assert find_file(tmp_path, "goldstd_combined.segmentation.eng") == path
    with pytest.raises(DataFileError, match=r"sha256, got [0-9a-f]{64}; expected 5b93"):
        check_files("eng", tmp_path)
    message = r"English, got 1 word types; expected 1686 \(Table 1\)"
    with pytest.raises(DataFileError, match=message):
        read_language("eng", tmp_path)


def test_unknown_language_names_the_known_ones():
    with pytest.raises(ValueError, match=r"language, got 'xx'; expected one of deu, eng, "):
        language("xx")


def test_only_the_recorded_files_are_built(released, tmp_path):
    """A folder of files is checked like a download: one changed byte is no edition."""
    name = language("eng").files[0].name
    text = gzip.decompress((released / "segmentation" / f"{name}.gz").read_bytes())
    (tmp_path / name).write_bytes(text)
    assert len(draw(pool="eng", folder=tmp_path)) == language("eng").n_types
    for changed in (
        text.replace(b"boat_N", b"boat_X", 1) if b"boat_N" in text else text + b"\n",
        text.replace(b"\n", b"\r\n"),
        text + text.splitlines(keepends=True)[0],
    ):
        (tmp_path / name).write_bytes(changed)
        with pytest.raises(DataFileError, match=f"{name}: sha256, got "):
            draw(pool="eng", folder=tmp_path)


def test_a_folder_without_any_language_is_refused(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    arguments = ["--released", str(tmp_path / "empty"), "--out", str(tmp_path / "hub")]
    assert push.main(["build", "morphseg", *arguments]) == 1
    shown = capsys.readouterr().err
    assert "empty; expected the files of one of deu, eng, fas" in shown
    assert push.main(["build", "eras", *arguments]) == 1
    assert "empty; expected none to be given" in capsys.readouterr().err
    assert not (tmp_path / "hub").exists()
