"""A report as one HTML file: no script, nothing from a network; what is given is escaped."""

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import Any

Data = Mapping[str, Any]
FOLDER = Path(__file__).parent / "data"
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
KINDS = {
    "own": "this system",
    "system": "measured here",
    "null": "NULL",
    "shortcut": "shortcut",
    "published": "published",
    "people": "people",
    "rule": "the rule, told",
    "ceiling": "ceiling",
}
AXIS = "<span>0</span><span>25</span><span>50</span><span>75</span><span>100 %</span>"
LAST = f'<tr class="axis" aria-hidden="true"><td></td><td class="plot"><div>{AXIS}</div></td></tr>'
NEAR = '<p class="note">The paper scored its own rows, which are like these but not the same.</p>'
CHOSEN = '<p class="note">Those in which the row itself misleads come first, one of each kind.</p>'


def percent(share: float | None) -> str:
    """A share as a person reads it."""
    return "–" if share is None else f"{100 * share:.1f}"


def reach(found: Data) -> str:
    """The ends of an interval in brackets; "" without one."""
    low, high = found.get("low"), found.get("high")
    return "" if low is None or high is None else f"[{percent(low)}, {percent(high)}]"


def as_html(report: Data) -> str:
    """The page of a report, see `garden_path.report.sections`."""
    sections = report["sections"]
    rows = [
        _row(
            f'<a href="#t{i}">{_place(one)}</a>',
            escape(one["measure"]),
            {**one, "kind": "own"},
            (one["null"] or 0, one["bar"]),
            f'<td role="cell" class="verdict {one["verdict"]}">{escape(one["found"])}</td>',
        ).replace('class="own"', "", 1)
        for i, one in enumerate(sections)
    ]
    return _filled(
        "page",
        system=escape(report["system"]),
        style=(FOLDER / "report.css").read_text(encoding="utf-8"),
        overview=_table("All tests", rows, "overview", ("Found",)) if len(rows) > 1 else "",
        sections="".join(_section(section, i) for i, section in enumerate(sections)),
        left_out=_list("Not scored", report["left_out"]),
    )


def _section(one: Data, i: int) -> str:
    found, _, why = one["conclusion"].partition(": ")
    people = f'<p class="people"><b>People</b> {escape(one["people"])}.</p>'
    return _filled(
        "section",
        **{name: escape(str(one[name])) for name in ("asks", "measure", "verdict")},
        i=i,
        n=f"{one['n']:,}",
        place=_place(one),
        score=percent(one["score"]),
        reach=reach(one),
        found=escape(found),
        why=escape(why[:1].upper() + why[1:]).replace(" %", "\u00a0%"),
        ladder=_ladder(one),
        legend=_legend(one),
        people=people if one["people"] else "",
        published="".join(map(_published, one["published"])),
        parts=_parts(one["parts"]),
        mistakes=_mistakes(one),
        not_concluded=_list("May not be concluded", one["not_concluded"]),
        how="".join(
            f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in one["how"].items() if v
        ),
    )


def _ladder(one: Data) -> str:
    rows = []
    for line in one["lines"]:
        kind = KINDS.get(line["kind"], line["kind"])
        said = (
            line["says"] if kind == line["name"] else " · ".join(filter(None, [kind, line["says"]]))
        )
        rows.append(_row(escape(line["name"]), escape(said), line, (one["null"] or 0, one["bar"])))
    title = f"{one['measure']}: this system among the lines that it is read by"
    return _table(title, [*rows, LAST], "ladder")


def _legend(one: Data) -> str:
    kinds = {line["kind"] for line in one["lines"]}
    keys = {
        f'<svg class="key" aria-hidden="true"><svg x="50%" y="50%"><g class="mark {kind}">'
        f"{SHAPES[kind]}</g></svg></svg>": name
        for kind, name in KINDS.items()
        if kind in kinds
    }
    keys['<i class="zone null"></i>'] = "reached by NULL"
    if one["bar"] > (one["null"] or 0):
        keys['<i class="zone shortcut"></i>'] = "reached by a shortcut"
    return "".join(f"<li>{key}{name}</li>" for key, name in keys.items())


def _published(one: Data) -> str:
    marks = {name: {"kind": "published", "score": score} for name, score in one["systems"].items()}
    marks["this system"] = {**one, "kind": "own"}
    order = sorted(marks, key=lambda name: -(marks[name]["score"] or 0))
    title = f"Published: {one['measure']} ({one['source']})"
    table = _table(title, [_row(escape(name), "", marks[name]) for name in order], "ladder small")
    return f"<h3>{escape(title)}</h3>{NEAR}{table}"


def _parts(parts: Iterable[Data]) -> str:
    tables = ""
    for part in parts:
        rows = [
            _row(
                escape(row["group"]),
                "" if row["n"] is None else f"{row['n']:,} items",
                {**row, "kind": "system"},
            )
            for row in part["rows"]
        ]
        title = escape(part["title"])
        tables += f"<div><h4>{title}</h4>{_table(part['title'], rows, 'ladder small')}</div>"
    return tables and f'<h3>Other scores and break-downs</h3><div class="parts">{tables}</div>'


def _mistakes(one: Data) -> str:
    items = "".join(
        _filled(
            "mistake",
            **{name: escape(mistake[name]) for name in ("read", "misled")},
            right=mistake["right"]
            and f'<dt>Right</dt><dd class="right">{escape(mistake["right"])}</dd>\n',
            lang=escape(one["language"]),
            text="".join(
                f'<mark class="{mark}">{escape(piece)}</mark>' if mark else escape(piece)
                for piece, mark in mistake["text"]
            ),
            asked=mistake["asked"] and f'<p class="asked">{escape(mistake["asked"])}</p>',
        )
        for mistake in one["mistakes"]
    )
    title = f"What misled it: {len(one['mistakes'])} of {one['n_wrong']:,} items that it got wrong"
    return items and f'<h3>{title}</h3>{CHOSEN}<ol class="mistakes">{items}</ol>'


def _row(
    name: str, note: str, mark: Data, zones: tuple[float, float] = (0, 0), end: str = ""
) -> str:
    """A row of a table of lines: a name, its place on the line, its number; of HTML."""
    return f"""<tr role="row" class="{escape(mark["kind"])}"><th role="rowheader" scope="row">{name}
<small>{note}</small></th><td role="cell" class="plot">{track([mark], *zones)}</td>
<td role="cell" class="num"><b>{percent(mark["score"])}</b>
<small>{reach(mark)}</small></td>{end}</tr>
"""


def _table(title: str, rows: Iterable[str], kind: str, more: Iterable[str] = ()) -> str:
    names = ("Name", "On the line", "Score", *more)
    head = "".join(f'<th role="columnheader" scope="col">{name}</th>' for name in names)
    return f"""<table role="table" class="{kind}"><caption>{escape(title)}</caption><thead
role="rowgroup"><tr role="row">{head}</tr></thead><tbody role="rowgroup">{"".join(rows)}</tbody>
</table>"""


def _list(title: str, lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return items and f"<div><h3>{title}</h3><ul>{items}</ul></div>"


def _place(one: Data) -> str:
    return f"{escape(one['suite'])} <span>{escape(one['test'])}</span>"


def _filled(name: str, **given: Any) -> str:
    return Template((FOLDER / f"{name}.html").read_text(encoding="utf-8")).substitute(given)


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
