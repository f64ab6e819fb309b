"""Which column of a table holds what: guessed from its names, shown, overridden by the caller.

A long table has one score a row. A wide one has several columns of scores: one per system, with a
row per unit; or, beside a column that names systems, one per unit.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..columns import field_names, shown, to_list
from .inputs import METRIC

WHERE = f"{METRIC}: data"
NAMES = {
    "system": "system model method algorithm classifier approach parser segmenter tagger learner",
    "unit": "unit dataset task benchmark language lang corpus domain draw testset subset",
    "repeat": "repeat seed run fold split trial replicate rep",
    "item": "item doc example instance question sample",
    "score": "score value accuracy acc f1 performance result auc bleu las uas metricvalue",
}
"""What columns are called, as `_plain` writes a name, for each role."""
SHARE = re.compile(r"\s*-?[\d.,]+\s*%\s*")
ROLES = tuple(NAMES)
LAYOUTS = {
    "long": "one score a row",
    "systems": "a column of scores per system",
    "units": "a column of scores per unit",
}


@dataclass(frozen=True)
class Roles:
    """Columns of each role; several columns of a role are read together, as `mnli/en`.

    Attributes:
        columns: Names of the columns by role; none for a role that the table lacks.
        layout: A key of LAYOUTS; several columns of scores make a table wide.
    """

    columns: Mapping[str, tuple[str, ...]]
    layout: str

    def fields(self) -> dict[str, str]:
        """What was read as what, by role, such as `{"system": "model", "score": "a, b, c"}`."""
        named = {role: ", ".join(self.columns[role]) for role in ROLES if self.columns[role]}
        usual = {
            "systems": {"system": "the columns' names"},
            "units": {"unit": "the columns' names"},
        }
        return usual.get(self.layout, {}) | named | {"layout": LAYOUTS[self.layout]}


def read_data(data: Any, columns: Mapping[str, Any] | None) -> tuple[dict[str, Any], Roles, int]:
    """Inputs of the metric from a table.

    Args:
        data: A DataFrame, Dataset, Arrow table, dict of columns or list of dicts.
        columns: Column, or columns, of a role where the guess is not wanted; None for no column.

    Returns:
        Columns `system`, `unit`, `score` and where there are any `repeat` and `item`; what was read
        as what; and the number of cells without a score, which are left out: None, nan or "".

    Raises:
        ValueError: A role cannot be told from the names, or a named column is not there.
    """
    if data is None:
        raise ValueError(f"{METRIC}: data, got none beside columns; expected a table")
    table = _columns(data)
    _refuse_signs(table, (columns or {}).get("score"))
    roles = find_roles(list(table), [n for n in table if _is_numeric(table[n])], columns or {})
    n_rows = len(next(iter(table.values())))
    labels = {role: _label(table, roles.columns[role]) for role in ROLES[:-1]}
    if roles.layout == "systems":
        units = labels["unit"] or [f"row {i + 1}" for i in range(n_rows)]
        labels["unit"] = units
        if not roles.columns["repeat"] and len(set(units)) < n_rows:
            labels["repeat"] = _occurrences(units)
    if roles.layout != "long":
        labels = _stacked(labels, roles, n_rows)
    scores = [value for name in roles.columns["score"] for value in table[name]]
    kept = [i for i, value in enumerate(scores) if not _is_blank(value)]
    n_blank = len(scores) - len(kept)
    inputs = {role: label for role, label in labels.items() if label is not None} | {
        "score": scores
    }
    if n_blank:
        inputs = {role: [column[i] for i in kept] for role, column in inputs.items()}
    if "item" in inputs and len(set(inputs["unit"])) == 1:  # a single data set: its items vary
        inputs["unit"] = inputs.pop("item")
        merged = {"unit": roles.columns["item"], "item": ()}
        roles = Roles({**roles.columns, **merged}, roles.layout)
    return inputs, roles, n_blank


def _refuse_signs(table: Mapping[str, Sequence[Any]], chosen: Any) -> None:
    named = (chosen,) if isinstance(chosen, str) else tuple(chosen or ())
    for name in (n for n in table if n in named or _plain(n) in NAMES["score"].split()):
        if signs := [v for v in table[name] if isinstance(v, str) and SHARE.fullmatch(v)]:
            raise ValueError(
                f"{WHERE}: {name}, got {signs[0]!r}; expected numbers without a percent sign"
            )


def find_roles(names: Sequence[str], numeric: Collection[str], given: Mapping[str, Any]) -> Roles:
    """Roles of the columns, by what is given and then by their names.

    Args:
        names: All columns, in order.
        numeric: Those that hold numbers.
        given: As in `read_data`.
    """
    chosen = {role: _given(role, value, names) for role, value in given.items()}
    taken = {name for of_role in chosen.values() for name in of_role}
    free = [name for name in names if name not in taken]
    found = {
        role: chosen.get(role, tuple(n for n in free if _plain(n) in NAMES[role].split()))
        for role in ROLES
    }
    named = {name for role in ROLES[:-1] for name in found[role]}
    numbers = [n for n in free if n in numeric and n not in named]
    texts = [n for n in free if n not in numeric and n not in named and n not in found["score"]]
    is_nameless = not found["system"] and "system" not in chosen and bool(found["unit"])
    if is_nameless and len(texts) == 1 and 1 in (len(numbers), len(found["score"])):
        found["system"] = (texts.pop(),)
    if "score" not in chosen:
        found["score"] = _scores(found, numbers, names, bool(found["unit"] or len(texts) == 1))
    return _with_unit(found, texts, "unit" in chosen, names)


def _scores(
    found: Mapping[str, tuple[str, ...]],
    numbers: Sequence[str],
    names: Sequence[str],
    has_unit: bool,
) -> tuple[str, ...]:
    """Column or columns of scores; a ValueError where the names do not tell."""
    named = [name for name in numbers if name in found["score"]]
    exact = [name for name in named if _plain(name) == "score"]
    if found["system"] and len(best := exact or named or numbers) == 1:
        return (best[0],)
    is_wide = not found["system"] or not has_unit
    if len(numbers) > 1 and not named and is_wide:
        return tuple(numbers)
    what = "columns that could be the score" if found["system"] or named else "columns of scores"
    raise ValueError(
        f"{WHERE}: {what}, got {', '.join(named or numbers) or 'none'} of {', '.join(names)};"
        " expected one beside a column of systems, or one per system: name them, such as"
        ' columns={"system": "model", "unit": "dataset", "score": "f1"}'
    )


def _with_unit(
    found: dict[str, tuple[str, ...]], texts: Sequence[str], is_given: bool, names: Sequence[str]
) -> Roles:
    """Roles with a unit: what repeats or items are to it, where there is none by name."""
    is_wide = len(found["score"]) > 1
    layout = "long" if not is_wide else "units" if found["system"] else "systems"
    if layout == "long" and not found["system"]:
        raise ValueError(
            f"{WHERE}: column of systems, got none among {', '.join(names)}; expected one:"
            ' columns={"system": ...}'
        )
    if layout == "units" or found["unit"] or is_given:
        return Roles(found, layout)
    if layout == "systems" and len(texts) > 1:
        # Foo,Bar,7,79.3: systems, data sets, a seed and a score, or texts beside two systems
        raise ValueError(
            f"{WHERE}: columns, got {', '.join(texts)} beside the numbers"
            f" {', '.join(found['score'])}; expected names that tell systems, units and scores"
            ' apart: columns={"system": ..., "unit": ..., "score": ...}'
        )
    if texts and (layout == "systems" or len(texts) == 1):
        found["unit"] = tuple(texts)
    for role in ("item", "repeat"):
        if found[role] and not found["unit"]:
            found["unit"], found[role] = found[role], ()
    if layout == "long" and not found["unit"]:
        raise ValueError(
            f"{WHERE}: column of units, got none among {', '.join(names)}; expected what was"
            ' resampled, a data set or a seed: columns={"unit": ...}'
        )
    return Roles(found, layout)


def _columns(data: Any) -> dict[str, list[Any]]:
    """Columns as plain lists; rows that are dicts may lack fields."""
    rows = data if isinstance(data, list | tuple) else None
    if rows is None:
        names = field_names(data)
        table = {str(name): to_list(data[name], f"{WHERE}: {name}") for name in names}
    elif wrong := [row for row in rows if not isinstance(row, Mapping)]:
        raise ValueError(f"{WHERE}: row, got {shown(wrong[0])}; expected a mapping from columns")
    else:
        names = list(dict.fromkeys(name for row in rows for name in row))
        table = {str(name): [row.get(name) for row in rows] for name in names}
    lengths = {len(column) for column in table.values()}
    if len(lengths) != 1 or not max(lengths):
        got = f"columns of lengths {sorted(lengths)}" if table else type(data).__name__
        raise ValueError(f"{WHERE}, got {got}; expected a table with columns and rows")
    return table


def _given(role: str, value: Any, names: Sequence[str]) -> tuple[str, ...]:
    if role not in ROLES:
        raise ValueError(f"{METRIC}: columns, got {shown(role)}; expected {', '.join(ROLES)}")
    wanted = () if value is None else (value,) if isinstance(value, str) else tuple(value)
    if unknown := [name for name in wanted if name not in names]:
        raise ValueError(
            f"{METRIC}: columns: {role}, got {shown(unknown[0])}; expected of {', '.join(names)}"
        )
    return wanted


def _plain(name: str) -> str:
    """Name by which a column is known: `Model name` is `model`, `data_set` is `dataset`."""
    if not name or name.startswith("Unnamed: "):  # pandas' index, written out
        return "unit"
    letters = re.sub(r"[^a-z0-9]", "", name.casefold())
    return re.sub(r"(?<=.)(name|id)$", "", letters)


def _is_numeric(column: Sequence[Any]) -> bool:
    values = [value for value in column if not _is_blank(value)]
    return bool(values) and all(
        hasattr(value, "__float__") and not isinstance(value, bool) for value in values
    )


def _is_blank(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _label(table: Mapping[str, list[Any]], names: Sequence[str]) -> list[Any] | None:
    if len(names) < 2:
        return table[names[0]] if names else None
    return ["/".join(map(str, cells)) for cells in zip(*(table[n] for n in names), strict=True)]


def _occurrences(units: Sequence[Any]) -> list[int]:
    """How often each unit stood before, itself included: rows of one unit are its repeats."""
    seen: Counter[Any] = Counter()
    numbers = []
    for unit in units:
        seen[unit] += 1
        numbers.append(seen[unit])
    return numbers


def _stacked(
    labels: Mapping[str, list[Any] | None], roles: Roles, n_rows: int
) -> dict[str, list[Any] | None]:
    """Labels of a wide table's cells, column by column."""
    names = roles.columns["score"]
    stacked = {
        role: None if label is None else label * len(names) for role, label in labels.items()
    }
    named = "system" if roles.layout == "systems" else "unit"
    if roles.layout == "units" and labels["unit"] is not None:
        cells = [f"{unit}/{name}" for name in names for unit in labels["unit"]]
        return stacked | {"unit": cells}
    return stacked | {named: [name for name in names for _ in range(n_rows)]}
