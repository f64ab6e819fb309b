"""A result as a picture: the headline and its interval among the lines that it is read by."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ground.extras import require

if TYPE_CHECKING:
    from garden_path.result import Result

WIDTH, HEIGHT_OF_LINE, HEIGHT_OF_REST = 7.0, 0.3, 1.2
COLOURS = {
    **{"null": "#9ca3af", "shortcut": "#d97706", "system": "#374151"},
    **{"rule": "#059669", "ceiling": "#059669"},
}
OWN = "#2563eb"


def result_plot(result: "Result", path: Path | None = None) -> Any:
    """A row for the result and one for each line of its test, best first, from 0 to 1."""
    require("matplotlib", command="plot")
    from matplotlib.figure import Figure  # heavy, and of the extra `plot`

    lines = [(line.name, line.kind, line.score) for line in result.lines]
    rows = sorted([*lines, ("NULL", "null", result.null)], key=lambda row: row[2])
    height = HEIGHT_OF_REST + HEIGHT_OF_LINE * (len(rows) + 1)
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots()
    for place, (_, kind, score) in enumerate(rows):
        axes.plot([0, score], [place, place], color=COLOURS[kind], lw=1)
        axes.plot([score], [place], "o", color=COLOURS[kind])
    low, high = result.interval
    axes.plot([low, high], [len(rows)] * 2, color=OWN, lw=3)
    axes.plot([result.headline], [len(rows)], "D", color=OWN)
    names = [name if kind == "system" else f"{name} ({kind})" for name, kind, _ in rows]
    axes.set_yticks(range(len(rows) + 1), [*names, result.system])
    axes.set_xlim(0, 1)
    axes.set_xlabel(f"{result.test.title}, {result.test.suite} {result.test.name}")
    if path is not None:
        figure.savefig(path)
    return figure
