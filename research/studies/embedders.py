"""Which answer or paraphrase is nearest for an embedder? The test for choosers of a suite.

    python -m research centerbench embedders
    python -m research eras embedders --systems minilm sentence-transformers:NAME

CenterBench: which of two of its own nouns or events answers a question about a sentence; ERAS: is a
sentence nearer to its own control than to that of another pair. NULL: the better of chance and a
bag of words, or of characters.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from builders.suites import SuiteTest, find_test
from dataset_scripts.registry import split_table
from garden_path.scoring import ASKING, scored
from ground.markdown import markdown_table, percent, percent_with_interval
from research.studies.report import Shown
from research.studies.study import Rows, Run, Study

KIND = "chooser"
SUITES = ("centerbench", "eras")
SCORE = "accuracy"


def embedder_study(suite: str) -> Study:
    """The study of a suite."""
    test = find_test(suite, kind=KIND)
    return Study(
        f"research.studies.{suite}.embedders",
        __doc__ or "",
        lambda options: split_table(suite, test.config, test.split).to_pylist(),
        lambda rows, run: score(test, rows, run),
        lambda results, options: show(test, results, options),
        kind=KIND,
        systems=("minilm",),
        metrics=(test.metric,),
        configs=lambda options: (test.config,),
    )


def score(test: SuiteTest, rows: Rows, run: Run) -> list[dict[str, Any]]:
    """The metric's result of each system, with `system`."""
    asking = ASKING[KIND]
    found = []
    for name in run.options.systems:
        system = run.system(name)
        answers = system.predict(asking.items(rows).inputs)
        about = run.about(system, test.config, test.split)
        found.append({"system": name, **scored(test, asking.fold(answers, rows), run=about)})
    return found


def show(
    test: SuiteTest, results: Sequence[Mapping[str, Any]], options: argparse.Namespace
) -> list[Shown]:
    """A table of all rows and of each construction, and the figures."""
    figures = [row for result in results for row in rows_of_result(result)]
    table = [
        {name: row[name] for name in ("system", "construction", "n")}
        | {"right": percent_with_interval(row, SCORE)}
        | {"NULL": percent(row["chance"]) if "chance" in row else None}
        for row in figures
    ]
    text = (
        f"### Embedders: {test.asks}\n\n"
        f"Percent of `{test.config}` with 95 % intervals. An embedder takes the choice whose vector"
        f" is nearest to that of the text. NULL is {test.null_is}.\n\n{markdown_table(table)}"
    )
    return [Shown(text, {test.config: figures})]


def rows_of_result(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The whole with its null, then each construction."""
    worth = [value for name, value in result.items() if name.startswith("chance")]
    ends = [name for name in result if name == SCORE or name.startswith(f"{SCORE}_")]
    whole = {name: result[name] for name in (*ends, "n")}
    whole |= {"construction": "all", "chance": max(worth)}
    return [{"system": result["system"], **row} for row in (whole, *result["by_construction"])]


STUDIES = {suite: embedder_study(suite) for suite in SUITES}
