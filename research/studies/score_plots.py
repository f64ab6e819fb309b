"""Plots of how far scores spread over data sets and over new test sets, a panel per setting."""

from collections.abc import Mapping, Sequence
from typing import Any

from research.studies.report import png

WIDTH, HEIGHT_OF_LINE, HEIGHT_OF_TITLE = 8.0, 0.26, 0.5
FIRST, OTHERS, MEAN = "#c0392b", "#7f8c8d", "#2c3e50"


def score_plot(
    scores: Mapping[str, Mapping[str, Sequence[float]]],
    label: str = "F1 in percent; red: first data set, bar: mean",
) -> bytes | None:
    """Plots the score of every data set by setting and model, the first in red, the mean as a bar.

    Args:
        scores: For each setting and model one score per data set in percent, data set 1 first.
        label: What the scores are.

    Returns:
        A PNG; None without scores.
    """
    shown = {setting: models for setting, models in scores.items() if models}
    if not shown:
        return None
    figure, panels = _panels({setting: list(models) for setting, models in shown.items()}, label)
    for axes, models in zip(panels, shown.values(), strict=True):
        for place, values in enumerate(models.values()):
            axes.plot(values, [place] * len(values), "o", color=OTHERS, alpha=0.4, markersize=4)
            axes.plot(
                [sum(values) / len(values)],
                [place],
                "|",
                color=MEAN,
                markersize=14,
                markeredgewidth=2,
            )
            axes.plot(values[:1], [place], "o", color=FIRST, markersize=6)
    return png(figure)


def new_test_plot(scores: Mapping[tuple[str, str, int], Any]) -> bytes | None:
    """Range, quartiles and median of F1 over new test sets, as a PNG; None without scores."""
    if not scores:
        return None
    by_setting: dict[str, dict[str, Any]] = {}
    for (setting, model, size), values in scores.items():
        by_setting.setdefault(setting, {})[f"{model}, {size:,} words"] = values
    figure, panels = _panels(
        {setting: list(lines) for setting, lines in by_setting.items()},
        "F1 in percent over new test sets",
    )
    for axes, lines in zip(panels, by_setting.values(), strict=True):
        places = range(len(lines))
        axes.boxplot(
            list(lines.values()),
            orientation="horizontal",
            whis=(0, 100),
            positions=places,
            widths=0.6,
            manage_ticks=False,
        )
    return png(figure)


def _panels(names: Mapping[str, Sequence[str]], label: str) -> tuple[Any, list[Any]]:
    """A figure with one panel per setting, as high as its lines need, on one axis of scores."""
    from matplotlib.figure import Figure

    heights = [HEIGHT_OF_TITLE + HEIGHT_OF_LINE * len(lines) for lines in names.values()]
    figure = Figure(figsize=(WIDTH, sum(heights) + HEIGHT_OF_TITLE), layout="constrained")
    panels = figure.subplots(
        len(names), squeeze=False, sharex=True, gridspec_kw={"height_ratios": heights}
    )[:, 0]
    for axes, (setting, lines) in zip(panels, names.items(), strict=True):
        axes.set_title(setting, fontsize=9, loc="left")
        axes.set_yticks(range(len(lines)), lines, fontsize=8)
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.grid(axis="x", alpha=0.3)
    panels[-1].set_xlabel(label)
    return figure, list(panels)
