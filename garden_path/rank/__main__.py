"""Is my winner real? Scores of several systems on several data sets in, the verdict out.

    garden-path rank scores.csv --system model --unit dataset --score f1 --rope 0.5
    garden-path rank results/ --metric acc_norm
    garden-path compare a.json b.json

A file is CSV, TSV, JSONL, JSON or Parquet. It is long (one score a row) or wide (a column of scores
per system, or per data set). Result files of lm-evaluation-harness (`results_*.json`,
`samples_*.jsonl`), lighteval, inspect, HELM, MTEB and every_eval_ever are read too. A folder means
all result files in it. The output first says how every column was read and what was left out.

Example: garden-path rank scores.csv

`compare` takes two results of one metric of this project, made with per_item=True: the same items,
paired, with p and interval over what was sampled together, and by table.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

from garden_path.rank import comparison
from garden_path.rank.comparison import compare_files, comparison_text
from garden_path.rank.report import Request, answer, as_json
from ground.command_line import file, to_argparse
from ground.faults import run_command
from ground.files import write_whole
from metrics._shared.option_fields import option
from metrics.ranking_generalizability.sources import ROLES

OPTIONS = ("first", "missing", "rope", "confidence", "certainty", "higher_is_better")
OUTPUTS = ("markdown", "latex", "json", "plot")


def column_option(what: str) -> Any:
    """Field of a role, the column that has it."""
    return option(None, what, metavar="COLUMN")


def result_option(name: str, what: str) -> Any:
    """Field of one of the files that are compared."""
    return option(MISSING, what, metavar=name, parse=file, is_positional=True)


def write_option(what: str) -> Any:
    """Field of an output, the file that is written."""
    return option(None, f"write {what}", parse=file)


@dataclass
class Columns:
    """Guessed from their names and shown; several are joined: --unit task,language."""

    system: str | None = column_option("names of the systems")
    unit: str | None = column_option("what was resampled: data sets, languages, draws")
    repeat: str | None = column_option("runs on a unit: seeds, splits")
    item: str | None = column_option("items of a unit, where scores are of items")
    cluster: str | None = column_option("units that belong together: sizes of a language, subtasks")
    crossed: str | None = column_option("what units share across clusters")
    score: str | None = column_option("scores; several columns make the table wide")
    columns: str = option(
        "",
        "all at once: system=model,unit=task+language,score=f1,ignored=n_examples",
        metavar="ROLES",
    )


@dataclass
class Asked:
    """What is read, asked of the scores and written."""

    files: tuple[Path, ...] = option(
        MISSING, "files or folders", metavar="FILE", many="+", parse=file, is_positional=True
    )
    metric: str | None = option(
        None, "the score of result files, such as acc or acc,none; or of a metric column"
    )
    first: str | None = option(None, "the unit that was published first", metavar="UNIT")
    missing: str = option(
        "model",
        "what becomes of a run that lacks a system: refused, left out, or every score counts",
        choices=("refuse", "drop", "model"),
    )
    rope: float = option(0.0, "differences up to this size count as practically equal")
    confidence: float = option(0.95, "level of the intervals")
    certainty: float = option(0.95, "wanted probability that the winner is the true one")
    markdown: Path | None = option(
        None, "write the report", parse=file, flags=("--markdown", "--out")
    )
    latex: Path | None = write_option("the table of systems for a paper")
    json: Path | None = write_option("the whole result")
    plot: Path | None = write_option(
        "distances from the best with intervals and groups (.png, .svg, .pdf)"
    )


@dataclass
class Compare:
    """Two results of one metric."""

    first: Path = result_option("A", "result of a metric, JSON")
    second: Path = result_option("B", "another, of the same items")
    score: tuple[str, ...] = option(
        (), "what to compare, in place of the metric's headline", metavar="COLUMN", many="+"
    )
    json: Path | None = write_option("it as JSON too")
    out: Path | None = write_option("the text")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns its exit code, which is not 0 on any problem."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return run_command("rank", lambda: _rank(given))


def _rank(given: Sequence[str]) -> int:
    if given[:1] == ["compare"]:
        return compare(given[1:])
    found = vars(_parser().parse_args(given))
    columns = read_roles(found["columns"])
    columns |= {role: name.split(",") for role in ROLES if (name := found[role])}
    options = {name: found[name] for name in OPTIONS}
    outputs = {name: found[name] for name in OUTPUTS if found[name]}
    print(answer(Request(found["files"], columns, found["metric"], options, outputs)))
    return 0


def read_roles(text: str) -> dict[str, list[str]]:
    """Columns that a person names: `system=model,unit=corpus+year,ignored=n`; {} for no text."""
    found = {}
    for part in filter(None, map(str.strip, text.split(","))):
        role, mark, names = (piece.strip() for piece in part.partition("="))
        if not mark:
            raise ValueError(f"columns, got {part!r}; expected such as system=model,unit=corpus")
        found[role] = [name.strip() for name in names.split("+")] if names else []
    return found


def compare(given: Sequence[str]) -> int:
    """Compares two results; gives 0."""
    parser = argparse.ArgumentParser(
        prog="garden-path compare",
        description=f"{comparison.__doc__}\nExample: garden-path compare a.json b.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    to_argparse(parser, Compare)
    options = parser.parse_args(given)
    found = compare_files(options.first, options.second, options.score)
    for path, text in ((options.json, as_json(found)), (options.out, comparison_text(found))):
        if path:
            write_whole(path, text)
    print(comparison_text(found))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rank", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    to_argparse(parser, Asked)
    to_argparse(parser.add_argument_group("columns", Columns.__doc__), Columns)
    direction = parser.add_mutually_exclusive_group()
    direction.add_argument(
        "--higher-is-better",
        action="store_true",
        default=None,
        help="asked for where the score's name does not tell",
    )
    direction.add_argument(
        "--lower-is-better", "--lower", dest="higher_is_better", action="store_false"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
