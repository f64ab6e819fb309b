"""The ranking as a picture: every system's distance from the best, with its interval and groups.

Like a critical-difference diagram: systems that a bar joins are not shown to differ. Unlike it, the
axis is the score's own, and each distance has the interval of that pair.
"""

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ground.extras import require
from metrics.ranking_generalizability.score_files import Row
from metrics.ranking_generalizability.scoring import chance_in_percent, digits_of, in_order

FORMATS = (".png", ".svg", ".pdf")
WIDTH, HEIGHT_OF_LINE, HEIGHT_OF_REST = 7.0, 0.34, 1.3
POINT, BAR, BAND = "#2563eb", "#374151", "#9ca3af"


def check_plot(path: Path) -> None:
    """Refuses a picture that cannot be drawn: of an unknown format, or without matplotlib."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"{path}: plot, got {path.suffix!r}; expected {', '.join(FORMATS)}")
    require("matplotlib", command="plot")


def ranking_plot(result: Mapping[str, Any], path: Path, label: str = "score") -> bytes:
    """The picture of a result in the format of the file; `label` says what the scores are."""
    check_plot(path)
    from matplotlib import rc_context  # heavy, and of the extra `plot`
    from matplotlib.figure import Figure

    rows = in_order(result)
    height = HEIGHT_OF_REST + HEIGHT_OF_LINE * len(rows)
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes, bars = figure.subplots(1, 2, sharey=True, width_ratios=(5, 1))
    _draw_distances(axes, rows, result, label)
    _draw_groups(bars, rows)
    content, kind = io.BytesIO(), path.suffix[1:].lower()
    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with rc_context({"svg.hashsalt": "rank"}):  # the same result is the same file
        figure.savefig(content, format=kind, dpi=150, metadata=dated.get(kind))
    return content.getvalue()


def _draw_distances(axes: Any, rows: list[Row], result: Mapping[str, Any], label: str) -> None:
    mean = "mean_adjusted" if result["n_units_partial"] else "mean"
    rope, digits = result["options"]["rope"], digits_of(result)
    if rope:
        axes.axvspan(-rope, rope, color=BAND, alpha=0.3, lw=0)
    axes.axvline(0, color=BAND, lw=1)
    for place, row in enumerate(rows):
        if not math.isnan(row["from_best_low"]):
            ends = [row["from_best_low"], row["from_best_high"]]
            axes.plot(ends, [place, place], color=POINT, lw=2)
        axes.plot([row["from_best"]], [place], "o", color=POINT, ms=6)
    names = [f"{row['system']}  {row[mean]:.{digits}f}" for row in rows]
    axes.set_yticks(range(len(rows)), names, fontsize=9)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="x", alpha=0.3)
    level = f"{100 * result['confidence']:g} %"
    axes.set_xlabel(
        f"{label}: difference from {result['best_on_average']}, {level} intervals", fontsize=9
    )
    winner = f"winner: {result['winner']}"
    if not math.isnan(result["certainty"]):
        chance = chance_in_percent(result["certainty"])
        winner += f" (P(best) of {result['best_on_average']} {chance} %)"
    axes.set_title(winner, fontsize=10, loc="left")


def _draw_groups(axes: Any, rows: list[Row]) -> None:
    """A bar for every letter, through the systems that have it."""
    separator = "," if any("," in row["letters"] for row in rows) else None
    groups: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        for letter in row["letters"].split(",") if separator else row["letters"]:
            groups.setdefault(letter, []).append(place)
    for x, letter in enumerate(sorted(groups, key=lambda name: (len(name), name))):
        places = groups[letter]
        axes.plot([x, x], [places[0], places[-1]], color=BAR, lw=3, solid_capstyle="round")
        axes.plot([x] * len(places), places, "o", color=BAR, ms=4)
    axes.set_xlim(-0.7, max(len(groups), 3) - 0.3)
    axes.set_title("not shown\nto differ", fontsize=8)
    axes.set_xticks([])
    axes.tick_params(left=False)
    axes.set_frame_on(False)
