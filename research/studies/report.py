"""What a study leaves for the cards: Markdown, figures and a plot, stamped with what they rest on.

A result `<name>` in `cards/results/<suite>/` is `<name>.md` (what the cards insert), `<name>.json`
(suite, VERSION, draw and content hash, the command, figures) and, where there is a plot,
`<name>.png`. `push.py check` compares the stamp with the built suite, so that no stale figure is
published.
"""

import functools
import importlib
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dataset_scripts import registry
from ground.files import write_whole
from ground.markdown import interval, percent
from ground.paths import RESULTS
from ground.tables import read_settings
from metrics._shared.columns import FloatArray
from metrics._shared.uncertainty import wilson_interval
from research.studies.published_tables import DATA


@dataclass(frozen=True)
class Shown:
    """A result as it goes into a card, which inserts it by the name of its files.

    Tests and cards may quote its `figures`; `report` is what is printed and written by `--out`
    where that is more than the card's text; `name` is by default that of the study and variant.
    """

    text: str
    figures: Mapping[str, Any]
    plot: Callable[[], bytes | None] = lambda: None
    report: str = ""
    name: str = ""


@functools.cache
def headings(table: str) -> dict[str, str]:
    """What the columns, rows or classes of a study's table are called, of `headings.toml`."""
    return dict(read_settings(DATA / "headings.toml")[table])


def new_figure(width: float, height: float) -> Any:
    """A matplotlib figure of this size in inches; what draws nothing does not import it."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def cell_map(axes: Any, cells: FloatArray, names: Sequence[Sequence[str]], **style: int) -> Any:
    """Draws percents as coloured cells with their numbers, white where there is none.

    `names` are those of the rows and of the columns, `style` has `fontsize` and `rotation`.
    """
    image = axes.imshow(cells, vmin=0, vmax=100, cmap="RdYlBu", aspect="auto")
    rows, columns = names
    axes.set_xticks(range(len(columns)), columns, rotation=style["rotation"])
    axes.set_yticks(range(len(rows)), rows)
    for (i, j), value in np.ndenumerate(cells):
        if value == value:
            look = {"color": "black" if 15 < value < 85 else "white", "fontsize": style["fontsize"]}
            axes.text(j, i, f"{value:.0f}", ha="center", va="center", **look)
    return image


def score_line(
    axes: Any, places: Sequence[int], rows: Sequence[Mapping[str, Any]], score: str, **look: str
) -> None:
    """Draws a score of some rows, in percent, as a line within its interval."""
    values, low, high = (
        [percent(row[f"{score}{end}"]) for row in rows] for end in ("", "_low", "_high")
    )
    (line,) = axes.plot(places, values, **look)
    axes.fill_between(places, low, high, alpha=0.2, color=line.get_color(), linewidth=0)


def null_line(axes: Any, share: float) -> None:
    """Draws what knowing nothing is worth."""
    look = {"color": "tab:red", "linestyle": "--", "linewidth": 1}
    axes.axhline(percent(share), label="NULL", **look)


def png(figure: Any) -> bytes:
    """A matplotlib figure as a PNG without a date, so that the same figure gives the same bytes."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    return buffer.getvalue()


def numbers(results: Iterable[Mapping[str, Any]], *named_by: str) -> dict[str, dict[str, float]]:
    """The scores of each result, by what names it."""
    return {
        "/".join(result[name] for name in named_by): {
            key: value for key, value in result.items() if isinstance(value, float)
        }
        for result in results
    }


def wilson_text(n: int, of: int, digits: int = 1, unit: str = "") -> str:
    """A share in percent with its 95 % Wilson interval.

    Example:
        >>> wilson_text(9, 10)
        '90.0 [59.6, 98.2]'
    """
    found = wilson_interval(n, of)
    ends = interval(percent(found.low), percent(found.high), digits)
    return f"{percent(n / of):.{digits}f}{unit}{ends}"


def committed_figures(name: str, folder: Path = RESULTS) -> dict[str, Any]:
    """Figures of a written result, by `SUITE/RECORD`; {} where there is none."""
    path = folder / f"{name}.json"
    return dict(json.loads(path.read_text("utf-8"))["figures"]) if path.is_file() else {}


