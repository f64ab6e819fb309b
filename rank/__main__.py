"""Is my winner real? Scores of several systems on several data sets in, the verdict out.

    python -m rank scores.csv
    python -m rank scores.csv --system model --unit dataset --score f1 --rope 0.5
    python -m rank results/ --metric acc_norm
    python -m rank compare a.json b.json

A file is CSV, TSV, JSONL, JSON or Parquet, long (one score a row) or wide (a column of scores per
system, or per data set); or a result file of lm-evaluation-harness (`results_*.json`,
`samples_*.jsonl`) or of every_eval_ever. A folder stands for all result files in it.

`compare` takes two results of one metric of this project, made with per_item=True: the same items,
paired, with p and interval over what was sampled together, and by table.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ground.faults import run_command
from ground.files import write_whole
from metrics.ranking_generalizability.roles import ROLES
from rank import comparison
from rank.comparison import compare_files, comparison_text
from rank.report import Request, answer, as_json

OUTPUTS = {
    "markdown": "the report",
    "latex": "the table of systems for a paper",
    "json": "the whole result",
    "plot": "distances from the best with intervals and groups (.png, .svg, .pdf)",
}
LEVELS = {"rope": 0.0, "confidence": 0.95, "certainty": 0.95}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns its exit code, which is not 0 on any problem."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return run_command("rank", lambda: _rank(given))


def _rank(given: Sequence[str]) -> int:
    if given[:1] == ["compare"]:
        return _compare(_compare_parser().parse_args(given[1:]))
    found = vars(_parser().parse_args(given))
    columns = {role: name.split(",") for role in ROLES if (name := found[role])}
    options = {name: found[name] for name in LEVELS} | {"first": found["first"]}
    options |= {"missing": found["missing"], "higher_is_better": not found["lower"]}
    outputs = {name: found[name] for name in OUTPUTS if found[name]}
    print(answer(Request(found["files"], columns, found["metric"], options, outputs)))
    return 0


def _compare(options: argparse.Namespace) -> int:
    found = compare_files(options.first, options.second, options.score)
    if options.json:
        write_whole(options.json, as_json(found))
    print(comparison_text(found))
    return 0


def _compare_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rank compare", description=comparison.__doc__)
    parser.add_argument("first", type=Path, metavar="A", help="result of a metric, JSON")
    parser.add_argument("second", type=Path, metavar="B", help="another, of the same items")
    parser.add_argument("--score", nargs="+", default=(), metavar="COLUMN", help="what to compare")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write it as JSON too")
    return parser


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rank", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="files or folders")
    columns = parser.add_argument_group(
        "columns", "guessed from their names and shown; several are joined: --unit task,language"
    )
    for role, meaning in COLUMNS.items():
        columns.add_argument(f"--{role}", metavar="COLUMN", help=meaning)
    parser.add_argument("--metric", help="the score of result files, such as acc or acc,none")
    parser.add_argument("--lower", action="store_true", help="a lower score is a better one")
    parser.add_argument("--first", metavar="UNIT", help="the unit that was published first")
    parser.add_argument(
        "--missing",
        choices=("refuse", "drop", "model"),
        default="model",
        help="what becomes of a run that lacks a system: refused, left out, or every score counts",
    )
    meanings = {
        "rope": "differences up to this size count as practically equal",
        "confidence": "level of the intervals",
        "certainty": "wanted probability that the winner is the true one",
    }
    for name, meaning in meanings.items():
        parser.add_argument(f"--{name}", type=float, default=LEVELS[name], help=meaning)
    for name, meaning in OUTPUTS.items():
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help=f"write {meaning}")
    return parser


COLUMNS = {
    "system": "names of the systems",
    "unit": "what was resampled: data sets, languages, draws",
    "repeat": "runs on a unit: seeds, splits",
    "item": "items of a unit, where scores are of items",
    "score": "scores; several columns make the table wide",
}

if __name__ == "__main__":
    sys.exit(main())
