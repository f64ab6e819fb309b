"""Plots of the generalizability study: how far scores spread over data sets, and over new test sets of each size."""

from collections.abc import Mapping, Sequence
from typing import Any

from studies.report import png

WIDTH, HEIGHT_OF_LINE = 8.0, 0.32
FIRST, OTHERS, MEAN = "#c0392b", "#7f8c8d", "#2c3e50"


def score_plot(
    scores: Mapping[str, Mapping[str, Sequence[float]]], label: str = "F1 in percent; red: first data set, bar: mean"
) -> bytes | None:
    """Plots the score of every data set by setting and model, the first in red, the mean as a bar.

    Args:
        scores: For each setting and model one score per data set in percent, data set 1 first.
        label: What the scores are.

    Returns:
        A PNG; None without scores.
    """
    lines = [(f"{model}\n{setting}", list(values)) for setting, models in scores.items() for model, values in models.items()]
    if not lines:
        return None
    figure, axes = _figure(len(lines))
    for place, (_, values) in enumerate(lines):
        axes.plot(values, [place] * len(values), "o", color=OTHERS, alpha=0.4, markersize=4)
        axes.plot([sum(values) / len(values)], [place], "|", color=MEAN, markersize=14, markeredgewidth=2)
        axes.plot(values[:1], [place], "o", color=FIRST, markersize=6)
    return _finished(figure, axes, [name for name, _ in lines], label)


def new_test_plot(scores: Mapping[tuple[str, str, int], Any]) -> bytes | None:
    """Plots the range, quartiles and median of F1 over new test sets by setting, model and size; None without scores."""
    if not scores:
        return None
    figure, axes = _figure(len(scores))
    axes.boxplot(list(scores.values()), orientation="horizontal", whis=(0, 100), positions=range(len(scores)), widths=0.6)
    names = [f"{model}, {size:,} words\n{setting}" for setting, model, size in scores]
    return _finished(figure, axes, names, "F1 in percent over new test sets")


def _figure(n_lines: int) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 1.2 + HEIGHT_OF_LINE * max(n_lines, 3)), layout="constrained")
    return figure, figure.subplots()


def _finished(figure: Any, axes: Any, names: Sequence[str], label: str) -> bytes:
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.grid(axis="x", alpha=0.3)
    return png(figure)
