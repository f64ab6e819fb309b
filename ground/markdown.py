"""Tables in Markdown, and how a number stands in one."""

import math
from collections.abc import Iterable, Mapping, Sequence


def markdown_table(
    rows: Iterable[Mapping[str, object]], columns: Sequence[str] | None = None, digits: int = 1
) -> str:
    """Rows as a GitHub table; its columns are by default those of the first row.

    Numbers are right-aligned, floats have `digits` decimals, nan and None are shown as a dash.
    """
    table = [dict(row) for row in rows]
    names = list(columns or (table[0] if table else ()))
    numeric = [
        bool(table) and all(isinstance(row.get(name), int | float | None) for row in table)
        for name in names
    ]
    lines = [names, ["---:" if right else "---" for right in numeric]]
    lines += [[format_cell(row.get(name), digits) for name in names] for row in table]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def format_cell(value: object, digits: int = 1) -> str:
    """A value as the text of one table cell: a dash for None and nan, bars escaped, one line."""
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    text = f"{value:,}" if type(value) is int else str(value)
    if isinstance(value, float):
        text = fixed(value, digits)
    return text.replace("|", "\\|").replace("\n", " ")


def interval(low: float, high: float, digits: int = 1) -> str:
    """An interval as it stands behind a value, such as " [7.7, 38.4]"; "" where undefined."""
    return "" if low != low else f" [{fixed(low, digits)}, {fixed(high, digits)}]"


def percent_with_interval(row: Mapping[str, float], name: str, digits: int = 1) -> str:
    """A score of a row in percent, and its interval `<name>_low` to `<name>_high` if it has one."""
    value, low, high = (percent(row.get(f"{name}{end}", math.nan)) for end in ("", "_low", "_high"))
    return f"{fixed(value, digits)}{interval(low, high)}"


def percent(value: float) -> float:
    """A share in [0, 1] as percent; nan stays nan."""
    return 100 * value


def fixed(value: float, digits: int) -> str:
    """A number with so many digits behind the point; what rounds to zero has no sign.

    Example:
        >>> fixed(-0.004, 2), fixed(-0.006, 2)
        ('0.00', '-0.01')
    """
    return f"{round(value, digits) + 0.0:.{digits}f}"  # Python 3.10 does not know the format `z`
