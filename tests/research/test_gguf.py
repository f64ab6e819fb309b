"""GGUF files become folders: once, checked by what they were made of."""

from pathlib import Path

import pytest

from research.systems.language_models import gguf


def test_a_file_is_converted_once_and_again_when_it_is_another(tmp_path, monkeypatch):
    made = []

    def convert(file: Path, folder: Path) -> None:
        made.append(file.read_bytes())
        folder.mkdir()

    monkeypatch.setattr(gguf, "_convert", convert)
    file, folder = tmp_path / "model.gguf", tmp_path / "models" / "model"
    for content, n in ((b"GGUF one", 1), (b"GGUF one", 1), (b"GGUF two", 2)):
        file.write_bytes(content)
        assert gguf.folder_of([file], folder) == folder
        assert (len(made), made[-1]) == (n, content)
    (folder / gguf.SOURCE).unlink()  # as a stopped conversion leaves it
    gguf.folder_of([file], folder)
    assert len(made) == 3
    (tmp_path / "rest").write_bytes(b" and more")
    gguf.folder_of([file, tmp_path / "rest"], folder)
    assert made[3:] == [b"GGUF two and more"]
    assert not list(folder.parent.glob("*.gguf"))


def test_what_is_no_gguf_file_is_refused(tmp_path):
    file = tmp_path / "model.gguf"
    for content in (None, b"PK"):
        if content:
            file.write_bytes(content)
        with pytest.raises(ValueError, match="weights, got no GGUF file; expected one"):
            gguf.folder_of([file], tmp_path / "model")
