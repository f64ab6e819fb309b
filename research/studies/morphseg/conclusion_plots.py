"""Figures 1 to 3 of Liu & Prud'hommeaux (2022) on what we measured."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from research.studies.morphseg.claims import F1, is_example
from research.studies.morphseg.measured import SettingScores
from research.studies.morphseg.plan import FAST_MODELS
from research.studies.morphseg.results import setting_title
from research.studies.report import png
from research.studies.score_plots import score_plot


def example_plot(measured: Sequence[SettingScores]) -> bytes | None:
    """Figure 1a: F1 of every data set of the example; None where it is not measured."""
    own = [one for one in measured if is_example(one.setting.language, one.setting.size)]
    return score_plot(
        {
            setting_title(one.setting): {m: v.tolist() for m, v in one.means[F1].items()}
            for one in own
        }
    )


def range_plot(measured: Sequence[SettingScores]) -> bytes | None:
    """Figures 2a, 2b and 3: ranges and first-data-set differences of F1; None without settings."""
    from matplotlib.figure import Figure

    if not measured:
        return None
    figure = Figure(figsize=(8, 7), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=[1, 1.4])
    top, bottom = parts
    left, right = top.subplots(1, 2)
    ranges, gaps = _points(measured)
    for axes, points, title in (
        (left, ranges, "range over data sets"),
        (right, gaps, "first data set to mean"),
    ):
        axes.hist([y for of_model in points.values() for _, y in of_model], bins=20)
        axes.set_xlabel(f"F1 in points, {title}")
        axes.set_ylabel("settings x models")
    panels = bottom.subplots(2, 3, sharex=True, sharey=True).flat
    for axes, model in zip(panels, FAST_MODELS, strict=True):
        _of_model(axes, model, ranges[model], gaps[model])
    bottom.supxlabel("words of a data set", fontsize=9)
    bottom.supylabel("circles: range, triangles: first to mean", fontsize=9)
    return png(figure)


def _points(
    measured: Sequence[SettingScores],
) -> tuple[dict[str, list[tuple[int, float]]], dict[str, list[tuple[int, float]]]]:
    """By model, the size of every setting with the range of its scores, and with the difference."""
    ranges: dict[str, list[tuple[int, float]]] = {model: [] for model in FAST_MODELS}
    gaps: dict[str, list[tuple[int, float]]] = {model: [] for model in FAST_MODELS}
    for one in measured:
        for model, values in one.means[F1].items():
            ranges[model].append((one.setting.size, float(np.ptp(values))))
            gaps[model].append((one.setting.size, float(abs(values[0] - values.mean()))))
    return ranges, gaps


def _of_model(
    axes: Any, model: str, ranges: list[tuple[int, float]], gaps: list[tuple[int, float]]
) -> None:
    axes.plot(*zip(*ranges, strict=True), "o", alpha=0.6)
    axes.plot(*zip(*gaps, strict=True), "^", alpha=0.6)
    axes.set_title(model, fontsize=9)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
