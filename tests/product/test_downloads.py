"""Downloads keep only what has the recorded checksum, and go on where they broke off."""

import gzip
from pathlib import Path

import pytest

import publish.build.build
from builders.morphseg.sources import languages, read_language
from dataset_scripts.eras import Eras
from dataset_scripts.morphseg import Morphseg
from ground.downloads import SourceFile, checksum, download
from ground.tables import DataFileError
from publish.build.build import fetch_released

CONTENT = {"https://a": b"boats\tboat:boat_N s:+PL\n", "https://b": b"tea\ttea:tea_N\n"}


def sources() -> list[SourceFile]:
    return [
        SourceFile("eng/a", "https://a", checksum(CONTENT["https://a"])),
        SourceFile("b", "https://b", checksum(CONTENT["https://b"])),
    ]


def test_download_writes_files_and_does_not_repeat_itself(tmp_path):
    asked: list[str] = []

    def fetch(url: str) -> bytes:
        asked.append(url)
        return CONTENT[url]

    assert download(sources(), tmp_path / "new", fetch) == tmp_path / "new"
    assert (tmp_path / "new" / "eng" / "a").read_bytes() == CONTENT["https://a"]
    (tmp_path / "new" / "b").write_bytes(b"half of it")
    download(sources(), tmp_path / "new", fetch)
    assert asked == ["https://a", "https://b", "https://b"]
    files = [path.name for path in (tmp_path / "new").rglob("*") if path.is_file()]
    assert sorted(files) == ["a", "b"]


def test_changed_file_is_refused_and_not_written(tmp_path):
    message = r"https://a: sha256, got [0-9a-f]{64}; expected [0-9a-f]{64}"
    with pytest.raises(DataFileError, match=message):
        download(sources(), tmp_path, lambda url: b"something else")
    assert not list(tmp_path.iterdir())


def test_every_file_of_every_language_is_pinned():
    assert len(Morphseg.released_sources()) == sum(len(one.files) for one in languages().values())
    assert len(Morphseg.released_sources()) == 16


def test_recorded_checksums_are_those_of_the_files(sources, tmp_path):
    folder = sources / "segmentation"
    by_url = {
        file.url: gzip.decompress((folder / f"{file.name}.gz").read_bytes())
        for file in Morphseg.released_sources()
    }
    download(Morphseg.released_sources(), tmp_path, by_url.__getitem__)
    assert len(read_language("fin", tmp_path)) == 1835


def test_build_takes_download_for_a_folder(tmp_path, monkeypatch):
    fetched: list[Path] = []
    monkeypatch.setattr(
        publish.build.build, "download", lambda found, folder: fetched.append(folder) or folder
    )
    options = fetch_released("morphseg", Morphseg, {"released": Path("download"), "seed": 1})
    assert options == {"released": fetched[0], "seed": 1}
    assert fetched[0].parts[-2:] == ("released", "morphseg")
    # ERAS has no authors' rows to show
    assert fetch_released("eras", Eras, {"released": Path("download")}) == {}
    message = r"morphseg: released, got .*; expected the files of one of"
    with pytest.raises(ValueError, match=message):
        fetch_released("morphseg", Morphseg, {"released": tmp_path})  # an empty folder


def test_suite_without_pinned_files_says_so(monkeypatch):
    monkeypatch.setattr(Morphseg, "released_sources", list)
    message = "morphseg: released, got 'download'; expected the folder of the authors' files"
    with pytest.raises(ValueError, match=message):
        fetch_released("morphseg", Morphseg, {"released": Path("download")})


def test_only_languages_with_files_are_built(released, tmp_path):
    names = Morphseg.config_names(released / "segmentation")
    assert names == [
        *("synthetic", "synthetic_fusional", "synthetic_polysynthetic"),
        *("pairs", "morphseg_scores", "eng", "fin", "rus"),
    ]
    assert Morphseg.config_names(tmp_path) == names[:5] == Morphseg.config_names()
