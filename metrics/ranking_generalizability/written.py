"""A result as a table for a paper: Markdown or LaTeX, from the same cells."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

COLUMNS = {
    "system": "system",
    "mean": "mean",
    "sd": "sd",
    "p_best": "best on",
    "p_best_on_average": "P(best)",
    "rank": "rank",
    "letters": "group",
}
FORMS = ("markdown", "latex")
SPECIAL = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def system_table(result: Mapping[str, Any], form: str = "markdown") -> str:
    """Systems from best to worst: mean, spread, how often the best, plausible ranks, letters.

    Args:
        result: What `ranking_generalizability` says.
        form: "markdown", or "latex" (with booktabs).
    """
    digits = digits_of(result)
    mean = "mean_adjusted" if result["n_units_partial"] else "mean"
    rows = sorted(result["by_system"], key=lambda row: (row["rank"], row["system"]))
    cells = [
        [
            _name(row["system"], form),
            f"{row[mean]:.{digits}f}",
            f"{row['sd']:.{digits}f}",
            _share(row["p_best"], form),
            _share(row["p_best_on_average"], form),
            _ranks(row, form),
            row["letters"],
        ]
        for row in rows
    ]
    return _table(list(COLUMNS.values()), cells, form, note_of(result))


def note_of(result: Mapping[str, Any]) -> str:
    """What the columns of the table mean, in a sentence or two."""
    level = f"{100 * result['confidence']:g} %"
    n, partial = result["n_units"], result["n_units_partial"]
    units = f"{n + partial} units" + (f", {partial} of them without some system" if partial else "")
    adjusted = " Means are adjusted for missing cells." if partial else ""
    return (
        f"{result['n_systems']} systems on {units}.{adjusted} Ranks in brackets are those"
        f" that are plausible ({level}); systems that share a letter are not shown to differ"
        f" (paired t, Holm, {100 - 100 * result['confidence']:g} %); P(best) is the probability to"
        " be truly the best."
    )


def digits_of(result: Mapping[str, Any]) -> int:
    """Decimals that show two digits of the smallest spread between units, from 0 to 6."""
    spreads = [row["sd"] for row in result["by_system"] if row["sd"] > 0]
    return min(6, max(0, 1 - math.floor(math.log10(min(spreads))))) if spreads else 3


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], form: str, note: str) -> str:
    if form == "markdown":
        marks = ["---", *["---:"] * (len(header) - 2), "---"]
        lines = ["| " + " | ".join(cells) + " |" for cells in (header, marks, *rows)]
        return "\n".join(lines) + f"\n\n{note}\n"
    if form != "latex":
        raise ValueError(f"form, got {form!r}; expected {' or '.join(FORMS)}")
    lines = [" & ".join(cells) + r" \\" for cells in rows]
    columns = "l" + "r" * (len(header) - 2) + "l"
    return "\n".join(
        [
            f"% {note}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(header) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _name(name: str, form: str) -> str:
    if form == "latex":
        return "".join(SPECIAL.get(c, c) for c in name)
    return name.replace("|", "\\|")


def _share(value: float, form: str) -> str:
    if math.isnan(value):
        return "--" if form == "latex" else "–"
    return f"{100 * value:.0f}" + (r"\,\%" if form == "latex" else " %")


def _ranks(row: Mapping[str, Any], form: str) -> str:
    low, high = row["rank_low"], row["rank_high"]
    dash = "--" if form == "latex" else "–"
    return f"{row['rank']} [{low}{dash}{high}]" if low < high else f"{row['rank']}"
