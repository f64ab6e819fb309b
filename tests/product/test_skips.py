"""Which skips are excused: only those whose missing thing is really missing here."""

import pytest

from tests.support.cases import cases
from tests.support.skips import is_excused, unexcused


@pytest.mark.parametrize(*cases("skips/only_what_is_missing_excuses"))
def test_only_what_is_missing_excuses(reason, is_missing):
    assert is_excused(reason) == is_missing


def test_data_excuse_only_where_they_are_absent(monkeypatch, tmp_path):
    reason = "Skipped: the authors' files are not at hand: /x is no folder"
    monkeypatch.setenv("GARDENPATH_RELEASED", str(tmp_path))
    assert not is_excused(reason)
    monkeypatch.setenv("GARDENPATH_RELEASED", f"{tmp_path}/none")
    assert is_excused(reason)


def test_browser_excuses_only_where_there_is_none(monkeypatch):
    reason = "Skipped: no browser here: install Debian's chromium and chromium-driver"
    monkeypatch.setattr("tests.support.skips.shutil.which", lambda name: None)
    assert is_excused(reason)
    monkeypatch.setattr("tests.support.skips.shutil.which", lambda name: f"/usr/bin/{name}")
    assert not is_excused(reason)


def test_the_line_names_test_and_reason():
    skips = [("tests/test_a.py::test_b", "later"), ("tests/test_c.py", "no_such is not installed")]
    assert unexcused(skips) == [
        "tests/test_a.py::test_b: skipped with 'later'; expected it to run, "
        "since what it misses is at hand"
    ]
