"""Pages that a person follows: what they show is what their commands print."""

import difflib

import pytest

from tests.conftest import ROOT
from tests.support.console import Shown, environment, run_page, steps

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


def test_commands_files_and_programs_are_told_apart():
    page = '```console\n$ a b\nout\n$ c\n```\n```python title="f.py"\nx\n```\n```python\ny\n```\n'
    found = list(steps(page + "```text\n1\n```\n"))
    assert [one.given for one in found if isinstance(one, Shown)] == ["a b", "c", "y\n"]
    assert [one.expected for one in found if isinstance(one, Shown)] == ["out\n", "", "1\n"]
    assert [one for one in found if isinstance(one, tuple)] == [("f.py", "x\n")]


def test_a_page_that_shows_something_else_is_found(tmp_path):
    page = "```console\n$ echo two\none\n```\n"
    new = run_page(page, tmp_path, environment(tmp_path, tmp_path / "bin"))
    assert new == page.replace("one", "two")
    with pytest.raises(AssertionError, match="false"):
        run_page("```console\n$ false\n```\n", tmp_path, environment(tmp_path, tmp_path / "bin"))


def test_the_front_page_is_short():
    """About 700 words, the table of systems left out."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    prose = [line for line in text.split("\n") if not line.startswith("|")]
    assert len(" ".join(prose).split()) <= 800
