"""What a person gets: the verdict, what was read as what, the tables; and files of them."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ground.files import write_whole
from ground.markdown import markdown_table
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import score
from metrics.ranking_generalizability.sources import read_source
from metrics.ranking_generalizability.verdict import quotable
from metrics.ranking_generalizability.written import digits_of, system_table
from rank.plot import ranking_plot

UNITS = ("benchmark", "domain", "draw", "fold", "language", "seed", "split", "subset", "task")
MOST_PAIRS = 45  # of ten systems; of more, those of the best system alone


@dataclass(frozen=True)
class Request:
    """What is asked on the command line.

    Attributes:
        files: Files or folders of scores.
        columns: Columns by role where the guess is not wanted.
        metric: The score to be taken from result files; None for the first.
        options: Options of the metric.
        outputs: Files to be written by kind: markdown, latex, json, plot.
    """

    files: Sequence[Path]
    columns: Mapping[str, Any]
    metric: str | None
    options: Mapping[str, Any]
    outputs: Mapping[str, Path]


def answer(request: Request) -> str:
    """Reads, scores, writes the files that are asked for; gives the report."""
    source = read_source(list(request.files), request.columns, request.metric)
    result = score(source.inputs, read_options(**source.options(request.options)))
    result |= source.fields()
    text = report(result)
    label = str(result["columns"].get("score", "score"))
    writers: dict[str, Callable[[Path], bytes | str]] = {
        "markdown": lambda path: text,
        "latex": lambda path: system_table(result, "latex"),
        "json": lambda path: as_json(result),
        "plot": lambda path: ranking_plot(result, path, "score" if "," in label else label),
    }
    for kind, path in request.outputs.items():
        write_whole(path, writers[kind](path))
    return text


def report(result: Mapping[str, Any]) -> str:
    """The report of a result in Markdown."""
    parts = [quotable(result, unit_word(result)), read_as(result), system_table(result)]
    parts += [pair_table(result), component_table(result), f"`{result['signature']}`\n"]
    return "\n".join(parts)


def unit_word(result: Mapping[str, Any]) -> str:
    """What units are called: by their column, where its name is one of the usual ones."""
    name = str(result["columns"].get("unit", "")).replace("_", "").replace(" ", "").casefold()
    return {"dataset": "data set", "corpus": "data set"}.get(
        name, name if name in UNITS else "unit"
    )


def _counted(n: int, things: str) -> str:
    first, _, rest = things.partition(" ")
    return f"{n:,} {first.removesuffix('s') if n == 1 else first} {rest}"


def read_as(result: Mapping[str, Any]) -> str:
    """What was read as what, and what was left out."""
    pairs = ", ".join(f"{role} = {name}" for role, name in result["columns"].items())
    left = [(result["n_blank"], "cells without a score"), (result["n_left_out"], "scores of runs")]
    why = {"scores of runs": " that lack a system: left out of all but adjusted means, components"}
    counts = [f"{_counted(n, what)}{why.get(what, '')}." for n, what in left if n]
    if result["n_units_partial"]:
        n, whole = result["n_units_partial"], result["n_units"]
        lack = "unit lacks a system: it counts" if n == 1 else "units lack a system: they count"
        counts.append(
            f"{n:,} {lack} in means, pairs, ranks and certainty; agreement and regret are of the"
            f" other {whole:,}."
        )
    return " ".join([f"Read: {pairs}.", *counts, *filter(None, [result["note"]])]) + "\n"


def pair_table(result: Mapping[str, Any]) -> str:
    """Pairs of systems: difference with its interval, Holm's p, probabilities, the decision."""
    pairs, digits = result["by_pair"], digits_of(result)
    best = result["best_on_average"]
    shown = [
        row for row in pairs if len(pairs) <= MOST_PAIRS or best in (row["system"], row["other"])
    ]
    rows = [
        {
            "pair": f"{row['system']} vs {row['other']}",
            "difference": f"{row['difference']:.{digits}f} {_ends(row, digits)}",
            "p (Holm)": row["p_holm"],
            "better": row["p_better"],
            "equal": row["p_equivalent"],
            "worse": row["p_worse"],
            "shown": row["decision"],
        }
        for row in shown
    ]
    return markdown_table(rows, digits=3)


def component_table(result: Mapping[str, Any]) -> str:
    """Where the variance of a single run's score comes from."""
    rows = [
        {"variance of": row["component"].replace("_", " "), "share in percent": 100 * row["share"]}
        for row in result["by_component"]
        if not math.isnan(row["variance"])
    ]
    return markdown_table(rows)


def as_json(result: Mapping[str, Any]) -> str:
    """The whole result as JSON; what is undefined is null."""
    return json.dumps(_plain(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _ends(row: Mapping[str, Any], digits: int) -> str:
    low, high = row["difference_low"], row["difference_high"]
    return "" if math.isnan(low) else f"[{low:.{digits}f}, {high:.{digits}f}]"
