"""Options are declared once, with their rule; a command says which package and extra it lacks."""

import argparse
import importlib
import importlib.metadata
from dataclasses import MISSING, dataclass
from pathlib import Path

import pytest

import push
from ground import extras
from ground.command_line import check_options, file, to_argparse
from ground.extras import packages_of, require, told
from ground.faults import run_command
from metrics._shared.option_fields import option
from publish.build.metrics import metric_names
from tests.product.test_command_faults import raising
from tests.support.cases import cases


@dataclass
class Scoring:
    path: Path = option(MISSING, "what is scored", parse=file, metavar="FILE", is_positional=True)
    scale: str = option("linear", "how values are read", choices=("linear", "log"))
    n_resamples: int = option(2000, "100% of the samples", low=100)
    names: tuple[str, ...] = option((), "systems", many="+", flags=("-n", "--only"))
    per_item: bool = option(False, "whether to add rows")


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(exit_on_error=False)
    to_argparse(made, Scoring)
    return made


def test_arguments_are_read_by_their_rules(parser):
    assert vars(parser.parse_args(["~/a"])) == vars(Scoring(Path.home() / "a"))
    line = ["a", "--scale", "log", "--n-resamples", "100", "--only", "x", "y", "--per-item"]
    assert vars(parser.parse_args(line)) == vars(Scoring(Path("a"), "log", 100, ["x", "y"], True))  # type: ignore[arg-type]
    message = "argument --n-resamples: got '99'; expected a whole number, at least 100"
    with pytest.raises(argparse.ArgumentError) as refused:
        parser.parse_args(["a", "--n-resamples", "99"])
    assert str(refused.value) == message


def test_help_says_what_an_option_does_and_its_default(parser):
    shown = " ".join(parser.format_help().split())
    assert "--n-resamples N 100% of the samples (default: 2000)" in shown
    assert "how values are read (default: linear)" in shown
    assert "whether to add rows (" not in shown


def test_a_record_is_checked_by_the_same_rules():
    check_options(Scoring(Path("a")))
    with pytest.raises(ValueError, match="n_resamples, got 9; expected a whole number from 100"):
        check_options(Scoring(Path("a"), n_resamples=9))


@pytest.mark.parametrize("name", metric_names())
def test_options_of_a_metric_are_arguments_too(name):
    declared = importlib.import_module(f"metrics.{name}.options").Options
    parser = argparse.ArgumentParser()
    to_argparse(parser, declared)
    assert vars(parser.parse_args([])) == declared.defaults()


def test_help_of_push_is_grouped_and_that_of_a_build_is_of_its_suite(capsys):
    for line in (["--help"], ["build", "sorts", "--help"]):
        with pytest.raises(SystemExit):
            push.main(line)
    whole, of_sorts = capsys.readouterr().out.split("usage: push.py build")
    assert whole.index("for users:") < whole.index("  result ") < whole.index("for makers:")
    assert "--placement" in of_sorts
    assert "--unpaired" not in of_sorts


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of packages that are as if they were not installed."""
    names: list[str] = []
    version = importlib.metadata.version

    def of(name: str) -> str:
        if name in names:
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(importlib.metadata, "version", of)
    return names


@pytest.mark.parametrize(*cases("extras/a_command_of_push_says_what_it_needs_before_it_starts"))
def test_a_command_of_push_says_what_it_needs_before_it_starts(
    arguments, package, extra, lacking, capsys, monkeypatch
):
    monkeypatch.delattr(push, f"_{arguments[0]}")  # what runs anything fails
    lacking.append(package)
    assert push.main(arguments) == 1
    shown = capsys.readouterr()
    assert f"package {package} is not installed; pip install '.[{extra}]'" in shown.err
    assert shown.err.startswith(f"push.py {arguments[0]}: ")
    assert len(shown.err.splitlines()) == 1
    assert shown.out == ""


def test_what_is_imported_late_has_the_same_remedy(capsys):
    fault = ModuleNotFoundError("No module named 'pycrfsuite'", name="pycrfsuite")
    for lacking in (fault, importlib.metadata.PackageNotFoundError("python-crfsuite")):
        assert run_command("x", raising(lacking)) == 1
        line = "x: package python-crfsuite is not installed; pip install '.[research]'\n"
        assert capsys.readouterr().err == line


def test_a_package_of_no_extra_is_installed_by_its_name():
    assert told("icu").endswith("pip install icu")
    require("numpy", command="x")
    assert "datasets" in packages_of("hub")
    assert "garden-path" not in packages_of("research")


def test_outside_the_repository_the_extra_is_that_of_the_index(tmp_path, monkeypatch):
    monkeypatch.setattr(extras, "ROOT", tmp_path)
    monkeypatch.setattr(
        importlib.metadata, "requires", lambda name: ["torch>=2.13; extra == 'models'", "numpy>=2"]
    )
    assert told("torch").endswith("pip install 'garden-path[models]'")
