"""Reference pages: every package has one, and they are built strictly, without network."""

import re
import sys

import pytest

from dataset_scripts.registry import suite_names
from publish.build.metrics import metric_names
from tests.conftest import ROOT
from tests.support.processes import captured


@pytest.mark.slow
def test_reference_pages_are_built_strictly(tmp_path):
    pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed: extra docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    run = captured(command, cwd=ROOT)
    assert run.returncode == 0, run.stdout + run.stderr
    for package in (
        "ground",
        *(f"builders.{name}" for name in suite_names()),
        *(f"metrics.{name}" for name in metric_names()),
    ):
        page = (tmp_path / "reference" / package / "index.html").read_text(encoding="utf-8")
        assert len(re.findall("doc-function|doc-class", page)) > 1, f"{package}: no function on it"
    for made in (
        "suites/eras",
        "metrics/gper",
        "results/eras",
        "claims",
        "reference/command_lines",
    ):
        assert len((tmp_path / made / "index.html").read_text(encoding="utf-8")) > 10_000, made
    for path in tmp_path.rglob("index.html"):
        shown = re.sub(r"(?s)<(pre|script|style).*?</\1>", "", path.read_text(encoding="utf-8"))
        assert not re.search(r"(?m)(^|<p>)\| .* \|", shown), f"{path}: a table is left as text"
    page = (tmp_path / "reference" / "metrics.gper" / "index.html").read_text(encoding="utf-8")
    assert "metrics.gper.scoring.score" in page
    assert not re.search(r'<(script|link)[^>]+(src|href)="https?:', page), "loads from elsewhere"
