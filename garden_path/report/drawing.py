"""Lines from 0 to 1 with marks, as inline SVG: every place is a share of the width.

Colours and sizes are those of the style sheet, so that a drawing follows the page into the dark.
"""

from collections.abc import Iterable, Mapping
from typing import Any

SHAPES = {
    "own": '<circle r="6"/>',
    "system": '<circle r="4.5"/>',
    "null": '<path d="M-4.5-4.5l9 9m0-9l-9 9"/>',
    "shortcut": '<rect x="-4.5" y="-4.5" width="9" height="9"/>',
    "published": '<circle r="4"/>',
    "people": '<path d="M0-6l6 6l-6 6l-6-6z"/>',
    "rule": '<path d="M-5.5-4.5l5.5 9.5l5.5-9.5z"/>',
    "ceiling": '<path d="M-5.5 4.5l5.5-9.5l5.5 9.5z"/>',
}


def track(marks: Iterable[Mapping[str, Any]], null: float = 0, shortcut: float = 0) -> str:
    """One line with its marks; what knowing nothing and what a shortcut is worth is shaded.

    Marks have `kind`, `score`, and perhaps `low` and `high`: shares in [0, 1] or None.
    """
    zones = _zone("null", 0, null) + _zone("shortcut", null, shortcut)
    drawn = "".join(_mark(mark) for mark in marks)
    return f'<svg class="track" aria-hidden="true">{zones}{_line("axis", 0, 1)}{drawn}</svg>'


def _zone(kind: str, low: float, high: float) -> str:
    if high <= low:
        return ""
    place = f'x="{100 * low:.2f}%" width="{100 * (high - low):.2f}%"'
    edge = f'<line class="edge {kind}" x1="{100 * high:.2f}%" x2="{100 * high:.2f}%" y2="100%"/>'
    return f'<rect class="zone {kind}" {place} height="100%"/>{edge}'


def _line(kind: str, low: float, high: float) -> str:
    ends = f'x1="{100 * max(low, 0):.2f}%" x2="{100 * max(high, 0):.2f}%"'
    return f'<line class="{kind}" {ends} y1="50%" y2="50%"/>'


def _mark(mark: Mapping[str, Any]) -> str:
    if mark["score"] is None:
        return ""
    kind, low, high = mark["kind"], mark.get("low"), mark.get("high")
    reach = "" if low is None or high is None else _line(f"reach {kind}", low, high)
    shape = f'<g class="mark {kind}">{SHAPES.get(kind, SHAPES["system"])}</g>'
    return f'{reach}<svg x="{100 * max(mark["score"], 0):.2f}%" y="50%">{shape}</svg>'
