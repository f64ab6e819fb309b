"""Reads the items of a training and a test part, each a tuple of its units."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .._shared.columns import shown, to_list
from .inputs import INPUTS, METRIC, PARTS
from .options import Options

Item = tuple[str, ...]


def as_columns(train: Any, test: Any, data: Any, part: Any) -> tuple[Any, Any]:
    """Items and their parts as two columns, from the two parts or from such columns.

    Raises:
        ValueError: Only one part is given, or both forms at once.
    """
    if train is None and test is None:
        return data, part
    if train is None or test is None or data is not None or part is not None:
        raise ValueError(
            f"{METRIC}: inputs, got only some of train and test, or data as well; "
            "expected train and test"
        )
    train, test = to_list(train, f"{METRIC}: train"), to_list(test, f"{METRIC}: test")
    return [*train, *test], ["train"] * len(train) + ["test"] * len(test)


def read_parts(data: Any, part: Any, options: Options) -> tuple[list[Item], list[Item]]:
    """Items of the training and of the test part.

    Raises:
        ValueError: Lengths differ, a part has no item or another name, an item has no unit or is
            text where no option divides it, or a unit is empty or no string.
    """
    read = INPUTS.read({"data": data, "part": part})
    items = _divided(read["data"], options)
    parts: dict[str, list[Item]] = {name: [] for name in PARTS}
    for name, item in zip(read["part"], items, strict=True):
        _check_units(f"{METRIC}: {name}[{len(parts[name])}]", item)
        parts[name].append(tuple(item))
    for name, found in parts.items():
        if not found:
            raise ValueError(f"{METRIC}: {name}, got no items; expected at least one")
    return parts["train"], parts["test"]


def _divided(items: Mapping[str, list[Any]], options: Options) -> list[Any]:
    """Units of each item, divided where the items are texts."""
    divide = options.divider()
    if "text" in items:
        if divide is None:
            raise ValueError(
                f"{METRIC}: data, got texts such as {items['text'][0]!r:.40}; expected lists of "
                "units, or the option units, such as 'characters'"
            )
        return [_units(divide, text) for text in items["text"]]
    if divide is not None:
        raise ValueError(
            f"{METRIC}: units, got {options.quoted()['units']!r} for items that are lists of units;"
            " expected texts, or no units"
        )
    return items["units"]


def _units(divide: Callable[[str], Iterable[str]], text: str) -> list[Any]:
    try:
        return to_list(divide(text), f"{METRIC}: units")
    except Exception as error:  # a person's own function
        raise ValueError(
            f"{METRIC}: units, got {type(error).__name__} of the function for {shown(text)}; "
            "expected the units of every item"
        ) from error


def _check_units(where: str, units: Sequence[Any]) -> None:
    if not units:
        raise ValueError(f"{where}, got no units; expected at least one")
    for unit in units:
        if not isinstance(unit, str) or not unit:
            raise ValueError(f"{where}, got the unit {shown(unit)}; expected non-empty strings")
