"""A command says which package it lacks, and in which extra it is, before it does anything."""

import importlib.metadata

import pytest

import push
from ground import extras
from ground.extras import packages_of, require, told
from ground.faults import run_command
from tests.support.cases import cases


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
    def fails() -> int:
        raise ModuleNotFoundError("No module named 'pycrfsuite'", name="pycrfsuite")

    def lacks() -> int:
        raise importlib.metadata.PackageNotFoundError("python-crfsuite")

    for command in (fails, lacks):
        assert run_command("x", command) == 1
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
