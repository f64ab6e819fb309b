"""Pages that a person follows: what they show is what their commands print."""

import difflib
import re
import sys

import pytest

from dataset_scripts.registry import suite_names
from publish.build.metrics import metric_names
from tests.conftest import ROOT
from tests.support.console import environment, run_page
from tests.support.processes import captured

PREDICTED = ("segmenter", "parser", "chat_model", "language_model")
RUN = ["README.md", *(f"docs/tutorials/{n}.md" for n in PREDICTED)]
PAGES = [*RUN, "docs/tutorials/winner.md", "docs/howto/compare.md"]
QUICK = ("README.md", "docs/tutorials/winner.md")


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=[] if p in QUICK else [pytest.mark.slow]) for p in PAGES]
)
def test_what_a_page_shows_is_what_its_commands_print(page, hub, tmp_path):
    text = (ROOT / page).read_text(encoding="utf-8")
    new = run_page(text, tmp_path, environment(hub, tmp_path / "bin"))
    assert new == text, "".join(difflib.unified_diff(text.splitlines(True), new.splitlines(True)))


def test_a_page_that_shows_something_else_is_found(tmp_path):
    page = "```console\n$ echo two\none\n```\n"
    new = run_page(page, tmp_path, environment(tmp_path, tmp_path / "bin"))
    assert new == page.replace("one", "two")
    with pytest.raises(AssertionError, match="false"):
        run_page("```console\n$ false\n```\n", tmp_path, environment(tmp_path, tmp_path / "bin"))


def test_the_front_page_is_short():
    """Words of all, and of all but the tables."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    prose = [line for line in text.split("\n") if not line.startswith("|")]
    assert len(text.split()) <= 1250
    assert len(" ".join(prose).split()) <= 700


@pytest.mark.slow
def test_reference_pages_are_built_strictly(tmp_path):
    pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed: extra docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    run = captured(command, cwd=ROOT)
    assert run.returncode == 0, run.stdout + run.stderr
    rooms = [f"builders.{name}" for name in suite_names()]
    for package in ("ground", *rooms, *(f"metrics.{name}" for name in metric_names())):
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
