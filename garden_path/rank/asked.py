"""What `garden-path rank` is asked: files, roles of columns, options of the metric, outputs."""

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

from ground.command_line import file, to_argparse
from metrics._shared.option_fields import option
from metrics.ranking_generalizability.sources import ROLES

OPTIONS = ("first", "missing", "rope", "confidence", "certainty", "higher_is_better")


def column_option(what: str) -> Any:
    """Field of a role, the column that has it."""
    return option(None, what, metavar="COLUMN")


def write_option(what: str, *flags: str) -> Any:
    """Field of an output, the file that is written."""
    return option(None, f"write {what}", parse=file, flags=flags)


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
    confidence: float = option(
        0.95, "level of the intervals, and of pairs that are shown, there 0.80 at least"
    )
    certainty: float = option(0.95, "wanted probability that the winner is the true one")
    markdown: Path | None = write_option("the report", "--markdown", "--out")
    latex: Path | None = write_option("the table of systems for a paper")
    json: Path | None = write_option("the whole result")
    plot: Path | None = write_option(
        "distances from the best with intervals and groups (.png, .svg, .pdf)"
    )


def rank_parser(parser: ArgumentParser) -> ArgumentParser:
    """A parser with what `rank` takes."""
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


def columns_of(options: Mapping[str, Any]) -> dict[str, list[str]]:
    """Columns by role: of `system=model,unit=corpus+year,ignored=n`, then of each role's flag."""
    found = {}
    for part in filter(None, map(str.strip, options["columns"].split(","))):
        role, mark, names = (piece.strip() for piece in part.partition("="))
        if not mark:
            raise ValueError(f"columns, got {part!r}; expected such as system=model,unit=corpus")
        if role in found:
            raise ValueError(f"columns, got {role!r} twice; expected every role once")
        found[role] = [name.strip() for name in names.split("+")] if names else []
    return found | {role: name.split(",") for role in ROLES if (name := options[role])}
