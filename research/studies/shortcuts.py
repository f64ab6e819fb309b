"""Scores of items of the shortcuts on the tests of a suite, for paired comparisons with them.

They are those that a suite names, and the best that `python -m research shallow` found.

    python -m research shortcuts --write

They stand in `cards/results/SUITE/items/shortcuts.json` and travel in the user's package.
"""

import argparse
import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from builders.reference_lines import SEARCHED, UNDEFINED, digest_of, lines_of
from builders.suites import SuiteTest, settings_of, suites_with, tests_of
from dataset_scripts.headlines import HEADLINES
from garden_path.rank.comparison import item_kinds, items_of
from garden_path.rows import PACKAGED, load
from garden_path.scoring import inputs_of, score
from ground.files import write_whole
from ground.markdown import markdown_table
from ground.paths import RESULTS
from metrics._shared.option_fields import read_signature
from research.shallow.readers import readings
from research.shallow.search import problems_of
from research.studies.report import metric_versions
from research.systems.registry import LABORATORY

COMMAND = "python -m research shortcuts --write"


def show_shortcuts(arguments: Sequence[str]) -> int:
    """Scores every shortcut on every test of its suite, from the rows in hub/; gives 0.

    A shortcut that does not read the rows of a test, such as German tables on Dutch, is named.
    """
    parser = argparse.ArgumentParser(prog="research shortcuts", description=__doc__)
    parser.add_argument("suite", nargs="?", help="a suite; all by default")
    parser.add_argument("--write", action="store_true", help="write the scores of their items")
    options = parser.parse_args(arguments)
    lines = []
    for suite in [options.suite] if options.suite else suites_with("tests"):
        names = settings_of(suite).get("shortcuts", {})
        tests = {
            f"{test.kind}/{test.name}": _scored(test, names)
            for test in tests_of(suite)
            if (test.metric, test.function) == (HEADLINES[suite].metric, "score")
        }
        for test, found in tests.items():
            for name, value in found["scores"].items():
                lines.append({"suite": suite, "test": test, "shortcut": name, "score": value})
        if tests and options.write:
            text = json.dumps({"command": COMMAND, "tests": tests}, indent=1, sort_keys=True)
            write_whole(RESULTS / suite / "items" / "shortcuts.json", text + "\n")
    print(markdown_table(lines, digits=4))
    return 0


def _scored(test: SuiteTest, names: Mapping[str, str]) -> dict[str, Any]:
    """Scores of the shortcuts of a test by name, and those of their items as they are kept."""
    table = load(test.suite, test.config, test.split)
    rows = table.to_pylist()
    ids = [row["id"] for row in rows]
    found: dict[str, Any] = {"digest": digest_of(rows), "systems": {}, "scores": {}}
    for name in names:
        try:
            predictions = _predictions(test, name, table)
        except ValueError as error:  # a reader of one language's tables
            print(f"{test.suite} {test.name}: {name} does not read it: {error}", file=sys.stderr)
            continue
        found["scores"][name] = _keep(test, found, name, predictions, ids)[test.score]
    _add_searched(test, found, ids)
    return found


def _keep(
    test: SuiteTest, found: dict[str, Any], name: str, predictions: Any, ids: Sequence[str]
) -> Mapping[str, Any]:
    """Keeps the columns of a result's items that the headline is made of; gives the result."""
    result = score(test.suite, predictions, test.name)
    items = items_of(result.whole, Path("result"))
    order = sorted(range(len(ids)), key=ids.__getitem__)
    cells = {n: kept_cells([items.rows[i][n] for i in order]) for n in items.kind.score}
    found["version"] = read_signature(result["signature"]).version
    found["systems"][name] = cells
    return result


def _add_searched(test: SuiteTest, found: dict[str, Any], ids: Sequence[str]) -> None:
    """Adds the best shortcut of the search, where it is none of those that the suite names."""
    lines = [line for line in lines_of(test) if line.kind == "shortcut"]
    searched = next((one for one in lines if one.says == SEARCHED), None)
    if searched is None or lines[0] != searched:
        return
    module = importlib.import_module(f"research.shallow.{test.suite}")
    if hasattr(module, "predictions_of"):  # it is fitted on nothing, so it reads every row
        texts = inputs_of(test.suite, test.name).inputs
        cuts = module.predictions_of(searched.name, test.config, texts)
        _keep(test, found, searched.name, cuts, ids)
        return
    shares = _searched_shares(test, searched.name)
    cells = kept_cells([shares.get(one) for one in sorted(ids)])
    names = next(kind.score for kind in item_kinds() if kind.metric == test.metric)
    found["version"] = metric_versions([test.metric])[test.metric]
    found["systems"][searched.name] = dict.fromkeys(names, cells)


def _searched_shares(test: SuiteTest, reader: str) -> dict[str, float]:
    """How right a reader of the search is on each row that it was scored on."""
    for problem in problems_of(test.suite, PACKAGED, [test.config]):
        if (problem.config, problem.score) == (f"{test.config}/{test.split}", test.score):
            found = next(one for one in readings(problem) if one.says == reader)
            ids = [one.row for one in problem.decisions]
            if not all(ids):
                raise ValueError(f"{test.suite} {test.name}: decisions, got some without a row")
            return dict(zip(ids, found.right.tolist(), strict=True))
    raise ValueError(f"{test.suite} {test.name}: searched reader, got none of {reader!r}")


def _predictions(test: SuiteTest, name: str, table: Any) -> list[Any]:
    system = LABORATORY.load(test.kind, name)
    if test.kind == "parser":  # readers of one cue look at more than the words
        given = system.predict(table.to_pydict())
        columns = [given[column] for column in ("tokens", "heads", "deprels")]
        return [
            {"tokens": words, "heads": heads, "deprels": labels}
            for words, heads, labels in zip(*columns, strict=True)
        ]
    found = system.predict(inputs_of(test.suite, test.name).inputs)
    return [one.text for one in found] if test.kind == "answerer" else list(found)


def kept_cells(values: Sequence[float | None]) -> str:
    """Numbers of items as a text: digits side by side, other numbers between blanks.

    Example:
        >>> kept_cells([1.0, None, 0.0]), kept_cells([0.5, None, 1.0])
        ('1-0', '0.5 - 1')
    """
    cells = [UNDEFINED if one is None or one != one else f"{float(one):.4g}" for one in values]
    return ("" if all(len(cell) == 1 for cell in cells) else " ").join(cells)
