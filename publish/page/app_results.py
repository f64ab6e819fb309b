"""What a page shows of a result: scores and tables as HTML, a plot, and the whole as a file.

Every score that has an interval is shown with it. What came from a file is shown as text.
"""

import hashlib
import json
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

HERE = Path(__file__).resolve().parent
ROWS_SHOWN = 200
ROWS_ACROSS = 6  # a table of so few rows is turned: its scores stand below each other
LENGTH_SHOWN = 2_000  # of a message, whose values may be long
BOUNDS = ("_low", "_high", "_interval")
HTML = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
    (HERE / "app_tables.html").read_text(encoding="utf-8")
)


def html(macro: str, *given: Any) -> str:
    """What a macro of app_tables.html makes of what it is given; text in it stays text."""
    return str(getattr(HTML.module, macro)(*given))


def figures(result: Mapping[str, Any], settings: Mapping[str, Any]) -> list[dict[str, str]]:
    """Scores of a page: name, value, interval, how it was found, what the score is."""
    return [
        {"name": name, "meaning": meaning, **cell(result, name)}
        for name, meaning in settings["figures"].items()
        if name in result
    ]


def cell(row: Mapping[str, Any], name: str) -> dict[str, str]:
    """One value as a person reads it, with its interval; those of numbers, `n_...`, are whole."""
    show: Callable[[Any], str] = count if name.startswith("n_") else number
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    has_interval = is_number(low) and is_number(high)
    return {
        "value": show(row[name]) if is_number(row[name]) else number(row[name]),
        "interval": f"{show(low)} to {show(high)}" if has_interval else "",
        "how": str(row.get(f"{name}_interval", "")),
    }


def number(value: Any) -> str:
    """Value as a person reads it: four decimals, "undefined" for nan."""
    if isinstance(value, float):
        return "undefined" if math.isnan(value) else f"{value:.4f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def count(value: float) -> str:
    """Number of things, whole; "undefined" for nan and "no end" for infinity."""
    if math.isnan(value):
        return number(value)
    return f"{value:,.0f}" if math.isfinite(value) else "no end"


