"""What the search leaves of some configs: the lines of others stay, if they are still true."""

from pathlib import Path

import pytest

from builders.shallow import READERS, Shallow
from dataset_scripts.registry import suite_builder
from ground.tables import read_table
from research.shallow import __main__ as command


def line(config: str, value: float) -> Shallow:
    shares = dict.fromkeys(("low", "high", "held_out", "chance"), value)
    return Shallow(config, "accuracy", "null", "a reader", value, **shares, bound=0.6, n=9)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    return tmp_path / "sorts" / "data"


def test_lines_of_other_configs_stay(folder: Path) -> None:
    folder.mkdir(parents=True)
    command.write("sorts", [line("pairs/test", 0.7), line("twins/test", 0.3)], [])
    parts = [line("pairs/test", 0.5), line("pairs/test:verbs", 0.4)]
    command.write("sorts", parts, [], only=["pairs"])
    found = {one.config: one.value for one in read_table(folder / READERS, Shallow)}
    assert found == {"pairs/test": 0.5, "pairs/test:verbs": 0.4, "twins/test": 0.3}


def test_a_line_about_other_rows_does_not_stay(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the table would say of every line that its search is of today's VERSION."""
    folder.mkdir(parents=True)
    builder = suite_builder("sorts")
    monkeypatch.setattr(builder, "VERSION", "3.0.0")
    command.write("sorts", [line("pairs/test", 0.7), line("dutch_pairs/test", 0.7)], [])
    before = (folder / READERS).read_bytes()
    monkeypatch.setattr(builder, "VERSION", "3.1.0")  # with which rows of both came
    with pytest.raises(ValueError, match=r"dutch_pairs, got a search of version 3\.0\.0, and rows"):
        command.write("sorts", [line("pairs/test", 0.5)], [], only=["pairs"])
    assert (folder / READERS).read_bytes() == before


def test_a_config_that_is_not_searched_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="config, got 'piars'; expected one that"):
        command.main(["sorts", "piars", "--hub", str(tmp_path), "--write"])
    assert not folder.exists()
