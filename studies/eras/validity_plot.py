"""Figure of the study `validity`."""

from collections.abc import Mapping, Sequence
from typing import Any

from ground.markdown import percent
from studies.eras.validity_rows import TEXT
from studies.report import png

COLOURS = {"crf": "#228833", "maxmatch": "#ccbb44"}
PANELS = {"ERAS": ("resolution", "resolution"), "extended": ("pair_accuracy", "site_accuracy")}
"""Scores of each set of pairs and of the text; resolution is near 100 on the extended paradigms."""
TITLES = {"ERAS": "the 39 paradigms", "extended": "the extended paradigms"}


def validity_plot(scored: Mapping[str, Any]) -> bytes:
    """Left: the scores of `PANELS` on pairs and in text; right: what decides, in text."""
    from matplotlib.figure import Figure

    real = [row for row in scored["systems"] if not row["is_null"]]
    sets = [name for name in TITLES if any(name in row["sets"] for row in real)]
    figure = Figure(figsize=(5 * len(sets) + 6, 6), layout="constrained")
    *left, right = figure.subplots(1, len(sets) + 1)
    for axes, which in zip(left, sets, strict=True):
        _scatter(axes, real, which)
    _dependence(right, [row for row in scored["within"] if row["set"] == TEXT])
    return png(figure)


def _scatter(axes: Any, rows: Sequence[Mapping[str, Any]], which: str) -> None:
    scores = PANELS[which]
    for row in rows:
        if not {which, TEXT} <= set(row["sets"]):
            continue
        sides = [
            (row["sets"][name], score) for name, score in zip((which, TEXT), scores, strict=True)
        ]
        at = [percent(found[score]) for found, score in sides]
        errors = [
            [[percent(abs(found[score] - found[f"{score}_{end}"]))] for end in ("low", "high")]
            for found, score in sides
        ]
        colour = COLOURS.get(row["system"].partition(":")[0], "#4477aa")
        axes.errorbar(
            *at, xerr=errors[0], yerr=errors[1], fmt="o", color=colour, elinewidth=0.5, alpha=0.9
        )
        axes.annotate(
            row["system"], at, xytext=(-4, 4), textcoords="offset points", fontsize=8, ha="right"
        )
    axes.axline((70, 70), slope=1, color="grey", linewidth=0.6, linestyle=":")
    x, y = (score.replace("_", " ") for score in scores)
    axes.set_xlabel(f"{x} on {TITLES[which]}, percent")
    axes.set_ylabel(f"{y} of strings that occur in text, percent")


def _dependence(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    rows = sorted(rows, key=lambda row: float(row["context"]))
    for name, colour in (("frequency", "#ee6677"), ("context", "#4477aa")):
        values = [percent(row[name]) for row in rows]
        ends = [
            [percent(abs(row[name] - row[f"{name}_{end}"])) for row in rows]
            for end in ("low", "high")
        ]
        axes.errorbar(values, range(len(rows)), xerr=ends, fmt="o", color=colour, label=name)
    axes.set_yticks(range(len(rows)), [row["system"] for row in rows], fontsize=8)
    axes.axvline(0, color="grey", linewidth=0.6)
    axes.set_xlabel("points: of a tenfold frequency, and of being the true word")
    axes.legend()