def scores_html(result: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Table of the scores."""
    return html("scores", figures(result, settings), confidence(result))


def table_html(result: Mapping[str, Any], name: str) -> str:
    """One of the result's tables: few rows stand as columns, of many the first 200 are shown."""
    rows = result.get(name) or []
    names = list(dict.fromkeys(key for row in rows for key in row if not key.endswith(BOUNDS)))
    shown = [
        [
            cell(row, key) if key in row else {"value": "", "interval": "", "how": ""}
            for key in names
        ]
        for row in rows[:ROWS_SHOWN]
    ]
    lines = [[{"value": key, "interval": "", "how": ""} for key in names], *shown]
    if len(rows) <= ROWS_ACROSS:
        lines = [list(line) for line in zip(*lines, strict=True)]
    return html("table", title(name), lines, len(shown), len(rows), undefined(shown))


def undefined(rows: Sequence[Sequence[Mapping[str, str]]]) -> list[str]:
    """Reasons why intervals of a table are undefined, each once."""
    reasons = [cell["how"] for row in rows for cell in row if not cell["interval"]]
    return list(dict.fromkeys(filter(None, reasons)))


def title(name: str) -> str:
    """Name of a table as a person reads it."""
    return name.removeprefix("by_").replace("_", " ")


def confidence(result: Mapping[str, Any]) -> str:
    """Confidence of a result's intervals in percent."""
    return f"{100 * result.get('options', {}).get('confidence', 0.95):g}\N{NO-BREAK SPACE}%"


def failure_html(message: object) -> str:
    """Why there is no score, as text whatever a file's values hold."""
    text = str(message)
    cut = text[:LENGTH_SHOWN] + (" ..." if len(text) > LENGTH_SHOWN else "")
    return html("failure", cut)


def remarks_html(said: Sequence[warnings.WarningMessage]) -> str:
    """What the metric warned of, each once, as text."""
    return html("remarks", list(dict.fromkeys(str(warning.message) for warning in said)))


def verdict_html(result: Mapping[str, Any]) -> str:
    """What was read as what, and what a result says in sentences, where it has these."""
    columns = result.get("columns") or {}
    said = [f"{role}: {name}" for role, name in columns.items()]
    left_out = [
        f"{row['column']} ({row['why']})"
        for row in result.get("roles") or []
        if row["role"] == "ignored"
    ]
    said += [f"ignored: {', '.join(left_out)}"] if left_out else []
    read = "; ".join([*said, *filter(None, [str(result.get("note") or "").removesuffix(".")])])
    return html("verdict", result.get("verdict", ""), read, result.get("remarks") or [])


def plot_rows(result: Mapping[str, Any], settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Points of the plot: name, value, bounds or None; undefined values are left out."""
    plot = settings["plot"]
    if plot["table"] == "figures":
        found = [(name, cell_numbers(result, name)) for name in plot["only"] if name in result]
    else:
        rows = result.get(plot["table"]) or []
        found = [
            (row[plot["x"]], cell_numbers(row, plot["y"]))
            for row in rows[:ROWS_SHOWN]
            if {plot["x"], plot["y"]} <= set(row)
        ]
    return [
        {"name": str(name), **numbers} for name, numbers in found if is_number(numbers["value"])
    ]


def cell_numbers(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Value and bounds of a score for a plot, None where a bound is missing or has no end."""
    bounds = {side: row.get(f"{name}_{side}", math.nan) for side in ("low", "high")}
    shown = {side: v if is_number(v) and math.isfinite(v) else None for side, v in bounds.items()}
    return {"value": row[name], **shown}


def plot_spec(result: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Vega-Lite of the plot, None where there is nothing to draw: points, intervals, and a band.

    The band is the interval of `plot.overall`, where the rows have none of their own.
    """
    plot = settings["plot"]
    rows = plot_rows(result, settings)
    if not rows:
        return None
    name = {"field": "name", "type": "nominal", "sort": None, "title": plot["x"].replace("_", " ")}
    bounded = [row for row in rows if row["low"] is not None and row["high"] is not None]
    return {
        "description": description(rows, settings),
        "usermeta": {"embedOptions": {"renderer": "svg", "actions": False}},
        "width": "container",
        "height": {"step": 26 if len(rows) <= 10 else 15},
        "autosize": {"type": "fit-x", "contains": "padding"},
        "background": "transparent",
        "data": {"values": rows},
        "encoding": {"y": name, "tooltip": [{"field": key} for key in rows[0]]},
        "layer": [
            *_overall(result, plot),
            _zero(),
            *([_whiskers(bounded)] if bounded else []),
            {"mark": POINT, "encoding": {"x": _axis("value")}},
        ],
        "config": CONFIG,
    }


BLUE = "#2563eb"
POINT = {"type": "point", "filled": True, "color": BLUE, "size": 60, "opacity": 1}
CONFIG = {
    "axis": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "gridColor": "#8884",
        "domainColor": "#888",
        "tickColor": "#888",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelLimit": 130,
    },
    "axisX": {"tickCount": 6, "labelOverlap": True},
    "view": {"stroke": None},
}


def _axis(field: str) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "title": None}


def _end() -> dict[str, str]:
    return {"field": "high"}


def _whiskers(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "data": {"values": rows},
        "mark": {"type": "rule", "strokeWidth": 2, "color": BLUE},
        "encoding": {"x": _axis("low"), "x2": _end()},
    }


def _zero() -> dict[str, Any]:
    return {
        "data": {"values": [{"zero": 0}]},
        "mark": {"type": "rule", "color": "#888"},
        "encoding": {"x": _axis("zero"), "y": None, "tooltip": None},
    }


def _overall(result: Mapping[str, Any], plot: Mapping[str, Any]) -> list[dict[str, Any]]:
    name = plot.get("overall", "")
    whole = cell_numbers(result, name) if name in result else {}
    if whole.get("low") is None or whole.get("high") is None:
        return []
    common = {"y": None, "tooltip": [{"field": key} for key in whole]}
    return [
        {
            "data": {"values": [whole]},
            "mark": {"type": "rect", "color": BLUE, "opacity": 0.18},
            "encoding": {"x": _axis("low"), "x2": _end(), **common},
        },
        {
            "data": {"values": [whole]},
            "mark": {"type": "rule", "color": BLUE, "strokeDash": [4, 3]},
            "encoding": {"x": _axis("value"), **common},
        },
    ]


def description(rows: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> str:
    """Plot in words, for those who do not see it."""
    values = [
        f"{row['name']} {row['value']:.2f}"
        + (f" ({row['low']:.2f} to {row['high']:.2f})" if None not in row.values() else "")
        for row in rows
    ]
    return f"{settings['plot']['title']}: {'; '.join(values)}"


def write_result(result: Mapping[str, Any], name: str, folder: Path) -> Path:
    """Writes the whole result as JSON, nan as null, and gives the file; equal results share it."""
    text = json.dumps(_plain(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
    path.write_text(text, encoding="utf-8")
    return path


def is_number(value: Any) -> bool:
    """Whether a value is a number and not nan."""
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
