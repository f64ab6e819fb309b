"""Scoring with intervals against the script of the SIGMORPHON 2022 shared task, on its own data.

    python -m benchmarks.sigmorphon_scoring FOLDER

FOLDER is a clone of github.com/sigmorphon/2022SegmentationST. Both sides read the files. First the
figures of every class of words are compared with those that the script prints.
"""

import contextlib
import importlib.util
import io
import sys
from argparse import Namespace
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.timing import Goal, measure, report
from metrics.morpheme_segmentation.options import read_options
from metrics.morpheme_segmentation.scoring import score

GOLD, GUESS = "data/{}.word.test.gold.tsv", "baseline/Morfessor/{}.word.test.predictions"
LANGUAGES = ("ces", "mon")
CLASSED = ("mon", "spa")  # Czech has no classes; elsewhere predictions have blanks within words
SHOWN = {"distance": "distance", "f1": "f_measure", "precision": "precision", "recall": "recall"}
WITH, WITHOUT = (read_options(preset="sigmorphon2022", confidence=c) for c in (0.95, None))


def main() -> int:
    folder = Path(sys.argv[1])
    script = load_script(folder / "evaluation" / "evaluate.py")
    goals = []
    for language in CLASSED:
        compare_classes(script, *(folder / path.format(language) for path in (GOLD, GUESS)))
    for language in LANGUAGES:
        gold, guess = (folder / path.format(language) for path in (GOLD, GUESS))
        printed, ours = run_script(script, gold, guess), own_scores(gold, guess, WITH)
        expected = f"{100 * ours['f1']:.2f}"
        if f"f_measure\t{expected}" not in printed:
            raise ValueError(f"{language}: F1, got {expected}; expected that of {printed!r}")
        peer = measure(lambda g=gold, p=guess: run_script(script, g, p), 3)  # type: ignore[misc]
        for what, options, goal in (("default intervals", WITH, 1), ("no intervals", WITHOUT, 0.2)):
            seconds = measure(lambda g=gold, p=guess, o=options: own_scores(g, p, o), 3)  # type: ignore[misc]
            name = f"{language}, {ours['n']:,} words, {what}: over the script's time"
            goals.append(Goal(name, seconds / peer, goal, larger_is_better=False))
    return report("Scoring test sets of the SIGMORPHON 2022 shared task", goals)


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
    lines = gold.read_text(encoding="utf-8").splitlines()
    columns = {
        "predictions": read_words(guess),
        "references": read_words(gold),
        "category": [line.split("\t")[2] for line in lines],
    }
    rows = score(columns, WITHOUT)["by_category"]
    own = "".join(map(_as_printed, rows))
    if not printed.startswith(own):
        raise ValueError(f"{gold.name}: classes, got {own}; expected {printed}")
    print(f"{gold.name}: the figures of {len(rows)} classes are those of the script")


def _as_printed(row: dict[str, Any]) -> str:
    percent = {"distance": 1}
    figures = "".join(
        f"{shown}\t{percent.get(name, 100) * row[name]:.2f}\n" for name, shown in SHOWN.items()
    )
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
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[1].replace(" @@", " ").split(" ") for line in lines]


if __name__ == "__main__":
    sys.exit(main())
