"""The figure over all suites: real systems with their intervals, and what knowing nothing has."""

import math
from collections.abc import Mapping, Sequence

from ground.markdown import percent
from research.studies.report import new_figure, png
from research.studies.result_lines import Line

WIDTH, HEIGHT_OF_LINE, HEIGHT_OF_TITLE = 8.0, 0.24, 0.42
ABOVE, BELOW, NULL, SHORTCUT = "#4477aa", "#bbbbbb", "#ee6677", "#cc8800"


def overview_plot(tasks: Mapping[tuple[str, str], Sequence[Line]]) -> bytes:
    """A panel per suite and task: points with intervals, bars at NULL and the best shortcut.

    Returns:
        A PNG.
    """
    heights = [HEIGHT_OF_TITLE + HEIGHT_OF_LINE * len(lines) for lines in tasks.values()]
    figure = new_figure(WIDTH, sum(heights) + HEIGHT_OF_TITLE)
    panels = figure.subplots(
        len(tasks), squeeze=False, sharex=True, gridspec_kw={"height_ratios": heights}
    )[:, 0]
    for axes, ((suite, title), lines) in zip(panels, tasks.items(), strict=True):
        axes.set_title(
            f"{suite}: {title.replace('`', '')}, {lines[0].score}", fontsize=9, loc="left"
        )
        axes.set_yticks(range(len(lines)), [line.system for line in lines], fontsize=8)
        axes.set_ylim(len(lines) - 0.4, -0.6)
        axes.grid(axis="x", alpha=0.3)
        for place, line in enumerate(lines):
            _draw(axes, place, line)
    ends = [end for lines in tasks.values() for line in lines for end in (line.value, line.low)]
    lowest = min(0.0, *(percent(end) for end in ends if end == end))
    panels[-1].set_xlim(math.floor(lowest / 10) * 10, 100)
    panels[-1].set_xlabel(
        "percent; line: 95 % interval; red: NULL; orange: the best shortcut; grey: not above"
    )
    return png(figure)


def _draw(axes: object, place: int, line: Line) -> None:
    value, low, high, null = (percent(s) for s in (line.value, line.low, line.high, line.null))
    color = BELOW if line.is_above is False else ABOVE
    if low == low:
        axes.plot([low, high], [place, place], "-", color=color, linewidth=2)  # type: ignore[attr-defined]
    axes.plot([value], [place], "o", color=color, markersize=6)  # type: ignore[attr-defined]
    if line.shortcut == line.shortcut:
        _bar(axes, place, percent(line.shortcut), SHORTCUT)
    _bar(axes, place, null, NULL)


def _bar(axes: object, place: int, value: float, color: str) -> None:
    axes.plot([value], [place], "|", color=color, markersize=11, markeredgewidth=2)  # type: ignore[attr-defined]
