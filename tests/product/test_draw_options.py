"""Options of a draw: declared once, in the suites' config classes; refused if no draw has them."""

import argparse
import dataclasses
import io
import re
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import push
from dataset_scripts.registry import (
    add_options,
    builder_for,
    given_options,
    other_than_default,
    suite_builder,
    suite_names,
)
from dataset_scripts.suite import SuiteConfig
from ground.command_line import option_fields
from ground.faults import run_command
from metrics._shared.option_fields import option
from publish.build.manifest import write_manifest
from publish.build.metrics import metric_names
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.publishing import METRIC


def test_push_names_no_suite_and_every_option_of_one_is_on_the_command_line(capsys):
    text = (ROOT / "push.py").read_text(encoding="utf-8")
    assert [name for name in suite_names() if name in text] == []
    with pytest.raises(SystemExit) as stopped:
        push.main(["build", "--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out.replace("]", " ")
    for suite in suite_names():
        for name in option_fields(suite_builder(suite).BUILDER_CONFIG_CLASS):
            assert f"--{name.replace('_', '-')} " in shown, name


def test_options_are_read_by_type():
    parser = argparse.ArgumentParser()
    add_options(parser)
    line = ["--seed", "3", "--released", "files", "--unpaired", "--placement", "paper"]
    expected = {"seed": 3, "released": Path("files"), "unpaired": True, "placement": "paper"}
    assert given_options(parser.parse_args(line)) == expected
    assert given_options(parser.parse_args([])) == {}


def test_a_field_more_in_a_config_class_is_an_option_more(monkeypatch):
    @dataclasses.dataclass
    class Louder(SuiteConfig):
        volume: int = option(1, "how loud")

    monkeypatch.setattr(suite_builder("morphseg"), "BUILDER_CONFIG_CLASS", Louder)
    parser = argparse.ArgumentParser()
    add_options(parser)
    assert "morphseg: how loud" in parser.format_help()
    assert given_options(parser.parse_args(["--volume", "11"])) == {"volume": 11}


def test_one_name_with_two_meanings_is_refused(monkeypatch):
    @dataclasses.dataclass
    class Other(SuiteConfig):
        unpaired: str = option("x", "how lonely")

    monkeypatch.setattr(suite_builder("morphseg"), "BUILDER_CONFIG_CLASS", Other)
    message = r"dataset_scripts/morphseg\.py: option unpaired, got another"
    with pytest.raises(ValueError, match=message):
        add_options(argparse.ArgumentParser())


def test_only_what_differs_from_the_default_is_recorded():
    eras = suite_builder("eras")
    assert other_than_default(eras, {"seed": 0, "size": 390, "natural": ()}) == {"size": 390}


@pytest.mark.parametrize("suite", suite_names())
@pytest.mark.parametrize(*cases("draw_options/options_that_no_draw_has_are_refused"))
def test_options_that_no_draw_has_are_refused(suite, given, message, tmp_path):
    builder = suite_builder(suite)
    with pytest.raises(ValueError, match=re.escape(f"{suite}: {message}")):
        builder_for(builder, suite, str(builder.DEFAULT_CONFIG_NAME), given, str(tmp_path))


@pytest.mark.parametrize(*cases("draw_options/a_command_that_no_draw_answers_ends_in_one_line"))
def test_a_command_that_no_draw_answers_ends_in_one_line(given, message, tmp_path, capsys):
    assert push.main(["build", "eras", "--out", str(tmp_path), *given]) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if "push.py" in line]
    assert len(lines) == 1
    assert lines[0].startswith(f"push.py build: eras: {message}")
    assert list(tmp_path.iterdir()) == []


def test_a_metric_is_not_drawn(tmp_path, capsys):
    name = metric_names()[0]
    assert push.main(["build", name, "--seed", "3", "--out", str(tmp_path)]) == 1
    assert f"--seed, got it for {name}; expected a suite" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(28, "No space left on device", "hub/x"), "hub/x: No space left on device"),
        (OSError(30, "Read-only file system"), "[Errno 30] Read-only file system"),
        (pa.ArrowMemoryError("malloc of size 64 failed"), "not enough memory malloc of size 64"),
        (pa.ArrowNotImplementedError("no such cast"), "no such cast"),
        (ValueError("two\nlines"), "two lines"),
    ],
)
def test_faults_end_in_one_line(error, line, capsys):
    def fail() -> int:
        raise error

    assert run_command("push.py build", fail) == 1
    shown = capsys.readouterr().err.splitlines()
    assert len(shown) == 1
    assert shown[0].startswith(f"push.py build: {line}")


def test_an_interrupt_says_that_it_stopped(capsys):
    def interrupt() -> int:
        raise KeyboardInterrupt

    assert run_command("push.py build", interrupt) == 130
    assert capsys.readouterr().err == "\npush.py build: stopped\n"


def test_what_a_locale_cannot_write_is_written_as_its_number(monkeypatch):
    for encoding, shown in (("ascii", b"1 \\u2013 \\xe4\n"), ("iso-8859-1", b"1 \\u2013 \xe4\n")):
        written = io.BytesIO()
        stream = io.TextIOWrapper(written, encoding=encoding, newline="\n")
        monkeypatch.setattr("sys.stdout", stream)
        assert run_command("push.py build", lambda: print("1 \u2013 ä") or 0) == 0
        stream.flush()
        assert written.getvalue() == shown


@pytest.mark.parametrize("out", ["file", "file/below"])
def test_an_output_that_is_no_folder_is_one_line(out, tmp_path, capsys):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert push.main(["build", metric_names()[0], "--out", str(tmp_path / out)]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("push.py build: ")


@pytest.mark.parametrize(*cases("draw_options/check_says_what_a_damaged_folder_lacks"))
def test_check_says_what_a_damaged_folder_lacks(file, text, message, small, tmp_path, capsys):
    shutil.copytree(small / METRIC, tmp_path / METRIC)
    (tmp_path / METRIC / file).write_text(text, encoding="utf-8")
    if file == "README.md":
        write_manifest(tmp_path / METRIC)  # else the manifest is what is told
    assert push.main(["check", METRIC, "--out", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert message in shown.out + shown.err
