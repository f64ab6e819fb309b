"""`push.py new metric NAME` writes what lacks nothing but a golden test; what it refuses."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from publish.new import FILES, LONGEST_NAME, new_metric
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.processes import captured

PAPER = "liu-prudhommeaux-2022-data"
CONTRACTS = ("metric_modules", "option_settings", "references", "page_results", "layout")


def copy_of_the_tree(folder: Path) -> Path:
    """What git would check out of this tree, with its uncommitted changes."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = captured(command, cwd=ROOT, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TQDM_DISABLE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return captured([sys.executable, *arguments], cwd=folder, env=environment)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with the skeleton of `some_measure` in it."""
    folder = copy_of_the_tree(tmp_path_factory.mktemp("tree"))
    made = run(folder, "push.py", "new", "metric", "some_measure", "--cites", PAPER)
    assert made.returncode == 0, made.stderr
    written = re.findall(r"^written: (.+)$", made.stdout, re.MULTILINE)
    assert written == [place.format(name="some_measure") for place in FILES.values()]
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    return folder


@pytest.mark.slow
def test_a_new_metric_lacks_a_golden_test_and_nothing_else(tree):
    tests = [f"tests/product/test_{name}.py" for name in (*CONTRACTS, "some_measure")]
    chosen = "some_measure or shared_files or imports_of_metrics or nobody_types or outside"
    options = ["-q", "-p", "no:cacheprovider", "-W", "ignore"]
    found = run(tree, "-m", "pytest", *options, *tests, "-k", chosen)
    report = found.stdout
    failed = re.findall(r"^_{3,} (\S+) _{3,}$", report, re.MULTILINE)
    assert failed == ["test_golden_values"], report
    assert "write a golden test for metrics/some_measure/scoring.py" in report


@pytest.mark.slow
def test_a_new_metric_is_built_checked_typed_and_formatted(tree):
    built = run(tree, "push.py", "build", "some_measure")
    assert built.returncode == 0, built.stderr
    checked = run(tree, "push.py", "check", "some_measure")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    paths = ["metrics/some_measure", "tests/product/test_some_measure.py"]
    for command in (["check"], ["format", "--check"]):
        judged = run(tree, "-m", "ruff", *command, *paths)
        assert judged.returncode == 0, judged.stdout
    typed = run(tree, "-m", "mypy", "metrics/some_measure")
    assert typed.returncode == 0, typed.stdout


TAKEN = {
    **dict.fromkeys(("class", "os"), "a word of Python"),
    "eras": "a suite",
    **dict.fromkeys(("scoring", "columns"), "a module of metrics"),
    **dict.fromkeys(("evaluate", "numpy"), "a package that is installed"),
}


@pytest.mark.parametrize(
    "name", ["", "Gper", "two words", "a__b", "1st", "x" * 31, "../gper", *TAKEN]
)
def test_a_name_that_cannot_be_one_or_is_somebody_elses_is_refused(name, tmp_path):
    message = f"NAME, got .*; expected at most {LONGEST_NAME} char"
    if name in TAKEN:
        message = f"NAME, got '{name}', {TAKEN[name]}; expected another name"
    with pytest.raises(ValueError, match=message):
        new_metric(name, PAPER, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_written_over(tmp_path):
    (tmp_path / "cards" / "metrics").mkdir(parents=True)
    shutil.copyfile(ROOT / "cards" / "references.bib", tmp_path / "cards" / "references.bib")
    card = tmp_path / "cards" / "metrics" / "twice.md"
    card.write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match=r"got 'twice', but cards/metrics/twice\.md exists; exp"):
        new_metric("twice", PAPER, tmp_path)
    assert card.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "metrics").exists()
    with pytest.raises(ValueError, match="--cites, got 'x'; expected one of li-hao-2025-eras"):
        new_metric("once", "x", tmp_path)


@pytest.mark.parametrize(*cases("new_metric/a_card_that_lacks_fields_is_told_in_words"))
def test_a_card_that_lacks_fields_is_told_in_words(front, message, tmp_path, monkeypatch):
    from publish.build import cards

    card = tmp_path / "cards" / "metrics" / "gper.md"
    card.parent.mkdir(parents=True)
    card.write_text(f"---\n{front}\n---\n# Text\n", encoding="utf-8")
    monkeypatch.setattr(cards, "ROOT", tmp_path)
    with pytest.raises(cards.CardError, match=re.escape(message)) as error:
        cards.render_metric_card("gper", "1.0.0")
    assert "gper.md: " in str(error.value)
