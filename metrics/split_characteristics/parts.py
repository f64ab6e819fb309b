"""Reads the items of a training and a test part, each a tuple of its units."""

from collections.abc import Callable, Iterable
from typing import Any

from ..columns import check_lengths, check_option, to_list
from .options import Options

WHERE = Options.metric
PARTS = ("train", "test")
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
            f"{WHERE}: inputs, got only some of train and test, or data as well; "
            "expected train and test"
        )
    train, test = to_list(train), to_list(test)
    return [*train, *test], ["train"] * len(train) + ["test"] * len(test)


def read_parts(data: Any, part: Any, options: Options) -> tuple[list[Item], list[Item]]:
    """Items of the training and of the test part.

    Raises:
        ValueError: Lengths differ, a part has no item or another name, or an item has no unit.
        TypeError: An item is no list of units, or a unit no string.
    """
    names, items = to_list(part), to_list(data)
    check_lengths(WHERE, data=items, part=names)
    divide = options.divider()
    parts: dict[str, list[Item]] = {name: [] for name in PARTS}
    for i, (item, name) in enumerate(zip(items, names, strict=True)):
        check_option(f"{WHERE}: row {i}", "part", name, PARTS)
        parts[name].append(_item(f"{name}[{len(parts[name])}]", item, divide))
    for name, found in parts.items():
        if not found:
            raise ValueError(f"{WHERE}: {name}, got no items; expected at least one")
    return parts["train"], parts["test"]


def _item(where: str, value: Any, divide: Callable[[Any], Iterable[str]] | None) -> Item:
    if divide is None and isinstance(value, str | bytes):
        raise TypeError(
            f"{WHERE}: {where}, got the string {value!r}; expected a list of units, "
            "or the option units, such as 'characters'"
        )
    item = tuple(to_list(value) if divide is None else divide(value))
    if not item:
        raise ValueError(f"{WHERE}: {where}, got no units; expected at least one")
    for unit in item:
        if not isinstance(unit, str) or not unit:
            raise TypeError(f"{WHERE}: {where}, got the unit {unit!r}; expected non-empty strings")
    return item
