"""What a person gets: the verdict, what was read as what, the tables; and files of them."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from garden_path.rank.plot import ranking_plot
from ground.files import write_whole
from ground.markdown import markdown_table
from ground.outputs import as_json
from metrics.ranking_generalizability.inputs import in_code
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import (
    digits_of,
    quotable,
    score,
    shown_name,
    system_table,
)
from metrics.ranking_generalizability.sources import NAMELESS, read_source

UNITS = ("benchmark", "domain", "draw", "fold", "language", "seed", "split", "subset", "task")
MOST_PAIRS = 45  # of ten systems; of more, those of the best system alone


class Ranking(dict[str, Any]):
    """What may be said of the systems of a table of scores; `print` shows it."""

    def summary(self) -> str:
        """The verdict, what was read as what, and the tables, in Markdown."""
        return report(self)

    @property
    def headline(self) -> str:
        """The verdict in words."""
        return quotable(self, unit_word(self))

    def plot(self, path: str | Path) -> None:
        """Writes the distances from the best; the extra `plot` holds matplotlib."""
        write_whole(Path(path), ranking_plot(self, Path(path)))

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<{self.headline}>"


def rank(
    data: Any, columns: Mapping[str, Any] | None = None, metric: str | None = None, **options: Any
) -> Ranking:
    """Ranks the systems of a table of scores.

    Args:
        data: A file, a folder, a list of these, a DataFrame, rows, or columns; see `read_source`.
        columns: Columns by role where the guess is not wanted.
        metric: The score to be taken from result files.
        **options: Options of `ranking_generalizability`.

    Raises:
        ValueError: The scores cannot be read, or an option is unknown.
    """
    source = read_source(data, columns or {}, metric)
    found = score(source.inputs, read_options(**source.options(options)))
    return Ranking(source.described(found, options))


def write_outputs(result: Mapping[str, Any], paths: Mapping[str, Path | None]) -> None:
    """Writes the files that are asked for, of `markdown`, `latex`, `json` and `plot`."""
    label = str(result["columns"].get("score", "score"))
    writers: dict[str, Callable[[Path], bytes | str]] = {
        "markdown": lambda path: report(result),
        "latex": lambda path: system_table(result, "latex"),
        "json": lambda path: as_json(result),
        "plot": lambda path: ranking_plot(result, path, "score" if "," in label else label),
    }
    for kind, write in writers.items():
        if path := paths.get(kind):
            write_whole(path, write(path))


def report(result: Mapping[str, Any]) -> str:
    """The report of a result in Markdown."""
    verdict = f"{quotable(result, unit_word(result))} {result['direction']}\n"
    parts = [read_as(result), verdict, system_table(result)]
    parts += [pair_table(result), component_table(result), f"`{result['signature']}`\n"]
    return "\n".join(parts)


def unit_word(result: Mapping[str, Any]) -> str:
    """What units are called: by their column, where its name is one of the usual ones."""
    name = str(result["columns"].get("unit", "")).replace("_", "").replace(" ", "").casefold()
    return {"dataset": "data set", "corpus": "data set"}.get(
        name, name if name in UNITS else "unit"
    )


def read_as(result: Mapping[str, Any]) -> str:
    """What was read as what, and what was left out."""
    pairs = ", ".join(f"{role} = {name}" for role, name in result["columns"].items())
    counts = []
    if n := result["n_blank"]:
        counts.append(f"{n:,} {'cell' if n == 1 else 'cells'} without a score.")
    if n := result["n_left_out"]:
        counts.append(
            f"{n:,} {'score' if n == 1 else 'scores'} of runs that lack a system: left out of all"
            " but adjusted means, components."
        )
    if result["n_units_partial"]:
        n, whole = result["n_units_partial"], result["n_units"]
        lack = "unit lacks a system: it counts" if n == 1 else "units lack a system: they count"
        counts.append(
            f"{n:,} {lack} in means, pairs, ranks and certainty; agreement and regret are of the"
            f" other {whole:,}."
        )
    ignored = ignored_text(result["roles"])
    first = " ".join([f"Read: {pairs}.", *filter(None, [ignored, result["note"]]), *counts])
    return "\n".join([first, *(f"- {remark}" for remark in result["remarks"]), ""])


def ignored_text(roles: Sequence[Mapping[str, str]]) -> str:
    """Columns that are not read, and why; nothing where all are."""
    by_reason: dict[str, list[str]] = {}
    for row in roles:
        if row["role"] == "ignored":
            by_reason.setdefault(row["why"], []).append(in_code(row["column"] or NAMELESS))
    named = [f"{', '.join(names)} ({why})" for why, names in by_reason.items()]
    return f"Ignored: {'; '.join(named)}." if named else ""


def pair_table(result: Mapping[str, Any]) -> str:
    """Pairs of systems: difference with its interval, Holm's p, probabilities, the decision."""
    pairs, digits = result["by_pair"], digits_of(result)
    best = result["best_on_average"]
    shown = [
        row for row in pairs if len(pairs) <= MOST_PAIRS or best in (row["system"], row["other"])
    ]
    rows = [
        {
            "pair": f"{_in_cell(row['system'])} vs {_in_cell(row['other'])}",
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


def _in_cell(name: str) -> str:
    """A name as text of Markdown, whatever is in it; the table escapes its bars."""
    return shown_name(name, "markdown").replace(r"\|", "|")


def component_table(result: Mapping[str, Any]) -> str:
    """Where the variance of a single run's score comes from."""
    rows = [
        {"variance of": row["component"].replace("_", " "), "share in percent": 100 * row["share"]}
        for row in result["by_component"]
        if not math.isnan(row["variance"])
    ]
    return markdown_table(rows)


def _ends(row: Mapping[str, Any], digits: int) -> str:
    low, high = row["difference_low"], row["difference_high"]
    return "" if math.isnan(low) else f"[{low:.{digits}f}, {high:.{digits}f}]"
