"""What a study imports late it says first: its packages, its systems', those of plots and Ray."""

import ast
import importlib.metadata
from pathlib import Path

import pytest

from research.studies.__main__ import main
from research.studies.catalogue import studies
from tests.conftest import ROOT
from tests.support.cases import cases

STATISTICS = {"scipy", "statsmodels"}
REPORT = "research.studies.morphseg.report"  # others take its rows alone, not its regressions


def imports(path: Path, *, late: bool) -> set[str]:
    """Names of what a file imports, at its top or also inside its functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree) if late else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{one.name}" for one in node.names)}
    return found


def reached(path: Path, seen: set[Path]) -> set[Path]:
    """The files of `research/studies` that a file imports, and those that these import."""
    seen.add(path)
    for name in imports(path, late=False):
        other = ROOT / f"{name.replace('.', '/')}.py"
        is_new = other.exists() and other not in seen
        if name.startswith("research.studies") and name != REPORT and is_new:
            reached(other, seen)
    return seen


def test_studies_declare_the_packages_of_their_statistics():
    seen = 0
    for study in studies():
        path = ROOT / f"{study.module.replace('.', '/')}.py"
        files = reached(path, set()) if path.exists() else ()  # a study of every suite has none
        late = {name.split(".")[0] for path in files for name in imports(path, late=True)}
        assert late & STATISTICS <= set(study.packages), study.place
        seen += len(study.packages)
    assert seen


@pytest.mark.parametrize(*cases("study_packages/a_study_says_what_it_needs_before_it_reads_a_row"))
def test_a_study_says_what_it_needs_before_it_reads_a_row(
    arguments, package, capsys, monkeypatch, tmp_path
):
    def version(name: str) -> str:
        if name == package:
            raise importlib.metadata.PackageNotFoundError(name)
        return "1"

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.metadata, "version", version)
    assert main(arguments) == 1
    shown = capsys.readouterr()
    assert f"package {package} is not installed; pip install" in shown.err
    assert shown.out == ""
