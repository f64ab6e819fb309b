"""Figure of the study `validity`."""

from collections.abc import Mapping, Sequence
from typing import Any

from ground.markdown import percent
from research.studies.eras.validity_rows import TEXT
from research.studies.report import png

COLOURS = {"crf": "#228833", "maxmatch": "#ccbb44"}
ONE = "extended, one character"
PANELS = {
    "ERAS": ("resolution", "resolution"),
    ONE: ("resolution", "resolution"),
    "extended": ("pair_accuracy", "site_accuracy"),
}
"""Scores of each set of pairs and of the text."""
TITLES = {
    "ERAS": "the 39 paradigms",
    ONE: "extended ones with a one-character neighbour",
    "extended": "the extended paradigms",
}
PLACES = tuple(
    (side * 4, height, "right" if side < 0 else "left")
    for height in (4, -10, 14, -20, 24, -30, 34, -40)
    for side in (-1, 1)
)
"""Where a name may stand beside its point, in points of the page, the first that is free."""


def validity_plot(scored: Mapping[str, Any]) -> bytes:
    """Left: the scores of `PANELS` on pairs and in text; right: what decides, in text."""
    from matplotlib.figure import Figure

    real = [row for row in scored["systems"] if not row["is_null"]]
    sets = [name for name in TITLES if any(name in row["sets"] for row in real)]
    figure = Figure(figsize=(5 * len(sets) + 6, 6), layout="constrained")
    *left, right = figure.subplots(1, len(sets) + 1)
    points = [_scatter(axes, real, which) for axes, which in zip(left, sets, strict=True)]
    _dependence(right, [row for row in scored["within"] if row["set"] == TEXT])
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # names are placed where the axes are now
    for axes, named in zip(left, points, strict=True):
        name_points(axes, named)
    return png(figure)


def name_points(axes: Any, points: Mapping[str, tuple[float, float]]) -> list[Any]:
    """Writes names beside points, none over another.

    Args:
        axes: Drawn axes, whose limits and place are settled.
        points: By name, in data coordinates.

    Returns:
        The texts, in the order of `points`.
    """
    placed: list[Any] = []
    for name, at in points.items():
        taken = [text.get_window_extent() for text in placed]
        for x, y, side in PLACES:
            text = axes.annotate(
                name, at, xytext=(x, y), textcoords="offset points", fontsize=8, ha=side
            )
            if not text.get_window_extent().count_overlaps(taken):
                break
            if (x, y, side) != PLACES[-1]:
                text.remove()
        placed.append(text)
    return placed


def _scatter(
    axes: Any, rows: Sequence[Mapping[str, Any]], which: str
) -> dict[str, tuple[float, float]]:
    """Draws scores with their intervals; gives the points by system."""
    scores, points = PANELS[which], {}
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
        points[row["system"]] = (at[0], at[1])
    axes.axline((70, 70), slope=1, color="grey", linewidth=0.6, linestyle=":")
    x, y = (score.replace("_", " ") for score in scores)
    axes.set_xlabel(f"{x} on {TITLES[which]}, percent")
    axes.set_ylabel(f"{y} of strings that occur in text, percent")
    return points


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
