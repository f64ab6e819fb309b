"""Plots of how far scores spread over data sets, a panel per setting."""

from collections.abc import Mapping, Sequence

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
    from matplotlib.figure import Figure

    shown = {setting: models for setting, models in scores.items() if models}
    if not shown:
        return None
    # as high as its lines need, on one axis of scores
    heights = [HEIGHT_OF_TITLE + HEIGHT_OF_LINE * len(models) for models in shown.values()]
    figure = Figure(figsize=(WIDTH, sum(heights) + HEIGHT_OF_TITLE), layout="constrained")
    panels = figure.subplots(
        len(shown), squeeze=False, sharex=True, gridspec_kw={"height_ratios": heights}
    )[:, 0]
    for axes, (setting, models) in zip(panels, shown.items(), strict=True):
        axes.set_title(setting, fontsize=9, loc="left")
        axes.set_yticks(range(len(models)), list(models), fontsize=8)
        axes.set_ylim(len(models) - 0.5, -0.5)
        axes.grid(axis="x", alpha=0.3)
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
    panels[-1].set_xlabel(label)
    return png(figure)
