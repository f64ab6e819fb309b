"""Every foreseeable fault ends every command in one line, with exit code 1, or 130 for Ctrl-C."""

import errno
import gzip
import socket
import subprocess
import sys
import urllib.error
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
import yaml

import push
from ground.faults import PIPE_CLOSED, is_foreseen
from tests.conftest import ROOT

FAULTS: dict[str, BaseException] = {
    "no space": OSError(errno.ENOSPC, "No space left on device", "hub/x"),
    "read-only": OSError(errno.EROFS, "Read-only file system", "hub/x"),
    "not allowed": PermissionError(errno.EACCES, "Permission denied", "hub/x"),
    "file too large": OSError(errno.EFBIG, "File too large"),
    "port in use": OSError(errno.EADDRINUSE, "Address already in use"),
    "no network": urllib.error.URLError(socket.gaierror(-2, "Name or service not known")),
    "connection lost": ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
    "time-out": TimeoutError("timed out"),
    "broken gzip": gzip.BadGzipFile("Not a gzipped file"),
    "half an archive": EOFError("Compressed file ended before the end-of-stream marker"),
    "broken zip": zipfile.BadZipFile("File is not a zip file"),
    "bad YAML": yaml.scanner.ScannerError("while scanning", None, "found a tab\nin line 1", None),
    "no memory": MemoryError(),
    "no memory for Arrow": pa.ArrowMemoryError("malloc of size 64 failed"),
    "no such package": ModuleNotFoundError("torch: not installed; pip install ...", name="torch"),
    "a program that hangs": subprocess.TimeoutExpired(["git"], 3),
    "no text": UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    "Ctrl-C": KeyboardInterrupt(),
}
COMMANDS = (
    *("build", "check", "export sorts --format conllu", "install", "push --namespace n"),
    "new metric x",
)


def raising(fault: BaseException) -> Callable[..., int]:
    def fail(*_: object, **__: object) -> int:
        raise fault

    return fail


def assert_one_line(code: int, shown: str, begins: str, fault: BaseException) -> None:
    is_stopped = isinstance(fault, KeyboardInterrupt)
    assert code == (130 if is_stopped else 1)
    lines = shown.strip().splitlines()
    assert len(lines) == 1, shown
    assert lines[0].startswith(f"{begins}: ")
    assert len(lines[0]) > len(begins) + 5, "the line says something"


@pytest.mark.parametrize(
    ("command", "fault"),
    [("build", fault) for fault in FAULTS.values()]
    + [(name, FAULTS[kind]) for name in [*COMMANDS][1:] for kind in ("no space", "Ctrl-C")],
)
def test_a_fault_of_push_is_one_line(command, fault, capsys, monkeypatch):
    arguments = command.split()
    monkeypatch.setattr(push, f"_{arguments[0]}", raising(fault))
    code = push.main(arguments)
    assert_one_line(code, capsys.readouterr().err, f"push.py {arguments[0]}", fault)


def test_a_defect_of_ours_keeps_its_traceback():
    for error in (KeyError("x"), AttributeError("x"), TypeError("x"), AssertionError("x")):
        assert not is_foreseen(error)
    assert not is_foreseen(ModuleNotFoundError("No module named 'builders.x'", name="builders.x"))
    assert is_foreseen(ModuleNotFoundError("No module named 'torch'", name="torch"))


def test_a_reader_who_has_read_enough_is_no_fault():
    code = (
        "import sys\nfrom ground.faults import run_command\n"
        "sys.exit(run_command('x', lambda: [print('line ' * 99) for _ in range(9999)] and 0))"
    )
    command, pipe = [sys.executable, "-c", code], subprocess.PIPE
    run = subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe)
    assert run.stdout is not None
    assert run.stderr is not None
    assert run.stdout.readline().startswith(b"line")
    run.stdout.close()
    assert run.stderr.read() == b""
    assert run.wait() == PIPE_CLOSED


# --- faults as they happen
def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err.strip().splitlines()[-1]


def test_a_full_disk(capsys, monkeypatch):
    full = Path("/dev/full")
    if not full.is_char_device():
        pytest.skip("this system has no /dev/full")
    monkeypatch.setattr("publish.hub.export.export", lambda *_: "text\n" * 100_000)
    assert push.main(["export", "sorts", "--format", "conllu", "--to", str(full)]) == 1
    assert "No space left on device" in told(capsys)
    assert full.is_char_device(), "what is no file is written to, never replaced"


def test_a_download_without_a_network(tmp_path, capsys, monkeypatch):
    reason = socket.gaierror(-2, "Name or service not known")
    monkeypatch.setattr("urllib.request.urlopen", raising(urllib.error.URLError(reason)))
    monkeypatch.setattr("publish.build.build.ROOT", tmp_path)
    given = ["build", "sorts", "--released", "download", "--out", str(tmp_path / "hub")]
    assert push.main(given) == 1
    line = told(capsys)
    assert line.startswith("push.py build: https://")
    assert "download, got [Errno -2] Name or service not known; expected the file" in line
    assert not (tmp_path / "hub" / "sorts").exists()


@pytest.mark.parametrize("suite", ["eras", "sorts", "centerbench", "morphseg"])
def test_a_size_that_no_machine_holds(suite, tmp_path, capsys):
    given = ["build", suite, "--size", str(10**12), "--out", str(tmp_path / "hub")]
    assert push.main(given) == 1
    line = told(capsys)
    assert line.startswith("push.py build: ")
    assert "expected" in line
    assert not list(tmp_path.glob("hub/*"))
