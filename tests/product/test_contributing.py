"""CONTRIBUTING.md, followed literally: its blocks are written and run in a copy of the tree."""

import re
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.product.test_new_metric import copy_of_the_tree
from tests.support.processes import captured

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = re.split(r"^## \d+\. ", TEXT, flags=re.MULTILINE)[1:]
BLOCK = re.compile(r"^(````?)(python|bash|markdown|toml)\n(.*?)^\1\n", re.MULTILINE | re.DOTALL)


def blocks(recipe: str) -> list[tuple[str, str]]:
    """Language and text of the blocks of a recipe."""
    return [(match[2], match[3]) for match in BLOCK.finditer(recipe)]


def follow(recipe: str, folder: Path) -> None:
    """Writes each file and runs each command of a recipe; a command that fails fails the test."""
    for language, text in blocks(recipe):
        if language == "bash":
            script = "set -euo pipefail\n" + text.replace(".venv/bin/python", sys.executable)
            run = captured(["bash", "-c", script], cwd=folder)
            assert run.returncode == 0, f"{text}\n{run.stdout[-3000:]}\n{run.stderr[-3000:]}"
        else:
            head, _, rest = text.partition("\n")
            path = folder / head.removeprefix("# ")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(rest, encoding="utf-8")


def changed(folder: Path) -> list[str]:
    """Files and folders that are not as the copy was made, sorted."""
    command = ["git", "status", "--porcelain"]
    shown = captured(command, cwd=folder, check=True).stdout
    return sorted(line[3:] for line in shown.splitlines() if line[1] != " ")


def test_there_are_four_recipes():
    titles = [recipe.split("\n")[0] for recipe in RECIPES]
    assert titles == ["A suite", "A metric", "A system", "A language"]
    assert [len(blocks(recipe)) for recipe in RECIPES] == [9, 3, 3, 2]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4), ids=["suite", "metric", "system", "language"])
def test_a_recipe_works_as_it_stands(number, tmp_path):
    folder = copy_of_the_tree(tmp_path)
    follow(RECIPES[number], folder)
    if number == 0:
        assert changed(folder) == [
            *("builders/greetings/", "cards/datasets/greetings.md", "dataset_scripts/greetings.py"),
            *("small/", "tests/golden/content_hashes_greetings.json"),
        ]
        checked = captured([sys.executable, "push.py", "check", "greetings"], cwd=folder)
        (line,) = checked.stdout.strip().splitlines()
        assert "plot, got none; expected one from cards/results" in line


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_links_and_folders_are_there(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    named = re.findall(
        r"`((?:builders|metrics|systems|studies|tests|cards|ground)/[\w./]+?)/?`", text
    )
    own = re.compile(r"NAME|SUITE|KIND|STUDY|ranking_accuracy|greetings")
    wanted = [place for place in [*links, *named] if not own.search(place)]
    assert wanted
    assert [place for place in wanted if not (ROOT / place).exists()] == []
