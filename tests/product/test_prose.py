"""Prose reads well: short sentences, no banned turn, whole docstrings, linked terms."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from garden_path.__main__ import COMMANDS
from garden_path.__main__ import main as garden_path
from publish.commands import FOR_MAKERS, FOR_USERS, command_parsers
from tests.conftest import ROOT
from tests.support.prose import faults, plain_sentences, sentences

spacy = pytest.importorskip("spacy", reason="spacy is not installed: extra models")

ROOMS = ("ground", "builders", "dataset_scripts", "metrics", "garden_path", "publish")
FRAGMENT = re.compile(r"(Or|And|Nor|Of which|Its \w+ too) ")
WRITTEN = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "cards/*/*.md", "*/README.md")
    for path in ROOT.glob(pattern)
    if path.relative_to(ROOT).parts[:2] not in (("cards", "results"), ("docs", "reports"))
    and path.relative_to(ROOT).parts[0] not in ("hub", "site")
)


@pytest.mark.parametrize("page", WRITTEN)
def test_a_page_is_read_at_first_sight(page):
    assert faults(list(sentences((ROOT / page).read_text(encoding="utf-8")))) == []


def test_what_help_says_is_read_at_first_sight(capsys):
    parser, made = command_parsers("The one command.")
    said = [declared.__doc__ or "" for declared in (*FOR_USERS, *FOR_MAKERS)]
    said += [action.help for one in (parser, *made.values()) for action in one._actions]
    for command in COMMANDS:
        with pytest.raises(SystemExit):
            garden_path([command, "--help"])
        said += re.split(r"\n\s*-|\n\n", capsys.readouterr().out)[1:]
    assert len(said) > 100
    assert faults([one for text in said for one in plain_sentences(text or "")]) == []


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Place and text of every docstring of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (
            text := ast.get_docstring(node)
        ):
            yield f"{path.relative_to(ROOT)}:{getattr(node, 'name', '')}", text


@pytest.mark.parametrize("room", [*ROOMS, "integrations", "research"])
def test_no_docstring_is_cut_in_two(room):
    said = [one for path in sorted((ROOT / room).rglob("*.py")) for one in docstrings(path)]
    assert said
    for place, text in said:
        first, _, rest = text.partition("\n")
        assert first.rstrip()[-1] in ".?!:", f"{place}: {first}"
        assert not FRAGMENT.match(rest.lstrip()), f"{place}: {rest.lstrip()[:60]}"


def test_long_banned_and_cut_prose_is_found():
    text = f"What is said stands in the card. {'word ' * 36}end.\n\n|a|\n|-|\n|{'word ' * 40}|"
    found = [line.split(": ")[0] for line in faults(list(sentences(text)))]
    assert found[0] == "37 words"
    assert found[1].startswith("'stands in', better ")
    assert found[2].startswith("'What is said stands', better ")
    assert found[3] == "22.0 words on average"
    assert len(found) == 4
    card = "---\nlicense: cc\n---\nA `name of code` and {{ x() }} of 3.5 points.\n\n## A title\n"
    assert list(sentences(card)) == ["A code and 7 of 3.5 points."]


def test_terms_are_linked_at_their_first_use_alone(monkeypatch):
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: extra docs")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from site_pages import glossary_terms, linked_terms

    monkeypatch.delitem(sys.modules, "site_pages")
    assert {"Canary word", "NULL", "Paradigm", "Shortcut", "Topology pair"} <= set(glossary_terms())
    html = "<h2>Shortcuts</h2><p>A <code>shortcut</code>, two shortcuts &amp; a shortcut, NULL.</p>"
    link = '<a href="../glossary/#{}">{}</a>'.format
    assert linked_terms(html, "../glossary/") == html.replace(
        "two shortcuts", f"two {link('shortcut', 'shortcuts')}"
    ).replace("NULL", link("null", "NULL"))