def metric_versions(names: Iterable[str]) -> dict[str, str]:
    """VERSION of each metric."""
    modules = {name: importlib.import_module(f"metrics.{name}.scoring") for name in names}
    return {name: str(module.VERSION) for name, module in modules.items()}


def result_stamp(
    suite: str,
    metrics: Iterable[str],
    stamp: Mapping[str, Any] | None = None,
    configs: Sequence[str] = (),
) -> dict[str, Any]:
    """What a result rests on: VERSION and content hash of the rows, VERSION of each metric.

    `stamp` stands for the suite's own where the result rests on something else; `configs` are those
    that it was measured on, where they are not those of the draw.
    """
    of_suite = registry.suite_stamp(suite, configs=configs) if stamp is None else stamp
    of_suite = {"configs": list(configs), **of_suite} if configs else of_suite
    return {**of_suite, "metrics": metric_versions(metrics)}


def write_result(
    place: str,
    stamp: Mapping[str, Any],
    shown: Shown,
    command: str,
    plot: bytes | None = None,
    signatures: Sequence[str] = (),
    systems: Mapping[str, Any] | None = None,
) -> Path:
    """Writes a result at `SUITE/NAME`, whole or not at all; gives its Markdown file."""
    content = {
        "suite": place.partition("/")[0],
        **stamp,
        "draw": {},  # options of the build, as MANIFEST.json has them; none is the default draw
        "command": command,
        "signatures": list(signatures),
        "systems": {
            name: {"version": system.version, "n_parameters": system.n_parameters}
            for name, system in (systems or {}).items()
        },
        "figures": shown.figures,
    }
    text = json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=True)
    if plot is not None:
        write_whole(RESULTS / f"{place}.png", plot)
    write_whole(RESULTS / f"{place}.json", f"{text}\n")
    write_whole(RESULTS / f"{place}.md", f"{shown.text.rstrip()}\n")
    return RESULTS / f"{place}.md"


def named_panels(
    names: Mapping[str, Sequence[str]], line: float, title: float, margin: float = 0.5
) -> tuple[Any, Any]:
    """A figure with a panel for each title, as high as its names need, on one axis of scores."""
    heights = [title + line * len(of_panel) for of_panel in names.values()]
    figure = new_figure(8.0, sum(heights) + title)
    panels = figure.subplots(
        len(names), squeeze=False, sharex=True, gridspec_kw={"height_ratios": heights}
    )[:, 0]
    for axes, (head, of_panel) in zip(panels, names.items(), strict=True):
        axes.set_title(head, fontsize=9, loc="left")
        axes.set_yticks(range(len(of_panel)), list(of_panel), fontsize=8)
        axes.set_ylim(len(of_panel) - 1 + margin, -margin)
        axes.grid(axis="x", alpha=0.3)
    return figure, panels


FIRST, OTHERS, MEAN = "#c0392b", "#7f8c8d", "#2c3e50"


def score_plot(
    scores: Mapping[str, Mapping[str, Sequence[float]]],
    label: str = "F1 in percent; red: first data set, bar: mean",
) -> bytes | None:
    """Plots the score of every data set by setting and model, the first in red, the mean as a bar.

    Scores are in percent, data set 1 first; a PNG, or None without scores.
    """
    shown = {setting: models for setting, models in scores.items() if models}
    if not shown:
        return None
    figure, panels = named_panels({name: list(of) for name, of in shown.items()}, 0.26, 0.5)
    for axes, models in zip(panels, shown.values(), strict=True):
        for place, values in enumerate(models.values()):
            axes.plot(values, [place] * len(values), "o", color=OTHERS, alpha=0.4, markersize=4)
            mean = [sum(values) / len(values)]
            axes.plot(mean, [place], "|", color=MEAN, markersize=14, markeredgewidth=2)
            axes.plot(values[:1], [place], "o", color=FIRST, markersize=6)
    panels[-1].set_xlabel(label)
    return png(figure)
