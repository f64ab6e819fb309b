"""Any file gives a value or one ValueError that names the file, and where it can the line."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.broken_files import Reader, broken, readers

N_FILES = 400  # over all readers; ten thousand with --nightly
N_NIGHTLY = 10_000


def outcome(reader: Reader, path: Path) -> str:
    """The message of the reader's ValueError, "" where it gives a value."""
    try:
        reader.read(path)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("reader", readers(), ids=lambda reader: reader.name)
def test_whole_files_are_read(reader, tmp_path):
    path = tmp_path / reader.file
    path.write_bytes(reader.content)
    assert outcome(reader, path) == ""


@pytest.mark.parametrize("reader", readers(), ids=lambda reader: reader.name)
def test_any_file_is_read_or_refused(reader, tmp_path, pytestconfig):
    is_nightly = pytestconfig.getoption("--nightly")
    path = tmp_path / reader.file

    @settings(
        max_examples=(N_NIGHTLY if is_nightly else N_FILES) // len(readers()) + 1,
        deadline=None,
        database=None,
        derandomize=not is_nightly,
        suppress_health_check=list(HealthCheck),
    )
    @given(broken(reader.content))
    def each(content: bytes) -> None:
        path.write_bytes(content)
        message = outcome(reader, path)
        assert "\n" not in message
        assert not message or str(path) in message, message
        assert "got " in message or not message, message

    each()


@pytest.mark.parametrize("reader", readers(), ids=lambda reader: reader.name)
def test_a_byte_that_is_no_text_is_named_with_its_line(reader, tmp_path):
    if reader.is_binary:
        return
    path = tmp_path / reader.file
    lines = reader.content.split(b"\n")
    path.write_bytes(b"\n".join([lines[0] + b"\xff", *lines[1:]]))
    assert re.search(rf"{re.escape(str(path))}:1: .*, got .*; expected ", outcome(reader, path))
