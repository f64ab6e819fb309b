"""What a study leaves behind: a Markdown table, its figures and a plot in `cards/results/<suite>/`, stamped with what they were run on.

A result `<name>` is `<name>.md` (what the cards insert), `<name>.json` (VERSION and content hash of the suite, the command, figures)
and, where there is a plot, `<name>.png`. `push.py check` compares the stamp with the built suite, so that no stale figure is published.
"""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent.parent / "cards" / "results"


def markdown_table(rows: Iterable[Mapping[str, object]], columns: Sequence[str] | None = None, digits: int = 1) -> str:
    """Gives rows as a GitHub table; numbers are right-aligned, floats have `digits` decimals, nan and None are shown as a dash.

    Args:
        rows: One mapping per row.
        columns: The columns to show, in order; by default those of the first row.
        digits: Decimals of floats.
    """
    table = [dict(row) for row in rows]
    names = list(columns or (table[0] if table else ()))
    numeric = [bool(table) and all(isinstance(row.get(name), int | float | None) for row in table) for name in names]
    lines = [names, ["---:" if right else "---" for right in numeric]]
    lines += [[format_cell(row.get(name), digits) for name in names] for row in table]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def format_cell(value: object, digits: int = 1) -> str:
    """Gives a value as the text of one table cell: a dash for None and nan, no line breaks, bars escaped."""
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    text = f"{value:z.{digits}f}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def interval(low: float, high: float, digits: int = 1) -> str:
    """Gives an interval as it stands behind a value, such as " [7.7, 38.4]"; nothing where it is undefined."""
    return "" if low != low else f" [{low:z.{digits}f}, {high:z.{digits}f}]"


def percent(value: float) -> float:
    """Gives a share in [0, 1] as percent; nan stays nan."""
    return 100 * value


def png(figure: Any) -> bytes:
    """Gives a matplotlib figure as the bytes of a PNG, without a date, so that the same figure gives the same bytes."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    return buffer.getvalue()


def write_result(
    suite: str,
    name: str,
    text: str,
    *,
    version: str,
    content_hash: str,
    command: str,
    figures: Mapping[str, Any],
    plot: bytes | None = None,
) -> Path:
    """Writes a study's result, whole or not at all, and gives the path of its Markdown file.

    Args:
        suite: The suite it was measured on, such as `eras`.
        name: The study's name; the cards insert it by this name.
        text: Markdown: the table and one or two sentences of what was run.
        version: VERSION of the suite.
        content_hash: Content hash of the suite that was scored; a figure of another hash is stale.
        command: The line that makes this result again.
        figures: Figures that tests and cards may quote, JSON-like.
        plot: A PNG, if there is one.
    """
    folder = RESULTS / suite
    folder.mkdir(parents=True, exist_ok=True)
    if plot is not None:
        _replace(folder / f"{name}.png", plot)
    stamp = {"version": version, "content_hash": content_hash, "command": command, "figures": figures}
    _replace(folder / f"{name}.json", (json.dumps(stamp, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=True) + "\n").encode())
    _replace(folder / f"{name}.md", text.rstrip().encode() + b"\n")
    return folder / f"{name}.md"


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(content)
    temporary.replace(path)
