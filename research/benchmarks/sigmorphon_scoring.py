"""Scoring with intervals against the script of the SIGMORPHON 2022 shared task, on its own data.

Both sides read the files. First the figures of every class of words are compared with those that
the script prints. It needs a clone of the task's repository in `released/sigmorphon2022`.
"""

import contextlib
import functools
import importlib.util
import io
from argparse import Namespace
from pathlib import Path
from types import ModuleType
from typing import Any

from ground.paths import ROOT
from metrics._shared.plain_text import lines_of
from metrics.morpheme_segmentation.options import read_options
from metrics.morpheme_segmentation.scoring import score
from research.benchmarks.timing import Goal, NotHereError, at_most, measure

SOURCE = "github.com/sigmorphon/2022SegmentationST"
FOLDER = ROOT / "released" / "sigmorphon2022"
GOLD, GUESS = "data/{}.word.test.gold.tsv", "baseline/Morfessor/{}.word.test.predictions"
LANGUAGES = ("ces", "mon")
CLASSED = ("mon", "spa")  # Czech has no classes; elsewhere predictions have blanks within words
SHOWN = {"distance": "distance", "f1": "f_measure", "precision": "precision", "recall": "recall"}
WITH, WITHOUT = (read_options(preset="sigmorphon2022", confidence=c) for c in (0.95, None))


def run(share: float) -> list[Goal]:
    """Compares every printed figure, then times both; `share` shortens the timing alone."""
    if not FOLDER.is_dir():
        raise NotHereError(f"a clone of {SOURCE} at {FOLDER.relative_to(ROOT)}")
    script = load_script(FOLDER / "evaluation" / "evaluate.py")
    goals = []
    for language in CLASSED:
        compare_classes(script, *(FOLDER / path.format(language) for path in (GOLD, GUESS)))
    for language in LANGUAGES:
        gold, guess = (FOLDER / path.format(language) for path in (GOLD, GUESS))
        printed, ours = run_script(script, gold, guess), own_scores(gold, guess, WITH)
        expected = f"{100 * ours['f1']:.2f}"
        if f"f_measure\t{expected}" not in printed:
            raise ValueError(f"{language}: F1, got {expected}; expected that of {printed!r}")
        peer = measure(functools.partial(run_script, script, gold, guess), 3)
        for what, options, goal in (("default intervals", WITH, 1), ("no intervals", WITHOUT, 0.2)):
            seconds = measure(functools.partial(own_scores, gold, guess, options), 3)
            name = f"{language}, {ours['n']:,} words, {what}"
            goals.append(at_most(name, seconds / peer, goal, "x", "the task's script takes 1"))
    return goals


def load_script(path: Path) -> ModuleType:
    """The task's evaluation script."""
    spec = importlib.util.spec_from_file_location("sigmorphon_evaluate", path)
    if spec is None or spec.loader is None or not path.exists():
        raise ValueError(f"{path}: got no such file; expected the task's repository")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def compare_classes(script: ModuleType, gold: Path, guess: Path) -> None:
    """Raises a ValueError where a figure of a class of words is not the one that is printed."""
    printed = run_script(script, gold, guess, has_classes=True)
    lines = lines_of(gold.read_text(encoding="utf-8"))
    columns: dict[str, Any] = {"predictions": read_words(guess), "references": read_words(gold)}
    columns["category"] = [line.split("\t")[2] for line in lines]
    rows = score(columns, WITHOUT)["by_category"]
    own = "".join(map(_as_printed, rows))
    if not printed.startswith(own):
        raise ValueError(f"{gold.name}: classes, got {own}; expected {printed}")
    print(f"{gold.name}: the figures of {len(rows)} classes are those of the script")


def _as_printed(row: dict[str, Any]) -> str:
    figures = ""
    for name, shown in SHOWN.items():
        figures += f"{shown}\t{(1 if name == 'distance' else 100) * row[name]:.2f}\n"
    return f"\n\ncategory: {row['category']}\n{figures}"


def run_script(script: ModuleType, gold: Path, guess: Path, *, has_classes: bool = False) -> str:
    """What the script prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        script.main(Namespace(gold=gold, guess=guess, category=has_classes))
    return printed.getvalue()


def own_scores(gold: Path, guess: Path, options: Any) -> dict[str, Any]:
    """Our scores of the same files."""
    return score({"predictions": read_words(guess), "references": read_words(gold)}, options)


def read_words(path: Path) -> list[list[str]]:
    """Morphemes of each word, the second column of a file of the task."""
    lines = lines_of(path.read_text(encoding="utf-8"))
    return [line.split("\t")[1].replace(" @@", " ").split(" ") for line in lines]
